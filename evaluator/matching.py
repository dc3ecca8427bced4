"""One-to-one matching of gold and predicted annotations under a criterion: `exact-first`.

In each document, after repetitions have been dropped: equal spans with equal label are paired; then equal spans whose
labels the criterion lets agree; then, among what is left, the largest possible number of pairs that the criterion allows,
among those the most shared characters, and among those the smallest sorted list of (gold fragments, gold label, run
fragments, run label). Nothing depends on the order of lines or on ids; the definition is Assay's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from rapidfuzz.distance import Levenshtein

from brat.model import covered_text
from evaluator.assignment import best_assignment
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.hierarchy import Hierarchy
from evaluator.overlaps import group_keys, shared_characters
from evaluator.tables import EntityTable, Ints, Tables

_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs of rows under a criterion; what is in no pair is a false negative or a false positive.

    Attributes:
        criterion: when a pair may match.
        gold, run: [pairs] rows of `Tables.gold` and `Tables.run`, sorted by gold row.
    """

    criterion: Criterion
    gold: Ints
    run: Ints


def match(tables: Tables, criterion: Criterion, hierarchy: Hierarchy | None = None) -> Matching:
    """Match the two sides of `tables`; `hierarchy` says what lies under what for the labels rule `high`."""
    gold, run = tables.gold, tables.run
    g, r = _equal_rows(*group_keys((gold.document, run.document), (gold.span, run.span), (gold.label, run.label)))
    found = [(g, r)]
    if criterion.labels is not LabelRule.FINE:
        found.append(_equal_spans(tables, _classes(tables, criterion, hierarchy), *_left_over(tables, found)))
    if criterion.span is not SpanRule.EXACT:
        found.append(_overlapping(tables, criterion, _classes(tables, criterion, hierarchy), *_left_over(tables, found)))
    pairs_gold, pairs_run = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(pairs_gold, kind="stable")
    return Matching(criterion, pairs_gold[order], pairs_run[order])


def _classes(tables: Tables, criterion: Criterion, hierarchy: Hierarchy | None) -> Ints:
    """[labels] a number for each label; the criterion lets two labels agree when their numbers are equal."""
    match criterion.labels:
        case LabelRule.FINE:
            return np.arange(len(tables.labels), dtype=np.int64)
        case LabelRule.ANY:
            return np.zeros(len(tables.labels), dtype=np.int64)
        case LabelRule.HIGH:
            tops = [(hierarchy or Hierarchy()).topmost(label) for label in tables.labels]
            number = {top: i for i, top in enumerate(sorted(set(tops)))}
            return np.array([number[top] for top in tops], dtype=np.int64)


