"""Sentences a second in training and tagging: the CRF beside spaCy's and Flair's taggers, one after another, on the same ones.

Flair and spaCy train for one epoch here, the CRF to the end: what an epoch of theirs takes is told, and the ratio of tagging.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from baselines import recipes
from baselines.protocol import Corpus
from benchmarks.baselines.corpora import bc5cdr

_SENTENCES = 1_000
_METHODS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("crf", {}, "120 iterations"),
    ("spacy", {"epochs": "1"}, "1 epoch"),
    ("bilstm-crf", {"epochs": "1", "hidden": "128"}, "1 epoch"),
    ("transformer", {"epochs": "1"}, "1 epoch, tiny"),
)


def main(_: Sequence[str]) -> None:
    """Time each, and print a line."""
    train = dict(list(bc5cdr("train").items())[:_SENTENCES])
    test = dict(list(bc5cdr("test").items())[:_SENTENCES])
    recipes.predict(recipes.train("bilstm-crf", Corpus(dict(list(train.items())[:20])), {"epochs": "1"}), {})  # imports
    by_crf = 0.0
    for name, settings, what in _METHODS:
        start = time.perf_counter()
        trained = recipes.train(name, Corpus(train), settings)
        between = time.perf_counter()
        recipes.predict(trained, test)
        tagging = time.perf_counter() - between
        by_crf = by_crf or tagging
        rates = f"train {len(train) / (between - start):8.0f} sentences/s ({what}), tag {len(test) / tagging:8.0f} sentences/s"
        print(f"{name:12} {rates}, {tagging / by_crf:6.1f} times the CRF's time", flush=True)
