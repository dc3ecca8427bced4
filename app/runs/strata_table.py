"""The scores of a run by stratum, under one criterion, as its page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.runs.label_table import LabelTable
from app.runs.models import ScoreRow
from app.runs.services import ToldScore
from evaluator.scores import ALL, Counts
from evaluator.strata.changes import Change
from evaluator.strata.groups import attribute_of

_MOST_GROUPS = 8
"""Of an attribute; the page of groups has those with more."""


@dataclass(frozen=True, slots=True)
class StratumRow:
    """A stratum: its gold annotations, the run's score on it, and F1 minus that on the whole split."""

    name: str
    gold: int
    score: ToldScore
    delta: float | None


@dataclass(frozen=True, slots=True)
class StrataTable:
    """The strata of each stratification, in order, and the rule for labels that the figures are of."""

    labels: str
    parts: tuple[tuple[str, tuple[StratumRow, ...]], ...]


def strata_table(shown: LabelTable | None, whole: Sequence[ToldScore], strata: Sequence[ToldScore]) -> StrataTable | None:
    """The table of what the table by label shows, under its first rule for labels; None where there is nothing."""
    if shown is None:
        return None
    labels = shown.rules[0]
    chosen = (shown.annotations, shown.span, labels, ALL)

    def of_choice(scores: Sequence[ToldScore]) -> list[ToldScore]:
        return [each for each in scores if (each.row.annotations, each.row.span, each.row.labels, each.row.label) == chosen]

    base = sum((_counts(each.row) for each in of_choice(whole)), Counts())
    found: dict[str, list[StratumRow]] = {}
    for each in of_choice(strata):
        counts = _counts(each.row)
        row = StratumRow(each.row.stratum, counts.tp + counts.fn, each, Change(base, counts).delta)
        found.setdefault(each.row.stratification, []).append(row)
    parts = tuple(
        (name, tuple(rows)) for name, rows in found.items() if attribute_of(name) is None or len(rows) <= _MOST_GROUPS
    )
    return StrataTable(labels, parts) if parts else None


def _counts(row: ScoreRow) -> Counts:
    return Counts(row.tp, row.fp, row.fn)
