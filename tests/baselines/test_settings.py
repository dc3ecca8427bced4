"""Names, settings and what they may be."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from baselines import bilstm_crf, crf, recipes
from baselines.methods import METHODS, module_of
from baselines.protocol import BaselineError, Corpus
from baselines.recipes import parse_all, parse_recipe
from baselines.settings import described, parse_settings
from brat.model import Document, TextBound

ONE = Document("d", (TextBound("T1", "X", ((0, 4),), "acid"),), "acid and lye")


def test_texts_become_what_the_setting_is() -> None:
    found = parse_settings(bilstm_crf.Settings, {"hidden": "64", "lr": "1e-3", "fine_tune": "yes", "embeddings": "word/flair"})
    assert (found.hidden, found.lr, found.fine_tune, found.kinds) == (64, 0.001, True, ["word", "flair"])


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (crf.Settings, {"c3": "1"}, "there is no setting called c3; did you mean c2? There are: c1, c2, iterations, rare"),
        (crf.Settings, {"c1": "much"}, "c1: a number is expected, not 'much'"),
        (crf.Settings, {"iterations": "1.5"}, "iterations: a whole number is expected, not '1.5'"),
        (crf.Settings, {"c1": "-1"}, "c1: between 0 and 1e+06 is expected, not -1.0"),
        (crf.Settings, {"c1": "nan"}, "c1: between 0 and 1e+06 is expected, not nan"),
        (bilstm_crf.Settings, {"fine_tune": "maybe"}, "fine_tune: yes or no is expected, not 'maybe'"),
        (bilstm_crf.Settings, {"embeddings": "wrd"}, "embeddings: some of word, flair, transformer are expected"),
        (bilstm_crf.Settings, {"optimiser": "x"}, "optimiser: one of adamw, sgd is expected"),
    ],
)
def test_unusable_ones_are_told(kind: type[Any], given: dict[str, str], message: str) -> None:
    with pytest.raises(BaselineError) as told:
        parse_settings(kind, given)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crv", "there is no method called crv; did you mean crf?"),
        ("cooccurrence+crf", "a method, or one for entities + one for relations, is expected"),
        ("crf+crf", "is expected"),
    ],
)
def test_unknown_recipes(name: str, message: str) -> None:
    with pytest.raises(BaselineError) as told:
        parse_recipe(name)
    assert message in str(told.value)


def test_settings_find_their_method() -> None:
    first, second = parse_all(parse_recipe("crf+cooccurrence"), {"crf.c2": "3", "least": "2"})
    assert (first.c2, second.least) == (3, 2)
    with pytest.raises(BaselineError, match="no method in this recipe called spacy"):
        parse_all(parse_recipe("crf+cooccurrence"), {"spacy.lr": "1"})


@pytest.mark.parametrize("name", list(METHODS))
def test_every_setting_has_a_plain_default(name: str) -> None:
    for setting, kind, default in described(module_of(METHODS[name]).Settings):
        assert setting.isidentifier()
        assert kind in {"int", "float", "bool", "str"}
        assert default == str(default)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "majority-vote"])
def test_nothing_to_train_on(name: str) -> None:
    with pytest.raises(BaselineError, match="there is no document to train on"):
        recipes.train(name, Corpus({}), {})
    with pytest.raises(BaselineError, match="none of the 1 documents to train on has an annotation"):
        recipes.train(name, Corpus({"d": Document("d", (), "acid")}), {})


def test_what_is_not_installed_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baselines.methods.missing", lambda about: ["flair"] if about.name == "bilstm-crf" else [])
    with pytest.raises(BaselineError, match=r"bilstm-crf needs flair: pip install '\.\[baselines\]' installs it"):
        recipes.train("bilstm-crf", Corpus({"d": ONE}), {})


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("transformer", {"model": "/nowhere/bert"}, "model: /nowhere/bert is no checkpoint that is there"),
        ("bilstm-crf", {"vectors": "/nowhere/vectors"}, "vectors: there is no file /nowhere/vectors; `tiny` are trained"),
        ("bilstm-crf", {"embeddings": "flair", "forward": "/nowhere/lm"}, "forward: there is no file /nowhere/lm"),
        ("transformer", {"device": "cuda"}, "there is no GPU here that torch can use"),
        ("transformer", {"device": "tpu"}, "device: one of auto, cpu, cuda is expected"),
        ("spacy", {"language": "qq"}, "language: spaCy knows none called qq"),
    ],
)
def test_what_is_not_there(name: str, given: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if given.get("device") == "cuda" and torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(BaselineError) as told:
        recipes.train(name, Corpus({"d": ONE}), given)
    assert message in str(told.value)
