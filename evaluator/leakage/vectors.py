"""Bag-of-words vectors of length 1, so that the product of two is their cosine (ChEMU 2020, section 9.2.1).

The paper gives neither tokens nor weights. Binary vectors over lower-cased words are the default, since they come nearest to
its figures on the real texts; what was used is part of every result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluator.leakage.words import split_words
from evaluator.tables import Ints

Sparse: TypeAlias = Any  # scipy.sparse.csr_array, which has no types
Floats: TypeAlias = NDArray[np.float64]


class Weights(StrEnum):
    """What a word weighs in a vector."""

    BINARY = "binary"
    COUNTS = "counts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """How texts become vectors.

    Attributes:
        weights: 1 for every word that occurs, or how often it does.
        lower: whether words are lower-cased.
    """

    weights: Weights = Weights.BINARY
    lower: bool = True

    @property
    def name(self) -> str:
        """For signatures and captions, such as `binary-lower`."""
        return f"{self.weights.value}-{'lower' if self.lower else 'cased'}"


def vectorise(vectors: Vectors, *sides: Sequence[str]) -> tuple[Sparse, ...]:
    """The vectors of the texts of each side, over one vocabulary.

    Words that only one side has count for the length of its vectors: a test text is not nearer for being half unknown. A text
    without words has the vector 0.

    Returns:
        For each side a csr_array [texts, words] of float64, sorted by word within a row, rows of length 1 or 0.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - a quarter of a second

    number: dict[str, int] = {}
    parts = [_count(texts, vectors, number) for texts in sides]
    found = []
    for counts, words, first in parts:
        matrix = csr_array((counts, words, first), shape=(len(first) - 1, len(number)))
        matrix.sort_indices()
        length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
        matrix.data /= np.repeat(length, np.diff(first))
        found.append(matrix)
    return tuple(found)


def _count(texts: Sequence[str], vectors: Vectors, number: dict[str, int]) -> tuple[Floats, NDArray[np.int32], Ints]:
    """Weights and numbers of the words of each text, and where each text begins in them."""
    counts: list[NDArray[np.float64]] = []
    words: list[NDArray[np.int32]] = []
    sizes = np.zeros(len(texts), dtype=np.int64)
    for place, text in enumerate(texts):
        bag = Counter(split_words(text, lower=vectors.lower))
        sizes[place] = len(bag)
        words.append(np.fromiter((number.setdefault(word, len(number)) for word in bag), dtype=np.int32, count=len(bag)))
        if vectors.weights is Weights.COUNTS:
            counts.append(np.fromiter(bag.values(), dtype=np.float64, count=len(bag)))
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    joined = np.concatenate(words) if words else np.zeros(0, dtype=np.int32)
    weights = np.concatenate(counts) if counts else np.ones(len(joined), dtype=np.float64)
    return weights, joined, first
