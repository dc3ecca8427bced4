"""Given names with how many children of each sex got them in each year, as the U.S. Social Security Administration counts.

Two layouts are read: a table `year,sex,name,count`, packed with xz or not, and the official `names.zip`, or the folder that it
unpacks to, whose files `yob1880.txt` have lines `name,sex,count`. Two million rows stay columns of numbers; names become
strings when a year is asked for.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from brat.files import Files, read_bytes, read_path
from evaluator.fairness.census_rows import CensusError, Rows, parse_rows
from evaluator.fairness.packed import XZ, unpack_xz
from evaluator.tables import Ints

__all__ = ["Census", "CensusError", "NameCounts", "Sex", "parse_census", "read_census"]

_YEAR_FILE = re.compile(r"(?:.*/)?yob(\d{4})\.txt", re.IGNORECASE)
_ZIP = b"PK"


class Sex(StrEnum):
    """The sex that the census counts a name under; a name may be under both."""

    FEMALE = "female"
    MALE = "male"


@dataclass(frozen=True, slots=True, eq=False)
class NameCounts:
    """Names with their frequency, the most frequent first.

    Attributes:
        names: each once.
        counts: [names] how many children got it, above 0.
    """

    names: tuple[str, ...]
    counts: Ints

    def __len__(self) -> int:
        return len(self.names)

    def first(self, most: int | None) -> NameCounts:
        """The most frequent of them, no more than that; None keeps all."""
        return NameCounts(self.names[:most], self.counts[:most])

    @property
    def total(self) -> int:
        """The children of all of these names."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """Names by year and sex.

    Attributes:
        file: where it was read from, for messages.
        digest: SHA-256 of its rows, the same for both layouts.
        rows: columns, ordered by year, sex and count; equal counts stand as they do in the file.
        groups: of each year and sex, which of the rows are its own.
    """

    file: str
    digest: str
    rows: Rows
    groups: Mapping[tuple[int, Sex], slice]

    @property
    def years(self) -> tuple[int, ...]:
        """The years that have names, in order."""
        return tuple(sorted({year for year, _ in self.groups}))

    def names(self, year: int, sex: Sex) -> NameCounts:
        """The names of a year and sex, the most frequent first; equally frequent ones as they stand in the file.

        Raises:
            CensusError: there are none, or a name is there twice.
        """
        part = self.groups.get((year, sex))
        if part is None:
            years = self.years
            known = f"the years {years[0]} to {years[-1]}" if years else "nothing"
            raise CensusError(self.file, 0, f"there are no {sex} names of {year}; it has {known}")
        names = self.rows.names(part)
        if len(set(names)) < len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            file, line = self.rows.place(part.start + names.index(twice, names.index(twice) + 1))
            raise CensusError(file, line, f"{twice} is among the {sex} names of {year} a second time")
        return NameCounts(names, self.rows.counts[part])

    def over(self, years: Iterable[int], sex: Sex) -> NameCounts:
        """The names of several years, such as a decade, with their counts added up; equally frequent ones by the alphabet.

        Years that the census does not have add nothing.
        """
        total: dict[str, int] = {}
        for year in sorted(set(years)):
            if (year, sex) in self.groups:
                found = self.names(year, sex)
                for name, count in zip(found.names, found.counts.tolist(), strict=True):
                    total[name] = total.get(name, 0) + count
        ordered = sorted(total, key=lambda name: (-total[name], name))
        return NameCounts(tuple(ordered), np.array([total[name] for name in ordered], dtype=np.int64))


def read_census(path: Path) -> Census:
    """The census in a file or a folder.

    Raises:
        CensusError: it cannot be read; with the file, the line where there is one, and what was expected.
        brat.problems.RefusedInput: the zip is broken, or breaks a limit.
    """
    if path.is_dir():
        return _from_years(read_path(path), str(path))
    try:
        data = path.read_bytes()
    except OSError as bad:
        raise CensusError(str(path), 0, f"cannot be read: {bad.strerror}") from bad
    return parse_census(data, str(path))


def parse_census(data: bytes, file: str) -> Census:
    """The census in the bytes of a file: a zip of years, one file of a year by its name, or a table, packed with xz or not.

    Raises:
        CensusError, brat.problems.RefusedInput: as `read_census` does.
    """
    if data.startswith(_ZIP):
        return _from_years(read_bytes(data, file), file)
    if data.startswith(XZ):
        try:
            data = unpack_xz(data)
        except ValueError as bad:
            raise CensusError(file, 0, str(bad)) from bad
    year = _YEAR_FILE.fullmatch(Path(file).name)
    return _arrange(file, [parse_rows(data, file, int(year[1]) if year else None)])


def _from_years(files: Files, file: str) -> Census:
    found = {name: year for name in files if (year := _YEAR_FILE.fullmatch(name))}
    if not found:
        raise CensusError(file, 0, "no file is called like yob1880.txt; a table goes as a file, not in an archive or a folder")
    return _arrange(file, [parse_rows(files[name], f"{file}/{name}", int(found[name][1])) for name in sorted(found)])


def _arrange(file: str, parts: Sequence[Rows]) -> Census:
    rows = Rows.join(parts)
    if not len(rows.counts):
        raise CensusError(file, 0, "it has no names")
    key = rows.years * 2 + rows.male
    order = np.lexsort((-rows.counts, key))  # stable: equal counts stay as they are in the file
    rows, key = rows.take(order), key[order]
    firsts = np.flatnonzero(np.diff(key, prepend=-1))
    lasts = [*firsts[1:].tolist(), len(key)]
    groups = {
        (int(key[first]) // 2, Sex.MALE if key[first] % 2 else Sex.FEMALE): slice(first, last)
        for first, last in zip(firsts.tolist(), lasts, strict=True)
    }
    digest = hashlib.sha256()
    for column in (key, rows.counts, rows.ends - rows.starts):
        digest.update(column.astype("<i8").tobytes())
    for part in groups.values():
        digest.update(rows.letters(part))
    return Census(file, digest.hexdigest(), rows, groups)
