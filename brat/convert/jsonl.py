"""JSON lines: a document a line.

    {"id": "d1", "text": "…", "entities": [{"id": "T1", "label": "Drug", "start": 0, "end": 4, "text": "…"}], "relations": [
     {"id": "R1", "label": "treats", "arguments": [{"role": "Arg1", "target": "T1"}, {"role": "Arg2", "target": "T2"}]}]}

What is written holds everything that BRAT does: a discontinuous entity has `fragments`, and there are `events`,
`attributes`, `normalizations`, `notes` and `equivs`. Only the order of annotations of different kinds is not kept.

Also read: entities as `[start, end, label]`, as doccano and spaCy have them, under `entities`, `spans`, `label` or
`labels`; doccano's `start_offset`, `end_offset`, `from_id`, `to_id`, `type`. A document without an id is named for its line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from brat.convert.draft import Draft
from brat.convert.gather import Gathered, numbered_lines, read_files
from brat.convert.json_values import Unparsable, first, items, mapping, offset, parse, words
from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Argument, Attribute, Document, Equiv, Event, Fragment, Normalization, Note, Relation, TextBound
from brat.problems import Problem, quoted

_MESSAGE = "a line is not a document as JSON"
_Linked: TypeAlias = Callable[[Mapping[str, object], str], bool]
_ENTITIES = ("entities", "spans", "label", "labels")


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """Every document of the files."""
    return read_files(files, texts, _read_file, frozenset({"jsonl", "ndjson"}), frozenset({"json", "txt", ""}))


def _read_file(content: str, path: str, gathered: Gathered) -> None:
    for number, line in numbered_lines(content):
        if line and not line.isspace():
            _read_line(line, number, path, gathered)


def _read_line(line: str, number: int, path: str, gathered: Gathered) -> None:
    try:
        value = parse(line)
    except Unparsable as bad:
        gathered.report("unreadable-line", path, number, bad.column, message=_MESSAGE, found=bad.found, expected="JSON")
        return
    if not isinstance(value, dict):
        gathered.report("unreadable-line", path, number, 1, message=_MESSAGE, found=quoted(line), expected="an object")
        return
    text = first(value, "text", "data")
    id_ = words(first(value, "id", "doc_id", "document", "document_id")) or f"{gathered.document_id(path)}-{number}"
    draft = gathered.draft(id_, path, number, text if isinstance(text, str) else None)
    if draft is not None:
        _Line(draft, value, number).read()
        gathered.finish(draft)


class _Line:
    """One document: its entities first, then what refers to them by the ids of the file."""

    def __init__(self, draft: Draft, value: Mapping[str, object], line: int) -> None:
        self.draft = draft
        self.value = value
        self.line = line
        self.ids: dict[str, str] = {}

    def read(self) -> None:
        name = next((each for each in _ENTITIES if isinstance(self.value.get(each), list)), "entities")
        for each in items(self.value.get(name)):
            self.entity(each)
        # Relations and events may refer to one another, so their ids are given out before either is read.
        linked: list[tuple[_Linked, object, str]] = []
        readers: tuple[tuple[str, str, _Linked], ...] = (("relations", "R", self.relation), ("events", "E", self.event))
        for kind, letter, reader in readers:
            for each in items(self.value.get(kind)):
                id_ = self.draft.next_id(letter)
                self.know(mapping(each), id_)
                linked.append((reader, each, id_))
        for reader, each, id_ in linked:
            if not reader(mapping(each), id_):
                self.unreadable(each, "a label and the ids of annotations before it")
        for kind, plain in (
            ("attributes", self.attribute), ("normalizations", self.normalization), ("notes", self.note), ("equivs", self.equiv)
        ):  # fmt: skip
            for each in items(self.value.get(kind)):
                if not plain(mapping(each)):
                    self.unreadable(each, f"what {kind} have, and the ids of annotations before it")

    def unreadable(self, value: object, expected: str) -> None:
        found = quoted(json.dumps(value, ensure_ascii=False))
        message = "an annotation cannot be read"
        self.draft.report("unreadable-line", self.draft.path, self.line, 1, message=message, found=found, expected=expected)

    def know(self, value: Mapping[str, object], id_: str) -> None:
        given = words(value.get("id"))
        if given is not None:
            self.ids.setdefault(given, id_)

    def target(self, value: object) -> str:
        """The id in the document for an id of the file, empty where there is none."""
        return self.ids.get(words(value) or "", "")

    def entity(self, value: object) -> None:
        if isinstance(value, list):
            inside: Mapping[str, object] = dict(zip(("start", "end", "label"), value, strict=False))
        else:
            inside = mapping(value)
        label = first(inside, "label", "type", "entity")
        pairs = items(inside.get("fragments")) or [
            [first(inside, "start", "start_offset", "begin"), first(inside, "end", "end_offset")]
        ]
        fragments = [_fragment(each) for each in pairs]
        spans = [each for each in fragments if each is not None]
        if not isinstance(label, str) or not label.strip() or len(spans) < len(fragments):
            self.unreadable(value, '{"label", "start", "end"} or [start, end, label]')
            return
        text = inside.get("text")
        id_ = self.draft.entity(label, spans, text if isinstance(text, str) else None, self.line, 1)
        if id_ is not None:
            self.know(inside, id_)

    def label(self, value: Mapping[str, object]) -> str:
        label = first(value, "label", "type")
        return label if isinstance(label, str) else ""

    def arguments(self, value: Mapping[str, object]) -> list[Argument] | None:
        if "from_id" in value:
            sides = [("Arg1", value.get("from_id")), ("Arg2", value.get("to_id"))]
        else:
            sides = [
                (words(mapping(each).get("role")) or "", mapping(each).get("target")) for each in items(value.get("arguments"))
            ]
        found = [Argument(role, self.target(target)) for role, target in sides]
        return found if all(each.role and each.target for each in found) else None

    def relation(self, value: Mapping[str, object], id_: str) -> bool:
        label, arguments = self.label(value), self.arguments(value)
        if not label or arguments is None or len(arguments) != 2:
            return False
        self.draft.relation(label, arguments, self.line, id_)
        return True

    def event(self, value: Mapping[str, object], id_: str) -> bool:
        label, arguments, trigger = self.label(value), self.arguments(value), self.target(value.get("trigger"))
        if not label or arguments is None or not trigger:
            return False
        self.draft.event(label, trigger, arguments, self.line, id_)
        return True

    def attribute(self, value: Mapping[str, object]) -> bool:
        label, target = self.label(value), self.target(value.get("target"))
        if not label or not target:
            return False
        letter = "M" if (words(value.get("id")) or "").startswith("M") else "A"
        self.know(value, self.draft.attribute(label, target, words(value.get("value")), self.line, letter))
        return True

    def normalization(self, value: Mapping[str, object]) -> bool:
        target = self.target(value.get("target"))
        database, entry, text = (words(value.get(each)) for each in ("database", "entry", "text"))
        if not target or not database or entry is None:
            return False
        label = self.label(value) or "Reference"
        self.know(value, self.draft.normalization(label, target, (database, entry), text, self.line))
        return True

    def note(self, value: Mapping[str, object]) -> bool:
        label, given = self.label(value), words(value.get("target"))
        if not label or not given:
            return False
        # A note may be about something that has no id, such as the document.
        self.know(value, self.draft.note(label, self.ids.get(given, given), words(value.get("text")), self.line))
        return True

    def equiv(self, value: Mapping[str, object]) -> bool:
        label, members = self.label(value), [self.target(each) for each in items(value.get("members"))]
        if not label or not members or not all(members):
            return False
        self.draft.equiv(label, members, self.line)
        return True


def _fragment(value: object) -> Fragment | None:
    pair = [offset(each) for each in items(value)]
    start, end = pair if len(pair) == 2 else (None, None)
    return None if start is None or end is None else (start, end)


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """One file with every document; there is nothing it cannot hold."""
    lines = (json.dumps(_document(each), ensure_ascii=False) + "\n" for each in documents.values())
    return {"corpus.jsonl": "".join(lines).encode()}, Losses("jsonl").problems


def _document(document: Document) -> dict[str, object]:
    kinds: dict[str, list[dict[str, object]]] = {"entities": []}
    for each in document.annotations:
        match each:
            case TextBound(id=id_, label=label):
                kinds["entities"].append({"id": id_, "label": label, **_spans(each.fragments), "text": each.text})
            case Relation(id=id_, label=label, first=one, second=other):
                kinds.setdefault("relations", []).append({"id": id_, "label": label, "arguments": _sides([one, other])})
            case Event(id=id_, label=label, trigger=trigger, arguments=sides):
                event: dict[str, object] = {"id": id_, "label": label, "trigger": trigger, "arguments": _sides(sides)}
                kinds.setdefault("events", []).append(event)
            case Attribute(id=id_, label=label, target=target, value=value):
                kinds.setdefault("attributes", []).append({"id": id_, "label": label, "target": target, "value": value})
            case Normalization(id=id_, label=label, target=target, text=text):
                link = {"id": id_, "label": label, "target": target, "database": each.database, "entry": each.entry}
                kinds.setdefault("normalizations", []).append({**link, "text": text})
            case Note(id=id_, label=label, target=target, text=text):
                kinds.setdefault("notes", []).append({"id": id_, "label": label, "target": target, "text": text})
            case Equiv(label=label, members=members):
                kinds.setdefault("equivs", []).append({"label": label, "members": list(members)})
    return {"id": document.id, "text": document.text, **kinds}


def _spans(fragments: Sequence[Fragment]) -> dict[str, object]:
    if len(fragments) == 1:
        return {"start": fragments[0][0], "end": fragments[0][1]}
    return {"fragments": [list(each) for each in fragments]}


def _sides(arguments: Sequence[Argument]) -> list[dict[str, str]]:
    return [{"role": each.role, "target": each.target} for each in arguments]
