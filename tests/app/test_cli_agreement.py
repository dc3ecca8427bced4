"""`assay agreement` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import main
from tests.shared import shared


def write(folder: Path, annotations: str) -> str:
    folder.mkdir(parents=True)
    (folder / "d.txt").write_text("acid and lye")
    (folder / "d.ann").write_text(annotations)
    return str(folder)


def test_tables_and_files(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, f"T1\t{label} 0 4\tacid\n") for name, label in (("one", "X"), ("two", "Y"))]
    told = CliRunner().invoke(main, ["agreement", *paths])
    assert told.exit_code == 0, told.output
    assert "Cohen's kappa" in told.output
    assert "acid" in told.output
    found = json.loads(CliRunner().invoke(main, ["agreement", *paths, "--format", "json"]).output)
    assert found["disagreements"][0]["said"] == {"one": "X", "two": "Y"}
    for arguments, message in (
        ([paths[0]], "two annotators or more"),
        ([paths[0], paths[0]], "named twice"),
        ([paths[0], str(tmp_path / "no")], "no"),
    ):
        refused = CliRunner().invoke(main, ["agreement", *arguments])
        assert (refused.exit_code, message in refused.output) == (2, True)


def test_the_sample_of_chemu() -> None:
    """Entities of `ner`: gold and a system as two annotators. F1 is what `assay score` says (tests/oracle)."""
    folder = shared("data", "chemu-sample", "ner")
    told = CliRunner().invoke(main, ["agreement", str(folder / "gold"), str(folder / "run"), "--format", "json"])
    scored = CliRunner().invoke(
        main, ["score", str(folder / "gold"), str(folder / "run"), "--span", "exact", "--format", "json"]
    )
    (pair,) = json.loads(told.stdout)["pairs"]
    ours = next(each for each in pair["scores"] if (each["label"], each["span"]) == ("all", "exact"))
    theirs = next(each for each in json.loads(scored.stdout)["scores"] if each["label"] == "all")
    assert ours["f1"] == pytest.approx(theirs["f1"])
    kappa = pair["kappa"][0]
    assert kappa["agreed"] == ours["tp"]
    assert max(ours["tp"] + ours["fp"], ours["tp"] + ours["fn"]) <= kappa["units"] <= ours["tp"] + ours["fp"] + ours["fn"]
    assert 0 < kappa["kappa"] < 1
