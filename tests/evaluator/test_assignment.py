"""The assignment against trying everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import assignment
from evaluator.assignment import best_assignment


def brute(edges: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    def grow(rest: list[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
        if not rest:
            return [[]]
        i, j, _ = rest[0]
        free = [each for each in rest[1:] if each[0] != i and each[1] != j]
        return [[rest[0], *more] for more in grow(free)] + grow(rest[1:])

    best = min(grow(edges), key=lambda found: (-len(found), -sum(w for _, _, w in found), sorted(found)))
    return sorted((i, j) for i, j, _ in best)


graphs = st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 4), min_size=1, max_size=10)


@pytest.mark.parametrize(("plain", "dense"), [(120, 16_000_000), (0, 16_000_000), (0, -1)], ids=["plain", "dense", "sparse"])
def test_it_is_the_best_of_all(monkeypatch: pytest.MonkeyPatch, plain: int, dense: int) -> None:
    monkeypatch.setattr(assignment, "_PLAIN_EDGES", plain)
    monkeypatch.setattr(assignment, "_DENSE_CELLS", dense)

    @settings(max_examples=300, deadline=None)
    @given(graphs)
    def check(graph: dict[tuple[int, int], int]) -> None:
        edges = sorted((i, j, w) for (i, j), w in graph.items())
        left, right, weight = (np.array(column, dtype=np.int64) for column in zip(*edges, strict=True))
        assert best_assignment(left, right, weight) == brute(edges)

    check()


def test_a_long_chain_in_which_everything_is_tied() -> None:
    # Node i touches i and i + 1 on the other side, all weights equal: i with i is the smallest list.
    n = 2_000
    left = np.repeat(np.arange(n), 2)
    right = left + np.tile([0, 1], n)

    assert best_assignment(left, right, np.ones(2 * n, dtype=np.int64)) == [(i, i) for i in range(n)]
