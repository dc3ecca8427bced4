"""The names behind the rates: which of them are in error, the most frequent first, and what they were taken for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evaluator.fairness.census import Sex
from evaluator.fairness.name_errors import ErrorType, Labels, Rule, TaggedNames

NOT_TAGGED = "–"
"""Stands for no label at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameInError:
    """A name that a system takes for something else, or for nothing.

    Attributes:
        frequency: how many people have it, in the years in which it is in error.
        years: in how many it is.
        errors: the types, in order.
        labels: what it was tagged as then, the most years first; `NOT_TAGGED` where it was not.
    """

    system: str
    template: str
    sex: Sex
    name: str
    frequency: int
    years: int
    errors: tuple[ErrorType, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCount:
    """How many names a system tagged so, and how many people have them; `label` is `NOT_TAGGED` where it did not."""

    system: str
    template: str
    sex: Sex
    label: str
    names: int
    frequency: int


def told(labels: Labels) -> str:
    """The labels of a name in words."""
    return " ".join(labels) or NOT_TAGGED


def names_in_error(tagged: Iterable[TaggedNames], rule: Rule, most: int | None = None) -> tuple[NameInError, ...]:
    """The names in error of each system, template and sex, by frequency and then by the alphabet (Table 2 of the paper).

    Args:
        tagged: in any order; the years of a name are added up.
        rule: what is an error.
        most: how many of each; None for all.
    """
    groups: dict[tuple[str, str, Sex], dict[str, _Met]] = {}
    for each in sorted(tagged, key=lambda one: one.key):
        group = groups.setdefault((each.system, each.template, each.sex), {})
        errors = rule.errors(each)
        for i in errors.nonzero()[0].tolist():
            met = group.setdefault(each.names[i], _Met())
            met.add(int(each.counts[i]), ErrorType(int(errors[i])), told(each.labels[i]))
    found: list[NameInError] = []
    for (system, template, sex), group in groups.items():
        for name in sorted(group, key=lambda one: (-group[one].frequency, one))[:most]:
            met = group[name]
            found.append(
                NameInError(
                    system=system,
                    template=template,
                    sex=sex,
                    name=name,
                    frequency=met.frequency,
                    years=met.years,
                    errors=tuple(sorted(met.errors)),
                    labels=tuple(label for label, _ in met.labels.most_common()),
                )
            )
    return tuple(found)


def count_labels(tagged: Iterable[TaggedNames]) -> tuple[LabelCount, ...]:
    """What names were tagged as, by system, template and sex, the most names first. A name with two labels is under both."""
    groups: dict[tuple[str, str, Sex], dict[str, list[int]]] = {}
    for each in sorted(tagged, key=lambda one: one.key):
        group = groups.setdefault((each.system, each.template, each.sex), {})
        for labels, count in zip(each.labels, each.counts.tolist(), strict=True):
            for label in set(labels) or {NOT_TAGGED}:
                sums = group.setdefault(label, [0, 0])
                sums[0] += 1
                sums[1] += count
    return tuple(
        LabelCount(system=system, template=template, sex=sex, label=label, names=names, frequency=frequency)
        for (system, template, sex), group in groups.items()
        for label, (names, frequency) in sorted(group.items(), key=lambda one: (-one[1][0], one[0]))
    )


class _Met:
    """What is met of one name, year by year."""

    def __init__(self) -> None:
        self.frequency, self.years = 0, 0
        self.errors: set[ErrorType] = set()
        self.labels: Counter[str] = Counter()

    def add(self, count: int, error: ErrorType, label: str) -> None:
        self.frequency += count
        self.years += 1
        self.errors.add(error)
        self.labels[label] += 1
