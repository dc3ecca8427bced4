"""The spans of a run that do not cover what their text columns say, document by document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from brat.corpus import Reading
from brat.model import Document, Fragment, TextBound, covered_text, reads_as

MOST_WRONG = 50_000
"""How many wrong spans are looked at."""
_MOST_FRAGMENTS, _LONGEST_COLUMN = 20, 2_000
_FAR = 2_000
_MOST_PLACES = 8


@dataclass(frozen=True, slots=True)
class Witness:
    """The annotated spans of one document beside its hosted text.

    Attributes:
        id: of the document.
        text: as hosted.
        spans: every entity and trigger, in the order of the file.
        wrong: those whose text column is not what they cover.
    """

    id: str
    text: str
    spans: tuple[TextBound, ...]
    wrong: tuple[TextBound, ...]


def is_inside(text: str, fragments: tuple[Fragment, ...]) -> bool:
    """Whether all fragments lie in the text, none reversed."""
    return all(0 <= start <= end <= len(text) for start, end in fragments)


def agrees(text: str, each: TextBound) -> bool:
    """Whether the text column says what the span covers, white space of any kind being a blank."""
    start, end = each.fragments[0]
    if len(each.fragments) == 1 and 0 <= start <= end and text[start:end] == each.text:
        return True
    if each.text is None or not is_inside(text, each.fragments):
        return False
    length = sum(end - start for start, end in each.fragments) + len(each.fragments) - 1
    if length != len(each.text):  # spares copying what a hostile span covers
        return False
    return reads_as(covered_text(text, each.fragments), each.text)


def _is_plausible(each: TextBound) -> bool:
    """Whether it is worth the time: what is far longer than an entity, or in far more pieces, is a fault of another kind."""
    return len(each.fragments) <= _MOST_FRAGMENTS and len(each.text or "") <= _LONGEST_COLUMN


@dataclass(slots=True)
class Evidence:
    """What speaks for and against explanations, document after document.

    Attributes:
        spans: how many entities and triggers there are in all.
        witnesses: the documents with wrong spans, until there are enough of these.
    """

    spans: int = 0
    witnesses: list[Witness] = field(default_factory=list)
    _wrong: int = 0

    def add(self, document: Document) -> None:
        """Look at the spans of a document that has a text."""
        if document.text is None:
            return
        spans = tuple(each for each in document.text_bounds if _is_plausible(each))
        self.spans += len(spans)
        if self._wrong < MOST_WRONG:
            wrong = tuple(each for each in spans if each.text and not agrees(document.text, each))
            self._wrong += len(wrong)
            if wrong:
                self.witnesses.append(Witness(document.id, document.text, spans, wrong))

    def watch(self, reading: Reading) -> Reading:
        """The same reading, with a look at each document on its way."""
        return replace(reading, documents=self._watched(reading.documents))

    def _watched(self, documents: Iterator[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
        for id_, document in documents:
            self.add(document)
            yield id_, document


def occurrences(text: str, wanted: str, near: int, *, far: int = _FAR, most: int = _MOST_PLACES) -> Iterator[int]:
    """Where a string occurs in a text, the nearest first, at most so far away and so many."""
    if not wanted:
        return
    ahead = text.find(wanted, max(near, 0), near + far + len(wanted))
    behind = text.rfind(wanted, max(near - far, 0), max(near - 1 + len(wanted), 0))
    for _ in range(most):
        if ahead < 0 and behind < 0:
            return
        if behind < 0 or 0 <= ahead - near <= near - behind:
            yield ahead
            ahead = text.find(wanted, ahead + 1, near + far + len(wanted))
        else:
            yield behind
            behind = text.rfind(wanted, max(near - far, 0), behind - 1 + len(wanted))


def only_place(text: str, each: TextBound) -> int | None:
    """Where the text column of a span occurs, if it is not short and occurs once in the whole text."""
    column = each.text or ""
    place = text.find(column) if len(column) > 3 else -1
    return place if place >= 0 and text.find(column, place + 1) < 0 else None
