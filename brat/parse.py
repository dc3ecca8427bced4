"""BRAT standoff text to a document and problems.

The grammar is that of brat's own reader (nlplab/brat, `server/src/annotation.py`), except that lines end at LF, CR LF
and CR only, so that the other separators of Unicode may stand in a text column, and that a bad line costs that line
instead of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from brat.model import (
    Annotation,
    Argument,
    Attribute,
    Document,
    Equiv,
    Event,
    Fragment,
    Normalization,
    Note,
    Relation,
    TextBound,
)
from brat.problems import Problem, problem, quoted

_ID = re.compile(r"(?:([A-Za-z])|(#))[A-Za-z]*[0-9]\S*$", re.ASCII)  # no two repeats that could share a character
_SPANS = re.compile(r"([^ \t]+) ([0-9]+) ([0-9]+)((?:;[0-9]+ [0-9]+)*)$", re.ASCII)
_LINE_END = re.compile(r"\r\n?|\n")
_BYTE_ORDER_MARK = "\ufeff"
_LARGEST_OFFSET = 2**31 - 1
_MOST_ANNOTATIONS, _MOST_BAD_LINES = 500_000, 10_000
_MOST_FRAGMENTS, _MOST_ARGUMENTS, _MOST_MEMBERS = 1_000, 1_000, 10_000  # of one annotation; corpora have a few dozen
_BLOCK = 1 << 20


class _Unreadable(Exception):
    """A line that does not follow the grammar; `offset` counts characters from the start of its data column."""

    def __init__(self, offset: int, expected: str, found: str = "") -> None:
        super().__init__(expected)
        self.offset = offset
        self.expected = expected
        self.found = found


_Reader: TypeAlias = Callable[[str, str, str | None, int], Annotation]


def split_lines(text: str) -> list[str]:
    """The lines of an annotation file, without their ends."""
    if "\r" in text:  # several times faster than to split by a pattern
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def iter_lines(text: str) -> Iterator[str]:
    """The same lines as `split_lines` gives, a block at a time: a list of millions of short lines takes gigabytes."""
    start = 0
    while len(text) - start > _BLOCK:
        end = _LINE_END.search(text, start + _BLOCK)
        if end is None:
            break
        yield from split_lines(text[start : end.end()])[:-1]  # the block ends with a line end, after which nothing is
        start = end.end()
    yield from split_lines(text[start:] if start else text)


def parse(annotations: str, *, document_id: str, text: str | None = None, file: str = "") -> tuple[Document, list[Problem]]:
    """Read standoff annotations.

    Args:
        annotations: the content of an `.ann` file (or of `.a1` and `.a2` joined).
        document_id: the id the document gets.
        text: the document's text; kept, not checked (see `brat.validate`).
        file: the name used in problems.

    Returns:
        The document with every annotation that could be read, in file order, and a problem for every line that could not.
    """
    file = file or f"{document_id}.ann"
    problems: list[Problem] = []
    if annotations.startswith(_BYTE_ORDER_MARK):
        annotations = annotations[1:]
        problems.append(problem("byte-order-mark", file, 1, 1, hint="it was skipped; save the file as UTF-8 without BOM"))
    read: list[Annotation] = []
    pieces = 0
    for number, line in enumerate(iter_lines(annotations), 1):
        if not line or line.isspace():
            continue
        if pieces >= _MOST_ANNOTATIONS or len(problems) >= _MOST_BAD_LINES:
            expected = (
                f"at most {_MOST_ANNOTATIONS:,} annotations and fragments, and {_MOST_BAD_LINES:,} lines that cannot be read"
            )
            problems.append(problem("too-many-annotations", file, number, 1, expected=expected, hint="the rest was not read"))
            break
        try:
            read.append(_read_line(line, number))
            pieces += 1 + line.count(";")  # no less than there are fragments
        except _Unreadable as bad:
            column = 1 + max(bad.offset, 0)
            found = bad.found or quoted(line)
            problems.append(problem("unreadable-line", file, number, column, found=found, expected=bad.expected))
    return Document(document_id, tuple(read), text), problems


def _read_line(line: str, number: int) -> Annotation:
    id_, tab, rest = line.partition("\t")
    if not tab:
        raise _Unreadable(0, "an id, a tab and the annotation")
    data, tab, after = rest.partition("\t")
    tail = after if tab else None
    if id_ == "*":
        reader: _Reader = _equiv
    else:
        known = _ID.match(id_)
        if known is None:
            raise _Unreadable(0, "an id such as T1, R1, E1, A1, M1, N1, #1 or *", quoted(id_))
        letter = known[1] or known[2]
        if letter not in _READERS:
            raise _Unreadable(0, "an id that starts with T, R, E, A, M, N, # or *", quoted(id_))
        reader = _READERS[letter]
    try:
        return reader(id_, data, tail, number)
    except _Unreadable as bad:
        raise _Unreadable(len(id_) + 1 + bad.offset, bad.expected, bad.found) from None


def _text_bound(id_: str, data: str, tail: str | None, line: int) -> TextBound:
    if len(data) > _MOST_FRAGMENTS:
        _refuse_many_fragments(data)
    plain = _SPANS.match(data)
    if plain is None:
        label, fragments = _odd_spans(data)
    else:
        label, start, end, more = plain.groups()
        try:
            fragments = ((int(start), int(end)),)
            if more:
                fragments += tuple((int(a), int(b)) for a, b in (pair.split(" ") for pair in more[1:].split(";")))
        except ValueError:  # Python refuses numbers of thousands of digits
            fragments = ((_LARGEST_OFFSET + 1, 0),)
    if any(abs(each) > _LARGEST_OFFSET for fragment in fragments for each in fragment):
        raise _Unreadable(len(label) + 1, f"offsets up to {_LARGEST_OFFSET}", quoted(data[len(label) + 1 :], 40))
    return TextBound(id_, label, fragments, tail, line)


def _refuse_many_fragments(data: str) -> None:
    """Counted before anything is made of them: a line of a million fragments costs hundreds of megabytes as tuples."""
    spans = data.find(" ") + 1
    count = data.count(";", spans) + 1
    if count > _MOST_FRAGMENTS:
        raise _Unreadable(spans, f"at most {_MOST_FRAGMENTS:,} fragments in one annotation", f"{count:,}")


def _odd_spans(data: str) -> tuple[str, tuple[Fragment, ...]]:
    """Spans as brat's `int()` reads them: signs, other decimal digits, underscores, white space other than a blank."""
    label, blank, spans = data.partition(" ")
    if not label or not blank:
        raise _Unreadable(0, 'a label, a blank and "START END"', quoted(data))
    fragments: list[Fragment] = []
    offset = len(label) + 1
    for span in spans.split(";"):
        numbers = span.split(" ")
        try:
            start, end = (int(each) for each in numbers)
        except ValueError:
            raise _Unreadable(offset, '"START END", two whole numbers with one blank between them', quoted(span)) from None
        fragments.append((start, end))
        offset += len(span) + 1
    return label, tuple(fragments)


