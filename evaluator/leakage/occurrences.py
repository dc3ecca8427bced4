"""Where any of many strings stands in a text, found in one walk over its tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from brat.model import Fragment

_TOKEN = re.compile(r"[^\W_]+|\S")
"""A maximal run of letters and digits, or one other character: the tokens of ChEMU 2020, section 5.2."""


@dataclass(slots=True)
class _Node:
    """What may follow some tokens, and the string that ends with them."""

    below: dict[str, _Node] = field(default_factory=dict)
    string: str | None = None


class StringIndex:
    """Strings as a tree of their tokens.

    A string stands in a text where its tokens do, with white space between two of them where it has some, of whatever kind
    and length, and nowhere else: `water` does not stand in `waters`, nor `a-b` in `a - b`.
    """

    def __init__(self, strings: Iterable[str]) -> None:
        self._root = _Node()
        for string in strings:
            node = self._root
            for symbol, _ in _symbols(string):
                node = node.below.setdefault(symbol, _Node())
            node.string = string

    def find(self, text: str) -> Iterator[tuple[str, Fragment]]:
        """Every place where a string stands, by where it begins, shorter ones first; places may overlap."""
        symbols = list(_symbols(text))
        for first in range(len(symbols)):
            node = self._root
            start = symbols[first][1][0]
            for place in range(first, len(symbols)):
                symbol, (_, end) = symbols[place]
                below = node.below.get(symbol.lstrip(" ") if place == first else symbol)
                if below is None:
                    break
                node = below
                if node.string is not None:
                    yield node.string, (start, end)


def _symbols(text: str) -> Iterator[tuple[str, Fragment]]:
    """The tokens with their places, each with a blank in front where white space stands before it, but for the first."""
    before = 0
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        yield (f" {token.group()}" if start > before and before else token.group()), (start, end)
        before = end
