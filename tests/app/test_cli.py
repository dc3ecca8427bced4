"""The command line, as a process would see it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from tests.factories import DEV_GOLD, TEXTS, files, zipped
from tests.oracle.cases import annotation_files, options, rows
from tests.shared import shared

CHEMU = Path(tasks.__file__).parent / "chemu2020"


def assay(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], env=env)


def folder(path: Path, content: dict[str, bytes]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, data in content.items():
        (path / name).write_bytes(data)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return folder(tmp_path / "gold", files(TEXTS, DEV_GOLD))


def test_folder_archive_and_file_give_the_same_numbers(tmp_path: Path, gold: Path) -> None:
    archive = tmp_path / "run.zip"
    archive.write_bytes(zipped(DEV_GOLD | {"d2": ""}))
    loose = folder(tmp_path / "run", files({}, DEV_GOLD | {"d2": ""}))
    results = [json.loads(assay("score", gold, run, "--format", "json").stdout) for run in (archive, loose)]

    assert results[0] == results[1]
    assert [results[0]["scores"][0][each] for each in ("label", "tp", "fp", "fn")] == ["all", 2, 0, 1]
    single = assay("score", gold / "d1.ann", loose / "d1.ann", "--format", "json")
    assert json.loads(single.stdout)["scores"][0]["f1"] == 1.0


def test_several_criteria_and_a_task(tmp_path: Path) -> None:
    several = assay(
        "score", CHEMU / "sample" / "gold", CHEMU / "sample" / "run", "--conf", CHEMU / "annotation.conf",
        "--span", "exact", "--span", "approximate:0.8", "--labels", "fine", "--labels", "any", "--format", "json",
    )  # fmt: skip
    seen = list(dict.fromkeys((each["span"], each["labels"]) for each in json.loads(several.stdout)["scores"]))
    by_task = json.loads(
        assay("score", CHEMU / "sample" / "gold", CHEMU / "sample" / "run", "--task", CHEMU, "--format", "json").stdout
    )

    assert seen == [("exact", "fine"), ("approximate:0.8", "fine"), ("exact", "any"), ("approximate:0.8", "any")]
    assert by_task["signature"]["task"] == "chemu2020"
    assert by_task["signature"]["criteria"] == ["exact-fine", "relaxed-fine", "exact-high", "relaxed-high"]


def test_a_run_with_errors_gives_status_1_and_no_output(tmp_path: Path, gold: Path) -> None:
    run = folder(tmp_path / "run", files({}, {"d1": "T1\tAA 0 99\talpha\nwhat\n"}))
    result = assay("score", gold, run)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"{run}/d1.ann:1:7: error [span-outside-text]" in result.stderr
    assert f"{run}/d1.ann:2:1: error [unreadable-line]" in result.stderr
    assert "[missing-document]" in result.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ("--span", "near"),
        ("--labels", "coarse"),
        ("--labels", "hierarchical"),
        ("--matching", "brateval", "--labels", "high"),
        ("--matching", "brateval", "--only", "AA"),
        ("--full-taxonomy",),
        ("--format", "xml"),
        ("--task", str(CHEMU), "--conf", str(CHEMU / "annotation.conf")),
        ("--nonsense",),
    ],
)
def test_wrong_usage_gives_status_2(gold: Path, wrong: tuple[str, ...]) -> None:
    result = assay("score", gold, gold, *wrong)

    assert result.exit_code == 2
    assert result.stdout == ""


def test_nothing_to_read_gives_status_1(tmp_path: Path, gold: Path) -> None:
    assert assay("score", gold, tmp_path / "none").exit_code == 1
    empty = folder(tmp_path / "empty", {})
    assert "no document" in assay("score", empty, gold).stderr
    assert "[no-annotations]" in assay("score", gold, empty).stderr


@pytest.mark.parametrize("name", ["bl", "c1"])
def test_the_counts_of_pharmaconer(name: str) -> None:
    # DATA.md: exact micro on dev without UNCLEAR.
    expected = {"bl": [1688, 50, 194], "c1": [1847, 90, 35]}[name]
    data = shared("data", "pharmaconer")
    result = assay(
        "score", data / "dev-set.zip", data / "runs" / f"racai-{name}.zip", "--ignore", "UNCLEAR", "--format", "json"
    )
    overall = json.loads(result.stdout)["scores"][0]

    assert [overall[each] for each in ("tp", "fp", "fn")] == expected
    assert "… and 3,491 more of [extra-document]" in result.stderr


@pytest.mark.parametrize("matching", ["brateval", "exact-first"])
def test_the_chemu_sample_under_both_matchings(matching: str) -> None:
    # Issue and BRATEVAL_SPEC, section 11: tp 761, fp 6, fn 9, .9922 .9883 .9902.
    data = shared("data", "chemu-sample", "ner")
    result = assay("score", data / "gold", data / "run", "--matching", matching)
    line = next(each for each in result.stdout.splitlines() if each.startswith("all "))

    assert line.split() == ["all", "761", "6", "9", "0.9922", "0.9883", "0.9902"]


def test_brateval_rows_on_the_command_line_are_those_of_the_library() -> None:
    case = shared("oracle", "p10_ner_nested")
    result = assay(
        "score", case / "gold", case / "run", "--matching", "brateval", "--span", "relaxed", "--labels", "hierarchical",
        "--conf", case / "annotation.conf", "--format", "json",
    )  # fmt: skip
    scores = json.loads(result.stdout)["scores"]
    expected = rows(
        annotation_files(case / "gold"),
        annotation_files(case / "run"),
        options("overlap", "hierarchical"),
        (case / "annotation.conf").read_bytes(),
    )

    assert expected is not None
    assert [[each[key] for key in ("label", "tp", "fp", "fn")] for each in scores] == [row[:4] for row in expected]
    assert {(each["span"], each["labels"], each["matching"]) for each in scores} == {("relaxed", "hierarchical", "brateval")}


def test_brateval_stops_where_the_program_stops() -> None:
    case = shared("oracle", "p18_ner_missing_doc")
    result = assay("score", case / "gold", case / "run", "--matching", "brateval")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "0019.ann" in result.stderr


def test_brateval_sees_hidden_annotation_files(tmp_path: Path) -> None:
    # BRATEVAL_SPEC, A20: `.ann` and `._x.ann` count.
    content = {"._x.ann": b"T1\tA 0 5\tx\n", ".ann": b"T1\tA 0 5\tx\n"}
    gold, run = folder(tmp_path / "g", content), folder(tmp_path / "r", content)
    scores = json.loads(assay("score", gold, run, "--matching", "brateval", "--format", "json").stdout)["scores"]

    assert scores[-1]["tp"] == 2


def test_a_single_file_that_is_no_annotation_file(tmp_path: Path, gold: Path) -> None:
    for members, code in (({}, "archive-empty"), ({"b": "", "a": "T1\tAA 0 5\talpha\n"}, "no-annotations")):
        (tmp_path / "run.ann").write_bytes(zipped(members))
        result = assay("score", gold / "d1.ann", tmp_path / "run.ann")
        assert (result.exit_code, result.stdout) == (1, "")
        assert code in result.stderr


def test_labels_that_occur_nowhere_are_told(gold: Path) -> None:
    assert "no annotation is labelled ZZ" in assay("score", gold, gold, "--only", "ZZ").stderr


def test_check_tells_in_json_of_an_archive_that_cannot_be_read(tmp_path: Path, gold: Path) -> None:
    (tmp_path / "run.zip").write_bytes(b"not a zip")
    result = assay("check", tmp_path / "run.zip", "--texts", gold, "--format", "json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["counts"] == {"archive-unreadable": 1}


@pytest.mark.parametrize(
    "setting",
    [
        ("ASSAY_DATABASE_URL", "foo"),
        ("ASSAY_DATABASE_URL", "oracle://x/y"),
        ("ASSAY_STORAGE_URL", "bogus://x"),
        ("ASSAY_SMTP_URL", "mail"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, setting: tuple[str, str]) -> None:
    result = assay("migrate", env=environment(tmp_path) | dict([setting]))

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {setting[0]}: expected")


def test_check_says_what_the_server_would(tmp_path: Path, gold: Path) -> None:
    good = assay("check", gold, "--texts", gold)
    run = folder(tmp_path / "run", files({}, {"d1": "T1\tAA 0 5\tALPHA\n"}))
    bad = assay("check", run, "--texts", gold, "--format", "json")

    assert (good.exit_code, good.stdout) == (0, "2 documents; no problems. This run would be scored.\n")
    assert bad.exit_code == 1
    assert json.loads(bad.stdout)["counts"] == {"text-mismatch": 1, "missing-document": 1}


def test_check_knows_the_labels_of_a_task() -> None:
    result = assay("check", CHEMU / "sample" / "run", "--texts", CHEMU / "sample" / "gold", "--task", CHEMU)
    assert result.exit_code == 0
    assert assay("check", CHEMU, "--texts", CHEMU / "sample" / "gold", "--task", CHEMU, "--track", "no").exit_code == 2


def environment(tmp_path: Path) -> dict[str, str]:
    return {"ASSAY_DATA": str(tmp_path / "var"), "ASSAY_SECRET_KEY": "s" * 40}


def test_an_organiser_installs_the_real_sample(tmp_path: Path) -> None:
    env = environment(tmp_path)
    data = shared("data", "chemu-sample", "ner", "gold")
    assert assay("task", "list", env=env).exit_code == 1
    assert "run `assay migrate` first" in assay("task", "list", env=env).stderr
    assert assay("migrate", env=env).exit_code == 0
    assert "password" in assay("user", "add", "o@x.org", "--name", "O", env=env).stdout
    result = assay("task", "add", CHEMU, "--test", data, "--organiser", "o@x.org", env=env)

    assert result.exit_code == 0, result.output
    assert "test 50 documents" in result.stdout
    assert "test-1: Test, phase 1, upcoming, 50 documents of test" in assay("task", "list", env=env).stdout
    for track, layer in (("ee", "triggers"), ("e2e", "relations")):  # the gold of track 1 alone
        assert f"warning: test: {track} asks for {layer}, and the gold has none" in result.stderr
    assert assay("task", "phase", "chemu2020", "test-1", "open", env=env).stdout == "Test, phase 1 is open.\n"
    refused = assay("task", "phase", "chemu2020", "test-2", "open", env=env)
    assert (refused.exit_code, "which asks for them, is not closed" in refused.stderr) == (1, True)
    dates = assay("task", "dates", "chemu2020", "test-1", "--closes", "2099-12-31 23:59 AoE", "--reason", "More time.", env=env)
    assert dates.stdout == "Test, phase 1 is open and ends 2100-01-01 11:59 UTC (2099-12-31 23:59 AoE).\n"
    assert assay("task", "dates", "chemu2020", "test-1", "--closes", "soon", "--reason", "x", env=env).exit_code == 2
    assert "installed already" in assay("task", "add", CHEMU, "--test", data, env=env).stderr
    assert "Nobody is registered" in assay("task", "organiser", "chemu2020", "z@x.org", env=env).stderr


def test_gold_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    env = environment(tmp_path)
    assay("migrate", env=env)
    bad = folder(tmp_path / "bad", {"a.txt": b"abc", "a.ann": b"T1\tA 0 9\tabc\n", "b.txt": b"", "c.ann": b""})
    result = assay("task", "add", CHEMU, "--test", bad, env=env)

    assert result.exit_code == 1
    assert all(code in result.stderr for code in ("span-outside-text", "missing-document", "missing-text"))
    textless = folder(tmp_path / "textless", {"a.ann": b"", "b.ann": b""})
    result = assay("task", "add", CHEMU, "--test", textless, env=env)
    assert (result.exit_code, result.stderr.count("missing-text")) == (1, 2)
    assert "need documents for: test" in assay("task", "add", CHEMU, env=env).stderr


def test_a_busy_port_is_told(tmp_path: Path) -> None:
    env = environment(tmp_path)
    assay("migrate", env=env)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for command in ("serve", "demo"):
            result = assay(command, "--port", str(port), env=env)
            assert result.exit_code == 1
            assert f"Port {port} on 127.0.0.1 is not free" in result.stderr


def test_scoring_starts_without_the_web_and_without_scipy(gold: Path) -> None:
    code = f"import sys; from app.cli.main import main; main(['score', {str(gold)!r}, {str(gold)!r}], standalone_mode=False); "
    code += "print([m for m in ('flask', 'sqlalchemy', 'scipy', 'huey') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)

    assert result.stdout.splitlines()[-1] == "[]"


def test_a_corrected_run_is_written_as_a_whole_or_not_at_all(tmp_path: Path, gold: Path) -> None:
    off = zipped({"d1": "T1\tAA 1 6\talpha\nT2\tBB 7 11\tbeta\n", "zz": "", "zz.ann/q": ""})
    (tmp_path / "run.zip").write_bytes(off)
    result = assay("check", tmp_path / "run.zip", "--texts", gold, "--fix", tmp_path / "out")

    assert result.exit_code == 1
    assert "as a file and as a folder" in result.output
    assert not (tmp_path / "out").exists()


def test_fix_writes_a_corrected_run_and_what_differs(tmp_path: Path, gold: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "d1.ann").write_bytes(b"T1\tAA 1 6\talpha\r\nT2\tBB 7 11\tbeta\r\n#1\tNote T1\tkept\r\n")
    (tmp_path / "run" / "d2.ann").write_text("")
    arguments = ("check", tmp_path / "run", "--texts", gold, "--fix", tmp_path / "out", "--format", "json")
    told = json.loads(assay(*arguments).stdout)

    assert [(each["code"], each["explained"], each["of"]) for each in told["diagnosis"]] == [("bom", 2, 2)]
    assert [(each["file"], each["line"], each["sure"]) for each in told["changes"]] == [
        ("d1.ann", 1, True),
        ("d1.ann", 2, True),
    ]
    fixed = b"T1\tAA 0 5\talpha\r\nT2\tBB 6 10\tbeta\r\n#1\tNote T1\tkept\r\n"
    assert (tmp_path / "out" / "d1.ann").read_bytes() == fixed
    assert "is there already" in assay(*arguments).stderr


def test_relations_as_brateval_prints_them() -> None:
    sample = shared("data", "chemu-sample", "ee")
    arguments = ("score", sample / "gold", sample / "run", "--matching", "brateval", "--relations", "--format", "json")
    records = json.loads(assay(*arguments).stdout)["scores"]
    total = next(each for each in records if each["label"] == "all")

    # The table that the program ships: ee-gt-test-exact-exact.txt.
    assert (total["annotations"], total["tp"], total["fp"], total["fn"], total["fpm"]) == ("relations", 658, 0, 0, 0)
    assert assay("score", sample / "gold", sample / "run", "--matching", "brateval", "--events").exit_code == 2


LINKED = (
    "T1\tREACTION_STEP 0 5\talpha\nT2\tSOLVENT 6 10\tbeta\nE1\tREACTION_STEP:T1 Theme:T2\n"
    "R1\tARG1 Arg1:T1 Arg2:T2\nR2\tARGM Arg1:T1 Arg2:T2\nM1\tNegation E1\n"
)


def test_relations_and_events_under_the_own_matching(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.ann", tmp_path / "run.ann"
    gold.write_text(LINKED)
    run.write_text(LINKED.replace("Theme:T2", "").replace("R2\tARGM", "R2\tARG2"))

    def overall(*options: str) -> dict[str, list[int]]:
        found = json.loads(assay("score", gold, run, *options, "--format", "json").stdout)["scores"]
        return {each["annotations"]: [each[key] for key in ("tp", "fp", "fn")] for each in found if each["label"] == "all"}

    # The relation R2 has another label. The event lacks its argument, and so its modification is wrong too.
    assert overall("--relations") == {"triggers": [1, 0, 0], "arguments": [1, 1, 1], "relations": [1, 1, 1]}
    assert overall("--events") == {
        "triggers": [1, 0, 0],
        "arguments": [0, 0, 1],
        "events": [0, 1, 1],
        "modifications": [0, 1, 1],
    }
    both = overall("--relations", "--events")
    assert list(both) == ["triggers", "arguments", "relations", "events", "modifications"]
    assert both["arguments"] == [1, 1, 2]
    assert overall("--relations", "--only", "ARG1") == {"triggers": [0] * 3, "arguments": [1, 0, 0], "relations": [1, 0, 0]}
    assert overall("--relations", "--task", str(CHEMU))["relations"] == [1, 1, 1]
    assert "ARGX" in assay("score", gold, run, "--relations", "--only", "ARGX").stderr
    assert "ARG1" not in assay("score", gold, run, "--relations", "--only", "ARG1").stderr


def test_an_annotation_conf_says_what_lies_under_which_relation_and_what_triggers_are(tmp_path: Path) -> None:
    gold, run, conf = tmp_path / "gold.ann", tmp_path / "run.ann", tmp_path / "annotation.conf"
    gold.write_text(LINKED)
    run.write_text(LINKED.replace("R2\tARGM", "R2\tARG2"))
    conf.write_text(
        "[entities]\nREACTION_STEP\n[relations]\nARG\tArg1:A, Arg2:B\n\tARGM\tArg1:A, Arg2:B\n\tARG2\tArg1:A, Arg2:B\n"
        "[events]\nSOLVENT\n[attributes]\n"
    )
    signatures = []

    def labels(*options: str) -> dict[tuple[str, str], list[int]]:
        told = json.loads(assay("score", gold, run, "--labels", "high", "--format", "json", *options).stdout)
        signatures.append({key: value for key, value in told["signature"].items() if value})
        return {(each["annotations"], each["label"]): [each[key] for key in ("tp", "fp", "fn")] for each in told["scores"]}

    found = labels("--relations", "--conf", str(conf))
    assert found["relations", "ARG"] == [1, 0, 0]
    assert found["triggers", "SOLVENT"] == [1, 0, 0]
    labels("--conf", str(conf))
    labels()
    labels("--relations")
    with_conf, entities, plain, relations = signatures
    assert with_conf["annotations"] == ["triggers", "arguments", "relations"]
    assert with_conf["hierarchy"] != entities["hierarchy"]
    assert with_conf["triggers"] != relations["triggers"]
    assert not {"annotations", "triggers"} & {*entities, *plain}
    assert "hierarchy" not in plain
