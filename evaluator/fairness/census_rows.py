"""Lines of names with counts, as columns of numbers: what stands between which commas is found for all lines at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.tables import Flags, Ints

TABLE, YEAR = "year,sex,name,count", "name,sex,count"
"""The two layouts: a line of a table, and of the file of a year."""
_COMMA, _NEWLINE, _RETURN, _ZERO = (ord(each) for each in ",\n\r0")
_FEMALE, _MALE = ord("F"), ord("M")
_MOST_DIGITS = 9
_SHOWN = 60


class CensusError(ValueError):
    """A census that cannot be read, with the place as `file:line`; lines count from 1, 0 is unknown."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")
        self.file, self.line, self.message = file, line, message


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a census.

    Attributes:
        text: the bytes that the names lie in, UTF-8.
        years, counts: [n].
        male: [n] 1 for a male name, 0 for a female one.
        starts, ends: [n] where each name lies in `text`.
        file: [n] index into `files`.
        lines: [n] from 1.
        files: names, for messages.
    """

    text: bytes
    years: Ints
    male: Ints
    counts: Ints
    starts: Ints
    ends: Ints
    file: Ints
    lines: Ints
    files: tuple[str, ...]

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """Rows one after the other."""
        offsets = np.cumsum([0, *(len(each.text) for each in parts)])

        def column(name: str, add: Sequence[int] | None = None) -> Ints:
            found = [getattr(each, name) + (add[i] if add is not None else 0) for i, each in enumerate(parts)]
            return np.concatenate(found) if found else np.zeros(0, np.int64)

        return cls(
            text=b"".join(each.text for each in parts),
            years=column("years"),
            male=column("male"),
            counts=column("counts"),
            starts=column("starts", offsets.tolist()),
            ends=column("ends", offsets.tolist()),
            file=column("file", range(len(parts))),
            lines=column("lines"),
            files=tuple(each.files[0] for each in parts),
        )

    def take(self, order: Ints) -> Rows:
        """The rows in another order."""
        columns = (self.years, self.male, self.counts, self.starts, self.ends, self.file, self.lines)
        years, male, counts, starts, ends, file, lines = (each[order] for each in columns)
        return Rows(self.text, years, male, counts, starts, ends, file, lines, self.files)

    def names(self, part: slice) -> tuple[str, ...]:
        """The names of some rows."""
        ends = self.ends[part].tolist()
        return tuple(self.text[start:end].decode() for start, end in zip(self.starts[part].tolist(), ends, strict=True))

    def place(self, row: int) -> tuple[str, int]:
        """The file and the line that a row stands in."""
        return self.files[int(self.file[row])], int(self.lines[row])

    def letters(self, part: slice) -> bytes:
        """The names of some rows, nothing between them."""
        return b"".join(self.text[a:b] for a, b in zip(self.starts[part].tolist(), self.ends[part].tolist(), strict=True))


def parse_rows(data: bytes, file: str, year: int | None = None) -> Rows:
    """The rows of one file.

    Args:
        data: its bytes. A line of column names is taken off.
        file: its name, for messages.
        year: that of the file, whose lines are then `name,sex,count`; without, they are `year,sex,name,count`.

    Raises:
        CensusError: a line is not laid out so; told of the first such line.
    """
    layout = TABLE if year is None else YEAR
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    first = 1
    if data.split(b"\n", 1)[0].strip().lower() == layout.encode():
        data, first = data.split(b"\n", 1)[1], 2
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    lines = _Lines(data, file, layout, starts, first)
    commas = _commas(text, ends, layout.count(","), lines)
    columns = [(starts, commas[:, 0]), *((commas[:, i] + 1, commas[:, i + 1]) for i in range(commas.shape[1] - 1))]
    columns.append((commas[:, -1] + 1, ends))
    places = dict(zip(layout.split(","), columns, strict=True))
    sex = text[places["sex"][0]] if len(ends) else text
    lines.refuse(((sex != _FEMALE) & (sex != _MALE)) | (places["sex"][1] - places["sex"][0] != 1), "the sex is F or M")
    name = places["name"]
    lines.refuse(name[0] == name[1], "the name is empty")
    counts, readable = _numbers(text, *places["count"])
    lines.refuse(~readable | (counts == 0), f"the count is a whole number above 0, of {_MOST_DIGITS} digits at most")
    if year is None:
        years, readable = _numbers(text, *places["year"])
        lines.refuse(~readable | (places["year"][1] - places["year"][0] != 4), "the year has four digits")
    else:
        years = np.full(len(ends), year, np.int64)
    _check_utf8(data, file, first)
    numbers = np.arange(first, first + len(ends))
    return Rows(data, years, (sex == _MALE).astype(np.int64), counts, *name, np.zeros_like(counts), numbers, (file,))


class _Lines:
    """The lines of a file, and what is raised for the first of them that is wrong."""

    def __init__(self, data: bytes, file: str, layout: str, starts: Ints, first: int) -> None:
        self._data, self._file, self._layout, self._starts, self._first = data, file, layout, starts, first

    def refuse(self, wrong: Flags, expected: str) -> None:
        """Raise for the first line that is wrong, if there is one, with what was expected and what stands there."""
        if not wrong.any():
            return
        row = int(np.argmax(wrong))
        start = int(self._starts[row])
        found = self._data[start : self._data.index(b"\n", start)].decode(errors="replace")
        shown = found if len(found) <= _SHOWN else f"{found[: _SHOWN - 1]}…"
        raise CensusError(self._file, self._first + row, f"{self._layout} is expected, where {expected}: {shown!r}")


def _commas(text: NDArray[np.uint8], ends: Ints, each: int, lines: _Lines) -> Ints:
    """Where the commas are: [lines, each].

    Raises:
        CensusError: a line has another number of them, or is cut by a carriage return.
    """
    places = np.flatnonzero(text == _COMMA)
    line = np.searchsorted(ends, places)
    lines.refuse(np.bincount(line, minlength=len(ends)) != each, f"there are {each} commas")
    returns = np.searchsorted(ends, np.flatnonzero(text == _RETURN))
    lines.refuse(np.bincount(returns, minlength=len(ends)) > 0, "no carriage return stands in a line")
    return places.reshape(len(ends), each)


def _numbers(text: NDArray[np.uint8], starts: Ints, ends: Ints) -> tuple[Ints, Flags]:
    """Whole numbers, and which of them are some."""
    lengths = ends - starts
    good = (lengths > 0) & (lengths <= _MOST_DIGITS)
    value = np.zeros(len(starts), np.int64)
    for place in range(int(lengths[good].max(initial=0))):
        inside = good & (place < lengths)
        digit = text[starts[inside] + place].astype(np.int64) - _ZERO
        good[inside] &= (digit >= 0) & (digit <= 9)
        value[inside] = value[inside] * 10 + digit
    return value, good


def _check_utf8(data: bytes, file: str, first: int) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as bad:
        line = first + data.count(b"\n", 0, bad.start)
        raise CensusError(file, line, "not UTF-8") from bad
