"""The order in which BRATEval visits annotations: that of `java.util.HashMap` over their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from evaluator.brateval.hash_map import JavaHashMap

_MOST_IN_A_LIST = 8


def visiting_order(ids: Iterable[str]) -> list[str]:
    """The distinct ids, given in order of first insertion, in the order of `HashMap.values()`.

    By bucket, then by insertion, with the capacity that the table has in the end; ids that were made to collide are put into
    a map that behaves as Java's does.
    """
    spreads = {id_: spread(id_) for id_ in ids}
    if _has_full_bucket(list(spreads.values())):
        return list(hash_map(spreads))
    capacity = 16
    while len(spreads) > capacity * 3 // 4:
        capacity *= 2
    return sorted(spreads, key=lambda id_: spreads[id_] & (capacity - 1))


def collide(ids: Iterable[str]) -> bool:
    """Whether more ids share a bucket than a list ever holds, so that Java's table becomes odd.

    It is so if a bucket has nine keys in the final table, or had in one of the smaller ones just before it was doubled.
    """
    return _has_full_bucket([spread(id_) for id_ in ids])


def _has_full_bucket(hashes: list[int]) -> bool:
    if len(hashes) <= _MOST_IN_A_LIST:
        return False
    capacity = 16
    for count in range(len(hashes) + 1):
        if count > capacity * 3 // 4:
            if max(Counter(each & (capacity - 1) for each in hashes[:count]).values()) > _MOST_IN_A_LIST:
                return True
            capacity *= 2
    return max(Counter(each & (capacity - 1) for each in hashes).values(), default=0) > _MOST_IN_A_LIST


def hash_map(ids: Iterable[str]) -> JavaHashMap:
    """A map with these keys, put in one after the other."""
    found = JavaHashMap()
    for id_ in ids:
        found.put(id_, spread(id_))
    return found


@lru_cache(maxsize=1 << 16)
def spread(id_: str) -> int:
    """The hash of a key as the map uses it: `h ^ (h >>> 16)` of `String.hashCode`, unsigned."""
    value = 0
    for unit in utf16_units(id_):
        value = (value * 31 + unit) & 0xFFFFFFFF
    return value ^ (value >> 16)


def utf16_units(text: str) -> list[int]:
    """The UTF-16 code units of a text, as Java sees it."""
    if text.isascii():
        return list(text.encode())
    data = text.encode("utf-16-be", "surrogatepass")
    return [data[i] << 8 | data[i + 1] for i in range(0, len(data), 2)]
