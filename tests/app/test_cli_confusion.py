"""`assay confusion`, as a process would see it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from evaluator.analysis.confusion import NEG, Confusion
from tests.shared import shared

CHEMU = Path(tasks.__file__).parent / "chemu2020"
TEXT = "alpha beta gamma delta"
GOLD = "T1\tAA 0 5\talpha\nT2\tBB 6 10\tbeta\nT3\tCC 11 16\tgamma\n"
RUN = "T1\tAA 0 5\talpha\nT2\tAA 6 10\tbeta\nT3\tDD 17 22\tdelta\n"


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    gold, run = tmp_path / "gold", tmp_path / "run"
    gold.mkdir()
    run.mkdir()
    (gold / "d.txt").write_text(TEXT)
    (gold / "d.ann").write_text(GOLD)
    (run / "d.ann").write_text(RUN)
    return gold, run


def test_a_table_with_examples(sides: tuple[Path, Path]) -> None:
    result = assay("confusion", *sides, "--examples", "1")

    assert result.exit_code == 0
    table, *examples, signature = result.stdout.split("\n\n")
    assert table.split("\n") == [
        "exact spans; rows are gold, columns the run",
        "       AA  BB  CC  DD  NEG  all",
        "1 AA    1   ·   ·   ·    ·    1",
        "2 BB    1   ·   ·   ·    ·    1",
        "3 CC    ·   ·   ·   ·    1    1",
        "4 DD    ·   ·   ·   ·    ·    0",
        "  NEG   ·   ·   ·   1    ·    1",
        "  all   2   0   0   1    1",
    ]
    assert examples == [
        "gold BB, run AA: 1\n  d 6-10  alpha [beta] gamma delta",
        "gold CC, run NEG: 1\n  d 11-16  alpha beta [gamma] delta",
        "gold NEG, run DD: 1\n  d 17-22  alpha beta gamma [delta]",
    ]
    assert signature.startswith("signature assay:")
    assert "|criteria:exact-any|" in signature


def test_a_wide_table_calls_its_columns_by_numbers(tmp_path: Path) -> None:
    labels = [f"A_LONG_LABEL_{i:02}" for i in range(12)]
    (tmp_path / "g.ann").write_text("".join(f"T{i}\t{label} {i} {i + 1}\tx\n" for i, label in enumerate(labels, 1)))
    lines = assay("confusion", tmp_path / "g.ann", tmp_path / "g.ann").stdout.split("\n")

    assert lines[1].split() == [*(str(i) for i in range(1, 13)), NEG, "all"]
    assert lines[2].startswith(" 1 A_LONG_LABEL_00  1")
    assert max(len(line) for line in lines[:-2]) <= 100


def test_the_other_formats(sides: tuple[Path, Path]) -> None:
    told = json.loads(assay("confusion", *sides, "--only", "AA", "--only", "BB", "--examples", "3", "--format", "json").stdout)
    table = list(csv.reader(io.StringIO(assay("confusion", *sides, "--format", "csv").stdout)))
    latex = assay("confusion", *sides, "--format", "latex").stdout

    found = Confusion.from_json(told["confusion"])
    assert (found.labels, found.counts) == (("AA", "BB", NEG), ((1, 0, 0), (1, 0, 0), (0, 0, 0)))
    assert [each.text for each in found.examples] == ["beta"]
    assert told["signature"]["only"] == ["AA", "BB"]
    assert table[0] == ["gold", "AA", "BB", "CC", "DD", NEG]
    assert table[2] == ["BB", "1", "0", "0", "0", "0"]
    assert "1 & {AA} & \\textbf{1} & 0 & 0 & 0 & 0 \\\\" in latex
    assert " & {NEG} & 0 & 0 & 0 & 1 & 0 \\\\" in latex


def test_labels_stand_in_the_order_of_annotation_conf(sides: tuple[Path, Path], tmp_path: Path) -> None:
    conf = tmp_path / "annotation.conf"
    conf.write_text("[entities]\nGROUP\n\tDD\n\tBB\nAA\n")
    told = json.loads(assay("confusion", *sides, "--conf", conf, "--format", "json").stdout)

    assert told["confusion"]["labels"] == ["DD", "BB", "AA", "CC", NEG]


def test_a_task_and_a_run_that_breaks_its_rules(sides: tuple[Path, Path]) -> None:
    sample = CHEMU / "sample"
    right = assay("confusion", sample / "gold", sample / "run", "--task", CHEMU, "--format", "json")
    (sides[1] / "d.ann").write_text("T1\tAA 0 99\talpha\n")
    wrong = assay("confusion", *sides, "--task", CHEMU)

    assert json.loads(right.stdout)["signature"]["task"] == "chemu2020"
    assert wrong.exit_code == 1
    assert wrong.stdout == ""
    assert f"{sides[1]}/d.ann:1:4: warning [unknown-label]" in wrong.stderr
    assert f"{sides[1]}/d.ann:1:7: error [span-outside-text]" in wrong.stderr


def test_what_is_wrong(sides: tuple[Path, Path], tmp_path: Path) -> None:
    conf = CHEMU / "annotation.conf"
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.conf").write_bytes(b"\xff")
    misspelt = assay("confusion", *sides, "--only", "AB")

    assert assay("confusion", *sides, "--task", CHEMU, "--conf", conf).exit_code == 2
    assert assay("confusion", *sides, "--examples", "1", "--format", "csv").exit_code == 2
    assert assay("confusion", *sides, "--conf", tmp_path / "bad.conf").exit_code == 1
    assert assay("confusion", tmp_path / "empty", sides[1]).exit_code == 1
    assert misspelt.exit_code == 0
    assert misspelt.stderr == "warning: no annotation is labelled AB\n"


def test_a_label_cannot_move_the_cursor(sides: tuple[Path, Path]) -> None:
    (sides[1] / "d.ann").write_text("T1\tA\x1b[2J 0 5\talpha\n")

    for name in ("table", "latex", "json"):
        assert "\x1b" not in assay("confusion", *sides, "--format", name).stdout


@pytest.mark.parametrize("part", ["ner", "ee"])
def test_the_diagonal_is_what_assay_score_says(part: str) -> None:
    sides = [shared("data", "chemu-sample", part, side) for side in ("gold", "run")]
    told = json.loads(assay("confusion", *sides, "--format", "json").stdout)["confusion"]
    scores = json.loads(assay("score", *sides, "--format", "json").stdout)["scores"]
    tp = {each["label"]: each["tp"] for each in scores if each["annotations"] in ("entities", "triggers")}

    labels = told["labels"][:-1]
    assert {label: told["counts"][i][i] for i, label in enumerate(labels)} == {label: tp[label] for label in labels}
