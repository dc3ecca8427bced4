"""How BRATEval reads an annotation file: silently skipping some lines, and giving up altogether on others."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TypeAlias

Spans: TypeAlias = tuple[tuple[int, int], ...]

_LINE_END = re.compile(r"\r\n|\n|\r")
_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_REPLACEMENT = "\ufffd".encode()
_TRIMMED = "".join(map(chr, range(0x21)))
_PLAIN_INT = re.compile(r"[0-9]{1,9}$", re.ASCII)


class Aborted(Exception):
    """BRATEval stops here with an exception and prints no figures."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A T line as BRATEval keeps it."""

    label: str
    spans: Spans
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """An R line as BRATEval keeps it: the ids of its arguments in the order of the line, without their roles."""

    name: str
    first: str
    second: str


def read_entities(data: bytes, file: str) -> dict[str, Entity]:
    """The T lines of a file by id, in order of first appearance; a later line with the same id replaces the earlier.

    Raises:
        Aborted: at a line on which the program throws, of whatever kind.
    """
    return read_document(data, file)[0]


def read_document(data: bytes, file: str) -> tuple[dict[str, Entity], dict[str, Relation]]:
    """The T and the R lines of a file by id, both as `read_entities` gives them.

    Raises:
        Aborted: at a line on which the program throws, of whatever kind.
    """
    text = decode(data)
    entities: dict[str, Entity] = {}
    relations: dict[str, Relation] = {}
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not line.strip(_TRIMMED):
            continue
        try:
            if line[0] == "T":
                fields = java_split(line, "\t")
                if len(fields) == 3:
                    entities[fields[0]] = _text_bound(fields)
            elif line[0] == "R":
                relations.update(_relation(line))
            elif line[0] in _OTHERS:
                _check_other(line)
        except (IndexError, ValueError) as bad:
            raise Aborted(f"{file}:{number}: BRATEval stops at this line: {line[:80]!r}") from bad
    return entities, relations


def decode(data: bytes) -> str:
    """UTF-8 as Java decodes it: an encoded surrogate is one U+FFFD, and so is each other malformed part."""
    return _ENCODED_SURROGATE.sub(_REPLACEMENT, data).decode("utf-8", "replace")


def java_split(text: str, separator: str) -> list[str]:
    """Java's `String.split`: trailing empty pieces are dropped, and a text without separator is one piece even if empty."""
    if separator not in text:
        return [text]
    pieces = text.split(separator)
    while pieces and not pieces[-1]:
        pieces.pop()
    return pieces


def _text_bound(fields: list[str]) -> Entity:
    words = java_split(fields[1], " ")
    label = words[0]
    rest = fields[1][len(label) :].strip(_TRIMMED)
    spans = []
    for part in java_split(rest, ";"):
        numbers = java_split(part, " ")
        spans.append((parse_int(numbers[0]), parse_int(numbers[1])))
    return Entity(label, tuple(spans), fields[2])


def parse_int(text: str) -> int:
    """Java's `Integer.parseInt`.

    Raises:
        ValueError: Java would throw.
    """
    if _PLAIN_INT.match(text):
        return int(text)
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or any(unicodedata.category(c) != "Nd" or ord(c) > 0xFFFF for c in digits):
        raise ValueError(text)
    if len(digits.lstrip("0")) > 4000:
        raise ValueError("too large")
    value = int("".join(str(unicodedata.decimal(c)) for c in digits))
    value = -value if text[0] == "-" else value
    if not -(2**31) <= value < 2**31:
        raise ValueError(text)
    return value


def _check_other(line: str) -> None:
    """Throw where the program throws on lines that it reads and never scores."""
    fields = java_split(line.strip(_TRIMMED), "\t")
    match line[0]:
        case "E":
            if len(fields) >= 2:
                java_split(java_split(fields[1], " ")[0], ":")[1]
        case "*":
            if len(line) < 2:
                raise IndexError("substring(2)")
            java_split(line[2:], " ")[0]
        case "A" | "M":
            if len(fields) >= 2:
                java_split(fields[1], " ")[1]
        case "N":
            if len(fields) == 3:
                java_split(fields[1], " ")[2]
        case _:
            if len(fields) == 3:
                java_split(fields[1], " ")[1]


def _relation(line: str) -> dict[str, Relation]:
    """The relation of an R line by its id; nothing where the line has more or fewer than three words."""
    words = java_split(line.strip(_TRIMMED), " ")
    if len(words) != 3:
        return {}
    head = java_split(words[0], "\t")
    name, first, second = head[1], java_split(words[1], ":")[1], java_split(words[2], ":")[1]
    return {head[0]: Relation(name, first, second)}


_OTHERS = frozenset("E*AMN#")
