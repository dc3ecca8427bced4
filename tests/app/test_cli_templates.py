"""`assay templates` and `assay score --by`, as a process would see them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.report import figure

CONF = "[entities]\nGROUP\n\tA\n\tB\n[relations]\nR\tArg1:A, Arg2:B\n[events]\n[attributes]\n"


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two decades, two names each: 2 genders × 2 decades × 5 templates × 2 names are 40 documents of 200 lines."""
    out = tmp_path / "corpus"
    told = assay("templates", "--out", out, "--top", "2", "--decades", "1880-1890")
    assert told.stdout == f"{out}: 40 documents, 8,000 sentences\n"
    return out


def test_a_corpus_is_written_whole_and_twice_the_same(tmp_path: Path, corpus: Path) -> None:
    read = read_corpus(read_path(corpus))
    rows = (corpus / "metadata.tsv").read_text().splitlines()

    assert read.problems == ()
    assert {len(each.annotations) for each in read.documents.values()} == {200}
    assert rows[:2] == ["document\tgender\tdecade\ttemplate\tname", "female-1880-1-Mary\tfemale\t1880\t1\tMary"]
    assert len(rows) == 41
    assert len((corpus / "chemicals.tsv").read_text().splitlines()) == 201
    again = tmp_path / "again"
    assay("templates", "--out", again, "--top", "2", "--decades", "1880", "--decades", "1890")
    first, second = ({each.name: each.read_bytes() for each in folder.iterdir()} for folder in (corpus, again))
    assert first == second


def test_lists_of_ones_own(tmp_path: Path) -> None:
    """The official layout of names, a file a year; a year of the next decade counts there."""
    with zipfile.ZipFile(tmp_path / "names.zip", "w") as archive:
        archive.writestr("yob1900.txt", "Ida,F,9\nEve,F,5\nJim,M,4\n")
        archive.writestr("yob1909.txt", "Eve,F,5\nJim,M,4\n")
        archive.writestr("yob1910.txt", "Ann,F,5\nTom,M,4\n")
    (tmp_path / "chemicals").write_text("Advil\tbrand\nlead\n")
    (tmp_path / "templates").write_text("[NAME] has [CHEMICAL].\n")
    told = assay(
        "templates", "--out", tmp_path / "out", "--names", tmp_path / "names.zip", "--chemicals", tmp_path / "chemicals",
        "--templates", tmp_path / "templates", "--top", "1",
    )  # fmt: skip

    assert told.exit_code == 0, told.output
    names = (tmp_path / "out" / "names.tsv").read_text()
    assert names.splitlines()[1:] == [
        "1900\tfemale\tEve\t10",
        "1900\tmale\tJim\t8",
        "1910\tfemale\tAnn\t5",
        "1910\tmale\tTom\t4",
    ]
    assert (tmp_path / "out" / "male-1910-1-Tom.txt").read_text() == "Tom has Advil.\nTom has lead.\n"
    table = assay("templates", "--out", tmp_path / "again", "--names", tmp_path / "out" / "names.tsv", "--top", "1")
    assert "20 documents" in table.stdout


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--names", "bad.csv"], 1, "bad.csv:1: year,sex,name,count is expected"),
        (["--templates", "bad.csv"], 1, "bad.csv:1:1: a sentence with [NAME] and [CHEMICAL] once each is expected"),
        (["--chemicals", "bad.tsv"], 1, "bad.tsv:2:7: a chemical, and after a tab brand, generic or nothing, is expected"),
        (["--names", "names.tsv"], 1, "names.tsv:2:18: decade, sex, name and count separated by tabs"),
        (["--chemicals", "nul.txt"], 1, "nul.txt:1:28: a control character: '\\x00'"),
        (["--templates", "nul.txt"], 1, "nul.txt:1:28: a control character: '\\x00'"),
        (["--top", "201"], 1, "names: 201 female names of 1880 are expected, and it has 200"),
        (["--sample", "139"], 2, "at least 140 sentences"),
        (["--decades", "1885"], 2, "1885 is not a decade"),
        (["--decades", "1990-1880"], 2, "1990-1880 is not a decade"),
        (["--decades", "2020"], 1, "female names of 2020 are expected"),
    ],
)
def test_what_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], status: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.csv").write_text("1880,X,Mary,1\n")
    Path("bad.tsv").write_text("Advil\nAleve\ttrade\n")
    Path("names.tsv").write_text(f"decade\tsex\tname\tcount\n1880\tfemale\tMary\t{'9' * 6_000}\n")
    Path("nul.txt").write_text("[NAME] takes some [CHEMICAL]\0.\n"[1:])
    told = assay("templates", "--out", "out", *options)

    assert told.exit_code == status
    assert message in told.stderr
    assert not Path("out").exists()


