"""Drawing documents again, and dealing them anew: how certain a figure is, and whether a difference could be chance.

The unit is the document, since annotations of one document stand and fall together. Sums of counts over the documents of a draw
are products of two matrices, so that thousands of draws cost little, and all figures of a draw are of the same documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluator.tables import Flags, Ints

Floats: TypeAlias = NDArray[np.float64]
METRICS = ("precision", "recall", "f1")
"""What the last axis of `figures` holds."""
SEED = 20201
LEVEL = 0.95
_CELLS = 4_000_000
"""Of a matrix of draws × documents that is held at a time."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies in the middle `level` of the draws in which it is defined; None where it never is."""

    low: float
    high: float
    level: float = LEVEL


def figures(counts: NDArray[np.int64] | Floats) -> Floats:
    """[…, 3] precision, recall and F1 of […, 3] counts of true positives, false positives and false negatives.

    Not a number where there is nothing to divide by.
    """
    return np.stack([figure_of(counts, metric) for metric in METRICS], axis=-1)


def figure_of(counts: NDArray[np.int64] | Floats, metric: str) -> Floats:
    """[…] one of them."""
    right, spurious, missing = (counts[..., i].astype(np.float64) for i in range(3))
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric == "precision":
            return np.asarray(right / (right + spurious))
        if metric == "recall":
            return np.asarray(right / (right + missing))
        return np.asarray(2 * right / (2 * right + spurious + missing))


def draw_sums(counts: Ints, draws: int, random: np.random.Generator) -> Floats:
    """[draws, k] sums of the rows of [documents, k] counts, over as many documents as there are, drawn with replacement."""
    size = len(counts)
    if not size:
        return np.zeros((draws, counts.shape[1]))
    even = np.full(size, 1 / size)
    table = counts.astype(np.float64)
    return np.concatenate([random.multinomial(size, even, block).astype(np.float64) @ table for block in _blocks(draws, size)])


def deal_sums(counts: Ints, first: int, draws: int, random: np.random.Generator) -> Floats:
    """[draws, k] sums over the first so many of [documents, k] counts, the documents dealt anew each time."""
    size = len(counts)
    table = counts.astype(np.float64)
    found = []
    for block in _blocks(draws, size):
        # The places of the smallest of random numbers are a random subset, and argpartition finds them without sorting.
        chosen = np.argpartition(random.random((block, size)), min(first, size - 1), axis=1)[:, :first]
        member = np.zeros((block, size))
        np.put_along_axis(member, chosen, 1.0, axis=1)
        found.append(member @ table)
    return np.concatenate(found)


def half_sums(counts: Ints, draws: int, random: np.random.Generator) -> Floats:
    """[draws, k] sums over those of [documents, k] counts for which a coin falls heads."""
    size, table = len(counts), counts.astype(np.float64)
    return np.concatenate([random.integers(0, 2, (block, size)).astype(np.float64) @ table for block in _blocks(draws, size)])


def _blocks(draws: int, size: int) -> Iterator[int]:
    most = max(1, _CELLS // max(1, size))
    for start in range(0, draws, most):
        yield min(most, draws - start)


def interval_of(values: Floats, level: float = LEVEL) -> Interval | None:
    """The percentile interval of [draws] values, those that are not a number left out."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def chance_of(observed: float, dealt: Floats) -> float:
    """The share of deals whose difference is at least as large as the observed one, itself counted among them.

    Two-sided; deals in which the difference is not defined are left out.

    Args:
        observed: the difference.
        dealt: [draws] differences of groups that were dealt at random.
    """
    defined = dealt[~np.isnan(dealt)]
    extreme: Flags = np.abs(defined) >= abs(observed) - 1e-12
    return float((1 + np.count_nonzero(extreme)) / (1 + len(defined)))
