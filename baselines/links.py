"""Triggers, and what is linked to what: relations, or events with their arguments, as one kind of thing.

A link leads from a first span to a second: from a trigger to an entity where there are triggers, as in ChEMU, where
relations do
that;
from `Arg1` to `Arg2` of other relations; and from the trigger of an event to an argument, or to the trigger of an event
that is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baselines.sequences import text_bound
from brat.model import Annotation, Argument, Document, Event, Fragment, Relation, TextBound, role_name
from evaluator.tokens import sentence_numbers, split_sentences


@dataclass(frozen=True, slots=True)
class Link:
    """A label, and the ids of the spans that it leads from and to."""

    label: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Shape:
    """How the links of a corpus are written.

    Attributes:
        triggers: the labels of triggers.
        events: whether links are the arguments of events, not relations.
        roles: of relations, what the two arguments are called.
    """

    triggers: frozenset[str]
    events: bool
    roles: tuple[str, str] = ("Arg1", "Arg2")


def shape_of(documents: Collection[Document], triggers: Collection[str]) -> Shape:
    """How links are written in these documents; the triggers of their events are triggers, whatever else is."""
    events = [each for document in documents for each in document.annotations if isinstance(each, Event)]
    labels = {
        bound.label
        for document in documents
        for ids in [{each.trigger for each in document.annotations if isinstance(each, Event)}]
        if ids
        for bound in document.text_bounds
        if bound.id in ids
    }
    relations = (each for document in documents for each in document.annotations if isinstance(each, Relation))
    first = next(relations, None)
    roles = ("Arg1", "Arg2") if first is None else (first.in_order[0].role, first.in_order[1].role)
    return Shape(frozenset(triggers) | labels, bool(events), roles)


def links_of(document: Document) -> list[Link]:
    """The links of a document; those to annotations that are no spans are left out."""
    bounds = {each.id for each in document.text_bounds}
    triggers = {each.id: each.trigger for each in document.annotations if isinstance(each, Event)}
    found: dict[Link, None] = {}
    for each in document.annotations:
        if isinstance(each, Relation):
            first, second = (triggers.get(one.target, one.target) for one in each.in_order)
            found[Link(each.label, first, second)] = None
        elif isinstance(each, Event):
            for argument in each.arguments:
                found[Link(role_name(argument.role), each.trigger, triggers.get(argument.target, argument.target))] = None
    return [each for each in found if {each.first, each.second} <= bounds]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two spans of one sentence that may be linked, the first a trigger where there are triggers."""

    first: TextBound
    second: TextBound

    @property
    def labels(self) -> tuple[str, str]:
        """Of both."""
        return self.first.label, self.second.label

    @property
    def forward(self) -> bool:
        """Whether the first stands before the second."""
        return self.first.fragments[0] <= self.second.fragments[0]


def sentences_and_bounds(document: Document, bounds: Sequence[TextBound]) -> Iterator[tuple[Fragment, list[TextBound]]]:
    """The sentences that hold spans, with these; a span belongs where it begins."""
    sentences = split_sentences(document.text or "") or [(0, 0)]
    numbers = sentence_numbers(sentences, [each.fragments[0][0] for each in bounds])
    held: dict[int, list[TextBound]] = {}
    for number, each in zip(numbers, bounds, strict=True):
        held.setdefault(number, []).append(each)
    for number in sorted(held):
        yield sentences[number], held[number]


def pairs_of(bounds: Sequence[TextBound], shape: Shape) -> Iterator[Pair]:
    """The pairs of the spans of one sentence: of triggers with all others, or of all in both directions."""
    for first in bounds:
        if shape.triggers and first.label not in shape.triggers:
            continue
        for second in bounds:
            if second is not first and (shape.events or second.label not in shape.triggers):
                yield Pair(first, second)


def with_triggers(document: Document, triggers: Sequence[tuple[str, Fragment]], shape: Shape) -> list[TextBound]:
    """The entities of a document, then these triggers, numbered after them."""
    entities = [each for each in document.text_bounds if each.label not in shape.triggers]
    numbers = [int(each.id[1:]) for each in entities if each.id[1:].isdecimal()]
    start = max(numbers, default=0) + 1
    text = document.text or ""
    return entities + [text_bound(start + i, label, span, text) for i, (label, span) in enumerate(triggers)]


def linked(document: Document, bounds: Sequence[TextBound], links: Sequence[Link], shape: Shape) -> Document:
    """A document of these spans and links, as relations or as events."""
    added: list[Annotation] = []
    if shape.events:
        added += _as_events(bounds, links, shape)
    else:
        first, second = shape.roles
        for number, each in enumerate(links, 1):
            added.append(Relation(f"R{number}", each.label, Argument(first, each.first), Argument(second, each.second)))
    return Document(document.id, (*bounds, *added), document.text)


def _as_events(bounds: Sequence[TextBound], links: Sequence[Link], shape: Shape) -> Iterator[Event]:
    """An event for each trigger. An argument that is a trigger is its event; a role that comes again gets a number."""
    events: Mapping[str, str] = {
        each.id: f"E{number}" for number, each in enumerate((b for b in bounds if b.label in shape.triggers), 1)
    }
    labels = {each.id: each.label for each in bounds}
    for trigger, id_ in events.items():
        arguments: list[Argument] = []
        often: dict[str, int] = {}
        for each in links:
            if each.first == trigger:
                often[each.label] = often.get(each.label, 0) + 1
                role = each.label if often[each.label] == 1 else f"{each.label}{often[each.label]}"
                arguments.append(Argument(role, events.get(each.second, each.second)))
        yield Event(id_, labels[trigger], trigger, tuple(arguments))
