"""A split of a corpus that leaks less: whole sources and copies on one side, label proportions kept.

scikit-learn's group splitters do not do this: `StratifiedGroupKFold` makes folds of equal size and takes one class for each
sample, `GroupShuffleSplit` keeps no proportions, and none makes three parts of different sizes. Documents have many labels
each and parts are asked for as 60 / 15 / 25, so groups are placed here one by one, the largest first, each where it brings
the parts nearest to what is asked, and are then moved as long as that helps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from brat.model import Document
from evaluator.leakage.components import join
from evaluator.leakage.copies import Copy
from evaluator.leakage.fairness import Fairness, compare_labels
from evaluator.leakage.mentions import mentions
from evaluator.leakage.vectors import Floats
from evaluator.tables import Ints

SHARES = {"train": 0.6, "dev": 0.15, "test": 0.25}
"""Of ChEMU 2020, section 3.6."""
_STARTS = 8
_PASSES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for.

    Attributes:
        shares: of documents in each part; above 0, with the sum 1.
        seed: of the order in which groups of equal size are placed.
    """

    shares: Mapping[str, float] = field(default_factory=lambda: dict(SHARES))
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.shares or min(self.shares.values()) <= 0 or abs(sum(self.shares.values()) - 1) > 1e-9:
            raise ValueError("shares are above 0 and add up to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a proposed split.

    Attributes:
        name: such as `train`.
        documents: sorted ids.
        groups: how many groups of documents that belong together these are.
        asked: how many documents were asked for, rounded.
    """

    name: str
    documents: tuple[str, ...]
    groups: int
    asked: int

    @property
    def cost(self) -> int:
        """How many documents there are too many, or, below 0, too few."""
        return len(self.documents) - self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A split, and what it costs.

    Attributes:
        parts: in the order asked for.
        groups: how many there are in all.
        largest: documents in the largest group; where it is larger than a part, sizes suffer.
        fairness: the distribution of labels over the parts.
        seed: equal requests with equal seeds give equal splits.
    """

    parts: tuple[Part, ...]
    groups: int
    largest: int
    fairness: Fairness
    seed: int

    @property
    def misplaced(self) -> int:
        """What it costs in size: documents that are in a part that has too many."""
        return sum(max(0, each.cost) for each in self.parts)

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values, and what they cost."""
        return asdict(self) | {
            "parts": [asdict(each) | {"cost": each.cost} for each in self.parts],
            "misplaced": self.misplaced,
        }


def propose(
    documents: Mapping[str, Document],
    sources: Mapping[str, str],
    copies: Sequence[Copy],
    request: Request | None = None,
) -> Proposal:
    """Split documents so that no source and no pair of copies is in two parts.

    Args:
        documents: by id.
        sources: of each document whose source is known.
        copies: pairs of these documents.
        request: sizes and seed.
    """
    request = request or Request()
    groups = join(documents, sources, (each.documents for each in copies))
    random = np.random.default_rng(request.seed)
    amounts = _amounts(groups, documents)
    shares = np.array(list(request.shares.values()))
    best, least = np.zeros(len(groups), dtype=np.int64), float("inf")
    for _ in range(_STARTS):
        place = _improve(_place(amounts, shares, random), amounts, shares)
        loss = float(((_excess(place, amounts, shares) ** 2).sum(axis=1) / shares).sum())
        if loss < least - 1e-12:
            best, least = place, loss
    chosen = [[group for group, at in zip(groups, best.tolist(), strict=True) if at == i] for i in range(len(shares))]
    parts = tuple(
        Part(
            name=name,
            documents=tuple(sorted(id_ for group in mine for id_ in group)),
            groups=len(mine),
            asked=round(share * len(documents)),
        )
        for (name, share), mine in zip(request.shares.items(), chosen, strict=True)
    )
    return Proposal(
        parts=parts,
        groups=len(groups),
        largest=max((len(each) for each in groups), default=0),
        fairness=compare_labels({part.name: [documents[id_] for id_ in part.documents] for part in parts}),
        seed=request.seed,
    )


def _amounts(groups: Sequence[tuple[str, ...]], documents: Mapping[str, Document]) -> Floats:
    """[groups, 1 + labels] each group's share of all documents and of the annotations with each label.

    Labels weigh together as much as documents do.
    """
    counts = [Counter(each.label for id_ in group for each in mentions(documents[id_])) for group in groups]
    labels = sorted(set().union(*counts))
    rows = [[len(group), *(count[label] for label in labels)] for group, count in zip(groups, counts, strict=True)]
    amounts = np.array(rows, dtype=np.float64).reshape(len(groups), 1 + len(labels))
    shares: Floats = amounts / np.maximum(amounts.sum(axis=0), 1)
    shares[:, 1:] /= np.sqrt(max(1, len(labels)))
    return shares


def _place(amounts: Floats, shares: Floats, random: np.random.Generator) -> Ints:
    """[groups] the part of each, the largest placed first, where the parts come nearest to what is asked."""
    order = np.lexsort((random.random(len(amounts)), -amounts[:, 0])) if len(amounts) else np.zeros(0, dtype=np.int64)
    excess = -np.outer(shares, amounts.sum(axis=0))
    place = np.zeros(len(amounts), dtype=np.int64)
    for group in order.tolist():
        at = int(np.argmin(_worse(excess, amounts[group], shares)))
        place[group] = at
        excess[at] += amounts[group]
    return place


def _improve(place: Ints, amounts: Floats, shares: Floats) -> Ints:
    """Move groups one by one as long as that brings the parts nearer to what is asked."""
    place = place.copy()
    excess = _excess(place, amounts, shares)
    for _ in range(_PASSES):
        moved = False
        for group in range(len(amounts)):
            now = int(place[group])
            excess[now] -= amounts[group]
            worse = _worse(excess, amounts[group], shares)
            at = int(np.argmin(worse))
            if worse[at] >= worse[now] - 1e-12:
                at = now
            excess[at] += amounts[group]
            moved |= at != now
            place[group] = at
        if not moved:
            break
    return place


def _worse(excess: Floats, amount: Floats, shares: Floats) -> Floats:
    """[parts] how much farther each part is from what is asked with a group than without.

    Far is the square of what it has too much, over its share: one document too few is worse in a small part.
    """
    worse: Floats = (2 * excess @ amount + amount @ amount) / shares
    return worse


def _excess(place: Ints, amounts: Floats, shares: Floats) -> Floats:
    """[parts, 1 + labels] how much more each part has than is asked."""
    has = np.zeros((len(shares), amounts.shape[1]))
    np.add.at(has, place, amounts)
    return has - np.outer(shares, amounts.sum(axis=0))
