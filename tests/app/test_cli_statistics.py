"""`assay statistics` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from app.cli.main import main


def split(folder: Path, name: str, label: str) -> str:
    target = folder / name
    target.mkdir()
    (target / f"{name}1.txt").write_text("acid and lye")
    (target / f"{name}1.ann").write_text(f"T1\t{label} 0 4\tacid\n")
    return str(target)


def test_splits_and_attributes(tmp_path: Path) -> None:
    paths = [split(tmp_path, "train", "X"), split(tmp_path, "test", "Y")]
    (tmp_path / "m.tsv").write_text("document\tclass\ntrain1\tA61K\ntest1\tC07D\n")
    metadata = str(tmp_path / "m.tsv")
    told = CliRunner().invoke(main, ["statistics", *paths, "--metadata", metadata])
    assert told.exit_code == 0, told.output
    assert "Share of class in each split" in told.output
    found = json.loads(CliRunner().invoke(main, ["statistics", *paths, "--format", "json"]).stdout)
    assert [each["split"] for each in found["splits"]] == ["train", "test", "all"]
    for arguments, status, message in (
        ([paths[0], paths[0]], 2, "named twice"),
        ([paths[0], "--by", "class"], 2, "--metadata"),
        ([paths[0], "--metadata", metadata, "--by", "x"], 1, "no column is called x"),
        ([str(tmp_path / "no")], 2, "no"),
    ):
        refused = CliRunner().invoke(main, ["statistics", *arguments])
        assert (refused.exit_code, message in refused.output) == (status, True), refused.output
