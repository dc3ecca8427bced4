"""BC5CDR chemicals: F1 on test of several methods, and on the strata of leakage, a sentence counting as a document.

`python -m benchmarks.baselines bc5cdr [METHOD:key=value,… …]`. The CRF learns from train and dev, others from train,
and dev picks the epoch of those that have any.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from baselines import recipes
from baselines.protocol import Corpus
from benchmarks.baselines.corpora import Told, bc5cdr, told
from evaluator.criteria import Criterion
from evaluator.leakage.leakage import find_leakage
from evaluator.leakage.runs import Known, score_run, strata_named
from evaluator.scores import ALL, Score
from evaluator.scoring import Scheme
from evaluator.strata.similarity import QUARTILES

_ENTROPY = "entropy"
_METHODS = (
    "dictionary",
    "crf",
    "spacy:epochs=8",
    "bilstm-crf:embeddings=word,hidden=128,epochs=10,lr=0.003",
    "bilstm-crf:embeddings=word/flair,hidden=128,epochs=8,lr=0.003,size=128",
    "transformer:crf=yes,epochs=10,lr=0.001,batch=32",
)


def main(methods: Sequence[str]) -> None:
    """Train each, and print the table."""
    train, dev, test = (bc5cdr(each) for each in ("train", "devel", "test"))
    found = find_leakage({"train": train, "dev": dev, "test": test})
    known = Known(documents=[*train.values(), *dev.values()])
    print(f"{len(train):,} + {len(dev):,} + {len(test):,} sentences")
    strata = [(name, each) for name in (_ENTROPY, QUARTILES) for each in strata_named(name)]
    heads = ("P", "R", "F1", *(each for _, each in strata), "gap S", "gap Q", "train s", "tag s")
    print(f"{'method':70}" + "".join(f"{each:>9}" for each in heads))
    for spec in methods or _METHODS:
        name, _, given = spec.partition(":")
        settings = dict(each.split("=") for each in given.split(",") if each)
        start = time.perf_counter()
        trained = recipes.train(name, Corpus(train, dev), settings, Told())
        between = time.perf_counter()
        run = recipes.predict(trained, test)
        end = time.perf_counter()
        scores = score_run(found, known, test, run, Scheme(), [Criterion()])
        whole = _of(scores, ALL, ALL)
        assert whole is not None
        f1 = [None if each is None else each.counts.f1 for each in (_of(scores, *pair) for pair in strata)]
        half = len(strata_named(_ENTROPY))
        gaps = (_gap(f1[0], f1[half - 1]), _gap(f1[-1], f1[half]))
        figures = [told(each) for each in (whole.counts.precision, whole.counts.recall, whole.counts.f1, *f1, *gaps)]
        print(
            f"{spec:70}" + "".join(f"{each:>9}" for each in (*figures, f"{between - start:.0f}", f"{end - between:.1f}")),
            flush=True,
        )


def _of(scores: Sequence[Score], stratification: str, stratum: str) -> Score | None:
    return next(
        (each for each in scores if (each.stratification, each.stratum, each.label) == (stratification, stratum, ALL)), None
    )


def _gap(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else first - last
