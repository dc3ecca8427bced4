"""The best one-to-one assignment of a small weighted bipartite graph, with ties decided by the order of its nodes.

Used for what the identical spans leave over: groups of gold and predicted annotations that overlap one another in more
than one way. The answer is a function of the graph alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evaluator.tables import Ints

_PLAIN_EDGES = 120  # up to here plain Python is faster than importing and calling scipy
_DENSE_CELLS = 16_000_000


@dataclass(slots=True)
class _Matched:
    """A matching and its dual values: `u` of left nodes, `v` of right nodes; -1 where a node has no partner."""

    of_left: list[int]
    of_right: list[int]
    u: list[int]
    v: list[int]
    tight: list[list[int]]


def best_assignment(left: Ints, right: Ints, shared: Ints) -> list[tuple[int, int]]:
    """The largest matching; among the largest, that of greatest total weight; among those, the smallest sorted list.

    Args:
        left, right: [edges] the nodes each edge joins, numbered from 0 in the order that decides ties.
        shared: [edges] positive weights.

    Returns:
        Pairs (left, right), sorted. Lists of pairs are compared lexicographically.
    """
    n_left, n_right = int(left.max()) + 1, int(right.max()) + 1
    heaviest = np.zeros(n_left, dtype=np.int64)
    np.maximum.at(heaviest, left, shared)
    weight = shared + int(heaviest.sum()) + 1  # one more pair outweighs any sum of shared characters
    if len(left) <= _PLAIN_EDGES:
        of_left = _augment(left, right, weight, n_left, n_right)
    else:
        of_left = _solve_with_scipy(left, right, weight, n_left, n_right)
    matched = _with_duals(of_left, left, right, weight, n_right)
    if sum(len(each) for each in matched.tight) > sum(each >= 0 for each in of_left):
        _make_smallest(matched)
    return [(i, j) for i, j in enumerate(matched.of_left) if j >= 0]


def _augment(left: Ints, right: Ints, weight: Ints, n_left: int, n_right: int) -> list[int]:
    """Successive heaviest augmenting paths (Bellman-Ford), the textbook algorithm."""
    edges: list[list[tuple[int, int]]] = [[] for _ in range(n_left)]
    for i, j, w in zip(left.tolist(), right.tolist(), weight.tolist(), strict=True):
        edges[i].append((j, w))
    weights = {(i, j): w for i, row in enumerate(edges) for j, w in row}
    of_left, of_right = [-1] * n_left, [-1] * n_right
    while True:
        gain: list[int | None] = [0 if j < 0 else None for j in of_left]
        reached: list[tuple[int, int] | None] = [None] * n_right  # gain and the left node it came from
        queue = [i for i, j in enumerate(of_left) if j < 0]
        for i in queue:  # grows while it is walked
            base = gain[i]
            for j, w in edges[i]:
                best = reached[j]
                if base is None or j == of_left[i] or (best is not None and best[0] >= base + w):
                    continue
                reached[j] = (base + w, i)
                holder = of_right[j]
                if holder >= 0:
                    gain[holder] = base + w - weights[holder, j]
                    queue.append(holder)
        ends = [(best[0], j) for j, best in enumerate(reached) if best is not None and of_right[j] < 0]
        if not ends:
            return of_left
        at = max(ends)[1]
        while at >= 0:
            step = reached[at]
            assert step is not None, "BUG: a path without a beginning"  # noqa: S101
            i = step[1]
            of_right[at], of_left[i], at = i, at, of_left[i]


def _solve_with_scipy(left: Ints, right: Ints, weight: Ints, n_left: int, n_right: int) -> list[int]:
    if n_left * n_right <= _DENSE_CELLS:
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - most of a second

        cells = np.zeros((n_left, n_right))
        cells[left, right] = weight
        rows, columns = linear_sum_assignment(cells, maximize=True)
        real = cells[rows, columns] > 0
    else:
        from scipy.sparse import coo_array  # noqa: PLC0415
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

        top = int(weight.max()) + 1  # every left node also has a partner of its own, which stands for none
        alone = np.arange(n_left)
        costs = np.concatenate([top - weight, np.full(n_left, top)]).astype(np.float64)
        places = (np.concatenate([left, alone]), np.concatenate([right, n_right + alone]))
        graph = coo_array((costs, places), shape=(n_left, n_right + n_left)).tocsr()
        rows, columns = min_weight_full_bipartite_matching(graph)
        real = columns < n_right
    of_left = np.full(n_left, -1)
    of_left[rows[real]] = columns[real]
    return [int(each) for each in of_left]


def _with_duals(of_left: list[int], left: Ints, right: Ints, weight: Ints, n_right: int) -> _Matched:
    """Dual values of an optimal matching: u + v >= weight on every edge, equal on the edges of every optimal matching."""
    partner = np.array(of_left, dtype=np.int64)
    held = right == partner[left]
    own = np.zeros(len(of_left), dtype=np.int64)
    own[left[held]] = weight[held]
    v = np.zeros(n_right, dtype=np.int64)
    while True:  # the least solution; it exists because the matching is optimal
        u = np.where(partner >= 0, own - v[partner], 0)
        raised = v.copy()
        np.maximum.at(raised, right, weight - u[left])
        if np.array_equal(raised, v):
            break
        v = raised
    tight: list[list[int]] = [[] for _ in of_left]
    equal = u[left] + v[right] == weight
    for i, j in sorted(zip(left[equal].tolist(), right[equal].tolist(), strict=True)):
        tight[i].append(j)
    of_right = [-1] * n_right
    for i, j in enumerate(of_left):
        if j >= 0:
            of_right[j] = i
    return _Matched(list(of_left), of_right, u.tolist(), v.tolist(), tight)


def _make_smallest(matched: _Matched) -> None:
    """Turn an optimal matching into the optimal one with the smallest sorted list of pairs.

    Every optimal matching uses tight edges only and covers every node with a positive dual value. So two of them differ
    by cycles in the graph of left nodes with an arc a → b where a can take over what b holds, and one more node that
    stands for "nothing". Left nodes are settled in order: each takes its smallest tight partner that a cycle allows.
    """
    nothing = len(matched.of_left)
    settled = [False] * (nothing + 1)
    for i, candidates in enumerate(matched.tight):
        for j in candidates:
            if j == matched.of_left[i]:
                break
            holder = matched.of_right[j] if matched.of_right[j] >= 0 else nothing
            path = [] if settled[holder] else _path(matched, settled, holder, i)
            if path:
                _rotate(matched, path, i, j)
                break
        settled[i] = True


def _path(matched: _Matched, settled: Sequence[bool], start: int, goal: int) -> list[int]:
    """A shortest path of arcs from start to goal over nodes that are not settled; empty if there is none."""
    came_from = {start: start}
    queue = [start]
    for node in queue:  # grows while it is walked
        if node == goal:
            break
        for after in _arcs(matched, node):
            if not settled[after] and after not in came_from:
                came_from[after] = node
                queue.append(after)
    if goal not in came_from:
        return []
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


def _arcs(matched: _Matched, node: int) -> list[int]:
    nothing = len(matched.of_left)
    if node == nothing:  # what is let go of must not need a partner
        return [i for i, j in enumerate(matched.of_left) if j < 0 or matched.v[j] == 0]
    held = matched.of_left[node]
    holders = [matched.of_right[j] for j in matched.tight[node] if j != held]
    if held >= 0 and matched.u[node] == 0:
        holders.append(-1)
    return [nothing if each < 0 else each for each in holders]


def _rotate(matched: _Matched, path: list[int], i: int, j: int) -> None:
    """Give j to i, and to every node of the path what the next one held."""
    nothing = len(matched.of_left)
    old = [*matched.of_left, -1]
    free = {node: _free_partner(matched, node, j) for node, after in pairwise(path) if after == nothing}
    for node in {*path, i} - {nothing}:
        if old[node] >= 0:
            matched.of_right[old[node]] = -1
    for node, after in pairwise(path):
        if node != nothing:
            matched.of_left[node] = old[after] if after != nothing else free[node]
    matched.of_left[i] = j
    for node in {*path, i} - {nothing}:
        if matched.of_left[node] >= 0:
            matched.of_right[matched.of_left[node]] = node


def _free_partner(matched: _Matched, node: int, but: int) -> int:
    """A tight partner that nobody holds, or -1 where the node may also go without."""
    if matched.u[node] == 0:
        return -1
    return next(j for j in matched.tight[node] if matched.of_right[j] < 0 and j != but)
