"""What can be wrong with a document beyond its grammar: ids, references, spans, text columns, repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from brat.model import (
    Annotation,
    Attribute,
    Equiv,
    Event,
    Fragment,
    Normalization,
    Note,
    Relation,
    TextBound,
    covered_text,
    reads_as,
)
from brat.parse import iter_lines
from brat.problems import Problem, problem, quoted

_MUCH = 1_000


@dataclass(slots=True)
class Part:
    """The annotations of one file of a document, with its content for the columns of problems.

    There is no content where the file is in another format: then problems name its line, and column 1.
    """

    file: str
    annotations: Sequence[Annotation]
    content: str | None = None
    _lines: dict[int, str] | None = None

    def line(self, number: int) -> str | None:
        """A line with an annotation. All are looked for when the first is asked for, since most files have no problem."""
        if self.content is None:
            return None
        if self._lines is None:
            wanted = {each.line for each in self.annotations}
            self._lines = {place: line for place, line in enumerate(iter_lines(self.content), 1) if place in wanted}
        return self._lines[number]


def check_document(parts: Sequence[Part], text: str | None) -> Iterator[Problem]:
    """Ids, references, spans, text columns and repetitions of one document, in the order of its files and lines."""
    everything = [each for part in parts for each in part.annotations]
    labels = {each.id: each.label for each in everything if isinstance(each, TextBound)}
    ids = {each.id for each in everything if not isinstance(each, Equiv)}
    seen_ids: dict[str, str] = {}
    seen_spans: dict[tuple[str, tuple[Fragment, ...]], str] = {}
    for part in parts:
        for each in part.annotations:
            if not isinstance(each, Equiv):
                if each.id in seen_ids:
                    expected = f"an id other than that of {seen_ids[each.id]}"
                    yield problem("duplicate-id", part.file, each.line, 1, found=each.id, expected=expected)
                else:
                    where = f"line {each.line}"
                    seen_ids[each.id] = where if len(parts) == 1 else f"{part.file}, {where}"
            if isinstance(each, TextBound):
                if not _plainly_right(each, text):
                    yield from _check_spans(each, text, part)
                spans = each.fragments if len(each.fragments) == 1 else tuple(sorted(set(each.fragments)))
                twin = seen_spans.setdefault((each.label, spans), each.id)
                if twin != each.id:
                    found = f"{each.id}, the same as {twin}"
                    yield problem("duplicate-annotation", part.file, each.line, 1, found=found, hint="counted once")
            else:
                yield from _check_references(each, part.file, ids, labels)


def _check_references(
    each: Relation | Event | Attribute | Normalization | Note | Equiv, file: str, ids: set[str], labels: dict[str, str]
) -> Iterator[Problem]:
    for target in _references(each):
        if target not in ids:
            yield problem("undefined-reference", file, each.line, 1, found=target, expected="an id of this document")
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


def _check_spans(each: TextBound, text: str | None, part: Part) -> Iterator[Problem]:
    line = part.line(each.line)
    columns, text_column = ([1] * len(each.fragments), 1) if line is None else _columns(line)
    sound = True
    for (start, end), column in zip(each.fragments, columns, strict=True):
        found = f"{start} {end}"
        if start > end:
            sound = False
            yield problem("span-reversed", part.file, each.line, column, found=found, expected="START not above END")
        elif start < 0 or (text is not None and end > len(text)):
            sound = False
            limit = "START at least 0" if text is None else f"0 ≤ START ≤ END ≤ {len(text)}, the length of the text"
            yield problem("span-outside-text", part.file, each.line, column, found=found, expected=limit)
    if not sound:
        return
    if len(each.fragments) > 1 and any(a[1] > b[0] for a, b in pairwise(sorted(each.fragments))):
        spans = ";".join(f"{start} {end}" for start, end in each.fragments)
        yield problem("overlapping-fragments", part.file, each.line, columns[0], found=spans)
    if each.text is None:
        expected = "a tab and the text of the span"
        yield problem("text-missing", part.file, each.line, text_column, expected=expected, hint="scored by its offsets")
    elif text is not None:
        covered = _covered(each, text)
        if not reads_as(covered, each.text):
            found, expected = quoted(each.text), quoted(covered)
            yield problem("text-mismatch", part.file, each.line, text_column, found=found, expected=expected)


def _covered(each: TextBound, text: str) -> str:
    """What the fragments cover; only its beginning where that is much longer than the text column says."""
    fragments, left = list[Fragment](), len(each.text or "") + _MUCH
    for start, end in each.fragments:
        if left <= 0:
            break
        fragments.append((start, min(end, start + left)))
        left -= end - start + 1
    return covered_text(text, tuple(fragments))


def _columns(line: str) -> tuple[list[int], int]:
    """Where each fragment and the text column of a T line begin; the end of the line where there is no text column."""
    id_, _, rest = line.partition("\t")
    data, _, _ = rest.partition("\t")
    label, _, spans = data.partition(" ")
    column = len(id_) + len(label) + 3
    columns = []
    for span in spans.split(";"):
        columns.append(column)
        column += len(span) + 1
    return columns, min(column, len(line) + 1)
