"""DDI-2013: entities by a CRF and the memoriser, relations between gold entities by co-occurrence, and both in a row."""

from __future__ import annotations

from collections.abc import Sequence

from baselines import recipes
from baselines.protocol import Corpus
from benchmarks.baselines.corpora import Told, brat, counts, told
from evaluator.criteria import Annotations


def main(_: Sequence[str]) -> None:
    """Train, and print a line each."""
    train, test = brat("ddi2013", "train"), brat("ddi2013", "test")
    print(f"{len(train):,} + {len(test):,} documents")
    for name, kind in (
        ("dictionary", Annotations.ENTITIES),
        ("crf", Annotations.ENTITIES),
        ("cooccurrence", Annotations.RELATIONS),
        ("nearest-trigger", Annotations.RELATIONS),
        ("crf+cooccurrence", Annotations.RELATIONS),
    ):
        run = recipes.predict(recipes.train(name, Corpus(train), {}, Told()), test)
        found = counts(test, run, kind)
        figures = " ".join(told(each) for each in (found.precision, found.recall, found.f1))
        print(f"{name:20} {kind.value:10} P R F1 {figures}  tp {found.tp:,} fp {found.fp:,} fn {found.fn:,}", flush=True)
