"""How the F1 of a run changes between the whole test set and its strata (ChEMU 2020, Tables 12 to 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluator.criteria import Annotations, LabelRule, SpanRule
from evaluator.scores import ALL, Counts, MatchingRule, Score
from evaluator.strata.model import NONE, is_known


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which records are compared: a stratification, what is counted, and when it is right. The paper's are exact and fine."""

    stratification: str
    span: str = SpanRule.EXACT.value
    labels: str = LabelRule.FINE.value
    annotations: str = Annotations.ENTITIES.value
    matching: str = MatchingRule.EXACT_FIRST.value

    def holds(self, score: Score) -> bool:
        """Whether a record of the whole set or of a stratum is among them."""
        return (
            score.stratification in (ALL, self.stratification)
            and (score.span, score.labels) == (self.span, self.labels)
            and (score.annotations, score.matching) == (self.annotations, self.matching)
        )

    def holds_on_part(self, score: Score) -> bool:
        """Whether a record of a stratum is among them."""
        return score.stratification != ALL and self.holds(score)


@dataclass(frozen=True, slots=True)
class Change:
    """A run on the whole test set and on a part of it; differences are of exact ratios, then made floats."""

    whole: Counts
    part: Counts

    @property
    def f1(self) -> float | None:
        """F1 on the part."""
        return self.part.f1

    @property
    def delta(self) -> float | None:
        """ΔF: F1 on the part minus F1 on the whole; None where one of them is undefined."""
        whole, part = _f1(self.whole), _f1(self.part)
        return None if whole is None or part is None else float(part - whole)

    @property
    def percent(self) -> float | None:
        """100 |ΔF| / F, F that of the whole; None where that is 0 or undefined."""
        whole, part = _f1(self.whole), _f1(self.part)
        return None if not whole or part is None else float(100 * abs(part - whole) / whole)


@dataclass(frozen=True, slots=True)
class RunChanges:
    """A run, its counts on the whole set, and those on each stratum that is not empty."""

    run: str
    whole: Counts
    strata: Mapping[str, Counts]

    def change(self, stratum: str) -> Change:
        """The change on a stratum; an empty one is undefined throughout."""
        return Change(self.whole, self.strata.get(stratum, Counts()))

    def gold(self, stratum: str) -> int:
        """How many gold annotations a stratum has."""
        counts = self.strata.get(stratum, Counts())
        return counts.tp + counts.fn

    def spread(self, among: Sequence[str]) -> float | None:
        """Δ: the largest minus the smallest F1 among these strata, as far as they have one; None where none has.

        What is not known, `unknown` or `none`, takes no part, nor does a stratum without gold annotations.
        """
        figures = (_f1(self.strata[name]) for name in among if self.gold(name) and is_known(name))
        found = [each for each in figures if each is not None]
        return float(max(found) - min(found)) if found else None


def changes(runs: Sequence[tuple[str, Sequence[Score]]], selection: Selection, label: str = ALL) -> tuple[RunChanges, ...]:
    """The changes of each run, in the order given.

    Args:
        runs: the name of each run and its scores, on the whole set and on strata.
        selection: which of them.
        label: `all`, a label, or a group of labels; a run that has no annotations of it has counts of 0.
    """
    found = []
    for run, scores in runs:
        own = [each for each in scores if each.label == label and selection.holds(each)]
        whole = sum((each.counts for each in own if each.stratification == ALL), Counts())
        found.append(RunChanges(run, whole, {each.stratum: each.counts for each in own if each.stratification != ALL}))
    return tuple(found)


def strata_of(runs: Sequence[RunChanges], order: Sequence[str]) -> tuple[str, ...]:
    """Those of the strata that have gold annotations, in order; `none` never is among them."""
    return tuple(each for each in order if each != NONE and any(run.gold(each) for run in runs))


def _f1(counts: Counts) -> Fraction | None:
    total = 2 * counts.tp + counts.fp + counts.fn
    return Fraction(2 * counts.tp, total) if total else None
