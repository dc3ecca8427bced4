"""A document under construction: annotations get their ids in order, spans are checked, words are made fit for BRAT."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

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
    covered_text,
    reads_as,
)
from brat.problems import quoted

LARGEST_OFFSET = 2**31 - 1
# Text columns that the file does not have are filled in up to this many times the text, so that no file of spans that each
# cover all of it fills the memory.
_REPEATED, _ANYWAY = 8, 100_000
_NUMBER = re.compile(r"[0-9]{1,10}", re.ASCII)
_SPACE = re.compile(r"\s+")
_LINE_ENDS = str.maketrans("\n\r", "  ")
_UNWRITABLE = re.compile("[\ud800-\udfff]")


MOST_ANNOTATIONS = 500_000
"""In all documents of an upload together."""


class TooMuch(Exception):
    """More annotations than an upload may have, which is told as an error; the documents complete until then are kept."""


@dataclass(slots=True)
class Budget:
    """How many annotations an upload may still have, all its documents together."""

    left: int = MOST_ANNOTATIONS


class Report(Protocol):
    """Where problems go."""

    def __call__(self, code: str, file: str, line: int = 0, column: int = 0, **words: str) -> None:
        """Note one."""


def number(text: str) -> int | None:
    """A whole number that can be an offset, None for anything else; never slow, however many digits there are."""
    if _NUMBER.fullmatch(text) is None:
        return None
    value = int(text)
    return value if value <= LARGEST_OFFSET else None


def one_line(text: str) -> str:
    """The text as BRAT's text column holds it: line ends become blanks."""
    return text.translate(_LINE_ENDS)