def _left_over(tables: Tables, found: Iterable[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    gold_free = np.ones(len(tables.gold), dtype=bool)
    run_free = np.ones(len(tables.run), dtype=bool)
    for g, r in found:
        gold_free[g] = False
        run_free[r] = False
    return np.flatnonzero(gold_free), np.flatnonzero(run_free)


def _equal_rows(gold_key: Ints, run_key: Ints) -> tuple[Ints, Ints]:
    """Positions with equal keys; each key occurs at most once on each side."""
    _, g, r = np.intersect1d(gold_key, run_key, assume_unique=True, return_indices=True)
    return g.astype(np.int64), r.astype(np.int64)


def _equal_spans(tables: Tables, classes: Ints, gold_rows: Ints, run_rows: Ints) -> tuple[Ints, Ints]:
    """Pair what has equal fragments and labels of one class: the first with the first in the order of their labels."""
    gold, run = tables.gold, tables.run
    gold_key, run_key = group_keys(
        (gold.document[gold_rows], run.document[run_rows]),
        (gold.span[gold_rows], run.span[run_rows]),
        (classes[gold.label[gold_rows]], classes[run.label[run_rows]]),
    )
    gold_rank, run_rank = _rank(gold_key, gold.label[gold_rows]), _rank(run_key, run.label[run_rows])
    g, r = _equal_rows(*group_keys((gold_key, run_key), (gold_rank, run_rank)))
    return gold_rows[g], run_rows[r]


def _rank(key: Ints, value: Ints) -> Ints:
    """[rows] the place of each row among those with its key, by value, from 0."""
    if not len(key):
        return _NONE
    order = np.lexsort((value, key))
    starts = np.flatnonzero(np.concatenate([[True], key[order][1:] != key[order][:-1]]))
    sizes = np.diff(np.concatenate([starts, [len(key)]]))
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.repeat(starts, sizes)
    return rank


def _overlapping(tables: Tables, criterion: Criterion, classes: Ints, gold_rows: Ints, run_rows: Ints) -> tuple[Ints, Ints]:
    gold, run = tables.gold, tables.run
    gold_group, run_group = group_keys(
        (gold.document[gold_rows], run.document[run_rows]),
        (classes[gold.label[gold_rows]], classes[run.label[run_rows]]),
    )
    g, r, shared = shared_characters(gold, run, gold_group, run_group, gold_rows, run_rows)
    if criterion.threshold is not None:
        near = np.array(
            [_similar(tables, i, j, criterion.threshold) for i, j in zip(g.tolist(), r.tolist(), strict=True)], bool
        )
        g, r, shared = g[near], r[near], shared[near]
    alone = (np.bincount(g, minlength=len(gold))[g] == 1) & (np.bincount(r, minlength=len(run))[r] == 1)
    contested = _contested(tables, g[~alone], r[~alone], shared[~alone])
    return np.concatenate([g[alone], contested[0]]), np.concatenate([r[alone], contested[1]])


def _contested(tables: Tables, g: Ints, r: Ints, shared: Ints) -> tuple[Ints, Ints]:
    """Settle the pairs that exclude one another, one connected component at a time."""
    component = _components(g, r)
    order = np.argsort(component, kind="stable")
    ends = np.flatnonzero(np.diff(component[order])) + 1
    pairs: list[tuple[int, int]] = []
    for edges in np.split(order, ends) if len(order) else []:
        golds, runs = _in_order(tables, tables.gold, g[edges]), _in_order(tables, tables.run, r[edges])
        left = np.array([golds[row] for row in g[edges].tolist()], dtype=np.int64)
        right = np.array([runs[row] for row in r[edges].tolist()], dtype=np.int64)
        gold_rows, run_rows = list(golds), list(runs)
        pairs += [(gold_rows[i], run_rows[j]) for i, j in best_assignment(left, right, shared[edges])]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _components(g: Ints, r: Ints) -> Ints:
    """[edges] the smallest gold row of the connected component each edge is in."""
    component = g.copy()
    gold_index, run_index = np.unique(g, return_inverse=True)[1], np.unique(r, return_inverse=True)[1]
    while True:
        before = component
        for index in (run_index, gold_index):
            least = np.full(int(index.max(initial=-1)) + 1, np.iinfo(np.int64).max)
            np.minimum.at(least, index, component)
            component = least[index]
        if np.array_equal(before, component):
            return component


def _in_order(tables: Tables, side: EntityTable, rows: Ints) -> dict[int, int]:
    """The rows, each once, by fragments and then label; row to place."""
    unique = np.unique(rows).tolist()
    unique.sort(key=lambda row: (tables.shapes[side.span[row]], int(side.label[row])))
    return {row: place for place, row in enumerate(unique)}


def _similar(tables: Tables, gold_row: int, run_row: int, threshold: Fraction) -> bool:
    """1 − Levenshtein / length of the longer ≥ threshold, on the code points of the document."""
    text = tables.texts[int(tables.gold.document[gold_row])]
    a, b = _text_of(tables, tables.gold, gold_row, text), _text_of(tables, tables.run, run_row, text)
    longer = max(len(a), len(b))
    allowed = int((1 - threshold) * longer)
    return longer > 0 and Levenshtein.distance(a, b, score_cutoff=allowed) <= allowed


def _text_of(tables: Tables, side: EntityTable, row: int, text: str | None) -> str:
    return (side.text[row] or "") if text is None else covered_text(text, tables.shapes[side.span[row]])
