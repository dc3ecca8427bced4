"""Documents to BRAT standoff text, the inverse of `brat.parse`."""

from __future__ import annotations

from typing import assert_never

from brat.model import Annotation, Attribute, Document, Equiv, Event, Normalization, Note, Relation, TextBound


def write(document: Document) -> str:
    """The content of the document's `.ann` file, one line an annotation, LF after each.

    Raises:
        ValueError: an annotation holds a line end, which the format cannot say.
    """
    lines = [_line(each) for each in document.annotations]
    for line in lines:
        if "\n" in line or "\r" in line:
            raise ValueError(f"a line end inside an annotation cannot be written: {line!r}")
    return "".join(line + "\n" for line in lines)


def _line(annotation: Annotation) -> str:
    match annotation:
        case TextBound(id=id_, label=label, fragments=fragments, text=text):
            spans = ";".join(f"{start} {end}" for start, end in fragments)
            return _columns(id_, f"{label} {spans}", text)
        case Relation(id=id_, label=label, first=first, second=second):
            return f"{id_}\t{label} {first.role}:{first.target} {second.role}:{second.target}"
        case Event(id=id_, label=label, trigger=trigger, arguments=arguments):
            return f"{id_}\t{label}:{trigger}" + "".join(f" {each.role}:{each.target}" for each in arguments)
        case Attribute(id=id_, label=label, target=target, value=value):
            return f"{id_}\t{label} {target}" + ("" if value is None else f" {value}")
        case Normalization(id=id_, label=label, target=target, database=database, entry=entry, text=text):
            return _columns(id_, f"{label} {target} {database}:{entry}", text)
        case Note(id=id_, label=label, target=target, text=text):
            return _columns(id_, f"{label} {target}", text)
        case Equiv(label=label, members=members):
            return f"*\t{label} {' '.join(members)}"
        case _:
            assert_never(annotation)


def _columns(id_: str, data: str, text: str | None) -> str:
    return f"{id_}\t{data}" if text is None else f"{id_}\t{data}\t{text}"