def test_names_with_a_byte_order_mark_and_blanks_make_a_corpus_that_can_be_used(tmp_path: Path) -> None:
    rows = "decade\tsex\tname\tcount\n1880\tfemale\t Mary \t9\n1880\tmale\tJohn \t8\n"
    (tmp_path / "names.tsv").write_text(rows, "utf-8-sig")
    out = tmp_path / "out"
    told = assay("templates", "--out", out, "--names", tmp_path / "names.tsv", "--top", "1")

    assert told.exit_code == 0, told.output
    assert (out / "female-1880-1-Mary.txt").exists()
    assert assay("templates", "report", out, out).exit_code == 0


@pytest.mark.parametrize(
    ("sample", "written"),
    [
        ("11", "10 documents, 11 sentences"),
        ("99999", "20 documents, 4,000 sentences, which are all there are: --sample asks for 99,999"),
    ],
)
def test_the_number_that_a_sample_has_is_told(tmp_path: Path, sample: str, written: str) -> None:
    out = tmp_path / "out"
    told = assay("templates", "--out", out, "--top", "2", "--decades", "1880", "--sample", sample)

    assert told.stdout == f"{out}: {written}\n"


def test_nothing_is_mixed_with_another_corpus(corpus: Path) -> None:
    again = assay("templates", "--out", corpus)

    assert again.exit_code == 1
    assert "not empty" in again.stderr
    assert assay("templates").exit_code == 2


@pytest.fixture
def run(tmp_path: Path, corpus: Path) -> Path:
    """All of gold, but Mary is tagged in the sentences that begin with her name, and males of 1890 are not read at all."""
    folder = tmp_path / "run"
    folder.mkdir()
    for path in corpus.glob("*.ann"):
        lines = path.read_text()
        if path.name == "female-1880-1-Mary.ann":
            lines += "T900\tCHEMICAL 0 4\tMary\n"
        (folder / path.name).write_text("" if path.name.startswith("male-1890") else lines)
    return folder


def test_scores_by_group_and_their_difference(corpus: Path, run: Path) -> None:
    """Female: 4,000 right, 1 too much. Male: 2,000 of 4,000 found, all right. 1880: 4,000 and 1; 1890: 2,000 of 4,000."""
    metadata = ["--metadata", corpus / "metadata.tsv", "--by", "gender", "--by", "decade"]
    told = json.loads(assay("score", corpus, run, *metadata, "--format", "json").stdout)
    found = {
        (each["stratification"], each["stratum"]): (each["tp"], each["fp"], each["fn"])
        for each in told["scores"]
        if each["label"] == "all"
    }

    assert found == {
        ("all", "all"): (6_000, 1, 2_000),
        ("group:gender", "female"): (4_000, 1, 0),
        ("group:gender", "male"): (2_000, 0, 2_000),
        ("group:decade", "1880"): (4_000, 1, 0),
        ("group:decade", "1890"): (2_000, 0, 2_000),
        ("group:gender×group:decade", "female×1880"): (2_000, 1, 0),
        ("group:gender×group:decade", "female×1890"): (2_000, 0, 0),
        ("group:gender×group:decade", "male×1880"): (2_000, 0, 0),
        ("group:gender×group:decade", "male×1890"): (0, 0, 2_000),
    }
    assert len(told["signature"]["metadata"]) == 64
    text = assay("score", corpus, run, *metadata).stdout
    row = next(line.split() for line in text.splitlines() if line.startswith("female − male"))
    # P 4000/4001 − 1, R 1 − 1/2, F1 8000/8001 − 2/3
    assert row[-3:] == [figure(each) for each in (4000 / 4001 - 1, 0.5, 8000 / 8001 - 2 / 3)]
    assert text.index("by gender\n") < text.index("by decade\n") < text.index("by gender×decade\n") < text.index("signature ")
    rows = list(csv.DictReader(io.StringIO(assay("score", corpus, run, *metadata, "--format", "csv").stdout)))
    assert {each["stratification"] for each in rows} == {"all", "group:gender", "group:decade", "group:gender×group:decade"}
    assert "by gender×decade" in assay("score", corpus, run, *metadata, "--format", "latex").stdout


def test_documents_without_the_attribute_are_counted_as_unknown(tmp_path: Path, corpus: Path, run: Path) -> None:
    (tmp_path / "some.tsv").write_text("document\tgender\nfemale-1880-1-Mary\tfemale\nmale-1880-1-John\tmale\n")
    told = assay("score", corpus, run, "--metadata", tmp_path / "some.tsv", "--by", "gender")
    rows = {line.split()[0]: line.split() for line in told.stdout.splitlines() if line and "−" not in line}

    assert rows["unknown"][1:5] == ["38", "5600", "0", "2000"]
    assert rows["female"][1:5] == ["1", "200", "1", "0"]
    assert "warning: 38 of 40 documents have no gender" in told.stderr
    assert "female − male" in told.stdout


