"""The words that texts are compared by.

The papers do not say what a word is. Here it is what stands between white space, with the punctuation around it taken off
as words of their own: `(300` is `(` and `300`, `acetate.` is `acetate` and `.`, while `(R)-alanine` and `2,4-dione` stay
whole. On a text that is tokenised already, this changes next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from brat.model import Fragment

_ENDS = frozenset(".,;:!?")
_QUOTES = frozenset('"“”„«»')
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_LONGEST_PEELED = 200
"""What is longer is no word, and is left as it is: looking for partners of brackets costs the square of the length."""
_RUN = re.compile(r"\S+")


def split_words(text: str, *, lower: bool = True) -> list[str]:
    """The words of a text, in order; lower-cased unless told otherwise."""
    found: list[str] = []
    for run in (text.lower() if lower else text).split():
        found += _peel(run)
    return found


def word_spans(text: str) -> Iterator[tuple[str, Fragment]]:
    """The words of a text as they stand there, each with its place."""
    for run in _RUN.finditer(text):
        at = run.start()
        for word in _peel(run.group()):
            yield word, (at, at + len(word))
            at += len(word)


def collapse(text: str) -> str:
    """A text with every run of white space as one blank, and none at its ends."""
    return " ".join(text.split())


@lru_cache(maxsize=200_000)
def _peel(run: str) -> tuple[str, ...]:
    """A run of characters without white space as words; together they are the run."""
    if run.isalnum() or len(run) > _LONGEST_PEELED:
        return (run,)
    start, end = 0, len(run)
    before: list[str] = []
    after: list[str] = []
    while end - start > 1:
        word = run[start:end]
        first, last = word[0], word[-1]
        if _CLOSING.get(first) == last and _is_partner(word):
            before.append(first)
            after.append(last)
            start, end = start + 1, end - 1
        elif first in _QUOTES or (first in _CLOSING and word.count(first) > word.count(_CLOSING[first])):
            before.append(first)
            start += 1
        elif last in _ENDS or last in _QUOTES or (last in _OPENING and word.count(last) > word.count(_OPENING[last])):
            after.append(last)
            end -= 1
        else:
            break
    middle = (run[start:end],) if end > start else ()
    return (*before, *middle, *reversed(after))


def _is_partner(word: str) -> bool:
    """Whether the bracket that a word starts with is closed by its last character and not before."""
    depth = 0
    opening, closing = word[0], word[-1]
    for place, each in enumerate(word):
        depth += (each == opening) - (each == closing)
        if depth == 0:
            return place == len(word) - 1
    return False
