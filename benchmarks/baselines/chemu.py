"""The fifty public snippets of ChEMU 2020, tracks 1 to 3, by cross-validation: counts of five folds added up, then divided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baselines import recipes
from baselines.protocol import Corpus
from benchmarks.baselines.corpora import TRIGGERS, brat, counts, told
from brat.model import Document
from evaluator.criteria import Annotations
from evaluator.release import entities_only
from evaluator.scores import Counts

_FOLDS = 5
_TRACKS = (
    ("1", Annotations.ENTITIES, ("dictionary", "crf")),
    ("2", Annotations.RELATIONS, ("cooccurrence", "nearest-trigger", "relation-transformer:epochs=6,lr=0.001")),
    ("3", Annotations.RELATIONS, ("crf+cooccurrence", "crf+nearest-trigger")),
)


def main(_: Sequence[str]) -> None:
    """Train each on four folds and tag the fifth, five times."""
    corpora = {"1": brat("chemu-sample", "ner", "gold"), "2": brat("chemu-sample", "ee", "gold")}
    corpora["3"] = corpora["2"]
    print("track method                                    P      R      F1")
    for track, kind, methods in _TRACKS:
        documents = corpora[track]
        for spec in methods:
            found = _crossed(spec, documents, kind)
            figures = " ".join(told(each) for each in (found.precision, found.recall, found.f1))
            print(f"{track}     {spec:40} {figures}", flush=True)


def _crossed(spec: str, documents: Mapping[str, Document], kind: Annotations) -> Counts:
    name, _, given = spec.partition(":")
    settings = dict(each.split("=") for each in given.split(",") if each)
    ids = sorted(documents)
    labels = {each.label for one in documents.values() for each in one.text_bounds} - TRIGGERS
    total = Counts()
    for fold in range(_FOLDS):
        held = set(ids[fold::_FOLDS])
        train = {id_: documents[id_] for id_ in ids if id_ not in held}
        gold = {id_: documents[id_] for id_ in ids if id_ in held}
        trained = recipes.train(name, Corpus(train, triggers=TRIGGERS), settings)
        run = recipes.predict(trained, {id_: entities_only(each, labels) for id_, each in gold.items()})
        total += counts(gold, run, kind, TRIGGERS)
    return total
