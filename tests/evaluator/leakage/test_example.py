"""The example that runs block against block under Dask finds what we find."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from evaluator.leakage.similarity import find_similarity

EXAMPLE = Path(__file__).parents[3] / "examples" / "leakage_dask.py"


def test_the_same_under_dask(tmp_path: Path) -> None:
    train = {f"t{i}": f"word {i} and {i % 3} of {i % 5}" for i in range(20)}
    test = {f"x{i}": f"and {i} of word {i % 4}" for i in range(9)}
    for name, texts in (("train", train), ("test", test)):
        (tmp_path / name).mkdir()
        for id_, text in texts.items():
            (tmp_path / name / f"{id_}.txt").write_text(text)
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "train"), str(tmp_path / "test"), "--block", "4"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=EXAMPLE.parents[1]).stdout

    expected = [f"{each.document}\t{each.nearest}\t{each.similarity:.4f}" for each in find_similarity(train, test).neighbours]
    assert told.splitlines() == expected
