"""Names in context: how often a tagger takes a name for something else, or for nothing (Mehrabi et al. 2020; METHODS, 3).

Type-1: a name is not tagged PERSON. That is one of two: Type-2, tagged but not PERSON, or Type-3, not tagged at all. Each is a
share of the names of a year and sex, or of their frequency in the census. For a tagger of chemicals a name should not be
tagged: a name that it takes for a chemical is Type-2, and nothing else is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluator.fairness.census import Sex
from evaluator.scores import Json
from evaluator.tables import Ints

PERSON_LABELS = frozenset({"PER", "PERSON"})
"""What taggers call a person: CoNLL-2003 and Flair the one, OntoNotes, spaCy and CoreNLP the other."""
Labels: TypeAlias = tuple[str, ...]
"""The labels of the spans that overlap a name, at least in a character; none where it was not tagged."""


class ErrorType(IntEnum):
    """The three errors of the paper; 1 is 2 and 3 together."""

    TYPE_1 = 1
    TYPE_2 = 2
    TYPE_3 = 3

    def __str__(self) -> str:
        return f"Type-{self.value}"


class Target(StrEnum):
    """What a tagger looks for: persons, which names are, or chemicals, which names are not."""

    PERSON = "person"
    CHEMICAL = "chemical"


_ERRORS = {Target.PERSON: tuple(ErrorType), Target.CHEMICAL: (ErrorType.TYPE_2,)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaggedNames:
    """What a system made of the names of a year and sex in one template.

    Attributes:
        system, template: what they are called.
        names: in the order of the census.
        counts: [names] their frequency in the census.
        labels: [names] what each was tagged as.

    Raises:
        ValueError: the three are of different lengths.
    """

    system: str
    template: str
    year: int
    sex: Sex
    names: tuple[str, ...]
    counts: Ints
    labels: tuple[Labels, ...]

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.counts) == len(self.labels):
            raise ValueError(f"{len(self.names)} names have {len(self.counts)} counts and {len(self.labels)} tags")

    @property
    def key(self) -> tuple[str, str, int, Sex]:
        """By what it is told from others, and ordered."""
        return self.system, self.template, self.year, self.sex


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When a tag is an error.

    Attributes:
        target: what the tagger looks for.
        labels: in upper case: those that mean a person, or a chemical; none: every label is a chemical.
    """

    target: Target = Target.PERSON
    labels: frozenset[str] = PERSON_LABELS

    def judge(self, found: Labels) -> ErrorType | None:
        """Type-2, Type-3, or None where it is right. A name under spans of several labels is right if one of them is."""
        if self.target is Target.CHEMICAL:
            chemical = any(not self.labels or each.upper() in self.labels for each in found)
            return ErrorType.TYPE_2 if chemical else None
        if not found:
            return ErrorType.TYPE_3
        return None if any(each.upper() in self.labels for each in found) else ErrorType.TYPE_2

    def errors(self, tagged: TaggedNames) -> NDArray[np.int8]:
        """[names] 2, 3, or 0 where it is right."""
        known = {found: int(self.judge(found) or 0) for found in set(tagged.labels)}
        return np.fromiter((known[each] for each in tagged.labels), np.int8, len(tagged.labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCounts:
    """Names, and those in error. Counts are added first and divided last.

    Attributes:
        names, frequency: all of them, and how many people have them.
        names_2, frequency_2, names_3, frequency_3: those in error of Type-2 and of Type-3.
    """

    names: int = 0
    frequency: int = 0
    names_2: int = 0
    frequency_2: int = 0
    names_3: int = 0
    frequency_3: int = 0

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        return ErrorCounts(
            names=self.names + other.names,
            frequency=self.frequency + other.frequency,
            names_2=self.names_2 + other.names_2,
            frequency_2=self.frequency_2 + other.frequency_2,
            names_3=self.names_3 + other.names_3,
            frequency_3=self.frequency_3 + other.frequency_3,
        )

    def in_error(self, error: ErrorType, *, weighted: bool) -> int:
        """How many names are in error, or the frequency of these; Type-1 is the sum of Type-2 and Type-3."""
        two, three = (self.frequency_2, self.frequency_3) if weighted else (self.names_2, self.names_3)
        return {ErrorType.TYPE_1: two + three, ErrorType.TYPE_2: two, ErrorType.TYPE_3: three}[error]

    def rate(self, error: ErrorType, *, weighted: bool) -> float | None:
        """The share of names in error, or of frequency; None where there are no names."""
        whole = self.frequency if weighted else self.names
        return self.in_error(error, weighted=weighted) / whole if whole else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameScore:
    """The errors of a system on the names of one sex; template and year are None where all were added up."""

    system: str
    template: str | None
    year: int | None
    sex: Sex
    counts: ErrorCounts
    target: Target = Target.PERSON

    def rate(self, error: ErrorType, *, weighted: bool) -> float | None:
        """The share in error; None where there are no names, or the error has no meaning for what the tagger looks for."""
        return self.counts.rate(error, weighted=weighted) if error in _ERRORS[self.target] else None

    def rates(self) -> dict[str, float | None]:
        """All six by name: `type1_unweighted`, `type1_weighted` and so on."""
        return {
            f"type{error.value}_{'weighted' if weighted else 'unweighted'}": self.rate(error, weighted=weighted)
            for error in ErrorType
            for weighted in (False, True)
        }

    def to_json(self) -> Json:
        """The record as plain values; `all` where all were added up."""
        counts = self.counts
        value: Json = {
            "system": self.system,
            "template": "all" if self.template is None else self.template,
            "year": "all" if self.year is None else self.year,
            "sex": self.sex.value,
            "target": self.target.value,
            "names": counts.names,
            "frequency": counts.frequency,
        }
        for error in _ERRORS[self.target]:
            value[f"type{error.value}_names"] = counts.in_error(error, weighted=False)
            value[f"type{error.value}_frequency"] = counts.in_error(error, weighted=True)
        return value | {key: rate for key, rate in self.rates().items() if rate is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One error rate of the two sexes, where both have one."""

    system: str
    template: str | None
    year: int | None
    error: ErrorType
    weighted: bool
    female: float
    male: float

    @property
    def value(self) -> float:
        """Female minus male."""
        return self.female - self.male

    @property
    def sign(self) -> str:
        """In words, whose rate is higher."""
        if self.female == self.male:
            return "equal"
        return f"higher for {Sex.FEMALE if self.female > self.male else Sex.MALE}"

    def to_json(self) -> Json:
        """The difference as plain values."""
        return {
            "system": self.system,
            "template": "all" if self.template is None else self.template,
            "year": "all" if self.year is None else self.year,
            "error": int(self.error),
            "weighted": self.weighted,
            "female": self.female,
            "male": self.male,
            "difference": self.value,
            "sign": self.sign,
        }


def score_names(tagged: TaggedNames, rule: Rule) -> NameScore:
    """The errors of one system, template, year and sex."""
    errors = rule.errors(tagged)
    two, three = (errors == each for each in (ErrorType.TYPE_2, ErrorType.TYPE_3))
    counts = ErrorCounts(
        names=len(tagged.names),
        frequency=int(tagged.counts.sum()),
        names_2=int(two.sum()),
        frequency_2=int(tagged.counts[two].sum()),
        names_3=int(three.sum()),
        frequency_3=int(tagged.counts[three].sum()),
    )
    return NameScore(
        system=tagged.system, template=tagged.template, year=tagged.year, sex=tagged.sex, counts=counts, target=rule.target
    )


def add_up(scores: Iterable[NameScore], *, years: bool = True, templates: bool = False) -> tuple[NameScore, ...]:
    """The errors over all years, over all templates, or both; a name counts once for each year and template it is in."""
    found: dict[NameScore, ErrorCounts] = {}
    for each in scores:
        key = replace(
            each, counts=ErrorCounts(), year=None if years else each.year, template=None if templates else each.template
        )
        found[key] = found.get(key, ErrorCounts()) + each.counts
    return tuple(replace(key, counts=counts) for key, counts in found.items())


def differences(scores: Sequence[NameScore]) -> tuple[Difference, ...]:
    """Female minus male of each error, for every system, template and year that has both sexes; scores in any order."""
    sides = {(each.system, each.template, each.year, each.sex): each for each in scores}
    found: list[Difference] = []
    for system, template, year in dict.fromkeys((each.system, each.template, each.year) for each in scores):
        female, male = (sides.get((system, template, year, sex)) for sex in (Sex.FEMALE, Sex.MALE))
        if female is not None and male is not None:
            found += _differences(female, male)
    return tuple(found)


def _differences(female: NameScore, male: NameScore) -> Iterator[Difference]:
    for error in ErrorType:
        for weighted in (False, True):
            one, other = (each.rate(error, weighted=weighted) for each in (female, male))
            if one is not None and other is not None:
                yield Difference(
                    system=female.system,
                    template=female.template,
                    year=female.year,
                    error=error,
                    weighted=weighted,
                    female=one,
                    male=other,
                )