def _relation(id_: str, data: str, tail: str | None, line: int) -> Relation:
    label, blank, rest = data.partition(" ")
    words = rest.split(None, 2)
    if not label or not blank or len(words) != 2:
        raise _Unreadable(0, 'a label and exactly two arguments, "LABEL Arg1:ID Arg2:ID"', quoted(data))
    first, second = (_argument(word, data) for word in words)
    if first.role == second.role:
        raise _Unreadable(data.index(words[1], len(label) + 1 + len(words[0])), "two different roles", quoted(data))
    return Relation(id_, label, first, second, line)


def _event(id_: str, data: str, tail: str | None, line: int) -> Event:
    words = data.split(None, _MOST_ARGUMENTS + 1)
    label, _, trigger = words[0].partition(":") if words else ("", "", "")
    if not label or not trigger or ":" in trigger or data[0].isspace():
        raise _Unreadable(0, '"LABEL:TRIGGER" and then "ROLE:ID" for every argument', quoted(data))
    if len(words) > _MOST_ARGUMENTS + 1:
        raise _Unreadable(0, f"at most {_MOST_ARGUMENTS:,} arguments of one event", quoted(data))
    return Event(id_, label, trigger, tuple(_argument(word, data) for word in words[1:]), line)


def _argument(word: str, data: str) -> Argument:
    role, _, target = word.partition(":")
    if not role or not target:
        raise _Unreadable(data.find(word), '"ROLE:ID"', quoted(word))
    return Argument(role, target)


def _attribute(id_: str, data: str, tail: str | None, line: int) -> Attribute:
    label, _, rest = data.partition(" ")
    target, _, value = rest.partition(" ")
    if not label or _ID.match(target) is None:
        raise _Unreadable(0, '"LABEL ID" or "LABEL ID VALUE"', quoted(data))
    return Attribute(id_, label, target, value or None, line)


def _modifier(id_: str, data: str, tail: str | None, line: int) -> Attribute:
    words = data.split(None, 2)
    if len(words) != 2:
        raise _Unreadable(0, '"LABEL ID"', quoted(data))
    return Attribute(id_, words[0], words[1], None, line)


def _normalization(id_: str, data: str, tail: str | None, line: int) -> Normalization:
    words = data.split(None, 3)
    if len(words) == 3 and words[1].startswith("Referent:"):  # BioNLP-ST 2013, either order
        words[1:] = words[:0:-1]
    if len(words) == 3:
        target = words[1].removeprefix("Annotation:")
        database, separator, entry = words[2].removeprefix("Referent:").partition(":")
        # A prefix that is left would be taken away the next time, so that what is written would not be what was read.
        doubled = target.startswith(("Annotation:", "Referent:")) or database == "Referent"
        if target and separator and database and not doubled:
            return Normalization(id_, words[0], target, database, entry, tail, line)
    raise _Unreadable(0, '"Reference ID DATABASE:ENTRY"', quoted(data))


def _note(id_: str, data: str, tail: str | None, line: int) -> Note:
    words = data.split(None, 2)
    if len(words) != 2:
        raise _Unreadable(0, '"TYPE ID", a tab and the text of the note', quoted(data))
    return Note(id_, words[0], words[1], tail, line)


def _equiv(id_: str, data: str, tail: str | None, line: int) -> Equiv:
    words = data.split(None, _MOST_MEMBERS + 1)
    if len(words) < 2:
        raise _Unreadable(0, '"Equiv ID ID"', quoted(data))
    if len(words) > _MOST_MEMBERS + 1:
        raise _Unreadable(0, f"at most {_MOST_MEMBERS:,} members", quoted(data))
    return Equiv(words[0], tuple(words[1:]), line)


_READERS: dict[str, _Reader] = {
    "T": _text_bound,
    "R": _relation,
    "E": _event,
    "A": _attribute,
    "M": _modifier,
    "N": _normalization,
    "#": _note,
}
