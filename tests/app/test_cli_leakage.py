"""`assay leakage` and `assay split`, as a process would see them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from app.demo.setup import write_corpus
from tests.shared import shared


def assay(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    texts = {
        "train/P1/a": "Water was poured on ice in the cold room.",
        "train/P2/b": "Salt was put into the old pan.",
        "test/P1/c": "Water was poured on ice in the cold house.",
        "test/P3/d": "Nothing else.",
    }
    for path, text in texts.items():
        file = tmp_path / f"{path}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        first = text.split()[0]
        file.with_suffix(".ann").write_text(f"T1\tSUBSTANCE 0 {len(first)}\t{first}\n")
    (tmp_path / "m.tsv").write_text("document\tsource\toffice\na\tP1\teast\nb\tP2\twest\nc\tP1\teast\n")
    return tmp_path


def _json(corpus: Path, *arguments: str | Path) -> dict[str, object]:
    result = assay("leakage", "--train", corpus / "train", "--test", corpus / "test", "--format", "json", *arguments)
    assert result.exit_code == 0, result.output
    told: dict[str, object] = json.loads(result.stdout)
    return told


def test_a_table(corpus: Path) -> None:
    result = assay("leakage", "--train", corpus / "train", "--test", corpus / "test", "--source-folders")

    assert result.exit_code == 0, result.output
    blocks = result.stdout.split("\n\n")
    assert blocks[0].split("\n") == [
        "Documents",
        "split       documents",
        "train               2",
        "test                2",
        "clean test          1",
    ]
    assert blocks[2].split("\n") == [
        "Sources by the splits they are in, and in no others",
        "in              sources",
        "train                 1",
        "test                  1",
        "train and test        1",
    ]
    assert ["near", "train", "a", "test", "c", "0.5000"] in [line.split() for line in result.stdout.splitlines()]
    assert blocks[-1].startswith("signature assay:")
    assert "|vectors:binary-lower|nearest:exact|copy_words:5|copy_threshold:0.5|" in blocks[-1]


@pytest.mark.parametrize("options", [["--sources", "m.tsv"], ["--sources", "m.tsv:source"], ["--source-pattern", "^([ac])"]])
def test_sources_from_a_file_or_a_pattern(corpus: Path, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpus)
    result = assay("leakage", "--train", "train", "--test", "test", "--format", "json", *options)

    assert "warning: " in result.stderr
    assert "documents have no source" in result.stderr
    told = json.loads(result.stdout)["leakage"]["sources"]
    assert told["unknown"]["test"] == ["d"]
    assert "digest-sources" in json.loads(result.stdout)["signature"]


def test_the_options_reach_the_result(corpus: Path) -> None:
    options = [
        "--vectors",
        "counts",
        "--keep-case",
        "--words",
        "2",
        "--threshold",
        "0.1",
        "--approximate",
        "--ignore",
        "SUBSTANCE",
    ]
    told = _json(corpus, *options, "--jobs", "1", "--memory", "1", "--attribute", f"{corpus / 'm.tsv'}:office")

    leakage = told["leakage"]
    assert isinstance(leakage, dict)
    assert leakage["options"] == {
        "vectors": "counts-cased",
        "nearest": "minhash-lsh-42x3-seed-1",
        "copy_words": 2,
        "copy_threshold": 0.1,
        "ignored": ["SUBSTANCE"],
    }
    assert leakage["seen"][0]["mentions"] == 0
    assert [each["name"] for each in leakage["fairness"]] == ["label", "office"]
    assert leakage["sources"] is None


def test_dev_is_not_training_for_similarity_but_for_strings(corpus: Path) -> None:
    told = _json(corpus, "--dev", corpus / "test")["leakage"]

    assert isinstance(told, dict)
    assert [each["where"] for each in told["seen"]] == ["train", "train", "train+dev", "train+dev"]
    assert told["seen"][2]["mentions_seen"] == 2
    assert {each["nearest"] for each in told["similarity"]["neighbours"]} == {"a", "b"}


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--sources", "m.tsv", "--source-folders"], 2, "exclude one another"),
        (["--source-pattern", "("], 2, "not a regular expression"),
        (["--sources", "m.tsv:nothing"], 1, "m.tsv:1: no column is called nothing; there are: source, office"),
        (["--sources", "absent.tsv"], 1, "absent.tsv: cannot be read: No such file or directory"),
        (["--attribute", "m.tsv"], 2, "name the column, as in m.tsv:COLUMN"),
        (["--attribute", "bad.tsv:a"], 1, "bad.tsv:2:3: 3 columns, where the first line has 2"),
        (["--attribute", "latin.tsv:a"], 1, "latin.tsv:1:10: error [not-utf8]"),
        (["--dev", "empty"], 1, "no document"),
        (["--threshold", "0"], 2, "--threshold"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    corpus: Path, options: list[str], status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus)
    (corpus / "empty").mkdir()
    (corpus / "bad.tsv").write_text("document\ta\nx\ty\tz\n")
    (corpus / "latin.tsv").write_bytes("document\té\n".encode("latin-1"))
    result = assay("leakage", "--train", "train", "--test", "test", *options)

    assert result.exit_code == status
    assert message in result.stderr
    assert result.stdout == ""


def test_lists_of_ids_and_folders_of_a_proposed_split(corpus: Path, tmp_path: Path) -> None:
    result = assay(
        "split", corpus / "train", "--out", tmp_path / "out", "--share", "one:0.5", "--share", "two:0.5", "--folders"
    )

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Proposed split: 2 groups that stay together, the largest of 1\n")
    ids = {each.stem: each.read_text().split() for each in (tmp_path / "out").glob("*.ids")}
    assert sorted(ids["one"] + ids["two"]) == ["a", "b"]
    part = "one" if ids["one"] == ["a"] else "two"
    assert (tmp_path / "out" / part / "a.txt").read_bytes() == (corpus / "train" / "P1" / "a.txt").read_bytes()
    assert (tmp_path / "out" / part / "a.ann").is_file()


def test_a_split_keeps_sources_and_copies_together(corpus: Path, tmp_path: Path) -> None:
    (corpus / "m.tsv").write_text("document\tpatent\nb\tX\nd\tX\n")
    options = ["--sources", corpus / "m.tsv", "--share", "one:0.5", "--share", "two:0.5", "--format", "json"]
    result = assay("split", corpus, "--out", tmp_path / "out", *options)

    told = json.loads(result.stdout)
    assert sorted(each["documents"] for each in told["split"]["parts"]) == [["a", "c"], ["b", "d"]]
    assert told["split"]["misplaced"] == 0
    assert "2 of 4 documents have no source" in result.stderr
    assert told["signature"]["shares"] == ["one:0.5", "two:0.5"]


@pytest.mark.parametrize("share", ["train", "train:x", ":0.5", "train:0", "../x:1", "train:0.9", "train:nan"])
def test_shares_that_are_none(corpus: Path, tmp_path: Path, share: str) -> None:
    result = assay("split", corpus, "--out", tmp_path / "out", "--share", share)

    assert result.exit_code == 2
    assert "--share" in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_planted_leaks_of_the_demonstration(tmp_path: Path) -> None:
    planted = write_corpus(tmp_path).planted
    bundle = Path(tasks.__file__).parent / "demo"
    told = _json(
        tmp_path,
        *("--dev", tmp_path / "dev", "--sources", tmp_path / "metadata.tsv", "--task", bundle),
        *("--attribute", f"{tmp_path / 'metadata.tsv'}:scale", "--attribute", f"{tmp_path / 'metadata.tsv'}:office"),
    )["leakage"]

    assert isinstance(told, dict)
    across = {tuple(reversed(each["documents"])) for each in told["copies"] if each["splits"][0] != each["splits"][1]}
    assert across == {each for each in planted.near_copies if (tmp_path / "test" / f"{each[0]}.txt").exists()}
    assert [each["source"] for each in told["sources"]["shared"]] == planted.shared_sources["test"]
    assert told["options"]["ignored"] == ["REACTION_STEP", "WORKUP"]
    assert [each["name"] for each in told["fairness"]] == ["label", "scale", "office"]


def test_ddi_as_an_organiser_would_ask() -> None:
    told = _json(shared("data", "ddi2013"), "--source-folders")["leakage"]

    assert isinstance(told, dict)
    folded = told["seen"][0]
    assert round(folded["mentions_seen"] / folded["mentions"], 3) == 0.653
    assert [each["documents"] for each in told["copies"] if each["exact"] and each["splits"] == ["train", "test"]] == [
        ["Hexobarbital_ddi", "Secobarbital"],
        ["Nafcillin_ddi", "Oxacillin"],
    ]
    assert told["sources"]["unique"] == {"train": 2, "test": 2}


def test_help_starts_without_scipy() -> None:
    code = "import sys; from app.cli.main import main; main(['leakage', '--help'], standalone_mode=False); "
    code += "print([m for m in ('flask', 'scipy', 'datasketch', 'sklearn') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.splitlines()[-1] == "[]"


def test_runs_by_strata(tmp_path: Path) -> None:
    # Counted by hand in tests/evaluator/leakage/test_runs.py: here the way through files, names and formats.
    for folder, files in {
        "train": {"a.txt": "we took salt home", "a.ann": "T1\tA 8 12\tsalt\n"},
        "test": {
            "t.txt": "we took salt out",
            "t.ann": "T1\tA 8 12\tsalt\n",
            "u.txt": "brine froze",
            "u.ann": "T1\tA 0 5\tbrine\n",
        },
        "memory": {"t.ann": "T1\tA 8 12\tsalt\n", "u.ann": ""},
        "reader": {"t.ann": "", "u.ann": "T1\tA 0 5\tbrine\n"},
    }.items():
        (tmp_path / folder).mkdir()
        for name, content in files.items():
            (tmp_path / folder / name).write_text(content)
    arguments = ["leakage", "--train", str(tmp_path / "train"), "--test", str(tmp_path / "test")]
    arguments += ["--run", str(tmp_path / "memory"), "--run", str(tmp_path / "reader")]

    told = json.loads(CliRunner().invoke(main, [*arguments, "--format", "json"]).stdout)
    entropy = {
        (each["run"], score["stratum"]): score["f1"]
        for each in told["runs"]
        for score in each["scores"]
        if (score["stratification"], score["labels"], score["label"]) == ("entropy", "fine", "all")
    }
    assert entropy == {("memory", "S1"): 1, ("memory", "S4"): 0, ("reader", "S1"): 0, ("reader", "S4"): 1}
    assert [each["title"] for each in told["tables"]][-1] == "Changes of F1 by entropy"
    assert {"digest-run-memory", "digest-run-reader"} <= told["signature"].keys()
    table = CliRunner().invoke(main, arguments).stdout
    assert "swapped" not in table, "both have the same F1 on the whole set"
    assert "\\begin{tabular}" in CliRunner().invoke(main, [*arguments, "--format", "latex"]).stdout
    wrong = CliRunner().invoke(main, [*arguments, "--group", "COMPOUND"])
    assert (wrong.exit_code, "COMPOUND is neither a label" in wrong.output) == (2, True)
    (tmp_path / "reader" / "u.ann").write_text("T1\tA 0 99\tbrine\n")
    broken = CliRunner().invoke(main, arguments)
    assert (broken.exit_code, "span-outside-text" in broken.output) == (1, True)
