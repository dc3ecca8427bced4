"""Pairs of rows that share characters, without comparing every row with every other."""

from __future__ import annotations

import numpy as np

from evaluator.tables import EntityTable, Ints

_LARGEST_KEY = 2**62


def group_keys(*columns: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """One number for each combination of values, the same on both sides.

    Args:
        columns: pairs of columns, (left, right), each [n_left] and [n_right].

    Returns:
        The numbers of the left rows and of the right rows; they keep the order of the combinations.
    """
    left = len(columns[0][0])
    key = np.concatenate(columns[0])
    key = key - key.min(initial=0)  # BRATEval reads negative offsets too
    largest = int(key.max(initial=0))
    for pair in columns[1:]:
        values = np.concatenate(pair)
        values = values - values.min(initial=0)
        width = int(values.max(initial=0)) + 1
        if (largest + 1) * width > _LARGEST_KEY:  # numbered anew, so that it fits; sorting costs, and is put off as it can be
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            largest = int(key.max(initial=0))
        key = key * width + values
        largest = (largest + 1) * width - 1
    key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return key[:left], key[left:]


def expand_ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """(owner, position) for every position in low[i]:high[i], for every i; empty where high <= low."""
    sizes = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(low), dtype=np.int64), sizes)
    before = np.cumsum(sizes) - sizes
    return owner, np.arange(len(owner), dtype=np.int64) - np.repeat(before - low, sizes)


def points_in_ranges(group: Ints, low: Ints, high: Ints, point_group: Ints, point: Ints) -> tuple[Ints, Ints]:
    """All pairs (range, point) of one group with low <= point < high."""
    if not len(group) or not len(point):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    floor = min(int(low.min()), int(point.min()))
    width = max(int(high.max()), int(point.max())) - floor + 2
    key = point_group * width + (point - floor)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    base = group * width - floor
    lows = np.searchsorted(ordered, base + low, side="left")
    highs = np.searchsorted(ordered, base + np.maximum(high, low), side="left")
    owner, position = expand_ranges(lows.astype(np.int64), highs.astype(np.int64))
    return owner, order[position].astype(np.int64)


def sum_by_pair(left: Ints, right: Ints, values: Ints) -> tuple[Ints, Ints, Ints]:
    """Unique pairs, sorted by left and then right, with the sum of their values."""
    if not len(left):
        return left, right, values
    width = int(right.max()) + 1
    keys, inverse = np.unique(left * width + right, return_inverse=True)
    sums = np.bincount(inverse, weights=values.astype(np.float64), minlength=len(keys)).astype(np.int64)
    return keys // width, keys % width, sums


def shared_characters(
    gold: EntityTable, run: EntityTable, gold_group: Ints, run_group: Ints, gold_rows: Ints, run_rows: Ints
) -> tuple[Ints, Ints, Ints]:
    """Pairs of the given rows that are in one group and share at least one code point.

    Args:
        gold, run: the two sides.
        gold_group, run_group: [rows given] what must be equal for two rows to be compared: document and label class.
        gold_rows, run_rows: the rows to compare.

    Returns:
        Gold row, run row, number of code points shared; sorted by gold row and then run row. An empty fragment shares
        nothing. Time grows with the rows and the pairs found.
    """
    g_owner, g_at = expand_ranges(gold.first[gold_rows], gold.first[gold_rows + 1])
    r_owner, r_at = expand_ranges(run.first[run_rows], run.first[run_rows + 1])
    g_start, g_end, r_start, r_end = gold.start[g_at], gold.end[g_at], run.start[r_at], run.end[r_at]
    g_full, r_full = np.flatnonzero(g_end > g_start), np.flatnonzero(r_end > r_start)
    g_owner, g_start, g_end = g_owner[g_full], g_start[g_full], g_end[g_full]
    r_owner, r_start, r_end = r_owner[r_full], r_start[r_full], r_end[r_full]
    # Two intervals overlap when one starts inside the other; equal starts are left to the first of the two searches.
    g_one, r_one = points_in_ranges(gold_group[g_owner], g_start, g_end, run_group[r_owner], r_start)
    r_two, g_two = points_in_ranges(run_group[r_owner], r_start + 1, r_end, gold_group[g_owner], g_start)
    g, r = np.concatenate([g_one, g_two]), np.concatenate([r_one, r_two])
    shared = np.minimum(g_end[g], r_end[r]) - np.maximum(g_start[g], r_start[r])
    return sum_by_pair(gold_rows[g_owner[g]], run_rows[r_owner[r]], shared)
