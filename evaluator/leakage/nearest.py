"""The nearest training document of every test document, exactly, block against block.

No matrix of all pairs is ever held: a block of test vectors is multiplied with a block of training vectors, the largest
cosine of each row is kept, and the product is dropped. Time grows as the number of pairs, memory does not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeAlias

import numpy as np

from evaluator.leakage.vectors import Floats, Sparse
from evaluator.tables import Ints

Progress: TypeAlias = Callable[[int, int], None]
"""Told how much of the work is done, and how much there is."""

NOBODY = -1
_BYTES_PER_PAIR = 32  # a product's value and column, twice while it is looked through
_MOST_TEST, _MOST_TRAIN = 256, 4_096  # larger blocks leave the cache and are slower
_WORTH_PROCESSES = 100_000_000
"""Pairs that take longer than starting processes does: scipy holds the interpreter's lock while it multiplies, so threads
would gain nothing."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest training document of each test document.

    Attributes:
        train: [n] its number; `NOBODY` where no word is shared with any.
        similarity: [n] the cosine, in [0, 1].
    """

    train: Ints
    similarity: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What the search may take.

    Attributes:
        memory_mib: for the products that are held at a time, beside the vectors themselves.
        jobs: processes, where there is enough to do for more than one; in one that may have no children, 1.
    """

    memory_mib: int = 256
    jobs: int = 1

    def __post_init__(self) -> None:
        if self.memory_mib < 1 or self.jobs < 1:
            raise ValueError("memory_mib and jobs are at least 1")

    @property
    def block(self) -> tuple[int, int]:
        """How many test and training vectors are multiplied at a time."""
        pairs = self.memory_mib * 2**20 // (self.jobs * _BYTES_PER_PAIR)
        test = min(_MOST_TEST, max(1, int(pairs**0.5)))
        return test, min(_MOST_TRAIN, max(1, pairs // test))


def block_nearest(test: Sparse, train: Sparse, first: int = 0) -> Nearest:
    """The nearest of a block of training vectors for each of a block of test vectors: the unit of work, a pure function.

    Args:
        test: csr_array [n, words], rows of length 1 or 0.
        train: csr_array [words, m], as `transpose` gives it.
        first: the number of the block's first training vector.

    Returns:
        Numbers from `first` on. Of equally near ones the first counts; a sum that rounding puts above 1 is 1.
    """
    product = test @ train
    begin = product.indptr
    filled = np.flatnonzero(np.diff(begin))
    similarity = np.zeros(test.shape[0])
    nearest = np.full(test.shape[0], NOBODY, dtype=np.int64)
    if not len(filled):
        return Nearest(nearest, similarity)
    sizes = np.diff(begin)[filled]
    largest = np.maximum.reduceat(product.data, begin[filled])
    hits = np.flatnonzero(product.data == np.repeat(largest, sizes))
    rows = np.searchsorted(begin, hits, side="right") - 1
    order = np.lexsort((product.indices[hits], rows))
    rows, columns = rows[order], product.indices[hits][order]
    new = np.concatenate([[True], rows[1:] != rows[:-1]])
    nearest[rows[new]] = columns[new].astype(np.int64) + first
    similarity[filled] = np.minimum(largest, 1.0)
    return Nearest(nearest, similarity)


def merge(one: Nearest, other: Nearest) -> Nearest:
    """The nearer of two for each test document, that of `one` where they are equally near.

    Merging the blocks of training documents in their order gives what one block of all would give.
    """
    better = other.similarity > one.similarity
    return Nearest(np.where(better, other.train, one.train), np.where(better, other.similarity, one.similarity))


def transpose(train: Sparse) -> Sparse:
    """A block of training vectors as `block_nearest` wants them: csr_array [words, m]."""
    return train.T.tocsr()


def strip_nearest(test: Sparse, train: Sparse, first: int, size: int) -> Nearest:
    """The nearest of a block of training vectors for each of all test vectors, which are taken so many at a time.

    Args:
        test, train: csr_arrays [n, words] and [m, words].
        first: the number of the block's first training vector.
        size: how many test vectors are multiplied at a time.
    """
    block = transpose(train)
    found = [block_nearest(test[start : start + size], block, first) for start in range(0, test.shape[0], size)]
    if not found:
        return _nobody(0)
    return Nearest(np.concatenate([each.train for each in found]), np.concatenate([each.similarity for each in found]))


def find_nearest(test: Sparse, train: Sparse, effort: Effort | None = None, progress: Progress | None = None) -> Nearest:
    """The nearest of all training vectors for each test vector.

    Args:
        test, train: csr_arrays [n, words] and [m, words], as `vectorise` gives them.
        effort: memory and processes; the result does not depend on them.
        progress: told how many pairs of vectors have been compared, and how many there are.
    """
    effort = effort or Effort()
    size, width = effort.block
    width = min(width, max(1, -(-train.shape[0] // (4 * effort.jobs))))  # so that all processes end at about the same time
    total = test.shape[0] * train.shape[0]
    calls = ((test, train[start : start + width], start, size) for start in range(0, train.shape[0], width))
    alone = effort.jobs == 1 or total < _WORTH_PROCESSES
    found, done = _nobody(test.shape[0]), 0
    for result in (strip_nearest(*call) for call in calls) if alone else _in_processes(calls, effort.jobs):
        found = merge(found, result)
        done = min(done + width * test.shape[0], total)
        if progress:
            progress(done, total)
    return found


def _nobody(count: int) -> Nearest:
    return Nearest(np.full(count, NOBODY, dtype=np.int64), np.zeros(count))


def _in_processes(calls: Iterator[tuple[Sparse, Sparse, int, int]], jobs: int) -> Iterator[Nearest]:
    """Results in the order of the calls, with few more of them under way than there are processes.

    The processes are started afresh: a fork of one that has threads, such as a server, may never come to life.
    """
    waiting: deque[Future[Nearest]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for call in calls:
            waiting.append(pool.submit(strip_nearest, *call))
            if len(waiting) > jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
