"""The values that a BRAT standoff document is made of.

All of them are frozen. The line an annotation was read from is kept for messages and takes no part in equality.
Offsets are Unicode code points of the document's text, zero-based, end exclusive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Fragment: TypeAlias = tuple[int, int]
_NUMBERED = re.compile(r"(.*[^0-9])(?:[2-9]|[1-9][0-9]+)", re.DOTALL)
_BLANKS = str.maketrans("\t\n\r\x0b\x0c\x85\u2028\u2029", " " * 8)


@dataclass(frozen=True, slots=True)
class TextBound:
    """A labelled span: an entity, or the trigger of an event. `text` is the third column, None where there is none."""

    id: str
    label: str
    fragments: tuple[Fragment, ...]
    text: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """One `role:id` of a relation or an event."""

    role: str
    target: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed pair of annotations; `first` and `second` as they are written."""

    id: str
    label: str
    first: Argument
    second: Argument
    line: int = field(default=0, compare=False)

    @property
    def in_order(self) -> tuple[Argument, Argument]:
        """The arguments in the order of the names of their roles: `Arg2:T1 Arg1:T2` leads from T2 to T1."""
        return (self.second, self.first) if self.second.role < self.first.role else (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Event:
    """A trigger with any number of arguments; an argument may be another event."""

    id: str
    label: str
    trigger: str
    arguments: tuple[Argument, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An `A` line, or the older `M` line. `value` is None for a binary attribute."""

    id: str
    label: str
    target: str
    value: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Normalization:
    """A link from an annotation to an entry of a database."""

    id: str
    label: str
    target: str
    database: str
    entry: str
    text: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Note:
    """Free text about an annotation."""

    id: str
    label: str
    target: str
    text: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Equiv:
    """A set of annotations that stand for the same thing. It has no id."""

    label: str
    members: tuple[str, ...]
    line: int = field(default=0, compare=False)


Annotation: TypeAlias = TextBound | Relation | Event | Attribute | Normalization | Note | Equiv


@dataclass(frozen=True, slots=True)
class Document:
    """A document's annotations in the order of the file, with its text where that is known."""

    id: str
    annotations: tuple[Annotation, ...] = ()
    text: str | None = None

    @property
    def text_bounds(self) -> Iterator[TextBound]:
        """The entities and triggers."""
        return (each for each in self.annotations if isinstance(each, TextBound))


def role_name(role: str) -> str:
    """The role without the number that brat gives to a repeated one: `Theme2` is a `Theme`; `Arg1` stays."""
    numbered = _NUMBERED.fullmatch(role)
    return numbered[1] if numbered else role


def covered_text(text: str, fragments: tuple[Fragment, ...]) -> str:
    """The text under the fragments, joined with one space as BRAT writes it."""
    if len(fragments) == 1:  # nearly all of them
        return text[fragments[0][0] : fragments[0][1]]
    return " ".join(text[start:end] for start, end in fragments)


def as_column(covered: str) -> str:
    """What a text column says of covered text: line ends, tabs and their like stand in it as blanks, one for one."""
    return covered.translate(_BLANKS)


def reads_as(covered: str, column: str) -> bool:
    """Whether a text column says what a span covers: line ends, tabs and their like stand in it as blanks, one for one."""
    if covered == column:
        return True
    return len(covered) == len(column) and as_column(covered) == as_column(column)
