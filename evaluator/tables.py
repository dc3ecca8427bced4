"""Columnar views of many documents: one row an annotation, integers only.

Gold and run are laid out together, so that equal labels and equal spans have equal numbers on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from brat.model import Document, Fragment, TextBound

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class EntityTable:
    """The text-bound annotations of one side, without repetitions, in the order of their documents and lines.

    Attributes:
        document: [n] index into `Tables.documents`.
        label: [n] index into `Tables.labels`.
        span: [n] a number for the set of fragments, the same on both sides.
        first: [n + 1] where each row's fragments begin in the two columns below.
        start, end: [fragments] code points; fragments that overlap within a row are merged here.
        text: [n] the text column of each row.
        repeated: how many repetitions (same document, label and fragments) were left out.
        row: [annotations as given] the row that each of them became, in the order of documents and lines: where its id leads.
    """

    document: Ints
    label: Ints
    span: Ints
    first: Ints
    start: Ints
    end: Ints
    text: Sequence[str | None]
    repeated: int
    row: Ints

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True)
class Tables:
    """Gold and run side by side.

    Attributes:
        documents: ids, sorted.
        labels: sorted by code point, so that comparing numbers compares labels.
        shapes: the set of fragments behind each number in `EntityTable.span`, sorted.
        texts: of each document, None where it is not known.
        gold, run: the two sides.
    """

    documents: tuple[str, ...]
    labels: tuple[str, ...]
    shapes: Sequence[tuple[Fragment, ...]]
    texts: tuple[str | None, ...]
    gold: EntityTable
    run: EntityTable


def build_tables(gold: Mapping[str, Document], run: Mapping[str, Document]) -> Tables:
    """Lay out the text-bound annotations of gold and run.

    Every document of gold counts; one that the run lacks is empty there, and one that only the run has is left out.
    """
    ids = tuple(sorted(gold))
    gold_rows = [list(gold[id_].text_bounds) for id_ in ids]
    run_rows = [list(run[id_].text_bounds) if id_ in run else [] for id_ in ids]
    labels = tuple(sorted({each.label for rows in (gold_rows, run_rows) for row in rows for each in row}))
    number = {label: i for i, label in enumerate(labels)}
    spans: dict[tuple[Fragment, ...], int] = {}
    tables = [_build_side(rows, number, spans) for rows in (gold_rows, run_rows)]
    return Tables(ids, labels, tuple(spans), tuple(gold[id_].text for id_ in ids), *tables)


def _build_side(rows: list[list[TextBound]], number: dict[str, int], spans: dict[tuple[Fragment, ...], int]) -> EntityTable:
    counts = [len(row) for row in rows]
    flat = [each for row in rows for each in row]
    document = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
    label = np.fromiter((number[each.label] for each in flat), dtype=np.int64, count=len(flat))
    shapes = [each.fragments if len(each.fragments) == 1 else tuple(sorted(set(each.fragments))) for each in flat]
    span = np.fromiter((spans.setdefault(shape, len(spans)) for shape in shapes), dtype=np.int64, count=len(flat))
    kept, row = first_of_each(document, label, span)
    covered = [shape if len(shape) == 1 else _merge_overlaps(shape) for shape in (shapes[i] for i in kept.tolist())]
    sizes = np.fromiter((len(shape) for shape in covered), dtype=np.int64, count=len(covered))
    ends = np.array([fragment for shape in covered for fragment in shape], dtype=np.int64).reshape(-1, 2)
    return EntityTable(
        document=document[kept],
        label=label[kept],
        span=span[kept],
        first=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)]),
        start=ends[:, 0].copy(),
        end=ends[:, 1].copy(),
        text=tuple(flat[i].text for i in kept.tolist()),
        repeated=len(flat) - len(kept),
        row=row,
    )


def first_of_each(*columns: Ints) -> tuple[Ints, Ints]:
    """The rows whose combination of values has not occurred in an earlier row.

    Args:
        columns: each [n].

    Returns:
        Those rows, in order, and for each row [n] which of them has its values.
    """
    if not len(columns[0]):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.lexsort(columns)
    new = np.zeros(len(order), dtype=bool)
    new[0] = True
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    kept = np.zeros(len(order), dtype=bool)
    first = order[new]  # lexsort is stable: the first of equal rows comes first
    kept[first] = True
    place = np.cumsum(kept, dtype=np.int64) - 1
    became = np.empty(len(order), dtype=np.int64)
    became[order] = place[first][np.cumsum(new) - 1]
    return np.flatnonzero(kept).astype(np.int64), became


def _merge_overlaps(shape: tuple[Fragment, ...]) -> tuple[Fragment, ...]:
    """Sorted fragments with overlapping ones united; fragments that only touch stay apart."""
    merged: list[Fragment] = []
    for start, end in shape:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
