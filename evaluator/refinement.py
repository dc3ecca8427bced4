"""Which things look the same, when what they look like depends on other things that look the same, in circles if need be."""

from __future__ import annotations

import numpy as np

from evaluator.overlaps import expand_ranges
from evaluator.tables import Flags, Ints, first_of_each


def multisets(owner: Ints, value: Ints, count: int) -> Ints:
    """[count] a number for each owner; two have the same when the same values belong to them, equally often.

    Args:
        owner, value: [values] the owner, from 0 to `count` - 1, of each value.
        count: how many owners there are; those without a value are alike.
    """
    data = value[np.lexsort((value, owner))].astype(np.int64).tobytes()
    ends = (8 * np.cumsum(np.bincount(owner, minlength=count))).tolist()
    seen: dict[bytes, int] = {}
    start, numbers = 0, []
    for end in ends:
        numbers.append(seen.setdefault(data[start:end], len(seen)))
        start = end
    return np.array(numbers, dtype=np.int64)


_DEEPEST = 100
"""Arguments of arguments are looked at so deep. No corpus nests events deeper than a few; a made-up chain of many thousands
would keep a worker busy for minutes."""


def refine(block: Ints, owner: Ints, role: Ints, target: Ints, deepest: int = _DEEPEST) -> Ints:
    """Split classes until all members of a class have arguments of equal classes in equal roles: the coarsest such partition.

    Partition refinement (Hopcroft 1971; Paige and Tarjan 1987). After the first round, only owners of what has moved to
    another class are looked at, and only at those arguments, so a long chain of nested events takes no more than its length.

    Args:
        block: [n] the class each begins in, numbers from 0 to n - 1.
        owner, role, target: [arguments] `target` is an argument of `owner`, both from 0 to n - 1.
        deepest: how deep arguments of arguments are told apart.

    Returns:
        [n] the class of each, numbers from 0 to n - 1.
    """
    count = len(block)
    block = block.copy()
    size = np.bincount(block, minlength=count)
    used = int(block.max(initial=-1)) + 1
    by_target = np.argsort(target, kind="stable")
    into = np.searchsorted(target[by_target], np.arange(count + 1))
    touched, edges = np.arange(count), np.arange(len(owner))
    for _ in range(deepest):
        if not len(touched):
            break
        looks = multisets(np.searchsorted(touched, owner[edges]), role[edges] * count + block[target[edges]], len(touched))
        old = block[touched]
        kept, group = first_of_each(old, looks)
        members, origin = np.bincount(group), old[kept]
        moves = ~_stays(members, origin, size)
        number = origin.copy()
        number[moves] = used + np.arange(np.count_nonzero(moves))
        used += int(np.count_nonzero(moves))
        np.subtract.at(size, origin[moves], members[moves])
        size[number[moves]] = members[moves]
        block[touched] = number[group]
        moved = touched[moves[group]]
        edges = by_target[expand_ranges(into[moved], into[moved + 1])[1]]
        touched = np.unique(owner[edges])
    return block


def _stays(members: Ints, origin: Ints, size: Ints) -> Flags:
    """[groups] which group keeps the number of its class: the largest, unless members that are in no group keep it."""
    order = np.lexsort((-members, origin))
    starts = np.flatnonzero(np.concatenate([[True], np.diff(origin[order]) != 0]))
    heads = order[starts]
    complete = np.add.reduceat(members[order], starts) == size[origin[heads]]
    stays = np.zeros(len(members), dtype=bool)
    stays[heads[complete]] = True
    return stays
