"""Where the ids of a document lead. Of several annotations with one id, the first counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from brat.model import Document, Event, Relation


def text_bound_ids(document: Document, start: int = 0) -> dict[str, int]:
    """The number of the text-bound annotation with each id, counted from `start` in the order of lines."""
    ids = [each.id for each in document.text_bounds]
    ids.reverse()  # what is put in last stays
    return dict(zip(ids, range(start + len(ids) - 1, start - 1, -1), strict=True))


def anchors(document: Document, start: int = 0) -> dict[str, int]:
    """As `text_bound_ids`, and for the id of an event its trigger; what leads nowhere is not in it."""
    found = text_bound_ids(document, start)
    events = [each for each in document.annotations if isinstance(each, Event)]
    if not events:
        return found
    triggers = {each.id: found.get(each.trigger) for each in reversed(events)}
    return {id_: at for id_, at in triggers.items() if at is not None} | found


def trigger_labels(documents: Mapping[str, Document], event_labels: Collection[str] = ()) -> frozenset[str]:
    """The labels of text-bound annotations that are triggers, given gold and the event labels of its annotation.conf.

    They are the event labels, if there are any; else the labels of the events of gold; else the labels that begin relations
    in gold and never end one. A corpus may have none: in one of interactions between drugs, either may come first.
    """
    if event_labels:
        return frozenset(event_labels)
    events = {each.label for document in documents.values() for each in document.annotations if isinstance(each, Event)}
    if events:
        return frozenset(events)
    begin: set[str] = set()
    end: set[str] = set()
    for document in documents.values():
        labels = [each.label for each in document.text_bounds]
        at = text_bound_ids(document)
        for each in document.annotations:
            if isinstance(each, Relation):
                for argument, side in zip(each.in_order, (begin, end), strict=True):
                    if argument.target in at:
                        side.add(labels[at[argument.target]])
    return frozenset(begin - end)
