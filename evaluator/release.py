"""What may be handed out of gold while the rest of it is still asked for: the entities without the triggers."""

from __future__ import annotations

from collections.abc import Collection

from brat.model import Document, Event, Fragment, TextBound


def spans_of(document: Document) -> frozenset[tuple[str, tuple[Fragment, ...]]]:
    """Label and sorted fragments of every text-bound annotation."""
    return frozenset((each.label, tuple(sorted(set(each.fragments)))) for each in document.text_bounds)


def entities_only(document: Document, labels: Collection[str]) -> Document:
    """A document with its entities, and nothing that tells of triggers, relations, events or anything else.

    An entity is a text-bound annotation whose label is one of `labels`, the labels of entities of the task, and that is not the
    trigger of an event: a trigger with a misspelt label is not handed out. They are in the order of their spans and numbered
    anew: gaps in the numbers, or their order, would tell where triggers were. A repetition is left out.
    """
    of_events = {each.trigger for each in document.annotations if isinstance(each, Event)}
    found: dict[tuple[tuple[Fragment, ...], str], TextBound] = {}
    for each in document.text_bounds:
        if each.label in labels and each.id not in of_events:
            found.setdefault((tuple(sorted(set(each.fragments))), each.label), each)
    ordered = (found[key] for key in sorted(found))
    return Document(
        document.id,
        tuple(TextBound(f"T{number}", each.label, each.fragments, each.text) for number, each in enumerate(ordered, 1)),
        document.text,
    )
