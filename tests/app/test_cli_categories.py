"""`assay groups` and `assay categories`, as a process would see them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from tests.shared import shared

POSTS = {
    "a": "I [25 M] took Tylenol and yasmin.",
    "b": "My (23F) head. Tylenol, yasmin.",
    "c": "I (25F) wrote\nfor me (30M).",
    "d": "Nothing.",
}
GOLD = {
    "a": "T1\tC 14 21\tTylenol\nA1\tKind T1 analgesic\nT2\tC 26 32\tyasmin\n",
    "b": "T1\tC 15 22\tTylenol\nN1\tReference T1 ATC:N02BE01\tparacetamol\nT2\tC 24 30\tyasmin\n",
    "c": "",
    "d": "T1\tC 0 7\tNothing\n",
}
RUN = {"a": "T1\tC 26 32\tyasmin\n", "b": "T1\tC 15 22\tTylenol\n", "c": "", "d": ""}


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, files in (("gold", GOLD), ("run", RUN)):
        (tmp_path / name).mkdir()
        for id_, content in files.items():
            (tmp_path / name / f"{id_}.ann").write_text(content)
    for id_, text in POSTS.items():
        (tmp_path / "gold" / f"{id_}.txt").write_text(text)
    (tmp_path / "m.tsv").write_text("document\tgender\na\tmale\nb\tfemale\nc\tunknown\n")
    (tmp_path / "lexicon.tsv").write_text("tylenol\tanalgesic\nYasmin\tcontraceptive\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_groups_are_found_written_and_counted(folder: Path) -> None:
    result = assay("groups", "gold", "--out", "found.tsv", "--bands", "18,25", "--given", "m.tsv:gender")

    assert result.exit_code == 0, result.output
    assert (folder / "found.tsv").read_text() == (
        "document\tgender\tage\tage-band\na\tmale\t25\t25+\nb\tfemale\t23\t18–24\nc\t\t\t\nd\t\t\t\n"
    )
    blocks = result.stdout.split("\n\n")
    assert [line.split()[-1] for line in blocks[0].splitlines()[2:]] == ["1", "1", "1", "1"]
    assert blocks[3].splitlines() == [
        "Documents that contradict themselves: 1",
        "document  about           line  column  text      gender  age",
        "c         gender and age  1     1       I (25F)   female   25",
        "c         gender and age  2     5       me (30M)  male     30",
    ]
    assert "1 of 4 documents have no given gender" in result.stderr
    assert assay("groups", "gold", "--out", "found.tsv").exit_code == 1, "it is there already"
    assert assay("groups", "gold", "--out", "found.tsv", "--force").exit_code == 0


def test_what_was_found_is_the_metadata_of_other_commands(folder: Path) -> None:
    assert assay("groups", "gold", "--out", "found.tsv").exit_code == 0
    options = ["--metadata", "found.tsv", "--by", "gender", "--lexicon", "lexicon.tsv", "--format", "json"]
    told = json.loads(assay("categories", "gold", "run", *options).stdout)

    # male: Tylenol missed, yasmin found; female the other way round. `Nothing` is in a document without a group.
    male = {each["category"]: (each["gold"], each["missed"]) for each in told["categories"]["groups"][1]["categories"]}
    assert male == {"analgesic": (1, 1), "contraceptive": (1, 0)}
    assert told["categories"]["ungrouped"]["gold"] == 1
    assert told["categories"]["comparison"]["fnr"] == {"first": 0.5, "second": 0.5, "gap": 0.0, "ratio": 1.0}
    assert told["categories"]["comparison"]["without_ratio"] == ["analgesic", "contraceptive"]
    assert told["signature"]["compare"] == "female minus male"


def test_tables_for_people(folder: Path) -> None:
    options = ["--metadata", "m.tsv", "--by", "gender", "--lexicon", "lexicon.tsv"]
    result = assay("categories", "gold", "run", *options)

    assert result.stdout.startswith(
        "False negative rate (FNR) by category and group; 1 more are in documents without a group\n"
    )
    assert "analgesic                      1      0.0000           1    1.0000\n" in result.stdout
    assert "positive where female has more, negative where male has more" in result.stdout
    assert "1 of 4 documents have no gender" in result.stderr
    rows = list(csv.DictReader(io.StringIO(assay("categories", "gold", "run", *options, "--format", "csv").stdout)))
    assert {"rates", "correlations", "weighted", "ratios", "left-out"} == {each["table"] for each in rows}
    assert "\\toprule" in assay("categories", "gold", "run", *options, "--format", "latex").stdout


@pytest.mark.parametrize(
    ("source", "categories"),
    [
        (["--from", "normalisations"], ["analgesic"]),
        (["--from", "normalisations:UMLS"], []),
        (["--from", "attributes:Kind"], ["analgesic"]),
        (["--from", "labels"], ["C"]),
    ],
)
def test_where_categories_come_from(folder: Path, source: list[str], categories: list[str]) -> None:
    told = json.loads(
        assay("categories", "gold", "run", "--metadata", "m.tsv", "--by", "gender", *source, "--format", "json").stdout
    )

    assert [each["category"] for each in told["categories"]["groups"][0]["categories"]] == categories


def test_more_than_two_groups_need_a_choice(folder: Path) -> None:
    (folder / "m.tsv").write_text("document\tgender\na\tmale\nb\tfemale\nd\tnon-binary\n")
    options = ["--metadata", "m.tsv", "--by", "gender", "--from", "labels", "--format", "json"]
    result = assay("categories", "gold", "run", *options)

    assert "there are 3 groups: female, male, non-binary; --compare says which two to compare" in result.stderr
    assert json.loads(result.stdout)["categories"]["comparison"] is None
    chosen = json.loads(assay("categories", "gold", "run", *options, "--compare", "non-binary", "male").stdout)
    assert chosen["categories"]["comparison"]["first"] == "non-binary"


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "say where categories come from, once"),
        (["--lexicon", "lexicon.tsv", "--from", "labels"], 2, "say where categories come from, once"),
        (["--from", "dreams"], 2, "dreams: expected normalisations[:DATABASE], attributes[:NAME] or labels"),
        (["--lexicon", "m.json"], 1, "m.json:1:1: no tab; expected a string, a tab and its category"),
        (["--atc", "m.tsv"], 1, "m.tsv:1: no column is called atc_code"),
        (["--from", "labels", "--compare", "female", "x"], 2, "there is no group x; there are: female, male"),
        (["--from", "labels", "--spans", "near"], 2, '"near" is not exact, relaxed or approximate:T'),
        (["--from", "labels", "--by", "age"], 1, "m.tsv:1: no column is called age; there are: gender"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, options: list[str], status: int, message: str) -> None:
    (folder / "m.json").write_text("{}")
    result = assay("categories", "gold", "run", "--metadata", "m.tsv", "--by", "gender", *options)

    assert (result.exit_code, message in result.stderr) == (status, True), result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("bands", ["30,18", "x", "0"])
def test_bands_that_are_none(folder: Path, bands: str) -> None:
    result = assay("groups", "gold", "--bands", bands)

    assert (result.exit_code, "expected ages that ascend" in result.stderr) == (2, True)


def test_with_the_list_of_the_who(folder: Path) -> None:
    (folder / "gold" / "d.txt").write_text("Morphine.")
    (folder / "gold" / "d.ann").write_text("T1\tC 0 8\tMorphine\n")
    (folder / "m.tsv").write_text("document\tgender\na\tmale\nd\tfemale\n")
    atc = shared("data", "drug-classes", "atc.csv")
    result = assay("categories", "gold", "run", "--metadata", "m.tsv", "--by", "gender", "--atc", atc)

    assert "in several classes, and so in none: calcium carbonate" in result.stderr
    assert "opioid                         1      1.0000           0         –\n" in result.stdout


@pytest.mark.parametrize("command", ["groups", "categories"])
def test_help_starts_without_scipy(command: str) -> None:
    code = f"import sys; from app.cli.main import main; main(['{command}', '--help'], standalone_mode=False); "
    code += "print([m for m in ('flask', 'scipy', 'sklearn', 'sqlalchemy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.splitlines()[-1] == "[]"
