"""Which labels a run mistakes for which: the confusion matrix of ChEMU 2020 (section 8, Figures 8 and 12).

Rows are the labels of gold, columns those of the run, both with `NEG` for a span that the other side does not annotate,
under exact span matching. The pairs are those of `evaluator.matching` for exact spans and any labels, so that the diagonal
holds the true positives of exact spans and fine labels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from brat.model import Document, Fragment, covered_text
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.matching import match
from evaluator.tables import Ints, Tables, build_tables

NEG = "NEG"
_CONTEXT = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An annotation that one side has and the other does not, or not with that label.

    Attributes:
        document: its id.
        gold_label, run_label: the row and the column it is counted in.
        fragments: where it is, sorted.
        text: what it covers, from the text columns where the document's text is not known.
        before, after: up to 40 characters of context; in these and in `text` a line end or a tab stands as a blank.
    """

    document: str
    gold_label: str
    run_label: str
    fragments: tuple[Fragment, ...]
    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """A confusion matrix, with examples of what is off the diagonal.

    Attributes:
        labels: of rows and columns, `NEG` last. A label of the corpus that is itself called so is told as `label:NEG`.
        counts: [labels][labels] annotations, gold by run.
        examples: by row, column, document and place.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    examples: tuple[Example, ...] = ()

    def without_empty(self) -> Confusion:
        """The same without labels that neither side has; `NEG` stays."""
        size = range(len(self.labels) - 1)
        kept = [i for i in size if any(self.counts[i]) or any(row[i] for row in self.counts)] + [len(self.labels) - 1]
        counts = tuple(tuple(self.counts[i][j] for j in kept) for i in kept)
        return Confusion(labels=tuple(self.labels[i] for i in kept), counts=counts, examples=self.examples)

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Confusion:
        """The inverse of `to_json`, also after a way through JSON."""
        return cls(
            labels=tuple(value["labels"]),
            counts=tuple(tuple(row) for row in value["counts"]),
            examples=tuple(
                Example(**each | {"fragments": tuple((start, end) for start, end in each["fragments"])})
                for each in value["examples"]
            ),
        )


def confusion(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    labels: Sequence[str] = (),
    *,
    only: frozenset[str] | None = None,
    examples_per_cell: int = 5,
) -> Confusion:
    """The confusion matrix of a run.

    Of the annotations with equal sets of fragments those with equal labels are paired first, then the rest in the order of
    their labels, one to one; what is left is counted against `NEG`. Repetitions count once. Documents that only the run has
    are left out.

    Args:
        gold, run: documents by id.
        labels: the order of rows and columns; labels that occur and are not among these follow, sorted.
        only: labels that both sides are restricted to before anything is paired, such as those of triggers.
        examples_per_cell: the most examples for each kind of error, from as many documents as there can be.
    """
    if only is not None:
        gold, run, labels = _restrict(gold, only), _restrict(run, only), [each for each in labels if each in only]
    tables = build_tables(gold, run)
    order = list(dict.fromkeys([*labels, *tables.labels]))
    place = {label: i for i, label in enumerate(order)}
    table_place = np.array([place[each] for each in tables.labels], dtype=np.int64)
    cases = _cases(tables, table_place, len(order))
    size = len(order) + 1
    counts = np.bincount(cases[:, 0] * size + cases[:, 1], minlength=size * size).reshape(size, size)
    names = _names(order)
    chosen = _choose(tables, cases[cases[:, 0] != cases[:, 1]], examples_per_cell)
    return Confusion(
        labels=names,
        counts=tuple(tuple(row) for row in counts.tolist()),
        examples=tuple(
            _example(tables.documents[d], (names[g], names[r]), tables.shapes[s], _sources(gold, run, tables.documents[d]))
            for g, r, d, s in chosen
        ),
    )


def _restrict(documents: Mapping[str, Document], only: Collection[str]) -> dict[str, Document]:
    return {
        id_: Document(id_, tuple(bound for bound in each.text_bounds if bound.label in only), each.text)
        for id_, each in documents.items()
    }


def _names(order: Sequence[str]) -> tuple[str, ...]:
    """The labels as they are told, and `NEG`."""
    other = f"label:{NEG}"
    while other in order:
        other = f"label:{other}"
    return (*(other if each == NEG else each for each in order), NEG)


def _cases(tables: Tables, place: Ints, neg: int) -> Ints:
    """[pairs and what is in none, 4] row, column, document and span of each."""
    found = match(tables, Criterion(SpanRule.EXACT, LabelRule.ANY))
    gold, run = tables.gold, tables.run
    missed = np.setdiff1d(np.arange(len(gold)), found.gold)
    spurious = np.setdiff1d(np.arange(len(run)), found.run)
    return np.concatenate(
        [
            np.column_stack([rows, columns, side.document[at], side.span[at]])
            for side, at, rows, columns in (
                (gold, found.gold, place[gold.label[found.gold]], place[run.label[found.run]]),
                (gold, missed, place[gold.label[missed]], np.full(len(missed), neg)),
                (run, spurious, np.full(len(spurious), neg), place[run.label[spurious]]),
            )
        ]
    ).astype(np.int64)


def _choose(tables: Tables, cases: Ints, most: int) -> list[tuple[int, int, int, int]]:
    """Some cases of each cell: one a document, evenly from all its documents; further ones where these are too few."""
    cells: dict[tuple[int, int], dict[int, list[int]]] = {}
    for row, column, document, span in cases.tolist():
        cells.setdefault((row, column), {}).setdefault(document, []).append(span)
    chosen = []
    for (row, column), by_document in sorted(cells.items()):
        spans = {document: sorted(found, key=tables.shapes.__getitem__) for document, found in sorted(by_document.items())}
        if len(spans) > most:
            documents = list(spans)
            picked = [(document, 0) for document in (documents[i * len(documents) // most] for i in range(most))]
        else:
            every = [(i, document) for document, found in spans.items() for i in range(len(found))]
            picked = sorted((document, i) for i, document in sorted(every)[:most])
        chosen += [(row, column, document, spans[document][i]) for document, i in picked]
    return chosen


def _sources(gold: Mapping[str, Document], run: Mapping[str, Document], id_: str) -> list[Document]:
    return [side[id_] for side in (gold, run) if id_ in side]


def _example(document: str, labels: tuple[str, str], fragments: tuple[Fragment, ...], sources: Sequence[Document]) -> Example:
    text = sources[0].text
    if text is None:
        before = after = ""
        columns = [
            each.text
            for side in sources
            for each in side.text_bounds
            if each.text is not None and tuple(sorted(set(each.fragments))) == fragments
        ]
        covered = min(columns, default="")  # any, but not that of the line which happens to be first
    else:
        start, end = fragments[0][0], max(end for _, end in fragments)
        before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
        covered = covered_text(text, fragments)
    return Example(
        document=document,
        gold_label=labels[0],
        run_label=labels[1],
        fragments=fragments,
        text=_in_one_line(covered),
        before=_in_one_line(before),
        after=_in_one_line(after),
    )


def _in_one_line(text: str) -> str:
    return "".join(" " if each.isspace() else each for each in text)
