"""`assay difficulty` at the terminal, on runs of real systems."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from app.cli.main import main
from brat.files import read_path
from tests.shared import shared


def test_three_real_systems(tmp_path: Path) -> None:
    """Exact matches of the first fifty documents of dev are as many as the instances' easiness says."""
    gold = read_path(shared("data", "pharmaconer", "dev-set.zip"))
    names = sorted({name.rpartition("/")[2].rpartition(".")[0] for name in gold})[:50]
    paths = [tmp_path / "gold"]
    paths[0].mkdir()
    for name, data in gold.items():
        stem, _, suffix = name.rpartition("/")[2].rpartition(".")
        if stem in names and suffix in ("txt", "ann"):
            (paths[0] / f"{stem}.{suffix}").write_bytes(data)
    for run in sorted(shared("data", "pharmaconer", "runs").iterdir())[:3]:
        target = tmp_path / run.name
        target.mkdir()
        for name, data in read_path(run).items():
            stem = name.rpartition("/")[2].rpartition(".")[0]
            if stem in names:
                (target / f"{stem}.ann").write_bytes(data)
        paths.append(target)
    told = CliRunner().invoke(main, ["difficulty", *map(str, paths), "--format", "json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    right = sum(each["exact"] for each in found["instances"]) * 3
    total = 0
    for run in paths[1:]:
        scored = CliRunner().invoke(main, ["score", str(paths[0]), str(run), "--span", "exact", "--format", "json"])
        total += next(each["tp"] for each in json.loads(scored.stdout)["scores"] if each["label"] == "all")
    assert round(right) == total > 0
    assert CliRunner().invoke(main, ["difficulty", *map(str, paths), "--train", str(paths[0])]).exit_code == 0
