"""`assay names` and its commands, as a process would see them."""

from __future__ import annotations

import csv
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.scheme import Scheme
from evaluator.scoring import score
from evaluator.task_file import parse_task
from tests.shared import shared

BUNDLE = Path(tasks.__file__).parent / "names-in-context"


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A census of two years, and two versions of a tagger."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "census.csv").write_text(
        "year,sex,name,count\n2017,F,Emma,60\n2017,F,Paris,40\n2017,M,Liam,10\n"
        "2018,F,Emma,50\n2018,F,Paris,30\n2018,F,Lily,20\n2018,M,Liam,70\n2018,M,Mason,30\n"
    )
    lines = {
        "old/1.0/4/female2018.txt": "PERSON\nGPE\n\n",
        "old/1.0/4/male2018.txt": "PERSON\nORG\n",
        "new/2.0/4/female2018.txt": "ORG Emma \nPERSON Paris \n\n",
        "new/2.0/4/male2018.txt": "PERSON Liam \nPERSON Mason \n",
    }
    for name, text in lines.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def told(*arguments: str | Path) -> dict[str, object]:
    result = assay("names", *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    value: dict[str, object] = json.loads(result.stdout)
    return value


def test_a_table(here: Path) -> None:
    result = assay("names", "--predictions", "old", "--census", "census.csv")

    assert result.exit_code == 0, result.output
    # female: Paris 30 of 100 wrong, Lily 20 missed; male: Mason 30 of 100 wrong
    blocks = [[line.split() for line in block.split("\n")] for block in result.stdout.split("\n\n")]
    assert result.stdout.startswith("Error rates: share of names, and of their frequency\n")
    assert blocks[0][2:] == [
        ["1.0", "4", "2018", "female", "3", "100", "0.6667", "0.5000", "0.3333", "0.3000", "0.3333", "0.2000"],
        ["1.0", "4", "2018", "male", "2", "100", "0.5000", "0.3000", "0.5000", "0.3000", "0.0000", "0.0000"],
    ]
    assert blocks[1][3] == ["1.0", "4", "2018", "Type-1", "frequency", "0.5000", "0.3000", "0.2000", "higher", "for", "female"]
    assert blocks[2][2:] == [
        ["1.0", "4", "female", "Paris", "30", "1", "Type-2", "GPE"],
        ["1.0", "4", "female", "Lily", "20", "1", "Type-3", "–"],
        ["1.0", "4", "male", "Mason", "30", "1", "Type-2", "ORG"],
    ]
    assert blocks[4][0][1].startswith("assay:")
    assert "target:person|labels:PER,PERSON|digest-census:" in result.stdout


def test_json_csv_and_latex_have_full_precision(here: Path) -> None:
    value = told("--predictions", "old", "--census", "census.csv")
    scores = value["scores"]
    assert isinstance(scores, list)
    assert [(each["sex"], each["type1_unweighted"]) for each in scores] == [("female", 2 / 3), ("male", 0.5)]

    result = assay("names", "--predictions", "old", "--census", "census.csv", "--format", "csv")
    cells = {(row["table"], row["row"], row["column"]): row["value"] for row in csv.DictReader(io.StringIO(result.stdout))}
    assert cells["rates", "1", "Type-1 names"] == "0.6666666666666666"
    assert cells["differences", "2", "sign"] == "higher for female"
    latex = assay("names", "--predictions", "old", "--census", "census.csv", "--format", "latex").stdout
    assert "{1.0} & {4} & {2018} & {female} & 3 & 100 & 0.6667" in latex


def test_two_versions_side_by_side(here: Path) -> None:
    value = told("--predictions", "new", "--versus", "old", "--census", "census.csv")
    versions = value["versions 1.0 2.0"]
    assert isinstance(versions, dict)

    # female, weighted: Type-1 was 30 + 20, is 50 + 20 of 100; male 30, and 0
    changes = {(each["sex"], each["error"], each["weighted"]): each["change"] for each in versions["over-years"]}
    assert changes["female", 1, True] == pytest.approx(0.2)
    assert changes["male", 1, True] == pytest.approx(-0.3)
    bias = next(each for each in versions["version-bias"] if each["error"] == 1 and each["weighted"])
    assert (bias["difference"], bias["sign"]) == (pytest.approx(0.5), "favours male")
    assert [(each["name"], each["before"], each["after"], each["change"]) for each in versions["names"]] == [
        ("Emma", "PERSON", "ORG", "worse"), ("Mason", "ORG", "PERSON", "better"), ("Paris", "GPE", "PERSON", "better"),
    ]  # fmt: skip
    table = assay("names", "--predictions", "new", "--versus", "old", "--census", "census.csv").stdout
    assert "From 1.0 to 2.0: change for female names minus change for male names" in table


def test_for_chemicals_only_type_2_is_told(here: Path) -> None:
    value = told("--predictions", "old", "--census", "census.csv", "--chemicals", "--chemical", "gpe")
    scores = value["scores"]
    assert isinstance(scores, list)

    assert [each.get("type2_weighted") for each in scores] == [0.3, 0]
    assert all("type1_weighted" not in each and "type3_names" not in each for each in scores)
    assert (
        "1.0     4         2018  female      3        100             –"
        in assay("names", "--predictions", "old", "--census", "census.csv", "--chemicals").stdout
    )


def test_the_corpus_is_written_and_a_brat_run_on_it_read(here: Path) -> None:
    result = assay("names", "write", "--census", "census.csv", "--out", "corpus", "--year", "2018", "--template", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout == "5 sentences in 2 documents\n"
    assert (here / "corpus" / "template1_female2018.txt").read_text() == "Emma\nParis\nLily\n"
    assert (here / "corpus" / "metadata.tsv").read_text().splitlines()[1] == "template1_female2018\t1\t2018\tfemale\t2010"

    (here / "run").mkdir()
    (here / "run" / "template1_female2018.ann").write_text("T1\tPER 0 4\tEmma\nT2\tGPE 5 10\tParis\n")
    (here / "run" / "template1_male2018.ann").write_text("T1\tPERSON 0 4\tLiam\nT2\tORG 5 10\tMason\n")
    by_run = told("--gold", "corpus", "--predictions", "run", "--census", "census.csv")["scores"]
    by_lines = told("--predictions", "old", "--census", "census.csv")["scores"]  # the same tags, a line each
    assert isinstance(by_run, list)
    assert isinstance(by_lines, list)
    rates = [
        [{key: each[key] for key in each if key not in ("system", "template")} for each in one] for one in (by_run, by_lines)
    ]
    assert rates[0] == rates[1]
    assert {each["system"] for each in by_run} == {"run"}


def test_nothing_is_mixed_with_another_corpus(here: Path) -> None:
    write = ["names", "write", "--census", "census.csv", "--year", "2018", "--template", "1", "--out"]
    (here / "empty").mkdir()
    assert assay(*write, "empty").exit_code == 0
    before = {path: path.read_bytes() for path in (here / "empty").iterdir()}
    again = assay(*write, "empty", "--top", "1")

    assert again.exit_code == 1
    assert again.stderr == "empty: not empty: nothing of another corpus may stand beside this one\n"
    assert {path: path.read_bytes() for path in (here / "empty").iterdir()} == before


def test_a_place_in_predictions_is_told_as_it_was_given(here: Path) -> None:
    """In a folder, and in an archive."""
    data = b"PERSON\nGPE\n\xff\n"
    (here / "old/1.0/4/female2018.txt").write_bytes(data)
    with zipfile.ZipFile(here / "old.zip", "w") as archive:
        archive.writestr("1.0/4/female2018.txt", data)
        archive.writestr("2.0/4/female2018.txt", b"\n\n\n")
    for given, place in (
        ("old", "old/1.0/4/female2018.txt"),
        ("old/1.0", "old/1.0/4/female2018.txt"),
        ("old.zip", "old.zip: 1.0/4/female2018.txt"),
    ):
        result = assay("names", "--predictions", given, "--census", "census.csv", "--versus", "new")
        assert (result.exit_code, result.stderr) == (1, f"{place}:3:1: not UTF-8\n")
    result = assay("names", "--predictions", "old.zip", "--census", "census.csv", "--year", "1990")
    assert result.stderr.startswith("old.zip: nothing of what is asked for")


def test_own_templates_all_names_and_a_zip(here: Path) -> None:
    (here / "t.txt").write_text("[NAME] sat down.\n\nWas it [NAME]?\n")
    result = assay("names", "write", "--census", "census.csv", "--out", "c.zip", "--templates", "t.txt", "--all")

    assert result.stdout == "16 sentences in 8 documents\n"  # two templates × (2 + 1 + 3 + 2) names
    corpus = read_corpus({n: d for n, d in read_path(here / "c.zip").items() if not n.endswith(".tsv")})
    assert corpus.documents["template2_male2018"].text == "Was it Liam?\nWas it Mason?\n"
    assert not corpus.problems
    assert "0.0000" in assay("names", "--gold", "c.zip", "--predictions", "c.zip", "--census", "census.csv").stdout


def test_which_names_a_corpus_has(here: Path) -> None:
    for split, text in (("train", "Emma met Liam and Mason."), ("test", "Liam left Paris.")):
        (here / split).mkdir()
        (here / split / "d.txt").write_text(text)
        (here / split / "d.ann").write_text(f"T1\tPER 0 4\t{text[:4]}\n")
    result = assay("names", "census", "train", "test", "--census", "census.csv")

    assert [line.split()[:6] for line in result.stdout.splitlines()[2:7]] == [
        ["census", "names", "3", "2", "0.6000", "0.4000"],
        ["train", "words", "1", "2", "0.3333", "0.6667"],
        ["train", "entities", "1", "0", "1.0000", "0.0000"],
        ["test", "words", "1", "1", "0.5000", "0.5000"],
        ["test", "entities", "0", "1", "0.0000", "1.0000"],
    ]


def test_an_archive_packed_with_xz_as_the_published_one(here: Path) -> None:
    with tarfile.open(here / "template-4.tar", "w") as archive:
        archive.add(here / "old" / "1.0" / "4" / "female2018.txt", "results/results_x/female2018.txt")
    (here / "template-4.tar.xz").write_bytes(lzma.compress((here / "template-4.tar").read_bytes()))
    value = told("--predictions", "template-4.tar.xz", "--census", "census.csv")

    scores = value["scores"]
    assert isinstance(scores, list)
    assert [each["template"] for each in scores] == ["4"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "--predictions says what the taggers wrote"),
        (["--predictions", "old"], 2, "--census says where the names"),
        (["--predictions", "old", "--census", "old/1.0/4/male2018.txt"], 1, "male2018.txt:1: year,sex,name,count is expected"),
        (["--predictions", "old", "--census", "census.csv", "--year", "18"], 2, "18 is not a year, such as 2018"),
        (["--predictions", "old", "--census", "census.csv", "--year", "2018-2017"], 2, "2018-2017 is not a year"),
        (
            ["--predictions", "old", "--census", "census.csv", "--year", "2017"],
            1,
            "old: nothing of what is asked for; there are",
        ),
        (["--predictions", "old", "--census", "census.csv", "--chemical", "X"], 2, "--chemical goes with --chemicals"),
        (["--predictions", "old", "--census", "census.csv", "--chemicals", "--person", "X"], 2, "exclude one another"),
        (
            ["--predictions", "old", "--predictions", "old", "--census", "census.csv"],
            1,
            "two of --predictions are about the same",
        ),
        (["--predictions", "old", "--gold", "old", "--census", "census.csv"], 1, "old: no metadata.tsv, which says"),
        (
            ["--predictions", "old", "--versus", "new", "--versus-system", "3", "--census", "census.csv"],
            2,
            "3 is not one of 2.0",
        ),
        (["--predictions", "census.csv", "--census", "census.csv"], 1, "census.csv"),
        (["write", "--census", "census.csv", "--out", "x", "--template", "10"], 2, "10 is not one of 1 to 9"),
        (["write", "--census", "census.csv", "--out", "x", "--year", "1900"], 1, "there are no female names of 1900"),
        (["write", "--census", "census.csv", "--out", "x", "--templates", "census.csv"], 1, "[NAME] is expected once"),
        (["census", "census.csv", "--census", "census.csv"], 1, "census.csv: error"),
    ],
)
def test_what_does_not_work_is_told(here: Path, arguments: list[str], code: int, message: str) -> None:
    result = assay("names", *arguments)

    assert result.exit_code == code, result.output
    assert message in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.output


