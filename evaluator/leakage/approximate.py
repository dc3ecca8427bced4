"""Nearest training documents by MinHash and locality-sensitive hashing, where there are too many pairs for all of them.

What is looked for is guessed, what is found is exact: hashing proposes pairs of documents, whose cosine is then computed as
ever. So a similarity is never too large, and too small only where the nearest document was not proposed. Two sets of words
with Jaccard index J are proposed with probability 1 − (1 − J^rows)^bands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.leakage.nearest import NOBODY, Nearest, Progress, merge
from evaluator.leakage.similarity import Similarity, describe
from evaluator.leakage.vectors import Sparse, Vectors, vectorise
from evaluator.tables import Ints

_BLOCK = 4_096
_PAIRS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """How documents are hashed.

    Attributes:
        bands, rows: see above. More bands find more and take longer, more rows propose fewer that are far apart.
        seed: of the permutations.
    """

    bands: int = 42
    rows: int = 3
    seed: int = 1

    @property
    def name(self) -> str:
        """For signatures and captions."""
        return f"minhash-lsh-{self.bands}x{self.rows}-seed-{self.seed}"

    @property
    def permutations(self) -> int:
        """How many hashes there are of each document."""
        return self.bands * self.rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How good an approximation is, measured against the exact search.

    Attributes:
        documents: test documents compared.
        found: those whose nearest document is as near as it truly is.
        near, near_found: the same of those that are truly in Q3 or Q4; what is far is not proposed, and matters less.
        same_bin: those in the right one of the paper's bins.
        largest_loss: the most that a similarity is too small.
    """

    documents: int
    found: int
    near: int
    near_found: int
    same_bin: int
    largest_loss: float


def approximate_nearest(test: Sparse, train: Sparse, sketch: Sketch | None = None, progress: Progress | None = None) -> Nearest:
    """What is nearest to each test vector among the training vectors that hashing proposes.

    The test vectors are indexed and the training vectors looked up one after another, so memory grows with the test set.

    Args:
        test, train: as for `find_nearest`.
        sketch: how they are hashed.
        progress: told how many training vectors have been looked up, and how many there are.
    """
    from datasketch import MinHashLSH  # noqa: PLC0415 - imports scipy

    sketch = sketch or Sketch()
    hashes = _word_hashes(test.shape[1], sketch.seed)
    minhash = _minhash_of_nothing(sketch)
    index = MinHashLSH(num_perm=sketch.permutations, params=(sketch.bands, sketch.rows))
    for row in range(test.shape[0]):
        if test.indptr[row] < test.indptr[row + 1]:
            index.insert(row, _minhash(test, row, hashes, minhash), check_duplication=False)
    found = Nearest(np.full(test.shape[0], NOBODY, dtype=np.int64), np.zeros(test.shape[0]))
    for start in range(0, train.shape[0], _BLOCK):
        stop = min(start + _BLOCK, train.shape[0])
        proposed = [(row, sorted(index.query(_minhash(train, row, hashes, minhash)))) for row in range(start, stop)]
        sizes = [len(rows) for _, rows in proposed]
        columns = np.repeat(np.arange(start, stop, dtype=np.int64), sizes)
        rows = np.array([row for _, each in proposed for row in each], dtype=np.int64)
        found = reduce(merge, _among(test, train, rows, columns), found)
        if progress:
            progress(stop, train.shape[0])
    return found


def approximate_similarity(
    train: Mapping[str, str],
    test: Mapping[str, str],
    vectors: Vectors | None = None,
    sketch: Sketch | None = None,
    progress: Progress | None = None,
) -> Similarity:
    """As `find_similarity`, by hashing; the result says so."""
    vectors, sketch = vectors or Vectors(), sketch or Sketch()
    test_ids, train_ids = sorted(test), sorted(train)
    rows, columns = vectorise(vectors, [test[id_] for id_ in test_ids], [train[id_] for id_ in train_ids])
    nearest = approximate_nearest(rows, columns, sketch, progress)
    return describe(test_ids, train_ids, nearest, vectors=vectors.name, method=sketch.name)


def measure_recall(exact: Nearest, approximate: Nearest) -> Recall:
    """Compare an approximation with the truth. Equal means equal up to 1e-9, since sums are not added in the same order."""
    loss = exact.similarity - approximate.similarity
    bins = [np.minimum(np.floor(each.similarity * 4), 3) for each in (exact, approximate)]
    hit, near = loss <= 1e-9, bins[0] >= 2
    return Recall(
        documents=len(loss),
        found=int(hit.sum()),
        near=int(near.sum()),
        near_found=int((hit & near).sum()),
        same_bin=int((bins[0] == bins[1]).sum()),
        largest_loss=float(loss.max(initial=0.0)),
    )


def _among(test: Sparse, train: Sparse, rows: Ints, columns: Ints) -> list[Nearest]:
    """The nearest among proposed pairs, as many at a time as fit; pairs are sorted by their column."""
    found = []
    for start in range(0, len(rows), _PAIRS):
        r, c = rows[start : start + _PAIRS], columns[start : start + _PAIRS]
        cosines = np.minimum(np.asarray(test[r].multiply(train[c]).sum(axis=1)).ravel(), 1.0)
        similarity = np.zeros(test.shape[0])
        np.maximum.at(similarity, r, cosines)
        nearest = np.full(test.shape[0], NOBODY, dtype=np.int64)
        hits = np.flatnonzero((cosines == similarity[r]) & (cosines > 0))[::-1]  # the first of equally near ones is put in last
        nearest[r[hits]] = c[hits]
        found.append(Nearest(nearest, similarity))
    return found


def _word_hashes(words: int, seed: int) -> NDArray[np.uint32]:
    """[words] a number for each word, in no order that words have."""
    return np.random.default_rng(seed).integers(0, 2**32, size=words, dtype=np.uint32)


def _minhash_of_nothing(sketch: Sketch) -> Any:
    from datasketch import MinHash  # noqa: PLC0415

    return MinHash(num_perm=sketch.permutations, seed=sketch.seed, hashfunc=int)


def _minhash(matrix: Sparse, row: int, hashes: NDArray[np.uint32], minhash: Any) -> Any:
    """The sketch of a row, in one object that is used again and again: the index keeps bytes, not the object."""
    minhash.clear()
    minhash.update_batch(hashes[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]].tolist())
    return minhash
