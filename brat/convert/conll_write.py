"""Documents to CoNLL: tokens cut so that every span that can be held begins and ends with one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Document, Fragment, TextBound
from brat.problems import Problem

_TOKEN = re.compile(r"[^\W_]+|\S")


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """A file a document; a document whose text is not known cannot be written."""
    losses = Losses("CoNLL")
    files: dict[str, bytes] = {}
    for id_, document in documents.items():
        losses.add_all(id_, (each for each in document.annotations if not isinstance(each, TextBound)))
        if document.text is None:
            losses.add(id_, "documents without a text")
            continue
        spans = _held(document, document.text, losses)
        plain = losses.plain_id(id_, "\t\n\r")
        files[f"{id_}.conll"] = "".join([f"# id = {plain}\n", *_lines(document.text, spans)]).encode()
    return files, losses.problems


def _held(document: Document, text: str, losses: Losses) -> list[tuple[int, int, str]]:
    """Start, end and label of the spans that can be held, in order; of two that overlap the one that begins first."""
    candidates: list[tuple[int, int, str]] = []
    for each in document.text_bounds:
        start, end = each.fragments[0]
        covered = text[start:end]
        if len(each.fragments) > 1:
            losses.add(document.id, "discontinuous spans")
        elif not covered or covered.isspace():
            losses.add(document.id, "spans without a token")
        else:
            trimmed = (start + len(covered) - len(covered.lstrip()), end - len(covered) + len(covered.rstrip()))
            losses.add(document.id, "blanks at the borders of spans", (end - start) - (trimmed[1] - trimmed[0]))
            candidates.append((*trimmed, each.label))
    held: list[tuple[int, int, str]] = []
    for one in sorted(candidates, key=lambda each: (each[0], -each[1])):
        if held and one[0] < held[-1][1]:
            losses.add(document.id, "repeated spans" if one == held[-1] else "nested or overlapping spans")
        else:
            held.append(one)
    return held


def _lines(text: str, spans: list[tuple[int, int, str]]) -> Iterator[str]:
    position = 0
    for start, end, label in spans:
        yield from _outside(text, position, start)
        for count, (a, b) in enumerate(_tokens(text, start, end)):
            yield f"{text[a:b]}\t{a}\t{b}\t{'I' if count else 'B'}-{label}\n"
        position = end
    yield from _outside(text, position, len(text))


def _outside(text: str, start: int, end: int) -> Iterator[str]:
    """Tokens outside of entities; a line end between two begins a sentence."""
    position = start
    for a, b in _tokens(text, start, end):
        if "\n" in text[position:a]:
            yield "\n"
        yield f"{text[a:b]}\t{a}\t{b}\tO\n"
        position = b
    if "\n" in text[position:end]:
        yield "\n"


def _tokens(text: str, start: int, end: int) -> Iterator[Fragment]:
    return (each.span() for each in _TOKEN.finditer(text, start, end))
