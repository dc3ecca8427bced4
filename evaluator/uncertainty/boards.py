"""The runs of a board under resampling: intervals, ranks, and which of them can be told apart.

All runs are looked at on the same draws of documents, so that what is hard for one is hard for all. Of two runs it is asked how
often a difference as large comes about when, document by document, a coin decides which run said what (approximate
randomisation), and where the difference lies over draws (paired bootstrap).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evaluator.resampling import (
    METRICS,
    SEED,
    Floats,
    Interval,
    chance_of,
    draw_sums,
    figure_of,
    figures,
    half_sums,
    interval_of,
)
from evaluator.scores import Counts
from evaluator.tables import Ints

_LEVEL = 0.05
_MOST_SHUFFLED = 100_000_000


@dataclass(frozen=True, slots=True)
class Draws:
    """How often documents are drawn, and coins thrown; equal seeds give equal figures."""

    bootstrap: int = 1_000
    shuffles: int = 10_000
    seed: int = SEED

    def within(self, documents: int) -> Draws:
        """As many shuffles as take seconds, and a thousand at least, of so many documents."""
        return replace(self, shuffles=min(self.shuffles, max(1_000, _MOST_SHUFFLED // max(1, documents))))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCertainty:
    """A run of a board.

    Attributes:
        run: its name.
        counts: over all documents.
        intervals: of each metric; None where it is undefined.
        rank: on the whole set, 1 the best; equal figures share one.
        ranks: the interval of its rank over draws.
        first: the share of draws in which no run is better.
        band: runs in one band cannot be told apart from its first; 1 is the best. None without a figure.
    """

    run: str
    counts: Counts
    intervals: dict[str, Interval | None]
    rank: int | None
    ranks: Interval | None
    first: float | None
    band: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two runs.

    Attributes:
        first, second: the better one on the whole set before the other.
        difference: of the metric, first minus second.
        interval: of the difference over draws.
        chance: the share of shuffles with a difference at least as large, two-sided.
        adjusted: the same after Holm's correction over all pairs of the board.
    """

    first: str
    second: str
    difference: float
    interval: Interval | None
    chance: float
    adjusted: float

    @property
    def apart(self) -> bool:
        """Whether the two can be told apart at .05, all pairs of the board considered."""
        return self.adjusted < _LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCertainty:
    """All runs, best first, and all pairs of those that have a figure."""

    metric: str
    documents: int
    draws: Draws
    runs: tuple[RunCertainty, ...]
    pairs: tuple[Pair, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def certainty_of(names: Sequence[str], counts: Ints, metric: str = "f1", draws: Draws | None = None) -> BoardCertainty:
    """How certain a board is.

    Args:
        names: [runs] of the runs, all different.
        counts: [runs, documents, 3] true positives, false positives and false negatives.
        metric: what they are ranked by, and told apart.
        draws: how often to draw.

    Raises:
        ValueError: there is no such metric, or names and counts do not fit.
    """
    if metric not in METRICS or len(names) != len(counts) or len(set(names)) < len(names):
        raise ValueError("a board has runs with different names, and is ranked by precision, recall or f1")
    draws = (draws or Draws()).within(counts.shape[1])
    which = METRICS.index(metric)
    observed = figures(counts.sum(axis=1))
    flat = counts.transpose(1, 0, 2).reshape(counts.shape[1], -1)
    drawn = figures(draw_sums(flat, draws.bootstrap, np.random.default_rng((draws.seed, 0))).reshape(-1, *observed.shape))
    order = sorted(range(len(names)), key=lambda i: (-_or_worst(observed[i, which]), i))
    ranked = [i for i in order if not np.isnan(observed[i, which])]
    pairs = _pairs(names, counts, (ranked, which), drawn, draws)
    bands = _bands([names[i] for i in ranked], pairs)
    places = _places(drawn[:, ranked, which])
    runs = []
    for i in order:
        place = ranked.index(i) if i in ranked else None
        runs.append(
            RunCertainty(
                run=names[i],
                counts=Counts(*counts[i].sum(axis=0).tolist()),
                intervals={name: interval_of(drawn[:, i, k]) for k, name in enumerate(METRICS)},
                rank=None if place is None else 1 + int(np.sum(observed[ranked, which] > observed[i, which])),
                ranks=None if place is None else interval_of(places[:, place]),
                first=None if place is None else float(np.mean(places[:, place] == 1)),
                band=None if place is None else bands[place],
            )
        )
    return BoardCertainty(metric=metric, documents=counts.shape[1], draws=draws, runs=tuple(runs), pairs=tuple(pairs))


def _or_worst(value: float) -> float:
    return -1.0 if np.isnan(value) else value


def _places(drawn: Floats) -> Floats:
    """[draws, runs] the rank of each run in each draw of [draws, runs] figures; undefined ones are last."""
    known = np.where(np.isnan(drawn), -1.0, drawn)
    better: Floats = (known[:, None, :] > known[:, :, None]).sum(axis=2, dtype=np.float64)
    return better + 1.0


def _pairs(names: Sequence[str], counts: Ints, among: tuple[list[int], int], drawn: Floats, draws: Draws) -> list[Pair]:
    ranked, which = among
    flat = counts.transpose(1, 0, 2).reshape(counts.shape[1], -1)
    halves = half_sums(flat, draws.shuffles, np.random.default_rng((draws.seed, 1))).reshape(-1, len(names), 3)
    sums, metric = counts.sum(axis=1), METRICS[which]
    found = []
    for a, b in combinations(ranked, 2):
        moved = halves[:, b] - halves[:, a]
        shuffled = figure_of(sums[a] + moved, metric) - figure_of(sums[b] - moved, metric)
        difference = float(figure_of(sums[a], metric) - figure_of(sums[b], metric))
        found.append((a, b, difference, interval_of(drawn[:, a, which] - drawn[:, b, which]), chance_of(difference, shuffled)))
    adjusted = holm([chance for *_, chance in found])
    return [
        Pair(first=names[a], second=names[b], difference=difference, interval=interval, chance=chance, adjusted=each)
        for (a, b, difference, interval, chance), each in zip(found, adjusted, strict=True)
    ]


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's correction: the smallest times their number, the next times one less, never falling, at most 1."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    found = [0.0] * len(chances)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - place) * chances[i]))
        found[i] = highest
    return found


def _bands(ranked: Sequence[str], pairs: Sequence[Pair]) -> list[int]:
    """[runs, best first] the band of each: a new one begins with the first run that can be told apart from its band's first."""
    apart = {(each.first, each.second) for each in pairs if each.apart}
    bands: list[int] = []
    leader = ""
    for name in ranked:
        if not bands or (leader, name) in apart:
            bands.append(bands[-1] + 1 if bands else 1)
            leader = name
        else:
            bands.append(bands[-1])
    return bands
