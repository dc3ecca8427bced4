"""Annotation files of plain `T` lines, as columns; which files are not such is told, and they are for `brat.parse`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.columnar.words import ByteString, number_stretches, numbers
from evaluator.tables import Flags, Ints

_NEWLINE, _TAB, _BLANK, _ZERO, _T = (ord(each) for each in "\n\t 0T")
_MOST_PIECES = 400_000
"""Of lines and semicolons in a file: fewer than `brat.parse` takes, which says so where there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainLines:
    """The text-bound annotations of several files, one after the other.

    Attributes:
        text: the bytes of the files, without those of files that are not plain.
        plain: [files] which were read.
        file: [n] index of the file of each annotation.
        label: [n] index into `labels`.
        labels: in the order of their first occurrence.
        start, end: [n] code points.
        column_start, column_end: [n] where the text column lies in `text`.
    """

    text: ByteString
    plain: Flags
    file: Ints
    label: Ints
    labels: tuple[str, ...]
    start: Ints
    end: Ints
    column_start: Ints
    column_end: Ints

    def __len__(self) -> int:
        return len(self.file)

    def labels_met(self) -> list[int]:
        """The numbers of the labels that occur."""
        return np.flatnonzero(np.bincount(self.label, minlength=len(self.labels))).tolist()

    def take(self, rows: Ints | Flags) -> PlainLines:
        """Some of the annotations."""
        columns = (self.start, self.end, self.column_start, self.column_end)
        return PlainLines(
            self.text, self.plain, self.file[rows], self.label[rows], self.labels, *(each[rows] for each in columns)
        )


def read_lines(files: Sequence[bytes]) -> PlainLines:
    """The annotations of files in which every line is `T1<tab>LABEL START END<tab>TEXT`.

    A file with anything else is not plain, and nothing of it is read: other annotations, several fragments, blank lines,
    lines that end with CR, a byte order mark, what is not UTF-8, an id that is there twice or has leading zeros, numbers of
    more than eight digits, a third tab, and more lines than a file may have. An empty file is plain.
    """
    wanted = [each if _may_be_plain(each) else b"" for each in files]
    ended = [each if not each or each.endswith(b"\n") else each + b"\n" for each in wanted]
    text = ByteString(b"".join(ended))
    newline = text.find(_NEWLINE)
    begin = np.concatenate([np.zeros(1, dtype=np.int64), newline[:-1] + 1]) if len(newline) else newline
    lasts = np.searchsorted(newline, np.cumsum(np.array([len(each) for each in ended], dtype=np.int64)))
    file = np.repeat(np.arange(len(files), dtype=np.int64), np.diff(lasts, prepend=0))
    first_tab, second_tab, good = _tabs(text, begin, newline)
    blanks = text.find(_BLANK)
    before = np.searchsorted(blanks, second_tab)  # how many blanks there are before the end of the offsets
    good &= before >= 2
    padded = np.concatenate([np.full(3, -1, dtype=np.int64), blanks])
    third, second, first = padded[before], padded[before + 1], padded[before + 2]  # the last one is `first`
    good &= (third < first_tab) & (second > first_tab + 1)
    id_, is_number = numbers(text, begin + 1, first_tab)
    good &= is_number & (text.at(begin) == _T) & ((text.at(begin + 1) != _ZERO) | (first_tab == begin + 2))
    start, is_start = numbers(text, second + 1, first)
    end, is_end = numbers(text, first + 1, second_tab)
    good &= is_start & is_end
    plain = np.array([bool(kept) or not given for kept, given in zip(wanted, files, strict=True)], dtype=bool)
    plain[file[~good]] = False
    plain[_with_repeated_ids(file, id_)] = False
    rows = np.flatnonzero(plain[file])
    label, names = number_stretches(text, first_tab[rows] + 1, second[rows])
    columns = (start[rows], end[rows], second_tab[rows] + 1, newline[rows])
    return PlainLines(text, plain, file[rows], label, tuple(each.decode() for each in names), *columns)


def _may_be_plain(data: bytes) -> bool:
    """What is quickly seen of a file as a whole."""
    if not data:
        return True
    if not data.startswith(b"T") or b"\r" in data or b"\0" in data:
        return False
    if len(data) > _MOST_PIECES and data.count(b"\n") + data.count(b";") > _MOST_PIECES:
        return False
    return data.isascii() or is_utf8(data)


def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _tabs(text: ByteString, begin: Ints, newline: Ints) -> tuple[Ints, Ints, Flags]:
    """Where the first and the second tab of each line are, and which lines have just these two; both at its end elsewhere."""
    tabs = text.find(_TAB)
    if len(tabs) == 2 * len(newline):
        first, second = tabs[::2], tabs[1::2]
        if ((first > begin) & (second < newline)).all():  # so each line has its own two
            return first, second, np.ones(len(newline), dtype=bool)
    line = np.searchsorted(newline, tabs)
    count = np.bincount(line, minlength=len(newline))
    two = count == 2
    first, second = newline.copy(), newline.copy()
    of_two = tabs[two[line]]
    first[two], second[two] = of_two[::2], of_two[1::2]
    return first, second, two


def _with_repeated_ids(file: Ints, id_: Ints) -> Ints:
    """The files in which an id is there twice."""
    later = np.diff(id_) <= 0
    unsure = np.unique(file[1:][later & (np.diff(file) == 0)])  # ids that grow from line to line do not come back
    if not len(unsure):
        return unsure
    rows = np.flatnonzero(np.isin(file, unsure))
    key = np.sort(file[rows] * 10**9 + np.minimum(id_[rows], 10**9 - 1))
    return np.unique(key[1:][np.diff(key) == 0] // 10**9)
