"""Columnar views of events and their modifications: one row an event, identical ones of a side merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from brat.model import Argument, Attribute, Document, Event, role_name
from evaluator.references import text_bound_ids
from evaluator.refinement import multisets, refine
from evaluator.tables import EntityTable, Flags, Ints, Tables, first_of_each


@dataclass(frozen=True, slots=True)
class EventTable:
    """The events of one side, without repetitions, in the order of their documents and lines.

    Two events are the same when their labels and triggers are, and their arguments in every role, events among them in the
    same sense.

    Attributes:
        label: [n] index into `Events.labels`.
        trigger: [n] rows of the side's `EntityTable`.
        owner: [arguments] the row here that has the argument; not decreasing.
        role: [arguments] index into `Events.roles`.
        nested: [arguments] whether the argument is an event.
        target: [arguments] a row here if it is, else a row of the `EntityTable`.
        modified, modification, value: [modifications] a row here, and numbers into `Events.modifications` and for the values;
            each combination once.
        repeated: how many repetitions were left out.
    """

    label: Ints
    trigger: Ints
    owner: Ints
    role: Ints
    nested: Flags
    target: Ints
    modified: Ints
    modification: Ints
    value: Ints
    repeated: int

    def __len__(self) -> int:
        return len(self.label)


@dataclass(frozen=True, slots=True)
class Events:
    """Gold and run side by side; labels of events, roles and labels of modifications are sorted.

    An event whose trigger leads nowhere is on neither side, and no event has an argument that leads nowhere.
    """

    labels: tuple[str, ...]
    roles: tuple[str, ...]
    modifications: tuple[str, ...]
    gold: EventTable
    run: EventTable


@dataclass(frozen=True, slots=True)
class _Lines:
    """What one side says: (label, trigger), (owner, role, is an event, target) and (event, label, value)."""

    events: list[tuple[str, int]] = field(default_factory=list)
    arguments: list[tuple[int, str, bool, int]] = field(default_factory=list)
    modifications: list[tuple[int, str, str | None]] = field(default_factory=list)


def build_events(tables: Tables, gold: Mapping[str, Document], run: Mapping[str, Document]) -> Events:
    """Lay out the events of the documents that `tables` were built from."""
    lines = [_read_side(tables.documents, side) for side in (gold, run)]
    labels = _numbers(label for side in lines for label, _ in side.events)
    roles = _numbers(role for side in lines for _, role, _, _ in side.arguments)
    modifications = _numbers(label for side in lines for _, label, _ in side.modifications)
    values = {value: i for i, value in enumerate({value: None for side in lines for _, _, value in side.modifications})}
    sides = []
    for side, entities in zip(lines, (tables.gold, tables.run), strict=True):
        events = _columns([(labels[label], trigger) for label, trigger in side.events], 2)
        arguments = _columns([(owner, roles[role], nested, target) for owner, role, nested, target in side.arguments], 4)
        modified = _columns([(event, modifications[name], values[value]) for event, name, value in side.modifications], 3)
        sides.append(_merge(events, arguments, modified, entities))
    return Events(tuple(labels), tuple(roles), tuple(modifications), *sides)


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(sorted(set(names)))}


def _columns(rows: list[tuple[int, ...]], width: int) -> Ints:
    """[width, rows]."""
    return np.array(rows, dtype=np.int64).reshape(-1, width).T


def _read_side(ids: tuple[str, ...], documents: Mapping[str, Document]) -> _Lines:
    lines = _Lines()
    start = 0
    for id_ in ids:
        document = documents.get(id_)
        if document is None:
            continue
        if any(isinstance(each, Event) for each in document.annotations):
            _read_document(document, text_bound_ids(document, start), lines)
        start += sum(1 for _ in document.text_bounds)
    return lines


def _read_document(document: Document, bounds: Mapping[str, int], lines: _Lines) -> None:
    events: dict[str, int | None] = {}
    rows: list[tuple[int, tuple[Argument, ...]]] = []
    for each in document.annotations:
        if isinstance(each, Event):
            trigger = bounds.get(each.trigger)
            events.setdefault(each.id, None if trigger is None else len(lines.events))
            if trigger is not None:
                rows.append((len(lines.events), each.arguments))
                lines.events.append((each.label, trigger))
    for row, arguments in rows:
        for argument in arguments:
            nested = argument.target not in bounds
            target = events.get(argument.target) if nested else bounds[argument.target]
            if target is not None:
                lines.arguments.append((row, role_name(argument.role), nested, target))
    for each in document.annotations:
        if isinstance(each, Attribute):
            event = events.get(each.target)
            if event is not None:
                lines.modifications.append((event, each.label, each.value))


def _merge(events: Ints, arguments: Ints, modified: Ints, entities: EntityTable) -> EventTable:
    """The table of [2, events], [4, arguments] and [3, modifications], with identical events made one."""
    label, trigger = events[0], entities.row[events[1]]
    owner, role, nested, target = arguments[0], arguments[1], arguments[2].astype(bool), arguments[3]
    target[~nested] = entities.row[target[~nested]]
    plain = multisets(owner[~nested], role[~nested] * len(entities) + target[~nested], len(label))
    _, block = first_of_each(label, trigger, plain)
    kept, row = first_of_each(refine(block, owner[nested], role[nested], target[nested]))
    stays = np.zeros(len(label), dtype=bool)
    stays[kept] = True
    here = stays[owner]
    target[nested] = row[target[nested]]
    once, _ = first_of_each(row[modified[0]], modified[1], modified[2])
    return EventTable(
        label=label[kept],
        trigger=trigger[kept],
        owner=row[owner[here]],
        role=role[here],
        nested=nested[here],
        target=target[here],
        modified=row[modified[0][once]],
        modification=modified[1][once],
        value=modified[2][once],
        repeated=len(label) - len(kept),
    )
