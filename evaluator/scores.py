"""Counts, and the one record that every number of Assay is told in. Count first, divide last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from evaluator.criteria import Annotations, Criterion, LabelRule
from evaluator.hierarchy import Hierarchy
from evaluator.tables import Ints

ALL = "all"
Json: TypeAlias = dict[str, str | int | float | None]


class MatchingRule(StrEnum):
    """How annotations were paired."""

    EXACT_FIRST = "exact-first"
    BRATEVAL = "brateval"


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives; a ratio with nothing to divide by is None."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float | None:
        """The share of predictions that are right."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """The share of gold that was found."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def f1(self) -> float | None:
        """2tp / (2tp + fp + fn)."""
        total = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What was counted, and the counts."""

    span: str
    labels: str
    label: str
    counts: Counts
    annotations: str = Annotations.ENTITIES.value
    matching: str = MatchingRule.EXACT_FIRST.value
    stratification: str = ALL
    stratum: str = ALL

    def to_json(self) -> Json:
        """The record with its derived figures; an undefined one is None."""
        return {
            "annotations": self.annotations,
            "span": self.span,
            "labels": self.labels,
            "matching": self.matching,
            "stratification": self.stratification,
            "stratum": self.stratum,
            "label": self.label,
            "tp": self.counts.tp,
            "fp": self.counts.fp,
            "fn": self.counts.fn,
            "precision": self.counts.precision,
            "recall": self.counts.recall,
            "f1": self.counts.f1,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is counted together: a label for each annotation of either side, and which of them are pairs.

    Attributes:
        labels: names of the numbers below.
        gold, run: [n_gold], [n_run] label numbers.
        gold_row, run_row: [n_gold], [n_run] the row of the side's `EntityTable` that each is, or hangs on: the trigger of an
            event, the first argument of a relation. It says where each belongs, its document above all.
        pairs_gold, pairs_run: [pairs] positions in `gold` and in `run`; each occurs at most once.
        hierarchy: which label lies under which.
    """

    labels: Sequence[str]
    gold: Ints
    run: Ints
    gold_row: Ints
    run_row: Ints
    pairs_gold: Ints
    pairs_run: Ints
    hierarchy: Hierarchy = field(default_factory=Hierarchy)


def tally(annotations: Annotations, criterion: Criterion, *parts: Part) -> list[Score]:
    """The scores of parts, added up: `all` first, then one for each label that occurs, sorted, groups of labels among them.

    True positives and false negatives count for the gold label, false positives for the predicted one. Under `fine`, a
    label that has others below it gets the sum of them and itself; those sums are beside the rows that add up to `all`.
    Under `high` the labels are the topmost ones.
    """
    return told(annotations, criterion, *((_by_name(part), part.hierarchy) for part in parts))


def told(annotations: Annotations, criterion: Criterion, *parts: tuple[Mapping[str, Counts], Hierarchy]) -> list[Score]:
    """The same from the counts of each label in each part, and what lies under what in it; a label without any is left out."""
    total = Counts()
    named: dict[str, Counts] = {}
    for own, hierarchy in parts:
        total += _total(own.values())
        for label, counts in _named(own, criterion.labels, hierarchy).items():
            named[label] = named.get(label, Counts()) + counts
    if ALL in named:  # a label of that very name
        named[f"label:{ALL}"] = named.pop(ALL)
    return [
        Score(
            annotations=annotations.value,
            span=criterion.span_name,
            labels=criterion.labels.value,
            label=label,
            counts=counts,
        )
        for label, counts in [(ALL, total), *sorted(named.items(), key=lambda each: each[0])]
    ]


def _named(own: Mapping[str, Counts], rule: LabelRule, hierarchy: Hierarchy) -> dict[str, Counts]:
    """The rows beside `all`."""
    named: dict[str, Counts] = {}
    match rule:
        case LabelRule.ANY:
            named = dict(own)
        case LabelRule.HIGH:
            for label, counts in own.items():
                top = hierarchy.topmost(label)
                named[top] = named.get(top, Counts()) + counts
        case LabelRule.FINE:
            named = dict(own)
            for group in hierarchy.groups:
                members = hierarchy.members(group, own)
                if members:
                    named[group] = _total(own[label] for label in members)
    return named


def _by_name(part: Part) -> dict[str, Counts]:
    """The counts of each label that occurs on either side."""
    wanted, offered = _by_label(part.gold, part), _by_label(part.run, part)
    tp = _by_label(part.gold[part.pairs_gold], part)
    fn, fp = wanted - tp, offered - _by_label(part.run[part.pairs_run], part)
    return {part.labels[i]: Counts(int(tp[i]), int(fp[i]), int(fn[i])) for i in np.flatnonzero(wanted + offered).tolist()}


def _by_label(labels: Ints, part: Part) -> Ints:
    return np.bincount(labels, minlength=len(part.labels)).astype(np.int64)


def _total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, start=Counts())
