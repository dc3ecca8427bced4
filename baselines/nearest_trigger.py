"""Each entity with the nearest trigger of its sentence (METHODS, section 1: a rule of a participant of ChEMU 2020).

Triggers are words of train, as for `cooccurrence`. The relation is the one that was seen most often between two such
labels; labels that were never linked are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from baselines.cooccurrence import Seen, Settings, find_triggers, load, save, train
from baselines.links import Link, Pair, linked, pairs_of, sentences_and_bounds, with_triggers
from baselines.protocol import Watch
from brat.model import Document, TextBound
from evaluator.leakage.occurrences import StringIndex

__all__ = ["Settings", "load", "predict", "save", "train"]
_EVERY = 50


def predict(model: Seen, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Find triggers, and link each entity to one of them."""
    index = StringIndex(model.words)
    run: dict[str, Document] = {}
    for number, (id_, document) in enumerate(documents.items()):
        bounds = with_triggers(document, find_triggers(model, index, document.text or ""), model.shape)
        links = [link for _, here in sentences_and_bounds(document, bounds) for link in _nearest(model, here)]
        run[id_] = linked(document, bounds, list(dict.fromkeys(links)), model.shape)
        if number % _EVERY == 0:
            watch.step(number, len(documents), "documents")
    return run


def _nearest(model: Seen, bounds: Sequence[TextBound]) -> Iterator[Link]:
    nearest: dict[str, tuple[tuple[int, int], Link]] = {}
    for pair in pairs_of(bounds, model.shape):
        labels = model.labels(pair)
        if labels:
            place = (_between(pair), pair.first.fragments[0][0])
            known = nearest.get(pair.second.id)
            if known is None or place < known[0]:
                nearest[pair.second.id] = (place, Link(labels[0], pair.first.id, pair.second.id))
    yield from (link for _, link in nearest.values())


def _between(pair: Pair) -> int:
    """Characters between the two spans."""
    (start, end), (other_start, other_end) = (
        (each.fragments[0][0], each.fragments[-1][1]) for each in (pair.first, pair.second)
    )
    return max(0, other_start - end, start - other_end)
