"""The order in which BRATEval visits annotations: that of `java.util.HashMap` over their ids."""

from __future__ import annotations

from collections.abc import Iterable

_TREE_THRESHOLD = 8
_LEAST_CAPACITY_FOR_TREES = 64


def visiting_order(ids: Iterable[str]) -> list[str]:
    """The distinct ids, given in order of first insertion, in the order of `HashMap.values()`.

    By bucket, then by insertion, with the capacity that the table has in the end. Buckets that turn into trees (nine ids
    and more in one of 64 buckets, which only contrived ids reach) are kept in order of insertion; Java reorders them.
    """
    spreads = {id_: _spread(id_) for id_ in ids}
    mask = _capacity(list(spreads.values())) - 1
    return sorted(spreads, key=lambda id_: spreads[id_] & mask)


def _capacity(spreads: list[int]) -> int:
    """Doubled when more than three quarters full, and early when a small table gets a ninth key in one bucket."""
    capacity = 16
    for count, value in enumerate(spreads, 1):
        if count > _TREE_THRESHOLD and capacity < _LEAST_CAPACITY_FOR_TREES:
            mask = capacity - 1
            if sum((other ^ value) & mask == 0 for other in spreads[: count - 1]) >= _TREE_THRESHOLD:
                capacity *= 2
        if count > capacity * 3 // 4:
            capacity *= 2
    return capacity


def _spread(id_: str) -> int:
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
