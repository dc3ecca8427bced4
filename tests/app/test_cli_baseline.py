"""`assay baseline` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from baselines.protocol import Corpus
from baselines.search import Result as Draw
from baselines.search import search
from brat.files import read_path
from brat.write import write
from tests.baselines.demo import corpus, splits


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demonstration's splits in folders, and texts alone."""
    for name, documents in splits().items():
        for id_, each in documents.items():
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / f"{id_}.txt").write_bytes((each.text or "").encode())
            (tmp_path / name / f"{id_}.ann").write_bytes(write(each).encode())
    (tmp_path / "texts").mkdir()
    for id_, each in splits()["test"].items():
        (tmp_path / "texts" / f"{id_}.txt").write_bytes((each.text or "").encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assay(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["baseline", *arguments])


def test_train_predict_and_vote(here: Path) -> None:
    told = assay("train", "crf+cooccurrence", "--train", "train", "--dev", "dev", "--out", "model", "--set", "iterations=20")
    assert told.exit_code == 0, told.output
    assert "model: crf+cooccurrence, trained on 20 documents" in told.output
    assert "Flattened: " in told.output
    told = assay("predict", "model", "texts", "--out", "run")
    assert told.exit_code == 0, told.output
    assert "annotations in 5 documents" in told.output
    assert set(read_path(here / "run")) == {f"{id_}.ann" for id_ in splits()["test"]}
    assert (here / "run" / f"{next(iter(splits()['test']))}.ann").read_text().count("ARG") > 0
    checked = CliRunner().invoke(main, ["check", "run", "--texts", "texts"])
    assert checked.exit_code == 0, checked.output
    told = assay("vote", "run", "run", "test", "--texts", "texts", "--out", "voted.zip")
    assert told.exit_code == 0, told.output
    again = assay("train", "dictionary", "--train", "train", "--out", "model")
    assert (again.exit_code, "model: not empty" in again.output) == (1, True)
    assert not (here / "model.partial").exists()


def test_linkers_take_entities_from_beside_the_texts(here: Path) -> None:
    assert assay("train", "nearest-trigger", "--train", "train", "--out", "model").exit_code == 0
    told = assay("predict", "model", "texts", "--out", "run")
    assert (told.exit_code, "there is none in what it is given" in told.output) == (1, True)
    assert assay("predict", "model", "test", "--out", "run").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("train", "crff", "--train", "train", "--out", "m"), 1, "there is no method called crff; did you mean crf?"),
        (("train", "crf", "--train", "train", "--out", "m", "--set", "c3=1"), 1, "there is no setting called c3"),
        (("train", "crf", "--train", "train", "--out", "m", "--set", "c1"), 2, "key=value is expected"),
        (("train", "crf", "--train", "nowhere", "--out", "m"), 2, "nowhere"),
        (("train", "crf", "--train", "empty", "--out", "m"), 1, "empty: no .txt file"),
        (("train", "crf", "--train", "texts", "--out", "m"), 1, "none of the 5 documents to train on has an annotation"),
        (("train", "crf", "--train", "broken", "--out", "m"), 1, "d.ann:1:6: error [span-outside-text]"),
        (("train", "crf", "--train", "train", "--out", "/proc/self/no/m"), 1, "/proc/self/no"),
        (("predict", "texts", "texts", "--out", "r"), 1, "no model is there"),
        (("search", "dictionary", "--train", "train", "--dev", "dev", "--out", "s"), 1, "dictionary has no setting to search"),
        (("search", "crf+cooccurrence", "--train", "train", "--dev", "dev", "--out", "s"), 1, "one method at a time"),
    ],
)
def test_errors_are_told(here: Path, arguments: tuple[str, ...], status: int, told: str) -> None:
    (here / "empty").mkdir()
    (here / "broken").mkdir()
    (here / "broken" / "d.txt").write_text("acid")
    (here / "broken" / "d.ann").write_text("T1\tX 0 9\tacid and more\n")
    answer = assay(*arguments)
    assert (answer.exit_code, told in answer.output) == (status, True), answer.output
    assert "Traceback" not in answer.output
    assert not (here / "m").exists()


def test_what_is_there_is_listed() -> None:
    told = assay("list").output
    for name in ("dictionary", "crf", "bilstm-crf", "relation-transformer", "majority-vote"):
        assert f"{name}: " in told
    assert "    c2 (float) = 0.02" in told


def test_a_search_goes_on_where_it_was(here: Path) -> None:
    arguments = ("search", "crf", "--train", "train", "--dev", "dev", "--out", "found", "--set", "iterations=5")
    first = assay(*arguments, "--samples", "2")
    assert first.exit_code == 0, first.output
    lines = (here / "found" / "results.jsonl").read_text().splitlines()
    assert len(lines) == 2
    (here / "found" / "results.jsonl").write_text("\n".join(lines) + '\n{"number": 3, "sett')  # cut off while it was written
    second = assay(*arguments, "--samples", "3")
    assert second.exit_code == 0, second.output
    assert "Draw 3 of 3" in second.output
    assert "Draw 2 of 3" not in second.output
    rows = [line.split("\t") for line in second.stdout.splitlines() if line[:1].isdigit()]
    assert [float(row[1]) for row in rows] == sorted((float(row[1]) for row in rows), reverse=True)
    assert len({row[3] for row in rows}) == 3
    assert all(float(row[1]) < 1 for row in rows), "no draw has learned from what judges it"
    assert assay("predict", "found/best", "texts", "--out", "run").exit_code == 0
    other = assay("search", "crf", "--train", "train", "--dev", "dev", "--out", "found", "--seed", "2")
    assert (other.exit_code, "it holds another search" in other.output) == (1, True)


def test_a_draw_that_fails_is_a_result(tmp_path: Path) -> None:
    told: list[Draw] = []
    fixed = {"device": "cpu", "epochs": "1", "model": "/nowhere", "embeddings": "transformer"}
    found = search("bilstm-crf", corpus(), fixed, tmp_path, samples=1, seed=1, watch=_Quiet(), tell=told.append)
    assert found == told
    assert (found[0].f1, found[0].note.startswith("model: /nowhere is no checkpoint")) == (None, True)
    assert json.loads((tmp_path / "results.jsonl").read_text())["f1"] is None
    assert not (tmp_path / "best").exists()
    assert Corpus({}).dev == {}


class _Quiet:
    folder: Path | None = None

    def step(self, done: int, of: int, what: str) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """Nothing."""
