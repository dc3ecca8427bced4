"""One-to-one matching of gold and predicted annotations under a criterion: `exact-first`.

In each document, after repetitions have been dropped: equal spans with equal label are paired; then equal spans whose
labels the criterion lets agree; then, among what is left, the largest possible number of pairs that the criterion allows,
among those the most shared characters, and among those the smallest sorted list of (gold fragments, gold label, run
fragments, run label). Nothing depends on the order of lines or on ids; the definition is Assay's own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from rapidfuzz.distance import Levenshtein

from brat.model import covered_text
from evaluator.assignment import best_assignment
from evaluator.criteria import Criterion, SpanRule
from evaluator.hierarchy import Hierarchy
from evaluator.overlaps import group_keys, shared_characters
from evaluator.pairing import label_classes, left_over, pair_rows
from evaluator.tables import EntityTable, Flags, Ints, Tables


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


@dataclass(frozen=True, slots=True)
class Partners:
    """A matching as numbers by which what hangs on text-bound annotations, relations and events, can be compared.

    Attributes:
        gold, run: [rows of the side] a number for each row; partners have the same, and no other rows do.
        gold_found, run_found: [rows of the side] whether the row has a partner.
    """

    gold: Ints
    run: Ints
    gold_found: Flags
    run_found: Flags


def match(
    tables: Tables, criterion: Criterion, hierarchy: Hierarchy | None = None, triggers: Collection[str] = frozenset()
) -> Matching:
    """Match the two sides of `tables`; `hierarchy` says what lies under what for the labels rule `high`.

    A trigger is never a partner of an entity, whatever the rule for labels: `triggers` are the labels of the former.
    """
    gold, run = tables.gold, tables.run
    classes = label_classes(tables.labels, criterion.labels, hierarchy or Hierarchy(), triggers)
    keys = (gold.document, run.document), (gold.span, run.span)
    found = [pair_rows(keys, (gold.label, run.label), classes)]
    if criterion.span is not SpanRule.EXACT:
        found.append(_overlapping(tables, criterion, classes, *left_over((len(gold), len(run)), found)))
    pairs_gold, pairs_run = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(pairs_gold, kind="stable")
    return Matching(criterion, pairs_gold[order], pairs_run[order])


def partners_of(tables: Tables, matching: Matching) -> Partners:
    """The partners that a matching of these tables gives."""
    gold = np.arange(len(tables.gold), dtype=np.int64)
    run = len(gold) + np.arange(len(tables.run), dtype=np.int64)
    run[matching.run] = matching.gold
    gold_found, run_found = np.zeros(len(gold), dtype=bool), np.zeros(len(run), dtype=bool)
    gold_found[matching.gold] = True
    run_found[matching.run] = True
    return Partners(gold, run, gold_found, run_found)


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
    unique.sort(key=lambda row: (tables.shapes[int(side.span[row])], int(side.label[row])))
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
