"""The memoriser: it tags the strings that it has seen as entities, and nothing else.

It reads nothing, so what it scores is what a test set gives away: the floor against which leakage is measured.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from baselines.protocol import Corpus, Watch, needs_documents
from baselines.sequences import with_entities
from brat.model import Document, Fragment
from evaluator.leakage.entropy import Labelling, label_strings
from evaluator.leakage.mentions import mentions
from evaluator.leakage.occurrences import StringIndex

_FILE = "strings.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """There is nothing to set."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A model.

    Attributes:
        labels: of every string that is more often an entity than not, the label that it has most often.
    """

    labels: Mapping[str, str]


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Dictionary:  # noqa: ARG001 - one protocol
    """Remember the entity strings of documents.

    Raises:
        BaselineError: there is nothing to train on.
    """
    needs_documents(corpus)
    documents, ignored = list(corpus.train.values()), corpus.triggers
    strings = {each.string for document in documents for each in mentions(document, ignored)}
    seen = label_strings(sorted(strings), documents, ignored)
    labels = {string: _most_frequent(each) for string, each in seen.items()}
    return Dictionary({string: label for string, label in labels.items() if label is not None})


def _most_frequent(seen: Labelling) -> str | None:
    """The label that most occurrences carry, the last in the alphabet of several; None where most carry none."""
    counts: Counter[str | None] = Counter(dict(seen.labels))
    counts[None] = seen.outside
    return max(counts, key=lambda label: (counts[label], label or ""))


def predict(model: Dictionary, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:  # noqa: ARG001
    """Tag every occurrence of a known string, from left to right, the longest first; none overlap."""
    index = StringIndex(model.labels)
    return {id_: with_entities(each, _find(index, model.labels, each.text or "")) for id_, each in documents.items()}


def _find(index: StringIndex, labels: Mapping[str, str], text: str) -> list[tuple[str, Fragment]]:
    found: list[tuple[str, Fragment]] = []
    end = 0
    for string, (start, stop) in sorted(index.find(text), key=lambda each: (each[1][0], -each[1][1])):
        if start >= end:
            found.append((labels[string], (start, stop)))
            end = stop
    return found


def save(model: Dictionary, folder: Path) -> None:
    """As JSON."""
    (folder / _FILE).write_text(json.dumps(model.labels, ensure_ascii=False), encoding="utf-8")


def load(folder: Path, device: str) -> Dictionary:  # noqa: ARG001
    """The same again."""
    return Dictionary(json.loads((folder / _FILE).read_text(encoding="utf-8")))
