"""The methods by name, and what each needs to be installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from baselines.protocol import Asks, BaselineError, Method
from baselines.settings import unknown

EXTRA = "pip install '.[baselines]'"
"""What installs everything that some method needs."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a method before its module is imported.

    Attributes:
        module: of this package.
        asks: what it finds.
        summary: in a line, for people who choose.
        needs: packages that the extra installs.
        heavy: whether it is worth a GPU.
        epochs: whether it is trained by epochs, of which dev picks the best.
    """

    name: str
    module: str
    asks: Asks
    summary: str
    needs: tuple[str, ...] = ()
    heavy: bool = False
    epochs: bool = False


_ALL = (
    About("dictionary", "dictionary", Asks.ENTITIES, "Tags the strings of train: the memoriser"),
    About("crf", "crf", Asks.ENTITIES, "A conditional random field over features of tokens, like BANNER", ("pycrfsuite",)),
    About("spacy", "spacy_ner", Asks.ENTITIES, "spaCy's entity recogniser", ("spacy",), epochs=True),
    About(
        "bilstm-crf",
        "bilstm_crf",
        Asks.ENTITIES,
        "Flair's BiLSTM-CRF over one of three embeddings",
        ("flair", "torch"),
        heavy=True,
        epochs=True,
    ),
    About(
        "transformer",
        "transformer",
        Asks.ENTITIES,
        "Tokens labelled by a transformer",
        ("transformers", "torch"),
        heavy=True,
        epochs=True,
    ),
    About("majority-vote", "majority_vote", Asks.ENTITIES, "What most of several methods, or runs, agree on"),
    About("cooccurrence", "cooccurrence", Asks.RELATIONS, "Words of train as triggers, and every relation seen, in a sentence"),
    About("nearest-trigger", "nearest_trigger", Asks.RELATIONS, "Each entity with the nearest trigger of its sentence"),
    About(
        "relation-transformer",
        "relation_transformer",
        Asks.RELATIONS,
        "Pairs judged by a transformer, with marks in their place",
        ("transformers", "torch"),
        heavy=True,
        epochs=True,
    ),
)
METHODS: Mapping[str, About] = {each.name: each for each in _ALL}


def find_method(name: str) -> About:
    """A method by name.

    Raises:
        BaselineError: there is none of that name.
    """
    if name not in METHODS:
        raise BaselineError(unknown("method", name, METHODS))
    return METHODS[name]


def missing(about: About) -> list[str]:
    """The packages that a method needs and that are not there."""
    return [each for each in about.needs if importlib.util.find_spec(each) is None]


def module_of(about: About) -> Method:
    """The module of a method; its settings can be read whatever is installed."""
    return cast("Method", importlib.import_module(f"baselines.{about.module}"))


def import_method(about: About) -> Method:
    """The module of a method, to be used.

    Raises:
        BaselineError: what it needs is not installed.
    """
    lacking = missing(about)
    if lacking:
        raise BaselineError(f"{about.name} needs {', '.join(lacking)}: {EXTRA} installs it")
    return module_of(about)
