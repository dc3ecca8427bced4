"""False negatives by group and category of chemicals.

After A Comprehensive Study of Gender Bias in Chemical NER Models, section 5 (Figure 1) and appendix A.3 (Tables 6 and 7).
N_k is how many gold chemicals of category k a group has, FN_k how many of them were missed, FNR_k = FN_k / N_k. Two groups are
compared as first and second, such as female and male, and every sign is first − second.

- Ratio of a category (Figure 1): the larger FN_k divided by the smaller, minus 1; positive where the first group has more,
  negative where the second has; 0 where both have as many. The formulas printed in the paper have the opposite signs of its
  prose and its figure, which are followed here.
- Pearson's r between N_k and FNR_k over categories, a group (Table 6).
- Weighted FNR (Table 7): w_k of the first group is (N_k / N) / (N'_k / N'), with the accents for the second, normalised to sum
  to 1; wFNR = Σ w_k FNR_k. For the second group the ratio is inverted, since the paper defines the first only. It gives weight
  to categories that are more frequent in the group than in the other.
- Gap = first − second and Ratio = first / second, of FNR and of wFNR.

The wFNR printed in Table 7, .6875 and .8088, do not follow from that formula on the counts of Table 6: it gives .6853 for
male and .6135 for female posts, thus a gap of −.072 where the paper prints .1213. The printed ones come out with other
weights (FN_m / FN_f for male, FN_f / N_m for female). Table 6's 126 male anxiolytics are a slip as well: .5603 is 65 / 116, and
no integer over 126.

Whatever has nothing to divide by is undefined: None, never 0, and never a small number in its stead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import correlation
from typing import Any

from evaluator.matching import Matching
from evaluator.strata.groups import groups_in
from evaluator.strata.model import UNKNOWN
from evaluator.tables import Flags, Tables


@dataclass(frozen=True, slots=True)
class Missed:
    """How many there are, and how many of them were missed.

    Raises:
        ValueError: more were missed than there are.
    """

    gold: int = 0
    missed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.missed <= self.gold:
            raise ValueError(f"{self.missed} of {self.gold} cannot have been missed")

    def __add__(self, other: Missed) -> Missed:
        return Missed(self.gold + other.gold, self.missed + other.missed)

    @property
    def rate(self) -> float | None:
        """The false negative rate."""
        return self.missed / self.gold if self.gold else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCounts:
    """The counts of every group.

    Attributes:
        groups: their names, in order.
        categories: their names, in order.
        counts: by group and category; where there are none, there is no entry.
        uncategorised: by group, annotations without a category; they are in no figure.
        ungrouped: annotations of documents without a group; they are in no figure.
    """

    groups: tuple[str, ...]
    categories: tuple[str, ...]
    counts: Mapping[tuple[str, str], Missed]
    uncategorised: Mapping[str, Missed]
    ungrouped: Missed = Missed()

    def of(self, group: str, category: str) -> Missed:
        """The counts of a group in a category, which may be nothing."""
        return self.counts.get((group, category), Missed())

    def total(self, group: str) -> Missed:
        """The sum over all categories."""
        return sum((self.of(group, each) for each in self.categories), start=Missed())

    def correlation(self, group: str) -> float | None:
        """Pearson's r between frequency and false negative rate over the categories that the group has.

        None with fewer than two, and where one of them is the same in all.
        """
        found = [self.of(group, each) for each in self.categories]
        pairs = [(each.gold, rate) for each in found if (rate := each.rate) is not None]
        if len({frequency for frequency, _ in pairs}) < 2 or len({rate for _, rate in pairs}) < 2:
            return None
        return correlation([float(frequency) for frequency, _ in pairs], [rate for _, rate in pairs])


def count_categories(
    tables: Tables,
    matching: Matching,
    categories: Sequence[str | None],
    group: Mapping[str, str],
    counted: Flags | None = None,
) -> CategoryCounts:
    """Count gold annotations, and those in no pair, by the group of their document and their category.

    Args:
        tables: gold and run.
        matching: of these tables.
        categories: [rows of `Tables.gold`] the category of each, None for none.
        group: of each document that has one; `unknown` is none.
        counted: [rows of `Tables.gold`] which are counted at all; all where not given.
    """
    known = {id_: group[id_] for id_ in tables.documents if group.get(id_, UNKNOWN) != UNKNOWN}
    of_document = [known.get(id_) for id_ in tables.documents]
    keys = [(of_document[i], category) for i, category in zip(tables.gold.document.tolist(), categories, strict=True)]
    wanted = [True] * len(keys) if counted is None else counted.tolist()
    there = Counter(key for key, each in zip(keys, wanted, strict=True) if each)
    hit = Counter(keys[row] for row in matching.gold.tolist() if wanted[row])
    counts = {key: Missed(gold, gold - hit[key]) for key, gold in there.items()}
    names = groups_in(known)
    return CategoryCounts(
        groups=names,
        categories=tuple(sorted({category for name, category in counts if name is not None and category is not None})),
        counts={
            (name, category): each for (name, category), each in counts.items() if name is not None and category is not None
        },
        uncategorised={name: counts.get((name, None), Missed()) for name in names},
        ungrouped=sum((each for (name, _), each in counts.items() if name is None), start=Missed()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryRatio:
    """One bar of Figure 1.

    Attributes:
        category: its name.
        first, second: the counts of either group.
        ratio: the larger number missed over the smaller, minus 1, with its sign; None where one side missed none.
        leaning: the group with more; None where both have as many.
    """

    category: str
    first: Missed
    second: Missed
    ratio: float | None
    leaning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A figure of two groups."""

    first: float | None
    second: float | None

    @property
    def gap(self) -> float | None:
        """First − second."""
        return None if self.first is None or self.second is None else self.first - self.second

    @property
    def ratio(self) -> float | None:
        """First / second; None over 0."""
        return None if self.first is None or not self.second else self.first / self.second


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two groups side by side.

    Attributes:
        first, second: their names; differences are first − second.
        ratios: of every category that either has.
        fnr: the false negative rates over all categories.
        weighted: the weighted false negative rates, over the categories that both have.
        dropped: the categories that one group lacks, which are in no weighted rate, sorted.
    """

    first: str
    second: str
    ratios: tuple[CategoryRatio, ...]
    fnr: Compared
    weighted: Compared
    dropped: tuple[str, ...]

    @property
    def without_ratio(self) -> tuple[str, ...]:
        """The categories whose ratio is undefined, since one group missed none."""
        return tuple(each.category for each in self.ratios if each.ratio is None)


def compare_groups(counts: CategoryCounts, first: str, second: str) -> Comparison:
    """Compare two groups.

    Raises:
        ValueError: one of them is not among the groups, or they are the same.
    """
    for each in (first, second):
        if each not in counts.groups:
            raise ValueError(f"there is no group {each}; there are: {', '.join(counts.groups) or 'none'}")
    if first == second:
        raise ValueError(f"{first} cannot be compared with itself")
    pairs = {each: (counts.of(first, each), counts.of(second, each)) for each in counts.categories}
    met = {category: pair for category, pair in pairs.items() if any(each.gold for each in pair)}
    shared = [pair for pair in met.values() if all(each.gold for each in pair)]
    return Comparison(
        first=first,
        second=second,
        ratios=tuple(_ratio(category, pair, (first, second)) for category, pair in met.items()),
        fnr=Compared(first=counts.total(first).rate, second=counts.total(second).rate),
        weighted=Compared(first=weighted_rate(shared), second=weighted_rate([(b, a) for a, b in shared])),
        dropped=tuple(sorted(category for category, pair in met.items() if not all(each.gold for each in pair))),
    )


def weighted_rate(pairs: Sequence[tuple[Missed, Missed]]) -> float | None:
    """Σ w_k FNR_k of the first of each pair, with w_k ∝ N_k / N'_k; None without a category.

    The totals N and N' are the same for every k and go with the normalisation.

    Args:
        pairs: for every category the counts of the group and those of the other, none of them 0.
    """
    weights = [Fraction(own.gold, other.gold) for own, other in pairs]
    rates = [Fraction(own.missed, own.gold) for own, _ in pairs]
    total = sum(weights)
    return float(sum(weight * rate for weight, rate in zip(weights, rates, strict=True)) / total) if total else None


def _ratio(category: str, pair: tuple[Missed, Missed], names: tuple[str, str]) -> CategoryRatio:
    (first, second), (one, other) = pair, names
    small, large = sorted((first.missed, second.missed))
    sign, leaning = (1, one) if first.missed > second.missed else (-1, other)
    ratio = 0.0 if small == large else sign * (large / small - 1) if small else None
    return CategoryRatio(
        category=category, first=first, second=second, ratio=ratio, leaning=None if small == large else leaning
    )


def to_json(counts: CategoryCounts, comparison: Comparison | None) -> dict[str, Any]:
    """Everything as plain values at full precision; None is undefined."""
    groups = [
        {
            "group": group,
            "categories": [{"category": each, **_plain(counts.of(group, each))} for each in counts.categories],
            "total": _plain(counts.total(group)),
            "pearson": counts.correlation(group),
            "uncategorised": _plain(counts.uncategorised[group]),
        }
        for group in counts.groups
    ]
    value: dict[str, Any] = {"groups": groups, "ungrouped": _plain(counts.ungrouped), "comparison": None}
    if comparison is not None:
        value["comparison"] = {
            "first": comparison.first,
            "second": comparison.second,
            "ratios": [{"category": each.category, "ratio": each.ratio, "leaning": each.leaning} for each in comparison.ratios],
            "fnr": _plain_figure(comparison.fnr),
            "wfnr": _plain_figure(comparison.weighted),
            "dropped": list(comparison.dropped),
            "without_ratio": list(comparison.without_ratio),
        }
    return value


def _plain(missed: Missed) -> dict[str, Any]:
    return {"gold": missed.gold, "missed": missed.missed, "fnr": missed.rate}


def _plain_figure(figure: Compared) -> dict[str, float | None]:
    return {"first": figure.first, "second": figure.second, "gap": figure.gap, "ratio": figure.ratio}
