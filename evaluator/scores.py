"""Counts, and the one record that every number of Assay is told in. Count first, divide last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from evaluator.criteria import LabelRule
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching
from evaluator.tables import Ints, Tables

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
    annotations: str = "entities"
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


def tally(tables: Tables, matching: Matching, hierarchy: Hierarchy | None = None) -> list[Score]:
    """The scores of a matching: `all` first, then one for each label that occurs, sorted, groups of labels among them.

    True positives and false negatives count for the gold label, false positives for the predicted one. Under `fine`, a
    label that has others below it gets the sum of them and itself; those sums are beside the rows that add up to `all`.
    Under `high` the labels are the topmost ones.
    """
    hierarchy = hierarchy or Hierarchy()
    tp = _by_label(tables.gold.label[matching.gold], tables)
    fn = _by_label(tables.gold.label, tables) - tp
    fp = _by_label(tables.run.label, tables) - _by_label(tables.run.label[matching.run], tables)
    own = {label: Counts(int(tp[i]), int(fp[i]), int(fn[i])) for i, label in enumerate(tables.labels)}
    rows = {ALL: _total(own.values())}
    match matching.criterion.labels:
        case LabelRule.ANY:
            named = own
        case LabelRule.HIGH:
            named = {}
            for label, counts in own.items():
                top = hierarchy.topmost(label)
                named[top] = named.get(top, Counts()) + counts
        case LabelRule.FINE:
            named = dict(own)
            for group in hierarchy.groups:
                members = hierarchy.members(group, own)
                if members:
                    named[group] = _total(own[label] for label in members)
    if ALL in named:  # a label of that very name
        named[f"label:{ALL}"] = named.pop(ALL)
    names = sorted(named)
    span, labels = matching.criterion.span_name, matching.criterion.labels.value
    return [
        Score(span=span, labels=labels, label=label, counts=counts)
        for label, counts in [(ALL, rows[ALL]), *((name, named[name]) for name in names)]
    ]


def _by_label(labels: Ints, tables: Tables) -> Ints:
    return np.bincount(labels, minlength=len(tables.labels)).astype(np.int64)


def _total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, start=Counts())
