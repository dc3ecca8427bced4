"""`assay faults` at the terminal."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from app.cli.main import main


def test_at_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "d.txt").write_text("lye, lye, lye")
    (folder / "d.ann").write_text("T1\tX 0 3\tlye\nT2\tX 5 8\tlye\nT3\tY 10 13\tlye\n")
    told = CliRunner().invoke(main, ["faults", str(folder), str(folder)])
    assert told.exit_code == 0, told.output
    assert "another label elsewhere" in told.output
    assert CliRunner().invoke(main, ["faults", str(folder), "--format", "csv"]).stdout.startswith("table,row")
