"""What can be wrong with a document beyond its grammar: ids, references, spans, text columns, repetitions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from brat.model import Attribute, Document, Equiv, Event, Fragment, Normalization, Note, Relation, TextBound, covered_text
from brat.problems import Problem, problem, quoted

_BLANKS = str.maketrans("\t\n\r\x0b\x0c\x85\u2028\u2029", " " * 8)


def check_document(document: Document, file: str) -> Iterator[Problem]:
    """Ids, references, spans, text columns and repetitions of one document, in the order of its lines."""
    labels = {each.id: each.label for each in document.text_bounds}
    ids = {each.id for each in document.annotations if not isinstance(each, Equiv)}
    seen_ids: dict[str, int] = {}
    seen_spans: dict[tuple[str, tuple[Fragment, ...]], str] = {}
    for each in document.annotations:
        if not isinstance(each, Equiv):
            first = seen_ids.setdefault(each.id, each.line)
            if first != each.line:
                yield problem(
                    "duplicate-id", file, each.line, 1, found=each.id, expected=f"an id other than that of line {first}"
                )
        if isinstance(each, TextBound):
            if not _plainly_right(each, document.text):
                yield from _check_spans(each, document.text, file)
            spans = each.fragments if len(each.fragments) == 1 else tuple(sorted(set(each.fragments)))
            twin = seen_spans.setdefault((each.label, spans), each.id)
            if twin != each.id:
                yield problem(
                    "duplicate-annotation", file, each.line, 1, found=f"{each.id}, the same as {twin}", hint="counted once"
                )
        else:
            for target in _references(each):
                if target not in ids:
                    yield problem("undefined-reference", file, each.line, 1, found=target, expected="an id of this file")
            if isinstance(each, Event) and labels.get(each.trigger, each.label) != each.label:
                found = f"{each.trigger} is {labels[each.trigger]}"
                yield problem("trigger-label", file, each.line, 1, found=found, expected=each.label)


def _references(each: Relation | Event | Attribute | Normalization | Note | Equiv) -> tuple[str, ...]:
    match each:
        case Relation():
            return (each.first.target, each.second.target)
        case Event():
            return (each.trigger, *(argument.target for argument in each.arguments))
        case Equiv():
            return each.members
        case Note():
            return ()  # notes may be about the document or about line numbers
        case _:
            return (each.target,)


def _plainly_right(each: TextBound, text: str | None) -> bool:
    """The common case, decided quickly: one fragment inside the text, and the text column is what it covers."""
    start, end = each.fragments[0]
    return text is not None and len(each.fragments) == 1 and 0 <= start <= end <= len(text) and text[start:end] == each.text


def _check_spans(each: TextBound, text: str | None, file: str) -> Iterator[Problem]:
    column = len(each.id) + len(each.label) + 3
    sound = True
    for start, end in each.fragments:
        found = f"{start} {end}"
        if start > end:
            sound = False
            yield problem("span-reversed", file, each.line, column, found=found, expected="START not above END")
        elif start < 0 or (text is not None and end > len(text)):
            sound = False
            limit = "START at least 0" if text is None else f"0 ≤ START ≤ END ≤ {len(text)}, the length of the text"
            yield problem("span-outside-text", file, each.line, column, found=found, expected=limit)
        column += len(found) + 1
    if not sound:
        return
    if len(each.fragments) > 1:
        ordered = sorted(each.fragments)
        if any(a[1] > b[0] for a, b in pairwise(ordered)):
            yield problem("overlapping-fragments", file, each.line, len(each.id) + 2, found=quoted(str(each.fragments)))
    if each.text is None:
        yield problem(
            "text-missing", file, each.line, column, expected="a tab and the text of the span", hint="scored by its offsets"
        )
    elif text is not None:
        covered = covered_text(text, each.fragments)
        if each.text != covered and each.text.translate(_BLANKS) != covered.translate(_BLANKS):
            yield problem("text-mismatch", file, each.line, column, found=quoted(each.text), expected=quoted(covered))
