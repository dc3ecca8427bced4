"""Faults of converters, planted in runs: each gives the run that such a converter would have written.

A plant is made with nothing of the package under test but its model: offsets are counted anew on the text itself.
"""

from __future__ import annotations

import html
import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from brat.model import Document, TextBound
from brat.write import write

Documents: TypeAlias = dict[str, Document]
Count: TypeAlias = Callable[[str, int], int]

_TOKEN = re.compile(r"\w+|[^\w\s]")


def _joined(text: str, offset: int) -> int:
    """Where an offset lies when the tokens are joined by single blanks."""
    position = 0
    for token in _TOKEN.finditer(text):
        if offset <= token.end():
            return position + max(0, offset - token.start())
        position += len(token[0]) + 1
    return position


def _shifted(by: int) -> Count:
    return lambda _, offset: offset + by


def _grown(pattern: str, by: int) -> Count:
    return lambda text, offset: offset + by * len(re.findall(pattern, text[:offset]))


def _separated(text: str, offset: int) -> int:
    """One more for each token before; a token's own end lies before the separator that follows it."""
    return offset + sum(token.end() < offset for token in _TOKEN.finditer(text))


COUNTS: dict[str, tuple[str, Count, Count]] = {
    "utf8-bytes": ("utf8-bytes", *[lambda text, offset: len(text[:offset].encode())] * 2),
    "utf16-units": ("utf16-units", *[lambda text, offset: len(text[:offset].encode("utf-16-le")) // 2] * 2),
    "bom": ("bom", *[_shifted(1)] * 2),
    "shift up": ("shift", *[_shifted(3)] * 2),
    "shift down": ("shift", *[_shifted(-7)] * 2),
    "inclusive-end": ("inclusive-end", _shifted(0), _shifted(-1)),
    "one-based": ("one-based", _shifted(1), _shifted(0)),
    "crlf-as-two": ("crlf-as-two", *[_grown("\n", 1)] * 2),
    "drift of two at line ends": ("drift", *[_grown("\n", 2)] * 2),
    "drift of dropped line ends": ("drift", *[_grown("\n", -1)] * 2),
    "drift at sentences": ("drift", *[_grown(r"\. ", 1)] * 2),
    "drift at tokens": ("drift", *[_separated] * 2),
    "drift of joined tokens": ("drift", *[_joined] * 2),
    "drift at words": ("drift", *[lambda text, offset: offset + len(re.findall(r"\s+(?=\S)", text[:offset] + "x"))] * 2),
}
"""By name: the code of the diagnosis, and how starts and ends are counted."""


def _after(first: Count, second: Count) -> Count:
    """Counting in two ways at once whose differences add up."""
    return lambda text, offset: first(text, offset) + second(text, offset) - offset


_BYTES, _UNITS, _LINES = COUNTS["utf8-bytes"][1], COUNTS["utf16-units"][1], COUNTS["crlf-as-two"][1]
PAIRS: dict[str, tuple[str, Count, Count]] = {
    "bytes on Windows": ("utf8-bytes+crlf-as-two", *[_after(_BYTES, _LINES)] * 2),
    "units on Windows": ("utf16-units+crlf-as-two", *[_after(_UNITS, _LINES)] * 2),
    "units with a byte order mark": ("utf16-units+shift", *[_after(_UNITS, _shifted(1))] * 2),
    "units with inclusive ends": ("utf16-units+inclusive-end", _UNITS, _after(_UNITS, _shifted(-1))),
    "bytes with inclusive ends": ("utf8-bytes+inclusive-end", _BYTES, _after(_BYTES, _shifted(-1))),
}
"""The same for two faults at once."""


def join_texts(documents: Documents) -> Documents:
    """Offsets counted in all texts, one after the other."""
    before = 0
    joined: Documents = {}
    for id_, document in documents.items():
        joined |= count_otherwise({id_: document}, _shifted(before), _shifted(before))
        before += len(document.text or "") + 1
    return joined


def count_otherwise(documents: Documents, start: Count, end: Count) -> Documents:
    """The documents with their offsets counted in another way; the text columns stay."""

    def change(text: str, span: TextBound) -> TextBound:
        return replace(span, fragments=tuple((start(text, one), end(text, two)) for one, two in span.fragments))

    return _change(documents, change)


def disturb(documents: Documents, share: float, seed: int = 0) -> tuple[Documents, set[tuple[str, str]]]:
    """Other faults in a share of the spans, and which spans have them: half of the offsets moved, half of the texts garbled."""
    dice = random.Random(seed)
    touched: set[tuple[str, str]] = set()
    changed: Documents = {}
    for id_, document in documents.items():
        annotations = []
        for each in document.annotations:
            if isinstance(each, TextBound) and dice.random() < share:
                touched.add((id_, each.id))
                by = dice.choice([-9, -5, -2, 4, 6, 8])
                moved = tuple((start + by, end + by) for start, end in each.fragments)
                garbled = (each.text or "")[::-1] + "x"
                annotations.append(replace(each, fragments=moved) if dice.random() < 0.5 else replace(each, text=garbled))
            else:
                annotations.append(each)
        changed[id_] = replace(document, annotations=tuple(annotations))
    return changed, touched


def _change(documents: Documents, change: Callable[[str, TextBound], TextBound]) -> Documents:
    return {
        id_: replace(
            each,
            annotations=tuple(change(each.text or "", one) if isinstance(one, TextBound) else one for one in each.annotations),
        )
        for id_, each in documents.items()
    }


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Texts as hosted, made from the originals by `host`, and as a converter has them, made from the hosted by `read`."""

    code: str
    host: Callable[[str], str]
    read: Callable[[str], str]

    def apply(self, documents: Documents) -> tuple[Documents, Documents]:
        """The right run on the hosted texts, and the run that the converter writes."""
        right: Documents = {}
        wrong: Documents = {}
        for id_, document in documents.items():
            text = document.text or ""
            hosted = self.host(text)
            spans = [each for each in document.annotations if isinstance(each, TextBound) and len(each.fragments) == 1]
            on_hosted = [self._moved(each, text, self.host) for each in spans]
            right[id_] = Document(id_, tuple(on_hosted), hosted)
            wrong[id_] = Document(id_, tuple(self._moved(each, hosted, self.read) for each in on_hosted), hosted)
        return right, wrong

    @staticmethod
    def _moved(span: TextBound, text: str, rewrite: Callable[[str], str]) -> TextBound:
        start, end = span.fragments[0]
        before, inside = rewrite(text[:start]), rewrite(text[start:end])
        moved = ((len(before), len(before) + len(inside)),)
        return replace(span, fragments=moved, text=re.sub(r"[\t\r\n]", " ", inside))


REWRITINGS = {
    "crlf-as-one": Rewriting("crlf-as-one", lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("\r\n", "\n")),
    "nfd": Rewriting("nfd", lambda text: unicodedata.normalize("NFC", text), lambda text: unicodedata.normalize("NFD", text)),
    "nfc": Rewriting("nfc", lambda text: unicodedata.normalize("NFD", text), lambda text: unicodedata.normalize("NFC", text)),
    "html-entities": Rewriting("html-entities", lambda text: html.escape(text).replace("-", "&#45;"), html.unescape),
    "html-escaped": Rewriting("html-escaped", lambda text: text.replace("-", "&"), html.escape),
    "blanks": Rewriting("drift", lambda text: text.replace(" ", "  "), lambda text: re.sub(r"\s+", " ", text)),
}


def widen(documents: Documents, characters: str) -> Documents:
    """Spans with whatever of these characters is beside them taken in; the text columns stay."""

    def change(text: str, span: TextBound) -> TextBound:
        if len(span.fragments) > 1:
            return span
        start, end = span.fragments[0]
        start -= start > 0 and text[start - 1] in characters
        end += end < len(text) and text[end] in characters
        return replace(span, fragments=((start, end),))

    return _change(documents, change)


def as_files(documents: Documents) -> dict[str, bytes]:
    """The annotation files of a run."""
    return {f"{id_}.ann": write(each).encode() for id_, each in documents.items()}
