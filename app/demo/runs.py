"""Runs of known quality: gold with faults of one kind, more of them in the harder group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from app.demo.corpus import About, DemoCorpus
from brat.files import pack_zip
from brat.model import Document, TextBound, covered_text
from brat.write import write

_LABELS = ("STARTING_MATERIAL", "REAGENT_CATALYST", "REACTION_PRODUCT", "SOLVENT", "OTHER_COMPOUND")
_HARDER = 2.5
"""How many times as often a system errs in the harder group."""
_Fault = Callable[[TextBound, str, Random], TextBound | None]


def _lost(_: TextBound, __: str, ___: Random) -> TextBound | None:
    return None


def _moved(bound: TextBound, text: str, random: Random) -> TextBound | None:
    start, end = bound.fragments[0][0], bound.fragments[-1][1]
    start, end = max(0, start - random.randint(0, 3)), min(len(text), end + random.randint(1, 3))
    return TextBound(bound.id, bound.label, ((start, end),), covered_text(text, ((start, end),)).replace("\n", " "))


def _confused(bound: TextBound, _: str, random: Random) -> TextBound | None:
    if bound.label not in _LABELS:
        return bound
    label = random.choice([each for each in _LABELS if each != bound.label])
    return TextBound(bound.id, label, bound.fragments, bound.text)


SYSTEMS: Mapping[str, tuple[_Fault, float]] = {
    "careful": (_lost, 0.05),
    "off-by-some": (_moved, 0.20),
    "label-mixer": (_confused, 0.20),
}
"""System to the kind of fault it makes and how often it makes it in the easier group."""


def predict(system: str, documents: Mapping[str, Document], about: Mapping[str, About], seed: int) -> dict[str, Document]:
    """What a system of known quality gives for these documents; the same seed gives the same run."""
    fault, often = SYSTEMS[system]
    random = Random(f"{system} {seed}")  # noqa: S311 - nothing is secret here
    found: dict[str, Document] = {}
    for id_, document in documents.items():
        chance = often * (_HARDER if about[id_].scale == "pilot" else 1)
        text = document.text or ""
        bounds = (fault(each, text, random) if random.random() < chance else each for each in document.text_bounds)
        found[id_] = Document(id_, tuple(each for each in bounds if each is not None), text)
    return found


def pack_run(system: str, split: str, corpus: DemoCorpus, seed: int) -> bytes:
    """The upload of a system for a split: a zip of .ann files."""
    predicted = predict(system, corpus.splits[split], corpus.about, seed)
    return pack_zip((f"{id_}.ann", write(each).encode()) for id_, each in predicted.items())
