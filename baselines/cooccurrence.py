"""Every relation that was seen, between a trigger and an entity of one sentence (METHODS, section 1, the baseline of track 2).

Words that were triggers in train are triggers wherever they stand, with the label that they had most often. Where a corpus
has no triggers, the pairs are those of its entities. Recall is high, precision low.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from baselines.links import Link, Pair, Shape, linked, links_of, pairs_of, sentences_and_bounds, shape_of, with_triggers
from baselines.protocol import Corpus, Watch, needs_documents
from baselines.settings import within
from brat.model import Document, Fragment
from evaluator.leakage.occurrences import StringIndex

_FILE = "seen.json"
_EVERY = 50


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts as seen.

    Attributes:
        least: how often a pair of labels must have been linked by a relation.
    """

    least: int = 1

    def __post_init__(self) -> None:
        within(self, least=(1, 1_000_000))


@dataclass(frozen=True, slots=True)
class Seen:
    """A model.

    Attributes:
        shape: how links are written.
        words: the label of each trigger word, folded.
        links: how often a relation led from one label to another: forward in the text, and backward.
        by_pair: the relations between two labels in one direction, the most frequent first.
    """

    shape: Shape
    words: Mapping[str, str]
    links: Mapping[tuple[str, str, str], tuple[int, int]]

    by_pair: Mapping[tuple[str, str, bool], list[str]] = field(init=False)

    def __post_init__(self) -> None:
        counted: dict[tuple[str, str, bool], list[tuple[int, str]]] = {}
        for (relation, first, second), counts in self.links.items():
            for forward, count in zip((True, False), counts, strict=True):
                if count:
                    counted.setdefault((first, second, forward), []).append((-count, relation))
        found = {key: [relation for _, relation in sorted(each)] for key, each in counted.items()}
        object.__setattr__(self, "by_pair", found)

    def labels(self, pair: Pair) -> list[str]:
        """The relations seen between these labels, in this direction, the most frequent first."""
        return self.by_pair.get((*pair.labels, pair.forward), [])


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Seen:
    """Remember trigger words and relations, of dev too.

    Raises:
        BaselineError: there is nothing to train on.
    """
    needs_documents(corpus)
    documents = [*corpus.train.values(), *corpus.dev.values()]
    shape = shape_of(documents, corpus.triggers)
    words: dict[str, Counter[str]] = {}
    counts: dict[tuple[str, str, str], list[int]] = {}
    for document in documents:
        bounds = {each.id: each for each in document.text_bounds}
        for each in bounds.values():
            if each.label in shape.triggers and document.text is not None:
                string = fold(document.text)[each.fragments[0][0] : each.fragments[-1][1]]
                words.setdefault(" ".join(string.split()), Counter())[each.label] += 1
        for link in links_of(document):
            pair = Pair(bounds[link.first], bounds[link.second])
            counts.setdefault((link.label, *pair.labels), [0, 0])[0 if pair.forward else 1] += 1
    if not counts:
        watch.say("No relation was seen: there will be none.")
    kept = {key: (forward, backward) for key, (forward, backward) in counts.items() if forward + backward >= settings.least}
    most = {word: min(each, key=lambda label: (-each[label], label)) for word, each in words.items() if word}
    return Seen(shape, most, kept)


def fold(text: str) -> str:
    """A text in lower case, character for character, so that places stay."""
    return "".join(low if len(low := each.lower()) == 1 else each for each in text)


def find_triggers(model: Seen, index: StringIndex, text: str) -> list[tuple[str, Fragment]]:
    """The places of trigger words with their labels, the longest of those that overlap."""
    found: list[tuple[str, Fragment]] = []
    end = 0
    for word, (start, stop) in sorted(index.find(fold(text)), key=lambda each: (each[1][0], -each[1][1])):
        if start >= end:
            found.append((model.words[word], (start, stop)))
            end = stop
    return found


def predict(model: Seen, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Find triggers, and link what stands in one sentence."""
    index = StringIndex(model.words)
    run: dict[str, Document] = {}
    for number, (id_, document) in enumerate(documents.items()):
        bounds = with_triggers(document, find_triggers(model, index, document.text or ""), model.shape)
        links = [
            Link(label, pair.first.id, pair.second.id)
            for _, here in sentences_and_bounds(document, bounds)
            for pair in pairs_of(here, model.shape)
            for label in model.labels(pair)
        ]
        run[id_] = linked(document, bounds, links, model.shape)
        if number % _EVERY == 0:
            watch.step(number, len(documents), "documents")
    return run


def save(model: Seen, folder: Path) -> None:
    """As JSON."""
    (folder / _FILE).write_text(json.dumps(to_json(model), ensure_ascii=False), encoding="utf-8")


def load(folder: Path, device: str) -> Seen:  # noqa: ARG001 - one protocol
    """The same again."""
    return from_json((folder / _FILE).read_text(encoding="utf-8"))


def to_json(model: Seen) -> dict[str, object]:
    """The model as plain values."""
    return {
        "triggers": sorted(model.shape.triggers),
        "events": model.shape.events,
        "roles": list(model.shape.roles),
        "words": dict(model.words),
        "links": [[*key, *counts] for key, counts in model.links.items()],
    }


def from_json(text: str) -> Seen:
    """The model of plain values."""
    value = json.loads(text)
    shape = Shape(frozenset(value["triggers"]), value["events"], tuple(value["roles"]))
    links = {(label, first, second): (forward, backward) for label, first, second, forward, backward in value["links"]}
    return Seen(shape, value["words"], links)
