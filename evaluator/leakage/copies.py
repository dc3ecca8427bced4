"""Documents that are nearly or exactly the same, within a split and across splits.

All pairs are never compared. Two sets with a Jaccard index of at least t share one of the rarest members of each: of n
members, one of the first n − ⌈tn⌉ + 1 in the order of how few documents have them. Only pairs that do are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from evaluator.leakage.grams import gram_sets
from evaluator.leakage.vectors import Sparse
from evaluator.leakage.words import collapse
from evaluator.tables import Ints

_BLOCK = 2_048
_PAIRS = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """When two documents count as copies.

    Attributes:
        words: in a run.
        threshold: the least Jaccard index of their sets of runs, in (0, 1].
    """

    words: int = 5
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if self.words < 1 or not 0 < self.threshold <= 1:
            raise ValueError("a run has at least one word, and a threshold is above 0 and at most 1")

    @property
    def exactly(self) -> Fraction:
        """The threshold as it is written."""
        return Fraction(Decimal(repr(self.threshold)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Two documents that are copies of one another.

    Attributes:
        splits: of the first and the second; a split before that in the order that was given, or the same.
        documents: their ids; sorted where both are in one split.
        jaccard: of their sets of runs of words; 1 for exact copies, and for some that are not.
        exact: whether the texts are the same, case and white space aside.
    """

    splits: tuple[str, str]
    documents: tuple[str, str]
    jaccard: float
    exact: bool

    @property
    def across(self) -> bool:
        """Whether they are in different splits."""
        return self.splits[0] != self.splits[1]


def copied_documents(splits: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """In words: of each pair of splits, how many documents of the later one are copies of documents of the earlier one."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in find_copies(splits):
        if each.across:
            found.setdefault(each.splits, set()).add(each.documents[1])
    for (first, second), documents in found.items():
        verb = "document is a copy, or nearly one," if len(documents) == 1 else "documents are copies, or nearly,"
        yield f"{second}: {len(documents):,} {verb} of what is in {first}"


def find_copies(splits: Mapping[str, Mapping[str, str]], nearness: Nearness | None = None) -> tuple[Copy, ...]:
    """All pairs of documents that are near or exact copies, the nearest first, then by split and id. Empty texts are none.

    Args:
        splits: texts by document id, by split.
        nearness: when documents are copies.
    """
    nearness = nearness or Nearness()
    places = [(split, id_) for split, texts in splits.items() for id_ in sorted(texts)]
    texts = [splits[split][id_] for split, id_ in places]
    rank = {split: i for i, split in enumerate(splits)}
    folded = [collapse(text).lower() for text in texts]
    found = [
        Copy(
            splits=(places[i][0], places[j][0]),
            documents=(places[i][1], places[j][1]),
            jaccard=jaccard,
            exact=folded[i] == folded[j],
        )
        for i, j, jaccard in near_pairs(texts, nearness)
    ]
    found.sort(key=lambda each: (-each.jaccard, not each.exact, *(rank[split] for split in each.splits), each.documents))
    return tuple(found)


def near_pairs(texts: list[str], nearness: Nearness) -> Iterator[tuple[int, int, float]]:
    """Pairs of numbers of texts, the smaller first, with their Jaccard index, which is at least the threshold."""
    if not texts:
        return
    sets = gram_sets(texts, nearness.words)
    sizes = np.diff(sets.indptr).astype(np.int64)
    threshold = nearness.exactly
    rare = _rarest(sets, sizes, threshold)
    columns = rare.T.tocsr()
    for start in range(0, len(texts), _BLOCK):
        block = (rare[start : start + _BLOCK] @ columns).tocoo()
        rows, others = block.coords[0].astype(np.int64) + start, block.coords[1].astype(np.int64)
        low, high = np.minimum(sizes[rows], sizes[others]), np.maximum(sizes[rows], sizes[others])
        kept = (rows < others) & (low * threshold.denominator >= high * threshold.numerator)
        rows, others = rows[kept], others[kept]
        for at in range(0, len(rows), _PAIRS):
            yield from _verified(sets, sizes, rows[at : at + _PAIRS], others[at : at + _PAIRS], threshold)


def _verified(sets: Sparse, sizes: Ints, rows: Ints, others: Ints, threshold: Fraction) -> Iterator[tuple[int, int, float]]:
    shared = np.asarray(sets[rows].multiply(sets[others]).sum(axis=1)).ravel().astype(np.int64)
    union = sizes[rows] + sizes[others] - shared
    near = np.flatnonzero(shared * threshold.denominator >= union * threshold.numerator)
    for i, j, in_both, in_any in zip(
        rows[near].tolist(), others[near].tolist(), shared[near].tolist(), union[near].tolist(), strict=True
    ):
        yield i, j, in_both / in_any


def _rarest(sets: Sparse, sizes: Ints, threshold: Fraction) -> Sparse:
    """Of each set the members that it must share one of with every set that is near: those that the fewest sets have."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    frequency = np.bincount(sets.indices, minlength=sets.shape[1])
    rank = np.empty(sets.shape[1], dtype=np.int64)
    rank[np.lexsort((np.arange(sets.shape[1]), frequency))] = np.arange(sets.shape[1])
    owner = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    order = np.lexsort((rank[sets.indices], owner))
    place = np.arange(len(order), dtype=np.int64) - np.repeat(sets.indptr[:-1].astype(np.int64), sizes)
    needed = -(-sizes * threshold.numerator // threshold.denominator)  # rounded up
    kept = order[place < np.repeat(sizes - needed + 1, sizes)]
    ones = np.ones(len(kept), dtype=np.int64)
    return csr_array((ones, (owner[kept], sets.indices[kept])), shape=sets.shape)
