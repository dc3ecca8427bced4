"""What a run does unusually often. In gold corpora fewer than one span in two hundred begins or ends inside a word.

Such a habit shows faults of offsets that the text columns hide, because they were cut from the text with the same offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from brat.model import Document
from brat.problems import Problem, problem

_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z])|\n")
_LONG, _MANY_FRAGMENTS = 200, 12
_FEWEST, _USUAL_CUTS, _USUAL_CROSSINGS = 10, 0.05, 0.03
_SAMPLE = 500
_MOVES = ((0, 1), (-1, 0), (1, 0), (0, -1), (-1, -1), (1, 1))


def check_habits(documents: Iterable[Document]) -> Iterator[Problem]:
    """Spans inside words, and spans beyond sentences, where there are unusually many of them."""
    spans = [
        (each.text, one.fragments[0][0], one.fragments[-1][1])
        for each in documents
        if each.text is not None
        for one in each.text_bounds
        if 0 <= one.fragments[0][0] < one.fragments[-1][1] <= len(each.text)
    ]
    cut = _count_cut(spans)
    if cut >= _FEWEST and cut > _USUAL_CUTS * len(spans):
        some = spans[:: max(1, len(spans) // _SAMPLE)]
        fewest, (first, last) = min((_count_cut(some, *move), move) for move in _MOVES)
        hint = ""
        if 10 * fewest <= _count_cut(some):
            moved = " and ".join(f"{name} by {by:+d}" for name, by in (("starts", first), ("ends", last)) if by)
            hint = f"with {moved} it would be {fewest:,} of {len(some):,}: are the offsets off by one?"
        found = f"{cut:,} of {len(spans):,} spans"
        yield problem("cut-words", "", found=found, expected="spans that begin and end with words", hint=hint)
    crossed = sum(_SENTENCE_END.search(text, start, end) is not None for text, start, end in spans if end - start > 3)
    if crossed >= _FEWEST and crossed > _USUAL_CROSSINGS * len(spans):
        found = f"{crossed:,} of {len(spans):,} spans"
        yield problem("crossed-sentences", "", found=found, expected="spans within sentences")


def check_shape(document: Document, file: str) -> Iterator[Problem]:
    """Spans of an odd shape: shown to the team, and scored like any other."""
    length = len(document.text or "")
    for each in document.text_bounds:
        reach = max(end for _, end in each.fragments) - min(start for start, _ in each.fragments)
        if reach > _LONG and 2 * reach > length > 0:
            found = f"{reach:,} of {length:,} characters"
            yield problem("long-span", file, each.line, len(each.id) + 2, found=found)
        if len(each.fragments) >= _MANY_FRAGMENTS:
            yield problem("many-fragments", file, each.line, len(each.id) + 2, found=f"{len(each.fragments):,} fragments")


def _count_cut(spans: Iterable[tuple[str, int, int]], first: int = 0, last: int = 0) -> int:
    return sum(_cuts(text, start + first) or _cuts(text, end + last) for text, start, end in spans)


def _cuts(text: str, place: int) -> bool:
    """Whether a place is between two letters of a word, camel case aside."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalpha() and after.isalpha() and not (before.islower() and after.isupper())
