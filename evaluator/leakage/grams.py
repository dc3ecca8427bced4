"""The runs of n words of many texts, as a sparse matrix of sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluator.leakage.vectors import Sparse
from evaluator.leakage.words import split_words
from evaluator.tables import Flags, Ints


def gram_sets(texts: Sequence[str], size: int) -> Sparse:
    """Which runs of so many words each text has; equal runs have equal numbers, and no two others do.

    A text with fewer words has one run, of all of them; one without words has none.

    Args:
        texts: lower-cased here.
        size: words in a run.

    Returns:
        A csr_array [texts, runs] of int64 ones, sorted within a row.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415

    number: dict[str, int] = {}
    rows = [[number.setdefault(word, len(number)) for word in split_words(text)] for text in texts]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    words = np.fromiter((word for row in rows for word in row), dtype=np.int64, count=int(lengths.sum()))
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    whole = _whole(owner, size)
    grams, owner = _number_runs(words, size)[whole], owner[: len(whole)][whole]
    short = [(place, tuple(row)) for place, row in enumerate(rows) if 0 < len(row) < size]
    next_number = int(grams.max(initial=-1)) + 1
    known: dict[tuple[int, ...], int] = {}
    extra = [known.setdefault(row, next_number + len(known)) for _, row in short]
    owner = np.concatenate([owner, np.array([place for place, _ in short], dtype=np.int64)])
    grams = np.concatenate([grams, np.array(extra, dtype=np.int64)])
    width = next_number + len(known)
    matrix = csr_array((np.ones(len(grams), dtype=np.int64), (owner, grams)), shape=(len(texts), width))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _whole(owner: Ints, size: int) -> Flags:
    """[words - size + 1] whether the run that begins at a word ends in the same text."""
    count = max(0, len(owner) - size + 1)
    whole: Flags = owner[:count] == owner[size - 1 : size - 1 + count]
    return whole


def _number_runs(words: Ints, size: int) -> Ints:
    """[words - size + 1] a number for the run that begins at each word; those across two texts mean nothing.

    Longer runs are numbered from pairs of a shorter one and the word after it, so that no two share a number by accident.
    """
    runs = words
    base = int(words.max(initial=0)) + 1
    for length in range(2, size + 1):
        count = max(0, len(words) - length + 1)
        pairs = runs[:count] * base + words[length - 1 : length - 1 + count]
        runs = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return runs
