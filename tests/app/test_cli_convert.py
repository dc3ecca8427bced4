"""`assay convert`, and what `assay score` says of its output beside the official scorers."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from brat.convert.formats import FORMATS, write
from brat.model import Argument, Document, Relation, TextBound
from tests.shared import shared

TEXT = "Aspirin helps.\nIt does."
DOCUMENT = Document(
    "d",
    (
        TextBound("T1", "Drug", ((0, 7),), "Aspirin"),
        TextBound("T2", "Drug", ((0, 3), (8, 13)), "Asp helps"),
        Relation("R1", "is", Argument("Arg1", "T1"), Argument("Arg2", "T2")),
    ),
    TEXT,
)


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def folder(path: Path, name: str) -> Path:
    path.mkdir()
    for file, data in write(name, {"d": DOCUMENT})[0].items():
        (path / file).write_bytes(data)
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_recognised_and_becomes_brat(tmp_path: Path, name: str) -> None:
    source = folder(tmp_path / "in", name)
    if name == "spans-tsv":  # it has no text of its own
        (tmp_path / "texts").mkdir()
        (tmp_path / "texts" / "d.txt").write_text(TEXT)
        result = assay("convert", source, tmp_path / "out", "--to", "brat", "--texts", tmp_path / "texts")
    else:
        result = assay("convert", source, tmp_path / "out", "--to", "brat")

    assert result.exit_code == 0, result.output
    assert f"{source} is read as {name}." in result.stdout
    assert "T1\tDrug 0 7\tAspirin\n" in (tmp_path / "out" / "d.ann").read_text()
    assert (tmp_path / "out" / "d.txt").exists() == (name != "spans-tsv")


def test_it_says_how_much_there_is_and_what_is_left_out(tmp_path: Path) -> None:
    result = assay("convert", folder(tmp_path / "in", "brat"), tmp_path / "out", "--from", "brat", "--to", "conll")

    assert result.stdout.splitlines() == [
        "brat to conll: 1 document, 2 entities, 1 relation.",
        "Left out, since conll cannot hold it: 1 relation in 1 document.",
        "Left out, since conll cannot hold it: 1 discontinuous span in 1 document.",
    ]
    assert "d: warning [not-held] CoNLL cannot hold this; found 1 relation" in result.stderr


def test_an_archive_in_and_an_archive_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for file, data in write("jsonl", {"d": DOCUMENT})[0].items():
            archive.writestr(f"run/{file}", data)
    result = assay("convert", tmp_path / "in.zip", tmp_path / "out.zip", "--from", "jsonl", "--to", "brat")

    assert result.exit_code == 0, result.output
    assert zipfile.ZipFile(tmp_path / "out.zip").namelist() == ["d.ann", "d.txt"]


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    source = folder(tmp_path / "in", "jsonl")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    (tmp_path / "out.zip").write_text("")

    for target in ("out", "out.zip"):
        refused = assay("convert", source, tmp_path / target, "--to", "brat")
        assert refused.exit_code == 1
        assert "--force" in refused.stderr
        assert assay("convert", source, tmp_path / target, "--to", "brat", "--force").exit_code == 0
    assert (tmp_path / "out" / "mine").exists()


def test_with_errors_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "abc"}\n{"id": "../../evil", "text": ""}\n')
    result = assay("convert", tmp_path / "in.jsonl", tmp_path / "out", "--to", "brat")

    assert result.exit_code == 1
    assert "in.jsonl:2:1: error [unsafe-id]" in result.stderr
    assert not (tmp_path / "out").exists()


def test_what_is_not_recognised_has_to_be_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.txt").write_text("Plain words.")
    result = assay("convert", tmp_path / "in", tmp_path / "out", "--to", "brat")

    assert result.exit_code == 1
    assert "--from" in result.stderr


def test_scoring_and_brat_load_no_format() -> None:
    """Only the table of formats, which is a few names; a format's module comes with its first use."""
    code = "import sys, brat, app.cli.score; print(*(each for each in sys.modules if each.startswith('brat.convert.')))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(result.stdout.split()) <= {"brat.convert.formats"}


def scored(gold: Path, run: Path, *labels: str) -> tuple[int, int, int]:
    only = [word for label in labels for word in ("--only", label)]
    result = assay("score", gold, run, *only, "--format", "json")
    assert result.exit_code == 0, result.output
    (record,) = [each for each in json.loads(result.stdout)["scores"] if each["label"] == "all"]
    return record["tp"], record["fp"], record["fn"]


@pytest.mark.parametrize("format_", ["PubTator", "BioC.xml"])
def test_the_cdr_kits_official_figures(tmp_path: Path, format_: str) -> None:
    """readme.txt, mention evaluation: exact (document, start, end) of Disease. No document has a mention twice."""
    kit = shared("data", "bc5cdr", "eval-kit")
    for name, file in (("gold", f"gold/CDR_sample.gold.{format_}"), ("run", f"test/CDR_sample.test.DNER.{format_}")):
        assert assay("convert", kit / file, tmp_path / name, "--to", "brat").exit_code == 0

    assert scored(tmp_path / "gold", tmp_path / "run", "Disease") == (303, 105, 121)


def test_the_five_profner_uploads_score_as_on_their_server(tmp_path: Path) -> None:
    """expected.json: strict, PROFESION and SITUACION_LABORAL, micro; one upload has the latter with a blank, which is wrong."""
    gold = shared("data", "profner", "gold")
    for name, expected in json.loads(shared("data", "profner", "expected.json").read_text()).items():
        upload = shared("data", "profner", "runs", f"{name}.zip")
        result = assay("convert", upload, tmp_path / name, "--from", "spans-tsv", "--to", "brat", "--texts", gold)
        assert result.exit_code == 0, result.output
        tp, fp, fn = scored(gold, tmp_path / name, "PROFESION", "SITUACION_LABORAL")

        assert (tp, tp + fp, tp + fn) == (expected["strict_tp"], expected["pred"], expected["gold"])
        for figure, value in (("P", tp / (tp + fp)), ("R", tp / (tp + fn)), ("F", 2 * tp / (2 * tp + fp + fn))):
            assert round(value, 3) == expected["server_scores"][f"Task7bStrict{figure}"]
