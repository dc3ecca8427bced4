"""Whether a run does as well for one group as for another: differences, how certain they are, and if they could be chance.

A difference is that of the first named group minus the other, `female − male` (METHODS, section 2). Its interval comes from
drawing documents again within each group, its chance from dealing the documents of both anew (permutation test).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evaluator.resampling import METRICS, SEED, Floats, Interval, chance_of, deal_sums, draw_sums, figures, interval_of
from evaluator.scores import Counts
from evaluator.strata.groups import groups_in, named
from evaluator.strata.model import UNKNOWN
from evaluator.tables import Ints

_MOST_DEALT = 100_000_000
_MOST_PAIRED = 3
"""With more groups than that each is compared with all others together, not every two with one another."""
REST = "the others"
FEWEST = 10
"""Documents that a group must have for an interval: draws of fewer say too little of what else could have been there."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How often documents are drawn and dealt; equal seeds give equal figures."""

    bootstrap: int = 1_000
    permutations: int = 10_000
    seed: int = SEED

    def within(self, documents: int) -> Draws:
        """As many deals as take seconds, and a thousand at least, of so many documents."""
        return replace(self, permutations=min(self.permutations, max(1_000, _MOST_DEALT // max(1, documents))))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    """A group: its documents, its counts, and the interval of each metric; None if it is undefined or they are too few."""

    group: str
    documents: int
    counts: Counts
    intervals: Mapping[str, Interval | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A metric of one group minus that of another, or of all other groups.

    Attributes:
        first, second: the groups.
        metric: `precision`, `recall` or `f1`.
        value: None where one of the two is undefined.
        interval: of the value; None where one of the two has fewer than `FEWEST` documents.
        chance: the share of random deals with a difference at least as large, two-sided.
    """

    first: str
    second: str
    metric: str
    value: float | None
    interval: Interval | None
    chance: float | None

    @property
    def sign(self) -> str:
        """What the value is, in words."""
        return f"{self.first} − {self.second}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """A run by the groups of an attribute, under one criterion.

    Attributes:
        attribute: its name.
        groups: those that have documents, in order, without `unknown`.
        unknown: documents without the attribute; they count in no group.
        differences: three for each pair of groups, or, with more than three groups, for each group against all others.
        draws: how often documents were drawn and dealt.
    """

    attribute: str
    groups: tuple[GroupFigures, ...]
    unknown: GroupFigures
    differences: tuple[Difference, ...]
    draws: Draws

    @property
    def worst(self) -> GroupFigures | None:
        """The group with the lowest F1; None where no group has one."""
        defined = [(each.counts.f1, each) for each in self.groups if each.counts.f1 is not None]
        return min(defined, key=lambda each: each[0])[1] if defined else None

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def compare_groups(
    attribute: str, values: Mapping[str, str], documents: Sequence[str], counts: Ints, draws: Draws | None = None
) -> list[GroupComparison]:
    """Compare the groups of an attribute, under several criteria at once, on the same draws of documents.

    Args:
        attribute: its name.
        values: of each document that has it.
        documents: [n] ids.
        counts: [n, m, 3] true positives, false positives and false negatives of each document, of each of m criteria.
        draws: how often to draw; fewer deals where documents are very many.

    Returns:
        [m] comparisons.
    """
    draws = (draws or Draws()).within(len(documents))
    here = named({id_: values[id_] for id_ in documents if values.get(id_, UNKNOWN) != UNKNOWN})
    names = groups_in(here)
    parts = {name: counts[[i for i, id_ in enumerate(documents) if here.get(id_) == name]] for name in names}
    unknown = counts[[i for i, id_ in enumerate(documents) if id_ not in here]]
    sums = {name: _drawn(part, draws, number) for number, (name, part) in enumerate(parts.items())}
    differences = [
        _differences(pair, parts, sums, draws, _random(draws, len(names), number)) for number, pair in enumerate(_pairs(names))
    ]
    return [
        GroupComparison(
            attribute=attribute,
            groups=tuple(_figures(name, part[:, i], figures(sums[name][:, i])) for name, part in parts.items()),
            unknown=_figures(UNKNOWN, unknown[:, i], np.full((1, 3), np.nan)),
            differences=tuple(each for of_pair in differences for each in of_pair[i]),
            draws=draws,
        )
        for i in range(counts.shape[1])
    ]


def _random(draws: Draws, *place: int) -> np.random.Generator:
    """A stream of its own for each group and pair, so that none depends on which others there are before it."""
    return np.random.default_rng((draws.seed, *place))


def _drawn(part: Ints, draws: Draws, number: int) -> Floats:
    """[draws, m, 3] sums of drawn documents of a group."""
    flat = part.reshape(len(part), -1)
    return draw_sums(flat, draws.bootstrap, _random(draws, number)).reshape(-1, *part.shape[1:])


def _figures(name: str, part: Ints, drawn: Floats) -> GroupFigures:
    return GroupFigures(
        group=name,
        documents=len(part),
        counts=Counts(*part.sum(axis=0).tolist()),
        intervals={metric: interval_of(drawn[:, i]) if len(part) >= FEWEST else None for i, metric in enumerate(METRICS)},
    )


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    if len(names) <= _MOST_PAIRED:
        return list(combinations(names, 2))
    rest = REST if REST not in names else f"{REST} together"
    return [(name, rest) for name in names]


def _differences(
    pair: tuple[str, str],
    parts: Mapping[str, Ints],
    sums: Mapping[str, Floats],
    draws: Draws,
    random: np.random.Generator,
) -> list[list[Difference]]:
    """[m] the differences of two groups in each metric."""
    first, second = pair
    others = [second] if second in parts else [name for name in parts if name != first]
    one, other = parts[first], np.concatenate([parts[name] for name in others])
    both = np.concatenate([one, other])
    enough = min(len(one), len(other)) >= FEWEST
    observed = figures(one.sum(axis=0)) - figures(other.sum(axis=0))
    drawn = figures(sums[first]) - figures(np.sum([sums[name] for name in others], axis=0))
    dealt = deal_sums(both.reshape(len(both), -1), len(one), draws.permutations, random).reshape(-1, *both.shape[1:])
    apart = figures(dealt) - figures(both.sum(axis=0) - dealt)
    kept = drawn if enough else np.full_like(drawn, np.nan)
    return [
        [_difference(pair, metric, float(observed[i, k]), kept[:, i, k], apart[:, i, k]) for k, metric in enumerate(METRICS)]
        for i in range(len(observed))
    ]


def _difference(pair: tuple[str, str], metric: str, value: float, drawn: Floats, dealt: Floats) -> Difference:
    first, second = pair
    if np.isnan(value):
        return Difference(first=first, second=second, metric=metric, value=None, interval=None, chance=None)
    interval, chance = interval_of(drawn), chance_of(value, dealt)
    return Difference(first=first, second=second, metric=metric, value=value, interval=interval, chance=chance)
