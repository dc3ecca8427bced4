"""What a run does unusually often. In gold corpora fewer than one span in two hundred begins or ends inside a word.

Such a habit shows faults of offsets that the text columns hide, because they were cut from the text with the same offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from brat.model import Document
from brat.problems import Problem, problem

_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+(?=[\"'(\[]?[A-Z])|\n")
LONG, _MANY_FRAGMENTS = 200, 12
"""Code points of a span that is long if it is most of its document."""
_FEWEST, _USUAL_CUTS, _USUAL_CROSSINGS = 10, 0.05, 0.03
SAMPLE, SAMPLE_OF_ONE = 500, 20
"""How many spans are kept, and how many of one document."""
_LOOKED_AT = 400
_MOVES = ((0, 1), (-1, 0), (1, 0), (0, -1), (-1, -1), (1, 1))


@dataclass(slots=True)
class Habits:
    """Counts over the spans of a run, document after document; a few spans are kept to try other ends on."""

    spans: int = 0
    cut: int = 0
    crossed: int = 0
    some: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, document: Document) -> None:
        """Count the spans of a document."""
        text = document.text
        if text is None:
            return
        first = len(self.some)
        for each in document.text_bounds:
            start, end = each.fragments[0][0], each.fragments[-1][1]
            if 0 <= start < end <= len(text):
                self.spans += 1
                self.cut += cuts(text, start) or cuts(text, end)
                self.crossed += goes_on(text, start, end)
                if len(self.some) < SAMPLE and len(self.some) - first < SAMPLE_OF_ONE:
                    self.some.append((text, start, end))

    def problems(self) -> Iterator[Problem]:
        """Spans inside words, and spans beyond sentences, where there are unusually many of them."""
        if self.cut >= _FEWEST and self.cut > _USUAL_CUTS * self.spans:
            found = f"{self.cut:,} of {self.spans:,} spans"
            yield problem("cut-words", "", found=found, expected="spans that begin and end with words", hint=self._hint())
        if self.crossed >= _FEWEST and self.crossed > _USUAL_CROSSINGS * self.spans:
            found = f"{self.crossed:,} of {self.spans:,} spans"
            yield problem("crossed-sentences", "", found=found, expected="spans within sentences")

    def _hint(self) -> str:
        fewest, (first, last) = min((_count_cut(self.some, *move), move) for move in _MOVES)
        if 10 * fewest > _count_cut(self.some):
            return ""
        moved = " and ".join(f"{name} by {by:+d}" for name, by in (("starts", first), ("ends", last)) if by)
        return f"with {moved} it would be {fewest:,} of {len(self.some):,}: are the offsets off by one?"


def check_shape(document: Document, file: str) -> Iterator[Problem]:
    """Spans of an odd shape: shown to the team, and scored like any other."""
    length = len(document.text or "")
    for each in document.text_bounds:
        reach = max(end for _, end in each.fragments) - min(start for start, _ in each.fragments)
        if reach > LONG and 2 * reach > length > 0:
            found = f"{reach:,} of {length:,} characters"
            yield problem("long-span", file, each.line, len(each.id) + 2, found=found)
        if len(each.fragments) >= _MANY_FRAGMENTS:
            yield problem("many-fragments", file, each.line, len(each.id) + 2, found=f"{len(each.fragments):,} fragments")


def _count_cut(spans: Iterable[tuple[str, int, int]], first: int = 0, last: int = 0) -> int:
    return sum(cuts(text, start + first) or cuts(text, end + last) for text, start, end in spans)


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends inside a span, or near its start if it is a long one."""
    return end - start > 3 and _SENTENCE_END.search(text, start, min(end, start + _LOOKED_AT)) is not None


def cuts(text: str, place: int) -> bool:
    """Whether a place is between two letters of a word, camel case aside."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalpha() and after.isalpha() and not (before.islower() and after.isupper())
