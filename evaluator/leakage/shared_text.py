"""What two texts have in common, as places in both, for showing them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brat.model import Fragment
from evaluator.leakage.words import word_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedText:
    """Places in two texts, in code points, sorted and apart from one another."""

    first: tuple[Fragment, ...]
    second: tuple[Fragment, ...]


def find_shared(first: str, second: str, size: int = 1) -> SharedText:
    """The words that both texts have, case aside; or, with a size of more, what lies in a run of so many words of both.

    Args:
        first, second: the texts.
        size: how many words in a row must be the same. Places of neighbouring words are one place where it is more than 1.
    """
    one, other = list(word_spans(first)), list(word_spans(second))
    common = _grams(one, size) & _grams(other, size)
    return SharedText(first=_places(one, common, size), second=_places(other, common, size))


def _grams(words: Sequence[tuple[str, Fragment]], size: int) -> set[tuple[str, ...]]:
    folded = [word.lower() for word, _ in words]
    return {tuple(folded[i : i + size]) for i in range(len(folded) - size + 1)}


def _places(words: Sequence[tuple[str, Fragment]], common: set[tuple[str, ...]], size: int) -> tuple[Fragment, ...]:
    folded = [word.lower() for word, _ in words]
    if size == 1:
        return tuple(place for word, (_, place) in zip(folded, words, strict=True) if (word,) in common)
    covered = [False] * len(words)
    for i in range(len(words) - size + 1):
        if tuple(folded[i : i + size]) in common:
            covered[i : i + size] = [True] * size
    places: list[Fragment] = []
    for i, (_, (start, end)) in enumerate(words):
        if covered[i] and i and covered[i - 1]:
            places[-1] = (places[-1][0], end)
        elif covered[i]:
            places.append((start, end))
    return tuple(places)