@dataclass(slots=True)
class Draft:
    """Annotations of one document so far. `text` is what spans are checked against, None where it is not known.

    Every method that adds one raises `TooMuch` when the upload may have no more.
    """

    id: str
    path: str
    line: int
    text: str | None
    report: Report
    budget: Budget
    annotations: list[Annotation] = field(default_factory=list)
    _count: Counter[str] = field(default_factory=Counter)
    _twins: dict[tuple[str, tuple[Fragment, ...]], str] = field(default_factory=dict)
    _odd: set[str] = field(default_factory=set)
    _given: int = 0

    def document(self) -> Document:
        """What was built."""
        return Document(self.id, tuple(self.annotations), self.text)

    def _keep(self, annotation: Annotation) -> None:
        self.budget.left -= 1
        if self.budget.left < 0:
            expected = f"at most {MOST_ANNOTATIONS:,} in all documents together"
            line = annotation.line
            self.report("too-many-annotations", self.path, line, expected=expected, hint="the rest was not read")
            raise TooMuch
        self.annotations.append(annotation)

    def next_id(self, letter: str) -> str:
        """T1, T2, T3 and so on, for each letter."""
        self._count[letter] += 1
        return f"{letter}{self._count[letter]}"

    def entity(self, label: str, fragments: Sequence[Fragment], text: str | None, line: int = 0, column: int = 0) -> str | None:
        """A text-bound annotation; its id, or None with a problem where the span cannot be.

        The text column is the covered text where the given one says the same but for white space, or where none is given. A
        span that lies outside the text is kept with its problem if there is a text column, by which it can be put right.
        """
        spans = tuple(fragments)
        sound = all(self._is_sound(each, line, column) for each in spans)
        if not sound and text is None:
            return None
        label = self.word(label, line, column)
        id_ = self.next_id("T")
        if not sound:
            self._keep(TextBound(id_, label, spans, one_line(text or ""), line))
            return id_
        twin = self._twins.setdefault((label, spans if len(spans) == 1 else tuple(sorted(set(spans)))), id_)
        if twin != id_:
            found = f"{id_}, the same as {twin}"
            self.report("duplicate-annotation", self.path, line, column, found=found, hint="counted once")
        self._keep(TextBound(id_, label, spans, self._column(spans, text, line, column), line))
        return id_

    def _is_sound(self, fragment: Fragment, line: int, column: int) -> bool:
        start, end = fragment
        found = f"{start} {end}"
        if start > end:
            self.report("span-reversed", self.path, line, column, found=found, expected="START not above END")
            return False
        if start < 0 or (self.text is not None and end > len(self.text)):
            limit = "START at least 0" if self.text is None else f"0 ≤ START ≤ END ≤ {len(self.text)}, the length of the text"
            self.report("span-outside-text", self.path, line, column, found=found, expected=limit)
            return False
        return True

    def _column(self, spans: tuple[Fragment, ...], text: str | None, line: int, column: int) -> str | None:
        if self.text is None:
            return None if text is None else one_line(text)
        # A hostile span may cover the whole text again and again: a text column of the same length is what is compared.
        length = sum(end - start for start, end in spans) + len(spans) - 1
        if text is not None and length != len(text):
            found = quoted(covered_text(self.text, tuple((start, min(end, start + 70)) for start, end in spans[:9])))
            self.report("text-mismatch", self.path, line, column, found=quoted(text), expected=found)
            return one_line(text)
        if text is None:
            self._given += length
            if self._given > _REPEATED * len(self.text) + _ANYWAY:
                return None
        covered = covered_text(self.text, spans)
        if text is not None and not reads_as(covered, text):
            self.report("text-mismatch", self.path, line, column, found=quoted(text), expected=quoted(covered))
            return one_line(text)
        return one_line(covered)

    def relation(self, label: str, arguments: Sequence[Argument], line: int = 0, id_: str = "") -> str:
        """A relation between two annotations of this document; its id, the next one unless taken from `next_id` before."""
        id_ = id_ or self.next_id("R")
        first, second = (Argument(self.role(each.role, line), each.target) for each in arguments)
        if first.role == second.role:  # BRAT cannot say it
            first, second = (Argument(f"{each.role}{n}", each.target) for n, each in enumerate((first, second), 1))
        self._keep(Relation(id_, self.word(label, line), first, second, line))
        return id_

    def event(self, label: str, trigger: str, arguments: Sequence[Argument], line: int = 0, id_: str = "") -> str:
        """An event; its id, which is the next one unless it was taken from `next_id` before."""
        id_ = id_ or self.next_id("E")
        roles = tuple(Argument(self.role(each.role, line), each.target) for each in arguments)
        self._keep(Event(id_, self.role(label, line), trigger, roles, line))
        return id_

    def attribute(self, label: str, target: str, value: str | None, line: int = 0, letter: str = "A") -> str:
        """An attribute, or with the letter M a modification; its id."""
        id_ = self.next_id(letter)
        kept = one_line(value).replace("\t", " ") if value else None
        self._keep(Attribute(id_, self.word(label, line), target, kept, line))
        return id_

    def normalization(self, label: str, target: str, reference: tuple[str, str], text: str | None, line: int = 0) -> str:
        """A link to (database, entry); its id."""
        id_ = self.next_id("N")
        database, entry = self.role(reference[0], line), self.word(reference[1], line)
        kept = None if text is None else one_line(text)
        self._keep(Normalization(id_, self.word(label, line), target, database, entry, kept, line))
        return id_

    def note(self, label: str, target: str, text: str | None, line: int = 0) -> str:
        """Free text about something; its id."""
        id_ = self.next_id("#")
        kept = None if text is None else one_line(text)
        self._keep(Note(id_, self.word(label, line), self.word(target, line), kept, line))
        return id_

    def equiv(self, label: str, members: Sequence[str], line: int = 0) -> None:
        """Annotations that stand for the same thing."""
        self._keep(Equiv(self.word(label, line), tuple(members), line))

    def word(self, text: str, line: int = 0, column: int = 0) -> str:
        """A label as BRAT can say it: one word. A warning says when it had to be changed.

        White space does not become `_`: that could make a right label of a wrong one.
        """
        word = _SPACE.sub("%20", text.strip()) or "_"
        if word != text and text not in self._odd:
            self._odd.add(text)
            hint = f"read as {word}"
            self.report("odd-label", self.path, line, column, found=quoted(text), expected="one word", hint=hint)
        return word

    def role(self, text: str, line: int = 0) -> str:
        """A word that a colon may follow."""
        return self.word(text, line).replace(":", "_")


def writable(text: str) -> bool:
    """Whether the text can be written as UTF-8: JSON can carry half of a surrogate pair, which is no character."""
    return _UNWRITABLE.search(text) is None
