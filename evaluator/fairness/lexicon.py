"""Which string is in which category: a lexicon, or the drugs of WHO's ATC list in classes that prefixes of their codes give."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from evaluator.metadata import MetadataError

ATC_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "G03A": "contraceptive",
        "G02BA": "contraceptive",
        "G02BB": "contraceptive",
        "G03": "hormone",
        "H": "hormone",
        "N02B": "analgesic",
        "N02A": "opioid",
        "J01": "antibiotic",
        "R06": "antihistamine",
        "N06B": "stimulant",
        "N06A": "antidepressant",
        "N05B": "anxiolytic",
        "N05A": "antipsychotic",
        "A12": "mineral",
        "A02": "stomach drug",
        "A03": "stomach drug",
        "G04BE": "sexual function drug",
        "J07": "vaccine",
    }
)
"""The classes of the paper's Table 6 that are classes of drugs, by prefix; of several prefixes of a code the longest counts.

Hormones, stomach and sexual function drugs have prefixes that we chose; organic chemicals and illicit drugs have none.
"""
_CODE = re.compile(r"[A-Z](?:[0-9]{2}(?:[A-Z](?:[A-Z](?:[0-9]{2})?)?)?)?")
_SUBSTANCE = 7  # letters of a code of the fifth level, that of one substance
_COLUMNS = ("atc_code", "atc_name")


class LexiconError(MetadataError):
    """A lexicon that cannot be read, with the place as `file:line:column`."""


def fold(string: str) -> str:
    """What two strings must share to be looked up as the same: case folded, white space collapsed."""
    return " ".join(string.split()).casefold()


def parse_lexicon(text: str, file: str = "lexicon") -> dict[str, str]:
    """Categories from lines of `string<TAB>category`.

    Args:
        text: of the file; empty lines are skipped.
        file: its name, for messages.

    Returns:
        The category of every string, folded.

    Raises:
        LexiconError: a line has another shape, or a string has two categories.
    """
    found: dict[str, tuple[str, int]] = {}
    for line, content in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if not content.strip():
            continue
        cells = content.split("\t")
        if len(cells) != 2:
            told = "no tab" if len(cells) == 1 else f"{len(cells)} columns"
            raise LexiconError(file, line, min(len(cells), 3), f"{told}; expected a string, a tab and its category")
        string, category = fold(cells[0]), cells[1].strip()
        if not string or not category:
            missing = "category" if string else "string"
            raise LexiconError(file, line, 2 if string else 1, f"no {missing}; expected a string, a tab and its category")
        before, first = found.setdefault(string, (category, line))
        if before != category:
            told = f"{string} is {category} here and {before} on line {first}; expected one category a string"
            raise LexiconError(file, line, 2, told)
    return {string: category for string, (category, _) in found.items()}


def class_of(code: str, classes: Mapping[str, str] = ATC_CLASSES) -> str | None:
    """The class of an ATC code: that of its longest prefix which has one."""
    return next((classes[code[:end]] for end in range(len(code), 0, -1) if code[:end] in classes), None)


def parse_atc(text: str, file: str = "atc", classes: Mapping[str, str] = ATC_CLASSES) -> tuple[dict[str, str], tuple[str, ...]]:
    """Categories from the ATC list.

    Args:
        text: a CSV whose first line names the columns, `atc_code` and `atc_name` among them. Rows whose code has fewer than
            seven letters are groups, and are skipped.
        file: its name, for messages.
        classes: prefix to class.

    Returns:
        The class of every name of a substance, folded, that is in one; and the names, sorted, that are left out since their
        codes are in several.

    Raises:
        LexiconError: it is no such CSV.
    """
    found: dict[str, set[str]] = {}
    for code, name in _substances(text, file):
        category = class_of(code, classes)
        if category is not None:
            found.setdefault(fold(name), set()).add(category)
    several = tuple(sorted(name for name, categories in found.items() if len(categories) > 1))
    return {name: next(iter(categories)) for name, categories in found.items() if len(categories) == 1}, several


def _substances(text: str, file: str) -> Iterator[tuple[str, str]]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    try:
        head = next(reader, [])
        missing = [each for each in _COLUMNS if each not in head]
        if missing:
            raise LexiconError(
                file, 1, 0, f"no column is called {missing[0]}; expected {' and '.join(_COLUMNS)} in the first line"
            )
        places = [head.index(each) for each in _COLUMNS]
        for row in reader:
            if not row:
                continue
            if len(row) <= max(places):
                told = f"{len(row)} columns; expected at least {max(places) + 1}"
                raise LexiconError(file, reader.line_num, len(row), told)
            code, name = (row[each].strip() for each in places)
            if not _CODE.fullmatch(code):
                raise LexiconError(
                    file, reader.line_num, places[0] + 1, f"{code!r} is no ATC code; expected one such as N02BE01"
                )
            if len(code) == _SUBSTANCE:
                yield code, name
    except csv.Error as bad:
        raise LexiconError(file, reader.line_num, 0, f"not a CSV: {bad}") from bad