def test_the_sample_of_the_bundle_scores_as_expected() -> None:
    # counted by hand: Emma is exactly right, Ava overlaps, Charlotte has another label, Lily is missed, lunch is no name
    definition = parse_task((BUNDLE / "task.toml").read_text(), (BUNDLE / "annotation.conf").read_text())
    gold = read_corpus(read_path(BUNDLE / "sample" / "gold"))
    run = read_corpus(read_path(BUNDLE / "sample" / "run"), gold.texts)
    scored = score(gold.documents, run.documents, definition.criteria, Scheme(hierarchy=definition.hierarchy))
    found = {f"{s.span}-{s.labels}": [s.counts.tp, s.counts.fp, s.counts.fn] for s in scored.scores if s.label == "all"}

    assert (gold.problems, run.problems) == ((), ())
    assert found == json.loads((BUNDLE / "sample" / "expected.json").read_text())


def test_the_published_outputs_on_the_command_line() -> None:
    archive, census = (
        shared("data", *each) for each in (("names-in-context", "template-4.tar.xz"), ("names", "ssa-1880-2018.csv.xz"))
    )
    value = told("--predictions", archive, "--census", census, "--year", "2018", "--system", "flair")
    scores = value["scores"]
    assert isinstance(scores, list)

    # expected-template-4-2018.json, flair
    assert [(each["sex"], each["type1_weighted"], each["type1_unweighted"]) for each in scores] == [
        ("female", 0.10570546681280717, 0.088357646014754),
        ("male", 0.04969306684322081, 0.0768351899457298),
    ]
