"""A linear-chain conditional random field over features of tokens (METHODS, section 1, the baseline of ChEMU's first track)."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.features import features_of
from baselines.protocol import BaselineError, Corpus, Watch, needs_documents
from baselines.sequences import as_documents, tag_sentences, tell_lost, untagged
from baselines.settings import within
from baselines.spaces import LogUniform, Space
from brat.model import Document

_FILE, _DIGEST = "model.crfsuite", "model.sha256"
_EVERY = 200
"""Sentences between two reports."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How it is trained, by L-BFGS.

    Attributes:
        c1, c2: weights of the L1 and L2 penalties.
        iterations: at most.
        rare: features that occur less often are left out.
    """

    c1: float = 0.05
    c2: float = 0.02
    iterations: int = 120
    rare: int = 1

    def __post_init__(self) -> None:
        within(self, c1=(0, 1e6), c2=(0, 1e6), iterations=(1, 100_000), rare=(1, 1_000_000))


SPACE: Space = {"c1": LogUniform(0.001, 1), "c2": LogUniform(0.001, 1)}


@dataclass(frozen=True, slots=True)
class Model:
    """What CRFsuite made, as it writes it."""

    data: bytes


def _make_trainer(settings: Settings, watch: Watch) -> tuple[Any, list[BaseException]]:
    """A trainer that tells how far it is; and what the watch raised, which would be lost in CRFsuite's own code."""
    import pycrfsuite  # noqa: PLC0415 - settings are read without it

    stopped: list[BaseException] = []

    class Trainer(pycrfsuite.Trainer):  # type: ignore[misc] # without types
        def message(self, message: str) -> None:
            """What CRFsuite says."""
            if message.startswith("***** Iteration #"):
                number = int(message.split("#", 1)[1].split(maxsplit=1)[0])
                try:
                    watch.step(number, settings.iterations, "iterations")
                except BaseException as bad:
                    stopped.append(bad)

    return Trainer(algorithm="lbfgs", verbose=True), stopped


def train(corpus: Corpus, settings: Settings, watch: Watch) -> Model:
    """Train on all sentences, those of dev too: there is no epoch to pick.

    Raises:
        BaselineError: there is nothing to train on.
        StoppedError: the watch says so.
    """
    needs_documents(corpus)
    sentences, lost = tag_sentences({**corpus.train, **corpus.dev}, corpus.triggers)
    tell_lost(lost, watch)
    trainer, stopped = _make_trainer(settings, watch)
    for number, sentence in enumerate(sentences):
        trainer.append(features_of(sentence), sentence.labels)
        if number % _EVERY == 0:
            watch.step(number, len(sentences), "sentences read")
    trainer.set_params(
        {"c1": settings.c1, "c2": settings.c2, "max_iterations": settings.iterations, "feature.minfreq": settings.rare}
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _FILE
        trainer.train(str(file))
        if stopped:
            raise stopped[0]
        return Model(file.read_bytes())


def predict(model: Model, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
    """Tag every sentence."""
    import pycrfsuite  # noqa: PLC0415

    tagger: Any = pycrfsuite.Tagger()
    tagger.open_inmemory(model.data)
    sentences, labels = untagged(documents), []
    for number, sentence in enumerate(sentences):
        labels.append(list(tagger.tag(features_of(sentence))))
        if number % _EVERY == 0:
            watch.step(number, len(sentences), "sentences tagged")
    return as_documents(documents, sentences, labels)


def save(model: Model, folder: Path) -> None:
    """As CRFsuite's own file."""
    (folder / _FILE).write_bytes(model.data)
    (folder / _DIGEST).write_text(hashlib.sha256(model.data).hexdigest())


def load(folder: Path, device: str) -> Model:  # noqa: ARG001 - one protocol
    """The same again.

    Raises:
        BaselineError: the file is not one of CRFsuite's.
    """
    data = (folder / _FILE).read_bytes()
    # CRFsuite ends the whole process over a file that is broken.
    if (folder / _DIGEST).read_text().strip() != hashlib.sha256(data).hexdigest():
        raise BaselineError(f"{folder / _FILE} is not a model of CRFsuite, or was damaged")
    return Model(data)
