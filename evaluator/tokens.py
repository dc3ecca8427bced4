"""Sentences and tokens with their places (METHODS, section 1, Baselines: those of the BANNER-like tagger)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brat.model import Fragment

_TOKEN = re.compile(r"[^\W_]+|\S")
"""A maximal run of letters and digits, or one punctuation mark."""
_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)|\n+")
"""Where a sentence may end: at a full stop before white space, and at the end of a line."""
_SHORT = frozenset(
    {
        "al",
        "approx",
        "bp",
        "ca",
        "calc",
        "calcd",
        "cat",
        "cf",
        "co",
        "conc",
        "corp",
        "dr",
        "e.g",
        "eq",
        "equiv",
        "ex",
        "fig",
        "figs",
    }
    | {
        "h",
        "hr",
        "i.e",
        "inc",
        "int",
        "jr",
        "m.p",
        "max",
        "min",
        "mol",
        "mp",
        "mr",
        "mrs",
        "ms",
        "no",
        "nos",
        "p",
        "pp",
        "prof",
    }
    | {"ref", "refs", "resp", "rt", "sec", "sect", "sp", "spp", "sr", "st", "temp", "theor", "vol", "vs", "wt"}
)
"""Words whose full stop ends no sentence, in lower case without it."""
_LAST_WORD = re.compile(r"[\w.]+$")
_NEXT = re.compile(r"\s*(\S)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text: its place, and the places of its tokens."""

    span: Fragment
    tokens: tuple[Fragment, ...]


def split_tokens(text: str, start: int = 0, end: int | None = None) -> list[Fragment]:
    """The places of the tokens of a text, or of a part of it."""
    return [each.span() for each in _TOKEN.finditer(text, start, len(text) if end is None else end)]


def split_sentences(text: str) -> list[Fragment]:
    """The places of the sentences of a text, without white space around them.

    A full stop ends none where it stands in a number, behind a known short word or a single letter, or before a small letter.
    """
    found: list[Fragment] = []
    start = 0
    for end in [*_ends(text), len(text)]:
        part = text[start:end]
        if part.strip():
            found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
        start = end
    return found


def _ends(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        if text[mark.start()] != "." or _is_end(text, mark.start(), mark.end()):
            yield mark.end()


def _is_end(text: str, stop: int, after: int) -> bool:
    word = _LAST_WORD.search(text, max(0, stop - 20), stop)
    last = word[0] if word else ""
    if last.lower() in _SHORT or (len(last) == 1 and last.isalpha()):
        return False
    following = _NEXT.match(text, after)
    return following is None or not following[1].islower()


def sentences_of(text: str) -> list[Sentence]:
    """The sentences of a text that have tokens."""
    found = (Sentence(span, tuple(split_tokens(text, *span))) for span in split_sentences(text))
    return [each for each in found if each.tokens]


def sentence_numbers(sentences: Sequence[Fragment], places: Sequence[int]) -> list[int]:
    """In which sentence each place of a text is; one between two sentences is in the earlier, one before all in the first."""
    starts = [start for start, _ in sentences]
    return [max(0, bisect_right(starts, place) - 1) for place in places]


def split_long(sentence: Sentence, longest: int) -> list[Sentence]:
    """A sentence as pieces of no more tokens than that, with every token in one of them."""
    tokens = sentence.tokens
    if len(tokens) <= longest:
        return [sentence]
    pieces = [tokens[i : i + longest] for i in range(0, len(tokens), longest)]
    return [Sentence((piece[0][0], piece[-1][1]), piece) for piece in pieces]
