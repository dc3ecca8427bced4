"""Whether the ranking of runs on a stratum is that on the whole test set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from evaluator.strata.changes import RunChanges

VARIANT = "b"
"""Of Kendall's tau: pairs of runs that are tied on one side count for neither order and shorten the scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """A run's rank on the whole set and on a stratum, 1 the best, equal F1 the same rank."""

    run: str
    whole: int
    part: int

    @property
    def moved(self) -> bool:
        """Whether the two differ."""
        return self.whole != self.part


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStability:
    """The ranking by F1 on a stratum against that on the whole set.

    Attributes:
        stratum: its name.
        tau: Kendall's tau, in [-1, 1]; None with fewer than two runs, or where all are tied on one side.
        variant: of tau.
        ranks: of the runs compared, in the order of the whole set.
        swaps: pairs (better on the whole set, better on the stratum), in that order too; a tie is no swap.
        left_out: runs that have no F1 on one of the two.
    """

    stratum: str
    tau: float | None
    variant: str
    ranks: tuple[Ranks, ...]
    swaps: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def rank_stability(runs: Sequence[RunChanges], stratum: str) -> RankStability:
    """Compare the rankings of runs by unrounded F1."""
    figures = [(each.run, each.whole.f1, each.change(stratum).f1) for each in runs]
    both = [(run, whole, part) for run, whole, part in figures if whole is not None and part is not None]
    both.sort(key=lambda each: -each[1])
    wholes, parts = [each[1] for each in both], [each[2] for each in both]
    return RankStability(
        stratum=stratum,
        tau=_tau(wholes, parts),
        variant=VARIANT,
        ranks=tuple(Ranks(run=run, whole=_rank(whole, wholes), part=_rank(part, parts)) for run, whole, part in both),
        swaps=tuple((a[0], b[0]) for a, b in combinations(both, 2) if a[1] > b[1] and a[2] < b[2]),
        left_out=tuple(run for run, whole, part in figures if whole is None or part is None),
    )


def _rank(figure: float, among: Sequence[float]) -> int:
    return 1 + sum(each > figure for each in among)


def _tau(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    from scipy.stats import kendalltau  # noqa: PLC0415 - most of a second, and seldom needed

    tau = float(kendalltau(one, other, variant=VARIANT).statistic)
    return None if math.isnan(tau) else tau
