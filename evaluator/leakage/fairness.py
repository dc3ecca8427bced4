"""Whether splits are alike: the distribution of labels, and of any attribute of documents (ChEMU 2020, section 3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from brat.model import Document
from evaluator.leakage.mentions import mentions

LABEL = "label"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The largest difference between the shares of a value in two splits, that of the first being larger."""

    value: str
    splits: tuple[str, str]
    difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fairness:
    """How the values of something are distributed over splits.

    Attributes:
        name: `label`, or that of an attribute.
        splits: in the order that was given.
        values: sorted.
        counts: [values][splits] annotations with a label, or documents with a value of the attribute.
        unknown: [splits] documents without the attribute; they are in no share.
        largest: the largest difference of two shares; None with fewer than two splits that have any.
    """

    name: str
    splits: tuple[str, ...]
    values: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    unknown: tuple[int, ...]
    largest: Difference | None

    @property
    def shares(self) -> tuple[tuple[float | None, ...], ...]:
        """[values][splits] the share of each value in its split; None where the split has none at all."""
        totals = [sum(column) for column in zip(*self.counts, strict=True)]
        return tuple(
            tuple(count / total if total else None for count, total in zip(row, totals, strict=True)) for row in self.counts
        )


def compare_labels(splits: Mapping[str, Iterable[Document]]) -> Fairness:
    """The distribution of labels, those of triggers among them, as in Figure 4 of the paper."""
    found = {split: Counter(each.label for one in documents for each in mentions(one)) for split, documents in splits.items()}
    return _compare(LABEL, found, dict.fromkeys(splits, 0))


def compare_attribute(name: str, splits: Mapping[str, Iterable[str]], values: Mapping[str, str]) -> Fairness:
    """The distribution of an attribute over the documents of splits, as in Figure 5 of the paper.

    Args:
        name: of the attribute.
        splits: document ids by split.
        values: of each document that has the attribute.
    """
    ids = {split: list(each) for split, each in splits.items()}
    found = {split: Counter(values[id_] for id_ in each if id_ in values) for split, each in ids.items()}
    return _compare(name, found, {split: sum(id_ not in values for id_ in each) for split, each in ids.items()})


def _compare(name: str, found: Mapping[str, Counter[str]], unknown: Mapping[str, int]) -> Fairness:
    values = sorted(set().union(*found.values()))
    filled = {split: each for split, each in found.items() if each}
    differences = [
        Difference(value=value, splits=(one, other), difference=gap)
        if gap >= 0
        else Difference(value=value, splits=(other, one), difference=-gap)
        for value in values
        for one, other in combinations(filled, 2)
        for gap in [filled[one][value] / filled[one].total() - filled[other][value] / filled[other].total()]
    ]
    return Fairness(
        name=name,
        splits=tuple(found),
        values=tuple(values),
        counts=tuple(tuple(each[value] for each in found.values()) for value in values),
        unknown=tuple(unknown.values()),
        largest=max(differences, key=lambda each: each.difference, default=None),
    )
