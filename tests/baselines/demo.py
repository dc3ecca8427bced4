"""A small part of the demonstration's corpus, and settings with which every method is trained on it in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from app.demo.corpus import generate
from baselines.protocol import Corpus
from brat.model import Document

TRIGGERS = frozenset({"REACTION_STEP", "WORKUP"})
SMALL: Mapping[str, Mapping[str, str]] = {
    "dictionary": {},
    "crf": {"iterations": "30"},
    "spacy": {"epochs": "2", "width": "32", "depth": "2"},
    "bilstm-crf": {"epochs": "2", "hidden": "16", "size": "16", "device": "cpu"},
    "transformer": {"epochs": "2", "lr": "0.002", "device": "cpu"},
    "majority-vote": {"methods": "dictionary/crf", "threshold": "0.4"},
    "cooccurrence": {},
    "nearest-trigger": {},
    "relation-transformer": {"epochs": "1", "negatives": "1", "lr": "0.001", "device": "cpu"},
    "crf+cooccurrence": {"iterations": "30"},
}
"""Every row of the table of methods."""


@cache
def splits() -> dict[str, dict[str, Document]]:
    """Twenty documents to learn from, five of dev, five to tag."""
    corpus = generate()
    wanted = {"train": 20, "dev": 5, "test": 5}
    return {name: dict(list(corpus.splits[name].items())[:count]) for name, count in wanted.items()}


def corpus() -> Corpus:
    """The same to train on."""
    return Corpus(splits()["train"], splits()["dev"], TRIGGERS)
