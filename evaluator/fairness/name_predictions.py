"""What taggers wrote about names, a line a name: line i belongs to the i-th name of its year and sex, by frequency.

A line is empty where nothing was tagged. Otherwise it is a label (CoreNLP's `PERSON`), several with tabs between them, a label
and what was tagged (spaCy's `ORG Emma `), or what Flair prints (`PER-span [1]: "Emma" `, any number of times).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from evaluator.fairness.census import Census, NameCounts, Sex
from evaluator.fairness.name_errors import Labels, TaggedNames

_FILE = re.compile(r"(female|male|f|m)[-_]?(\d{4})(?:\.(?:txt|tsv))?", re.IGNORECASE)
_TEMPLATE = re.compile(r"template[-_ ]?(.+)", re.IGNORECASE)
_RESULTS = "results_"
_SPAN = re.compile(r'\[[\d, ]++\]: "([^"]*+)"')
"""What Flair prints behind a label. It begins with a character that no repetition in it goes past, so the time is linear."""
_SUFFIX = "-span"
MOST_CHARACTERS = 10_000
"""Of a line: far more than any tagger prints about a name."""
_SHOWN = 60
_FIRST_TEMPLATE, _NO_NAME = "1", "system"
_SAME = 0.5
"""The least share of tagged texts that must be about the name, or the lines are taken for those of other names."""


class PredictionsError(ValueError):
    """Predictions that cannot be read, with the place as `file:line:column`; both count from 1, 0 is unknown."""

    def __init__(self, file: str, line: int, message: str, column: int = 0) -> None:
        place = ":".join([file, *(str(each) for each in (line, column) if each)])
        super().__init__(f"{place}: {message}")
        self.file, self.line, self.column, self.message = file, line, column, message


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a file is about, by its path: `results/Template_4/results_flair/female2018.txt`, `mine/4/female2018.txt`."""

    system: str
    template: str
    year: int
    sex: Sex


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which files are read; what is None is not asked for.

    Attributes:
        most: how many names of a year and sex were tagged, the most frequent ones; None for all of the census.
    """

    systems: frozenset[str] | None = None
    templates: frozenset[str] | None = None
    years: frozenset[int] | None = None
    most: int | None = None

    def takes(self, place: Place) -> bool:
        """Whether a file is asked for."""
        return all(
            wanted is None or value in wanted
            for wanted, value in ((self.systems, place.system), (self.templates, place.template), (self.years, place.year))
        )


def place_of(path: str) -> Place | None:
    """What a file of predictions is about; None for a file that is not called like one.

    A folder `Template_4`, or one that is a number, is the template, which is 1 without one; the last of the other folders is
    the system.
    """
    *folders, name = path.split("/")
    file = _FILE.fullmatch(name)
    if file is None:
        return None
    template, system = _FIRST_TEMPLATE, _NO_NAME
    for folder in folders:
        if folder.isdecimal() or (found := _TEMPLATE.fullmatch(folder)):
            template = folder if folder.isdecimal() else found[1]  # type: ignore[index]
        else:
            system = folder.removeprefix(_RESULTS)
    sex = Sex.FEMALE if file[1].lower().startswith("f") else Sex.MALE
    return Place(system=system, template=template, year=int(file[2]), sex=sex)


def read_predictions(files: Mapping[str, bytes], census: Census, wanted: Wanted, name: str) -> tuple[TaggedNames, ...]:
    """The predictions in files, a line a name, ordered by system, template, year and sex.

    Args:
        files: bytes by path; those that are not called like `female2018.txt` are passed over.
        census: with the names in their order.
        wanted: which of them are read.
        name: of the folder or archive that they are from, which may be the template or the system as folders in it are.

    Raises:
        PredictionsError: a file is not UTF-8, has a line that is too long, has not a line for each name, or is about other
            names; or none is left to read.
        evaluator.fairness.census.CensusError: the census lacks a year.
    """
    places = {path: place for path in files if (place := place_of(f"{name}/{path}")) is not None}
    if not places:
        raise PredictionsError(name, 0, "no file is called like female2018.txt, with a line for each name")
    taken = {path: place for path, place in places.items() if wanted.takes(place)}
    if not taken:
        raise PredictionsError(name, 0, f"nothing of what is asked for; there are {_known(places.values())}")
    names = cache(lambda year, sex: census.names(year, sex).first(wanted.most))
    seen: dict[Place, str] = {}
    for path, place in taken.items():
        if place in seen:
            what = f"the {place.sex} names of {place.year} in template {place.template} by {place.system}"
            raise PredictionsError(path, 0, f"is about {what}, and so is {seen[place]}")
        seen[place] = path
    found = (_tagged(path, files[path], place, names(place.year, place.sex), wanted) for path, place in taken.items())
    return tuple(sorted(found, key=lambda each: each.key))


def parse_line(line: str) -> tuple[Labels, str | None]:
    """The labels in a line, and what was tagged where the line says so; the texts of several are joined."""
    spans = _spans(line)
    if spans:
        return tuple(label for label, _ in spans), " ".join(text for _, text in spans)
    if "\t" in line:
        return tuple(label for each in line.split("\t") if (label := each.strip())), None
    label, _, text = line.strip().partition(" ")
    return ((label,), text.strip() or None) if label else ((), None)


def _spans(line: str) -> list[tuple[str, str]]:
    """Labels and texts of what Flair prints: the label is the word before the brackets."""
    found: list[tuple[str, str]] = []
    at = 0
    for span in _SPAN.finditer(line):
        before = line[at : span.start()].rstrip(" ")
        at = span.end()
        if before and not before[-1].isspace():
            word = before.rsplit(None, 1)[-1]
            found.append((word.removesuffix(_SUFFIX) or word, span[1]))
    return found


def _tagged(path: str, data: bytes, place: Place, names: NameCounts, wanted: Wanted) -> TaggedNames:
    lines = _lines(path, data)
    if wanted.most is not None and len(lines) > len(names):
        lines = lines[: len(names)]
    if len(lines) != len(names):
        which = f"{place.sex} names of {place.year}"
        hint = "; --top says how many of them were tagged" if len(lines) < len(names) else ""
        raise PredictionsError(path, 0, f"{len(lines):,} lines, where the census has {len(names):,} {which}{hint}")
    parse = cache(parse_line)
    parsed = [parse(line) for line in lines]
    texts = [(i, text) for i, (_, text) in enumerate(parsed) if text is not None]
    other = [i for i, text in texts if names.names[i] not in text and text not in names.names[i]]
    if len(other) > _SAME * len(texts):
        first = other[0]
        line = lines[first]
        shown = line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
        message = f"{shown!r} is not about {names.names[first]}, as {len(other):,} lines are not about their names"
        raise PredictionsError(path, first + 1, message, max(line.find(parsed[first][1] or ""), 0) + 1)
    labels = [each for each, _ in parsed]
    for i in other:  # the span lies elsewhere in the sentence
        labels[i] = ()
    return TaggedNames(
        system=place.system,
        template=place.template,
        year=place.year,
        sex=place.sex,
        names=names.names,
        counts=names.counts,
        labels=tuple(labels),
    )


def _lines(path: str, data: bytes) -> list[str]:
    try:
        text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as bad:
        start = data.rfind(b"\n", 0, bad.start) + 1
        column = len(data[start : bad.start].decode().removeprefix("\ufeff")) + 1
        raise PredictionsError(path, 1 + data.count(b"\n", 0, bad.start), "not UTF-8", column) from bad
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_CHARACTERS:
            message = f"a line of {len(line):,} characters, where {MOST_CHARACTERS:,} at most are expected"
            raise PredictionsError(path, number, message, MOST_CHARACTERS + 1)
    return lines[:-1] if lines[-1] == "" else lines


def _known(places: Iterable[Place]) -> str:
    """What there is, for those who asked for something else."""
    found = list(places)
    values: tuple[tuple[str, Callable[[Place], str]], ...] = (
        ("systems", lambda each: each.system),
        ("templates", lambda each: each.template),
        ("years", lambda each: str(each.year)),
    )
    return "; ".join(f"{kind} {', '.join(sorted({of(each) for each in found}))}" for kind, of in values)
