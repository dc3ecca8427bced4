"""Nearest training documents: beside scikit-learn where the matrix of all pairs fits, growing with the product, approximated.

`python -m benchmarks.leakage`, and with `--large` also 20,000 test documents against 100,000 of training. Texts are made up,
with words as frequent as Zipf says and a share of near-copies; every measurement is a process of its own, for its peak memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from evaluator.leakage.approximate import Sketch, approximate_nearest, measure_recall
from evaluator.leakage.copies import Nearness, near_pairs
from evaluator.leakage.nearest import Effort, Nearest, find_nearest
from evaluator.leakage.vectors import Vectors, vectorise

_VOCABULARY = 60_000
_WORDS = 90
_COPIED = 0.3
_SIZES = ((1_000, 5_000), (2_000, 5_000), (2_000, 10_000), (4_000, 10_000), (4_000, 20_000))
_WHOLE = (2_000, 10_000)
_LARGE = (20_000, 100_000)
_JOBS = 2


def make_texts(count: int, seed: int, originals: list[str] | None = None) -> list[str]:
    """Texts of about ninety words; with originals, three in ten are one of these with some words replaced."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, _VOCABULARY + 1)
    frequencies = weights / weights.sum()
    words = random.choice(_VOCABULARY, size=(count, _WORDS), p=frequencies)
    texts = [" ".join(f"w{word}" for word in row) for row in words.tolist()]
    for i in range(count if originals else 0):
        if originals and random.random() < _COPIED:
            kept = originals[int(random.integers(len(originals)))].split()
            replaced = random.random(len(kept)) < random.random() * 0.6
            own = texts[i].split()
            texts[i] = " ".join(own[j] if replaced[j] else kept[j] for j in range(len(kept)))
    return texts


def measure(way: str, tests: int, trains: int, jobs: int) -> dict[str, Any]:
    """Seconds, and peak MiB before and after, of one way to find what is nearest."""
    train = make_texts(trains, 1)
    test = make_texts(tests, 2, train)
    begin = time.perf_counter()
    rows, columns = vectorise(Vectors(), test, train)
    vectorised, before = time.perf_counter() - begin, _peak()
    begin = time.perf_counter()
    found, more = _WAYS[way](rows, columns, jobs)
    seconds = time.perf_counter() - begin
    mean = float(found.similarity.mean())
    return {
        "vectorise_s": vectorised,
        "seconds": seconds,
        "before_mib": before,
        "peak_mib": _peak(),
        "mean": mean,
        **more,
    }


def _blocked(rows: Any, columns: Any, jobs: int) -> tuple[Nearest, dict[str, Any]]:
    return find_nearest(rows, columns, Effort(jobs=jobs)), {}


def _whole(rows: Any, columns: Any, jobs: int) -> tuple[Nearest, dict[str, Any]]:
    from sklearn.metrics.pairwise import cosine_similarity  # noqa: PLC0415 - not in the processes that do without

    del jobs  # it has no threads for this
    every = cosine_similarity(rows, columns)
    return Nearest(every.argmax(axis=1), every.max(axis=1)), {}


def _hashed(rows: Any, columns: Any, jobs: int) -> tuple[Nearest, dict[str, Any]]:
    begin = time.perf_counter()
    found = approximate_nearest(rows, columns, Sketch())
    seconds = time.perf_counter() - begin
    recall = measure_recall(find_nearest(rows, columns, Effort(jobs=jobs)), found)
    return found, {
        "hashed_s": seconds,
        "found": recall.found / recall.documents,
        "near_found": recall.near_found / recall.near,
        "same_bin": recall.same_bin / recall.documents,
        "loss": recall.largest_loss,
    }


_WAYS: dict[str, Callable[[Any, Any, int], tuple[Nearest, dict[str, Any]]]] = {
    "blocked": _blocked,
    "whole": _whole,
    "hashed": _hashed,
}


def _peak() -> float:
    """MiB of this process; with more than one job the products are in its children, which this does not see."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _apart(way: str, size: tuple[int, int], jobs: int = _JOBS) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.leakage", "--measure", way, str(size[0]), str(size[1]), str(jobs)]
    value: dict[str, Any] = json.loads(subprocess.check_output(command))
    return value


def _tell(size: tuple[int, int], jobs: int) -> dict[str, Any]:
    m = _apart("blocked", size, jobs)
    each = m["seconds"] / (size[0] * size[1]) * 1e6
    print(
        f"{size[0]:>7,} x {size[1]:>7,}  {jobs} jobs  {m['seconds']:8.2f} s  {each:6.3f} s a million pairs"
        f"  peak {m['peak_mib']:.0f} MiB, {m['before_mib']:.0f} of it the vectors"
        f"  (vectors {m['vectorise_s']:.1f} s)"
    )
    return m


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--measure", nargs=4)
    given = parser.parse_args()
    if given.measure:
        way, *numbers = given.measure
        print(json.dumps(measure(way, *(int(each) for each in numbers))))
        return
    print("nearest training documents, blocked: time grows as the product, memory does not")
    for size in _SIZES:
        _tell(size, 1)
    ours, theirs = _tell(_WHOLE, 1), _apart("whole", _WHOLE)
    print(f"scikit-learn's cosine_similarity, whole matrix {theirs['seconds']:.2f} s  peak {theirs['peak_mib']:.0f} MiB")
    same = abs(ours["mean"] - theirs["mean"]) < 1e-12
    print(f"  ours / theirs, one job {ours['seconds'] / theirs['seconds']:.2f}  the same mean similarity: {same}")
    size = _LARGE if given.large else (2_000, 20_000)
    m = _apart("hashed", size)
    print(
        f"approximate, {size[0]:,} x {size[1]:,}: {m['hashed_s']:.1f} s; as near as the exact one {m['found']:.1%}, "
        f"of those in Q3 and Q4 {m['near_found']:.1%}, "
        f"in the same bin {m['same_bin']:.1%}, largest loss {m['loss']:.3f}"
    )
    for count in (5_000, 10_000, 20_000):
        train = make_texts(count, 1)
        texts = train + make_texts(count // 5, 2, train)
        begin = time.perf_counter()
        found = sum(1 for _ in near_pairs(texts, Nearness()))
        print(f"near-copies among {len(texts):,} documents: {found:,} pairs in {time.perf_counter() - begin:.2f} s")
    if given.large:
        _tell(_LARGE, _JOBS)


if __name__ == "__main__":
    main()
