"""What every method has in common: what it is trained on, and what it says while it works.

A method is a module with a frozen dataclass `Settings`, whose defaults hold where nothing is said, and four functions:

- `train(corpus, settings, watch) -> model`
- `predict(model, documents, watch) -> documents`, of each id; spans are offsets of its text
- `save(model, folder)` and `load(folder, device) -> model`

Toolkits are imported inside of these, so that settings can be read without them. `baselines.methods` knows
the methods by name. A run is what a method adds: documents that come with entities keep them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from brat.model import Document


class BaselineError(ValueError):
    """Training or tagging cannot be done; the message is for the person who asked, and says what would help."""


class StoppedError(Exception):
    """The work was asked to stop."""


class Asks(StrEnum):
    """What a method finds: entities, or, between entities that it is given, triggers and relations."""

    ENTITIES = "entities"
    RELATIONS = "relations"


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a method is trained on.

    Attributes:
        train: documents with texts, by id.
        dev: likewise, to pick the best epoch; none where a method needs none.
        triggers: labels that are those of triggers, not of entities.
    """

    train: Mapping[str, Document]
    dev: Mapping[str, Document] = field(default_factory=dict)
    triggers: frozenset[str] = frozenset()


class Watch(Protocol):
    """Follows a method at work, and may stop it."""

    def step(self, done: int, of: int, what: str) -> None:
        """So much of the work is done.

        Raises:
            StoppedError: it shall stop.
        """

    def say(self, message: str) -> None:
        """Something that a person should know, as a line of a log."""

    @property
    def folder(self) -> Path | None:
        """Where what was reached so far is kept, so that a job that is started again goes on; None for nowhere."""


class Quiet:
    """Nobody follows."""

    folder: Path | None = None

    def step(self, done: int, of: int, what: str) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """Nothing."""


class Method(Protocol):
    """The module of a method; see above."""

    Settings: type[Any]

    def train(self, corpus: Corpus, settings: Any, watch: Watch) -> Any:
        """A model of documents."""

    def predict(self, model: Any, documents: Mapping[str, Document], watch: Watch) -> dict[str, Document]:
        """What the model finds in texts."""

    def save(self, model: Any, folder: Path) -> None:
        """Write a model into an empty folder."""

    def load(self, folder: Path, device: str) -> Any:
        """The model in a folder."""


def needs_documents(corpus: Corpus) -> None:
    """See that there is something to train on.

    Raises:
        BaselineError: there is no document, or none with an annotation.
    """
    if not corpus.train:
        raise BaselineError("there is no document to train on")
    if not any(True for each in corpus.train.values() for _ in each.text_bounds):
        raise BaselineError(f"none of the {len(corpus.train)} documents to train on has an annotation")
