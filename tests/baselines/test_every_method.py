"""Every row of the table of methods: trained on the demonstration, saved, loaded, and run; offsets survive, seeds hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from baselines import bilstm_crf, recipes, relation_transformer, transformer
from baselines.checkpoints import window_of
from baselines.links import Pair
from baselines.protocol import BaselineError, Corpus, Quiet, StoppedError
from baselines.sequences import untagged
from baselines.tiny import make_bert
from baselines.torch_training import THREADS
from brat.model import Document, Relation, TextBound, covered_text
from evaluator.release import entities_only
from tests.baselines.demo import SMALL, TRIGGERS, corpus, splits

MORE = {
    "bilstm-crf flair": ("bilstm-crf", {"embeddings": "flair", "lm_epochs": "1", **SMALL["bilstm-crf"], "epochs": "1"}),
    "bilstm-crf stacked": (
        "bilstm-crf",
        {**SMALL["bilstm-crf"], "embeddings": "word/transformer", "fine_tune": "yes", "optimiser": "sgd", "epochs": "1"},
    ),
    "transformer with crf": ("transformer", {**SMALL["transformer"], "crf": "yes", "mixed": "yes", "epochs": "3"}),
}
CASES = {name: (name, settings) for name, settings in SMALL.items()} | MORE


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "1")


def asked() -> dict[str, Document]:
    labels = {each.label for one in splits()["train"].values() for each in one.text_bounds} - TRIGGERS
    return {id_: entities_only(each, labels) for id_, each in splits()["test"].items()}


@pytest.mark.parametrize("case", list(CASES))
def test_trained_saved_loaded_and_run(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    trained = recipes.train(name, corpus(), settings)
    run = recipes.predict(trained, asked())
    recipes.save(trained, tmp_path / "model")
    loaded = recipes.load(tmp_path / "model", "cpu")
    assert (loaded.name, loaded.settings, loaded.triggers) == (name, trained.settings, TRIGGERS)
    assert recipes.predict(loaded, asked()) == run
    assert run.keys() == splits()["test"].keys()
    for id_, document in run.items():
        text = splits()["test"][id_].text or ""
        ids = [each.id for each in document.annotations if isinstance(each, (TextBound, Relation))]
        assert len(set(ids)) == len(ids)
        for each in document.text_bounds:
            assert each.text == covered_text(text, each.fragments).replace("\n", " ")
    if name not in ("bilstm-crf", "spacy"):  # which learn nothing yet in two epochs
        assert any(document.annotations for document in run.values())
    with pytest.raises(BaselineError, match="not empty"):
        recipes.save(trained, tmp_path / "model")


@pytest.mark.parametrize("name", ["crf", "spacy", "bilstm-crf", "transformer"])
def test_the_same_seed_gives_the_same_run(name: str) -> None:
    small = Corpus(dict(list(splits()["train"].items())[:8]), triggers=TRIGGERS)
    settings = {**SMALL[name], **({"epochs": "1"} if "epochs" in SMALL[name] else {})}
    first, second = (recipes.predict(recipes.train(name, small, settings), asked()) for _ in range(2))
    assert first == second


def test_a_model_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"no model is there \(model.json is missing\)"):
        recipes.load(tmp_path)
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(BaselineError, match="not the description of a model"):
        recipes.load(tmp_path)
    told = {"format": 2, "recipe": "crf", "settings": [{}], "triggers": [], "documents": [1, 0]}
    (tmp_path / "model.json").write_text(json.dumps(told))
    with pytest.raises(BaselineError, match="a model of format 2; this version reads 1"):
        recipes.load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({**told, "format": 1}))
    (tmp_path / "0-crf").mkdir()
    (tmp_path / "0-crf" / "model.crfsuite").write_bytes(b"lCRF and more")
    (tmp_path / "0-crf" / "model.sha256").write_text("of something else")
    with pytest.raises(BaselineError, match="not a model of CRFsuite"):
        recipes.load(tmp_path)


@pytest.mark.parametrize("name", ["transformer", "spacy", "bilstm-crf", "crf"])
def test_a_model_that_was_damaged(name: str, tmp_path: Path) -> None:
    settings = {**SMALL[name], **_once(name)}
    recipes.save(recipes.train(name, Corpus(splits()["train"], triggers=TRIGGERS), settings), tmp_path / "m")
    files = [each for each in (tmp_path / "m" / f"0-{name}").rglob("*") if each.is_file() and each.stat().st_size > 300]
    max(files, key=lambda each: each.stat().st_size).write_bytes(b"what is this")
    with pytest.raises(BaselineError, match=r"cannot be read|not a model of CRFsuite"):
        recipes.load(tmp_path / "m", "cpu")


class _Killed(Quiet):
    """Kept in a folder, and killed in the middle of an epoch."""

    def __init__(self, folder: Path, epoch: int) -> None:
        self.folder, self._epoch = folder, epoch

    def step(self, done: int, of: int, what: str) -> None:
        if what == f"items of epoch {self._epoch}":
            raise StoppedError


@pytest.mark.parametrize("name", ["transformer", "bilstm-crf"])
def test_what_was_killed_ends_as_if_it_had_not_been(name: str, tmp_path: Path) -> None:
    small = Corpus(dict(list(splits()["train"].items())[:6]), triggers=TRIGGERS)
    settings = {**SMALL[name], "epochs": "3"}
    whole = recipes.predict(recipes.train(name, small, settings), asked())
    with pytest.raises(StoppedError):
        recipes.train(name, small, settings, _Killed(tmp_path, 3))
    resumed = recipes.train(name, small, settings, _Killed(tmp_path, 0))
    assert recipes.predict(resumed, asked()) == whole


def test_a_sentence_longer_than_the_window_is_split_and_none_of_it_is_lost() -> None:
    text = " ".join(f"word{i}" for i in range(300)) + " acid"
    encoder, tokenizer = make_bert([text])
    (sentence, *rest) = untagged({"d": Document("d", (), text)})
    assert not rest
    window = window_of(encoder, tokenizer)
    parts = transformer.fit(tokenizer, sentence, window)
    assert len(parts) > 1
    assert [token for part in parts for token in part.sentence.tokens] == list(sentence.sentence.tokens)
    for part in parts:
        assert len(tokenizer(part.words, is_split_into_words=True)["input_ids"]) <= window
    trained = recipes.train("transformer", corpus(), {**SMALL["transformer"], "epochs": "1"})
    run = recipes.predict(trained, {"d": Document("d", (), text * 2)})["d"]
    for each in run.text_bounds:
        assert each.text == covered_text(text * 2, each.fragments)


def test_marks_of_a_long_sentence_stay_in_the_window() -> None:
    trained = recipes.train("relation-transformer", corpus(), SMALL["relation-transformer"])
    model: relation_transformer.Model = trained.parts[0].model
    text = " ".join(["before"] * 400 + ["added"] + ["between"] * 20 + ["acid"] + ["behind"] * 400)
    start = text.index("added"), text.index("acid")
    pair = Pair(
        TextBound("T1", "REACTION_STEP", ((start[0], start[0] + 5),)), TextBound("T2", "SOLVENT", ((start[1], start[1] + 4),))
    )
    marked = relation_transformer.with_marks(text, (0, len(text)), pair, TRIGGERS)
    window = window_of(model.encoder, model.tokenizer)
    for case in (marked, marked.replace("between", "far apart " * 40)):
        cut = relation_transformer._around(model, case, window)
        assert "@TRIGGER$" in cut
        assert "@SOLVENT$" in cut
        assert len(model.tokenizer(cut)["input_ids"]) <= window


def test_labels_that_dev_alone_has_do_no_harm() -> None:
    strange = {id_: _relabelled(each) for id_, each in splits()["dev"].items()}
    for name in ("spacy", "transformer", "bilstm-crf"):
        settings: Mapping[str, str] = {**SMALL[name], "epochs": "1"}
        recipes.train(name, Corpus(splits()["train"], strange, TRIGGERS), settings)


def _relabelled(document: Document) -> Document:
    bounds = (TextBound(each.id, "NEVER_SEEN", each.fragments, each.text) for each in document.text_bounds)
    return Document(document.id, tuple(bounds), document.text)


def test_a_text_without_a_word_is_tagged_with_nothing() -> None:
    for name in ("crf", "spacy", "bilstm-crf", "transformer"):
        trained = recipes.train(name, Corpus(splits()["train"], triggers=TRIGGERS), {**SMALL[name], **_once(name)})
        assert recipes.predict(trained, {"d": Document("d", (), " \n")})["d"].annotations == ()
        assert recipes.predict(trained, {}) == {}


def _once(name: str) -> dict[str, str]:
    return {"epochs": "1"} if "epochs" in SMALL[name] else {}


def test_flair_reads_vectors_that_gensim_wrote(tmp_path: Path) -> None:
    from baselines.tiny import make_vectors  # noqa: PLC0415 - gensim takes a second

    file = tmp_path / "own.gensim"
    words = [each.words for each in untagged(splits()["train"])]
    make_vectors(words, 8, 1).save(str(file))
    settings = {**SMALL["bilstm-crf"], "epochs": "1", "vectors": str(file)}
    trained = recipes.train("bilstm-crf", corpus(), settings)
    assert isinstance(trained.parts[0].model, bilstm_crf.Model)
    (tmp_path / "broken").write_text("no vectors")
    with pytest.raises(BaselineError, match="is no file of vectors that gensim reads"):
        recipes.train("bilstm-crf", corpus(), {**settings, "vectors": str(tmp_path / "broken")}, Quiet())
