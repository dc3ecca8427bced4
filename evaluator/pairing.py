"""One-to-one pairs of rows that agree in some columns: what has equal labels first, then what has labels of one class."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from evaluator.criteria import LabelRule
from evaluator.hierarchy import Hierarchy
from evaluator.overlaps import group_keys
from evaluator.tables import Ints

Columns: TypeAlias = tuple[Ints, Ints]
"""One column of both sides: [n_gold], [n_run]. Also pairs of positions, both [pairs]."""


def label_classes(labels: Sequence[str], rule: LabelRule, hierarchy: Hierarchy, apart: Collection[str] = frozenset()) -> Ints:
    """[labels] a number for each label; the rule lets two labels agree when their numbers are equal.

    Labels in `apart`, those of triggers, never agree with others, which are those of entities.
    """
    return 2 * _classes(labels, rule, hierarchy) + np.array([each in apart for each in labels], dtype=np.int64)


def _classes(labels: Sequence[str], rule: LabelRule, hierarchy: Hierarchy) -> Ints:
    match rule:
        case LabelRule.FINE:
            return np.arange(len(labels), dtype=np.int64)
        case LabelRule.ANY:
            return np.zeros(len(labels), dtype=np.int64)
        case LabelRule.HIGH:
            tops = [hierarchy.topmost(label) for label in labels]
            number = {top: i for i, top in enumerate(sorted(set(tops)))}
            return np.array([number[top] for top in tops], dtype=np.int64)


def pair_rows(keys: Sequence[Columns], labels: Columns, classes: Ints) -> Columns:
    """Pair rows that agree in every key and whose labels are of one class, as many as there can be.

    Equal labels are paired first, and what is left in the order of labels: the first with the first. So nothing depends on
    the order of rows but which of several equal ones is taken.

    Args:
        keys: what must be equal.
        labels: numbers that are in the order of the labels' names.
        classes: [labels] of `label_classes`.

    Returns:
        Positions of the pairs on both sides.
    """
    g, r = _pair_in_order(group_keys(*keys, labels), labels)
    if len(np.unique(classes)) == len(classes):
        return g, r
    gold, run = left_over((len(labels[0]), len(labels[1])), [(g, r)])
    rest = (labels[0][gold], labels[1][run])
    near = (classes[rest[0]], classes[rest[1]])
    more_g, more_r = _pair_in_order(group_keys(*((a[gold], b[run]) for a, b in keys), near), rest)
    return np.concatenate([g, gold[more_g]]), np.concatenate([r, run[more_r]])


def left_over(sizes: tuple[int, int], found: Sequence[Columns]) -> Columns:
    """The positions of both sides that are in no pair."""
    free = np.ones(sizes[0], dtype=bool), np.ones(sizes[1], dtype=bool)
    for pair in found:
        for side in (0, 1):
            free[side][pair[side]] = False
    return np.flatnonzero(free[0]), np.flatnonzero(free[1])


def _pair_in_order(keys: Columns, values: Columns) -> Columns:
    """Pair positions with equal keys of `group_keys`, the first with the first in the order of their values."""
    if any(np.bincount(key).max(initial=0) > 1 for key in keys):
        keys = group_keys(keys, (_rank(keys[0], values[0]), _rank(keys[1], values[1])))
    size = 1 + max((int(key.max(initial=-1)) for key in keys), default=-1)
    places = []
    for key in keys:  # keys are numbered without gaps: a table of them is quicker than to sort them
        place = np.full(size, -1, dtype=np.int64)
        place[key] = np.arange(len(key))
        places.append(place)
    both = np.flatnonzero((places[0] >= 0) & (places[1] >= 0))
    return places[0][both], places[1][both]


def _rank(key: Ints, value: Ints) -> Ints:
    """[rows] the place of each row among those with its key, by value, from 0."""
    if not len(key):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((value, key))
    starts = np.flatnonzero(np.concatenate([[True], key[order][1:] != key[order][:-1]]))
    sizes = np.diff(np.concatenate([starts, [len(key)]]))
    rank = np.empty(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.repeat(starts, sizes)
    return rank
