"""The memoriser: it tags the strings that it has seen as entities, and nothing else.

It reads nothing, so what it scores is what a test set gives away: the floor against which leakage is measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from brat.model import Document, TextBound
from evaluator.leakage.entropy import Labelling, label_strings
from evaluator.leakage.mentions import mentions
from evaluator.leakage.occurrences import StringIndex


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A model.

    Attributes:
        labels: of every string that is more often an entity than not, the label that it has most often.
    """

    labels: Mapping[str, str]


def train(documents: Collection[Document], ignored: Collection[str] = ()) -> Dictionary:
    """Remember the entity strings of documents.

    Args:
        documents: with text and annotations.
        ignored: labels that are not those of entities, such as those of triggers.
    """
    strings = {each.string for document in documents for each in mentions(document, ignored)}
    seen = label_strings(sorted(strings), documents, ignored)
    labels = {string: _most_frequent(each) for string, each in seen.items()}
    return Dictionary({string: label for string, label in labels.items() if label is not None})


def _most_frequent(seen: Labelling) -> str | None:
    """The label that most occurrences carry, the last in the alphabet of several; None where most carry none."""
    counts: Counter[str | None] = Counter(dict(seen.labels))
    counts[None] = seen.outside
    return max(counts, key=lambda label: (counts[label], label or ""))


def predict(model: Dictionary, texts: Mapping[str, str]) -> dict[str, Document]:
    """Tag every occurrence of a known string, from left to right, the longest first; none overlap.

    Args:
        model: from `train`.
        texts: by document id.
    """
    index = StringIndex(model.labels)
    run: dict[str, Document] = {}
    for id_, text in texts.items():
        found: list[TextBound] = []
        end = 0
        for string, (start, stop) in sorted(index.find(text), key=lambda each: (each[1][0], -each[1][1])):
            if start >= end:
                covered = " ".join(text[start:stop].split())
                found.append(TextBound(f"T{len(found) + 1}", model.labels[string], ((start, stop),), covered))
                end = stop
        run[id_] = Document(id_, tuple(found), text)
    return run
