"""Version bias: what an update of a system did to the errors of either sex (Mehrabi et al. 2020, Figures 5 and 6, Table 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evaluator.fairness.census import Sex
from evaluator.fairness.frequent_names import told
from evaluator.fairness.name_errors import ErrorType, NameScore, Rule, TaggedNames
from evaluator.scores import Json


class Change(StrEnum):
    """What an update did to a name."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "other error"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateChange:
    """One error rate before and after an update, on the names of one sex that both versions were given."""

    template: str | None
    year: int | None
    sex: Sex
    error: ErrorType
    weighted: bool
    before: float
    after: float

    @property
    def value(self) -> float:
        """After minus before: above 0 is worse."""
        return self.after - self.before

    def to_json(self) -> Json:
        """The change as plain values."""
        return {
            "template": "all" if self.template is None else self.template,
            "year": "all" if self.year is None else self.year,
            "sex": self.sex.value,
            "error": int(self.error),
            "weighted": self.weighted,
            "before": self.before,
            "after": self.after,
            "change": self.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionBias:
    """What an update did to one error rate of female names (after minus before), beside what it did to that of male names."""

    template: str | None
    year: int | None
    error: ErrorType
    weighted: bool
    female: float
    male: float

    @property
    def value(self) -> float:
        """Female minus male: above 0, the update did more for male names, or less against them."""
        return self.female - self.male

    @property
    def sign(self) -> str:
        """In words, whom the update favours."""
        if self.female == self.male:
            return "equal"
        return f"favours {Sex.MALE if self.female > self.male else Sex.FEMALE}"

    def to_json(self) -> Json:
        """The record as plain values."""
        return {
            "template": "all" if self.template is None else self.template,
            "year": "all" if self.year is None else self.year,
            "error": int(self.error),
            "weighted": self.weighted,
            "female": self.female,
            "male": self.male,
            "difference": self.value,
            "sign": self.sign,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedName:
    """A name whose tag another version judges otherwise.

    Attributes:
        frequency: how many people have it, in the years in which this change happened to it.
        years: how many these are.
        before, after: what it was tagged as, in words.
    """

    template: str
    sex: Sex
    name: str
    before: str
    after: str
    change: Change
    frequency: int = 0
    years: int = 0


def shared(before: Iterable[TaggedNames], after: Iterable[TaggedNames]) -> list[tuple[TaggedNames, TaggedNames]]:
    """The parts that both versions of a system were given, by template, year and sex.

    Args:
        before, after: each of one system, and each template, year and sex once.

    Raises:
        ValueError: they were given other names in one of these.
    """
    later = {each.key[1:]: each for each in after}
    pairs = [(each, later[each.key[1:]]) for each in sorted(before, key=lambda one: one.key) if each.key[1:] in later]
    for one, other in pairs:
        if one.names != other.names:
            raise ValueError(f"the versions were not given the same {one.sex} names of {one.year}")
    return pairs


def rate_changes(before: Sequence[NameScore], after: Sequence[NameScore]) -> tuple[RateChange, ...]:
    """Each rate of both versions, for the templates, years and sexes that both have.

    Args:
        before, after: each of one system, and each template, year and sex once.
    """
    later = {(each.template, each.year, each.sex): each for each in after}
    return tuple(
        RateChange(template=each.template, year=each.year, sex=each.sex, error=error, weighted=weighted, before=old, after=new)
        for each in before
        if (other := later.get((each.template, each.year, each.sex)))
        for error in ErrorType
        for weighted in (False, True)
        if (old := each.rate(error, weighted=weighted)) is not None
        if (new := other.rate(error, weighted=weighted)) is not None
    )


def version_bias(changes: Sequence[RateChange]) -> tuple[VersionBias, ...]:
    """The changes of the two sexes beside one another, where both have one."""
    male = {(each.template, each.year, each.error, each.weighted): each for each in changes if each.sex is Sex.MALE}
    return tuple(
        VersionBias(
            template=each.template,
            year=each.year,
            error=each.error,
            weighted=each.weighted,
            female=each.value,
            male=other.value,
        )
        for each in changes
        if each.sex is Sex.FEMALE
        if (other := male.get((each.template, each.year, each.error, each.weighted)))
    )


def changed_names(pairs: Iterable[tuple[TaggedNames, TaggedNames]], rule: Rule) -> tuple[ChangedName, ...]:
    """The names that two versions judge otherwise, the most frequent first (Table 3 of the paper).

    A name whose label changed and whose kind of error did not is none of them.

    Args:
        pairs: as of `shared`; the years of a name that changed in the same way are added up.
        rule: what is an error.
    """
    found: dict[ChangedName, tuple[int, int]] = {}
    for before, after in pairs:
        errors = zip(rule.errors(before).tolist(), rule.errors(after).tolist(), strict=True)
        for i, (old, new) in enumerate(errors):
            if old != new:
                key = ChangedName(
                    template=before.template,
                    sex=before.sex,
                    name=before.names[i],
                    before=told(before.labels[i]),
                    after=told(after.labels[i]),
                    change=Change.WORSE if not old else Change.BETTER if not new else Change.OTHER,
                )
                frequency, years = found.get(key, (0, 0))
                found[key] = frequency + int(before.counts[i]), years + 1
    names = (replace(key, frequency=frequency, years=years) for key, (frequency, years) in found.items())
    return tuple(sorted(names, key=lambda each: (each.template, -each.frequency, each.name, each.sex, each.before, each.after)))
