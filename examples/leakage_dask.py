"""The nearest training document of every test document, block against block under Dask.

    python examples/leakage_dask.py TRAIN TEST [--block 2000] [--address tcp://scheduler:8786]

TRAIN and TEST are folders of .txt files. Without an address the blocks are computed by processes on this machine; with one, by
the workers of a cluster (which needs the package `distributed`, and Assay on the workers). Prints a line for each test
document: its id, the id of the nearest training document, the cosine.
"""

from __future__ import annotations

import argparse
from functools import reduce
from pathlib import Path
from typing import Any

import dask
import numpy as np
from dask.delayed import delayed

from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.leakage.nearest import Nearest, block_nearest, merge, transpose
from evaluator.leakage.similarity import Similarity, describe
from evaluator.leakage.vectors import Sparse, Vectors, vectorise


def find(train: dict[str, str], test: dict[str, str], block: int) -> Similarity:
    """What `evaluator.leakage.similarity.find_similarity` finds, computed by whatever scheduler Dask is set to.

    Args:
        train, test: texts by document id.
        block: how many documents of either side are compared in one task.
    """
    test_ids, train_ids = sorted(test), sorted(train)
    rows, columns = vectorise(Vectors(), [test[id_] for id_ in test_ids], [train[id_] for id_ in train_ids])
    blocks = [(start, delayed(transpose)(columns[start : start + block])) for start in range(0, columns.shape[0], block)]
    strips = [_strip(rows[start : start + block], blocks) for start in range(0, rows.shape[0], block)]
    found: list[Nearest] = list(dask.compute(*strips))
    nearest = Nearest(np.concatenate([each.train for each in found]), np.concatenate([each.similarity for each in found]))
    return describe(test_ids, train_ids, nearest, vectors=Vectors().name, method="exact")


def _strip(rows: Sparse, blocks: list[tuple[int, Any]]) -> Any:
    """A task that ends with the nearest of all blocks for some test vectors; `merge` keeps the order of the blocks."""
    part = delayed(rows)
    return reduce(delayed(merge), [delayed(block_nearest)(part, block, start) for start, block in blocks])


def main() -> None:
    """Read, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--block", type=int, default=2_000)
    parser.add_argument("--address")
    given = parser.parse_args()
    train, test = (read_corpus(read_path(path)).texts for path in (given.train, given.test))
    if given.address:
        from dask.distributed import Client  # noqa: PLC0415 - a package of its own

        Client(given.address)  # becomes the scheduler of everything that follows
        found = find(train, test, given.block)
    else:
        with dask.config.set(scheduler="processes"):
            found = find(train, test, given.block)
    for each in found.neighbours:
        print(f"{each.document}\t{each.nearest or ''}\t{each.similarity:.4f}")


if __name__ == "__main__":
    main()