def test_groups_go_with_relations_and_with_a_track(tmp_path: Path) -> None:
    """The ordinary way: relations are not read as columns."""
    gold = tmp_path / "gold"
    gold.mkdir()
    for id_ in ("d1", "d2"):
        (gold / f"{id_}.txt").write_text("one two\n")
        (gold / f"{id_}.ann").write_text("T1\tA 0 3\tone\nT2\tB 4 7\ttwo\nR1\tR Arg1:T1 Arg2:T2\n")
    (tmp_path / "groups.tsv").write_text("document\tkind\nd1\tx\n")
    (tmp_path / "annotation.conf").write_text(CONF)
    by = ["--metadata", tmp_path / "groups.tsv", "--by", "kind", "--format", "json"]
    told = json.loads(assay("score", gold, gold, "--relations", "--conf", tmp_path / "annotation.conf", *by).stdout)
    strata = {
        (each["annotations"], each["stratum"]): each["tp"]
        for each in told["scores"]
        if each["label"] == "all" and each["annotations"] == "relations"
    }
    assert strata == {("relations", "all"): 2, ("relations", "x"): 1, ("relations", "unknown"): 1}
    sample = Path(tasks.__file__).parent / "chemu2020" / "sample"
    ids = sorted(path.stem for path in (sample / "gold").glob("*.ann"))
    (tmp_path / "sample.tsv").write_text("document\tkind\n" + "".join(f"{id_}\tx\n" for id_ in ids))
    track = [
        "--task",
        sample.parent,
        "--track",
        "ner",
        "--metadata",
        tmp_path / "sample.tsv",
        "--by",
        "kind",
        "--format",
        "json",
    ]
    scores = json.loads(assay("score", sample / "gold", sample / "run", *track).stdout)["scores"]
    whole, by_kind = (
        [{**each, "stratification": "", "stratum": ""} for each in scores if (each["stratum"] == "all") is all_]
        for all_ in (True, False)
    )
    assert whole == by_kind


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--by", "gender"], 2, "--metadata and --by go together"),
        (["--metadata", "metadata.tsv"], 2, "--metadata and --by go together"),
        (
            ["--metadata", "metadata.tsv", "--by", "age"],
            1,
            "no column is called age; there are: gender, decade, template, name",
        ),
        (["--metadata", "metadata.tsv", "--by", "gender", "--matching", "brateval"], 2, "--by goes with exact-first"),
        (["--metadata", "metadata.tsv", "--by", "gender", "--format", "side-by-side"], 2, "--by goes with exact-first"),
    ],
)
def test_wrong_use_of_groups_is_told(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], status: int, message: str
) -> None:
    monkeypatch.chdir(corpus)
    told = assay("score", corpus, corpus, *options)

    assert told.exit_code == status
    assert message in told.stderr


def test_the_report_tells_names_that_are_taken_for_chemicals(corpus: Path, run: Path) -> None:
    """Of Mary's 2,000 sentences one; she is in both decades, and 1/1000 of those who got the name in the first one count."""
    told = json.loads(assay("templates", "report", corpus, run, "--format", "json").stdout)
    name = told["names"][0]
    counts = {
        line.split("\t")[0]: int(line.split("\t")[3])
        for line in (corpus / "names.tsv").read_text().splitlines()
        if "\tMary\t" in line
    }

    assert [each["name"] for each in told["names"]] == ["Mary"]
    assert (name["sentences"], name["tagged"]) == (2_000, 1)
    assert name["people"] == sum(counts.values())
    assert name["weighted"] == pytest.approx(counts["1880"] / 1_000)
    female = next(each for each in told["outcomes"] if each["group"] == "female")
    assert (female["tp"], female["fp"], female["names_tagged"], female["share"]) == (4_000, 1, 1, 1 / 4_000)
    text = assay("templates", "report", corpus, run).stdout
    assert "names most often tagged as chemicals, all names alike" in text
    assert assay("templates", "report", corpus, run, "--format", "csv").stdout.startswith("table,row,name,column,value\n")


def test_a_report_needs_a_corpus_of_its_kind(tmp_path: Path, corpus: Path, run: Path) -> None:
    assert assay("templates", "report", corpus, run, "--span", "nearly").exit_code == 2
    (corpus / "templates.tsv").unlink()
    told = assay("templates", "report", corpus, run)
    assert told.exit_code == 1
    assert "templates.tsv: cannot be read" in told.stderr
    (tmp_path / "empty").mkdir()
    assert assay("templates", "report", tmp_path / "empty", run).exit_code == 1


def test_the_bundle_takes_a_sample_as_its_readme_says(tmp_path: Path) -> None:
    """The two commands, with a smaller sample: a document of one line for each of 2 × 14 × 5."""
    env = {"ASSAY_DATA": str(tmp_path / "data")}
    corpus = tmp_path / "test"
    bundle = Path(tasks.__file__).parent / "name-templates"
    told = [
        CliRunner().invoke(main, [str(each) for each in arguments], env=env)
        for arguments in (
            ("templates", "--sample", "140", "--out", corpus),
            ("migrate",),
            ("task", "add", bundle, "--test", corpus, "--metadata", corpus / "metadata.tsv"),
            ("task", "list"),
        )
    ]

    assert [each.exit_code for each in told] == [0, 0, 0, 0], [each.output for each in told]
    assert "name-templates" in told[-1].stdout
    assert "140 documents of test" in told[-1].stdout
