"""Tables from columns: the same as `evaluator.tables.build_tables` makes of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from brat.model import Fragment
from evaluator.columnar.lines import PlainLines
from evaluator.columnar.words import ByteString
from evaluator.tables import EntityTable, Ints, Tables, first_of_each

_DENSE = 8
"""How many numbers a table of all possible spans may have for every annotation; beyond, the spans are sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class _Columns(Sequence[str | None]):
    """Text columns, each decoded when it is asked for."""

    text: ByteString
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[str | None]: ...
    def __getitem__(self, row: int | slice) -> str | Sequence[str | None] | None:
        """One text column, or some of them."""
        if isinstance(row, slice):
            return _Columns(self.text, self.start[row], self.end[row])
        return self.text.data[int(self.start[row]) : int(self.end[row])].decode()


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes(Sequence[tuple[Fragment, ...]]):
    """Spans of one fragment each."""

    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, row: int) -> tuple[Fragment, ...]: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[tuple[Fragment, ...]]: ...
    def __getitem__(self, row: int | slice) -> tuple[Fragment, ...] | Sequence[tuple[Fragment, ...]]:
        """One span, or some of them."""
        if isinstance(row, slice):
            return _Shapes(self.start[row], self.end[row])
        return ((int(self.start[row]), int(self.end[row])),)


def lay_out_lines(documents: Sequence[str], texts: Sequence[str | None], gold: PlainLines, run: PlainLines) -> Tables:
    """Gold and run side by side.

    Args:
        documents: ids, sorted.
        texts: of each document, None where it is not known.
        gold, run: the annotations of these documents, a file each, in their order.
    """
    labels = tuple(sorted({side.labels[i] for side in (gold, run) for i in side.labels_met()}))
    place = {label: i for i, label in enumerate(labels)}
    span, shapes = _number_spans(np.concatenate([gold.start, run.start]), np.concatenate([gold.end, run.end]))
    spans = span[: len(gold)], span[len(gold) :]
    sides = [
        _lay_out(side, np.array([place.get(each, -1) for each in side.labels], dtype=np.int64), own)
        for side, own in zip((gold, run), spans, strict=True)
    ]
    return Tables(tuple(documents), labels, shapes, tuple(texts), *sides)


def _lay_out(side: PlainLines, place: Ints, span: Ints) -> EntityTable:
    label = place[side.label] if len(place) else side.label
    new_start = (np.diff(side.start) > 0) | (np.diff(side.file) != 0)
    if new_start.all():  # annotations in the order of their starts, no two with the same one: none is a repetition
        kept = row = np.arange(len(side), dtype=np.int64)
    else:
        kept, row = first_of_each(side.file, label, span)
    return EntityTable(
        document=side.file[kept],
        label=label[kept],
        span=span[kept],
        first=np.arange(len(kept) + 1, dtype=np.int64),
        start=side.start[kept],
        end=side.end[kept],
        text=_Columns(side.text, side.column_start[kept], side.column_end[kept]),
        repeated=len(side) - len(kept),
        row=row,
    )


def _number_spans(start: Ints, end: Ints) -> tuple[Ints, _Shapes]:
    """A number for each span in the order of first occurrence, and the spans by number."""
    if not len(start):
        return start, _Shapes(start, end)
    length = end - start
    length -= length.min()
    width = int(length.max()) + 1
    key = start * width + length
    size = int(start.max() + 1) * width
    places = np.arange(len(key), dtype=np.int64)
    if size <= max(_DENSE * len(key), 1 << 16):
        table = np.empty(size, dtype=np.int64)
        table[key[::-1]] = places[::-1]  # of several that go to one place the last stays: here the first of the rows
        first = table[key]
    else:
        _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
        first = index[inverse]
    is_new = first == places
    number = np.cumsum(is_new, dtype=np.int64) - 1
    return number[first], _Shapes(start[is_new], end[is_new])
