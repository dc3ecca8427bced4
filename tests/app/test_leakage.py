"""Leakage on the server: what splits share, and the scores of every run by stratum, from metadata to pages and files."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select, update

from app.analysis import jobs, run_jobs
from app.analysis.jobs import analyse, enlist
from app.analysis.metadata import parse_bytes, rows_for, set_metadata
from app.cli.main import main
from app.clock import now
from app.runs.claims import claim_next
from app.runs.gold_versions import install_version
from app.runs.models import JobState, LeakageReport, ScoreRow, Scoring, Stratification
from app.runs.rescoring import rescore
from app.shared_tasks import installing
from app.shared_tasks.models import MetadataVersion
from app.shared_tasks.services import definition_of, find_split, find_task
from app.upkeep import examine
from evaluator.leakage.leakage import find_leakage
from evaluator.metadata import Metadata
from tests.factories import CONF, TOML, Server, files

TRAIN = {"r1": "copper was taken and copper was left", "r2": "boron here and boron there"}
TRAIN_GOLD = {"r1": "T1\tAA 0 6\tcopper\nT2\tAA 21 27\tcopper\n", "r2": "T1\tAA 0 5\tboron\n"}
DEV, DEV_GOLD = {"d1": "argon alone"}, {"d1": "T1\tBB 0 5\targon\n"}
TEST = {"t1": "copper was taken and copper was left", "t2": "xenon with boron"}
TEST_GOLD = {
    "t1": "T1\tGOLDMARK 0 6\tcopper\nT2\tGOLDMARK 21 27\tcopper\n",
    "t2": "T1\tGOLDMARK 0 5\txenon\nT2\tGOLDMARK 11 16\tboron\n",
}
RUN = {"t1": "T1\tGOLDMARK 0 6\tcopper\nT2\tBB 11 16\ttaken\n", "t2": "T1\tGOLDMARK 0 5\txenon\nT2\tBB 6 10\twith\n"}
METADATA = "document\tpatent\tlanguage\nr1\tP1\ten\nr2\tP2\tde\nd1\tP3\ten\nt1\tP1\ten\nt2\tP9\tde\n"
# By hand. `copper` is AA wherever train has it: entropy 0, S1. `boron` is AA once and nothing once: log10 2 = .301, S3.
# `taken` stands in train and is no entity: S1. `xenon` and `with` are not in train or dev: S4.
# t1 equals r1, cosine 1: Q4. t2 shares boron with r2, which has four different words: 1 / sqrt(3 * 4) = .289, Q2.
# Of the two, t2 is in the lower half and t1 in the upper one: of quarters, Q1 and Q3.
# t1: copper right, copper missed, taken spurious. t2: xenon right, boron missed, with spurious.
BY_HAND = {
    ("source", "seen"): (1, 1, 1),
    ("source", "new"): (1, 1, 1),
    ("similarity", "Q2"): (1, 1, 1),
    ("similarity", "Q4"): (1, 1, 1),
    ("similarity-quartile", "Q1"): (1, 1, 1),
    ("similarity-quartile", "Q3"): (1, 1, 1),
    ("entropy", "S1"): (1, 1, 1),
    ("entropy", "S3"): (0, 0, 1),
    ("entropy", "S4"): (1, 1, 0),
}


@pytest.fixture
def lab(server: Server) -> Server:
    return make_lab(server)


def make_lab(server: Server, toml: str = TOML) -> Server:
    """A task with train, dev and a blind test in which one document is a copy, a team, and an organiser."""
    server.add_task(toml, corpora={"train": (TRAIN, TRAIN_GOLD), "dev": (DEV, DEV_GOLD), "test": (TEST, TEST_GOLD)})
    server.add_person("ann", "Ann's")
    return server


def give(lab: Server, text: str = METADATA, source: str = "patent") -> None:
    with lab.worker.database.session(write=True) as session:
        task = find_task(session, "t")
        set_metadata(
            session, lab.worker.storage, task, rows_for(lab.worker.storage, task, parse_bytes(text.encode(), "m")), source
        )
        session.commit()


def work(lab: Server) -> None:
    analyse(lab.worker, lambda: False)


def counts(
    lab: Server, run_id: str, who: str = "organiser", *, label: str = "all", groups: bool = False
) -> dict[tuple[str, str], tuple[int, ...]]:
    """What the API tells of a run by stratum, of exact spans and fine labels; or by group."""
    answer = lab.api("GET", f"/runs/{run_id}/strata", who)
    assert answer.status_code == 200, answer.text
    return {
        (each["stratification"], each["stratum"]): (each["tp"], each["fp"], each["fn"])
        for each in answer.json["scores"]
        if (each["span"], each["labels"], each["label"]) == ("exact", "fine", label)
        if each["stratification"].startswith("group:") is groups
    }


def page(lab: Server, path: str, who: str | None = "organiser") -> str:
    answer = lab.browser(who).get(f"/tasks/t{path}")
    assert answer.status_code == 200, answer.text
    return answer.text


def states(lab: Server) -> tuple[list[JobState], list[JobState]]:
    with lab.worker.database.session(write=False) as session:
        return (
            list(session.scalars(select(LeakageReport.state).order_by(LeakageReport.id))),
            list(session.scalars(select(Stratification.state).order_by(Stratification.id))),
        )


def test_a_recount_by_hand(lab: Server) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    assert counts(lab, run_id) == BY_HAND
    assert counts(lab, run_id, label="BB")["entropy", "S4"] == (0, 1, 0)


def test_nothing_is_matched_again(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    monkeypatch.setattr("evaluator.scoring.match", lambda *_: pytest.fail("matched again"))
    work(lab)
    assert counts(lab, run_id) == BY_HAND


def test_the_same_as_offline(lab: Server, tmp_path: Path) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    for name, texts, anns in (
        ("train", TRAIN, TRAIN_GOLD),
        ("dev", DEV, DEV_GOLD),
        ("test", TEST, TEST_GOLD),
        ("run", {}, RUN),
    ):
        (tmp_path / name).mkdir()
        for file, data in files(texts, anns).items():
            (tmp_path / name / file).write_bytes(data)
    (tmp_path / "m.tsv").write_text(METADATA)
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "task.toml").write_text(TOML)
    (tmp_path / "task" / "annotation.conf").write_text(CONF)
    arguments = [part for name in ("train", "dev", "test", "run") for part in (f"--{name}", tmp_path / name)]
    more = ["--sources", f"{tmp_path / 'm.tsv'}:patent", "--task", tmp_path / "task", "--format", "json"]
    offline = CliRunner().invoke(main, [str(each) for each in ("leakage", *arguments, *more)])
    assert offline.exit_code == 0, offline.output
    found = json.loads(offline.stdout)
    mine = lab.api("GET", f"/runs/{run_id}/strata", "organiser").json["scores"]
    theirs = [each for each in found["runs"][0]["scores"] if each["stratification"] != "all"]
    ours = [each for each in mine if each["span"] == "exact" and not each["stratification"].startswith("group:")]
    assert ours == theirs
    served = json.loads(page(lab, "/organise/leakage/report.json?split=test"))["leakage"]
    assert {key: served[key] for key in served if key not in ("options", "fairness")} == {
        key: found["leakage"][key] for key in served if key not in ("options", "fairness")
    }
    tables = json.loads(page(lab, "/organise/strata.json?phase=test"))["tables"]
    assert [each["columns"] for each in tables] == [each["columns"] for each in found["tables"]]
    assert [list(each["rows"][0].values())[1:] for each in tables] == [
        list(each["rows"][0].values())[1:] for each in found["tables"]
    ]


def test_metadata_that_come_later_are_there_for_runs_of_a_closed_phase(lab: Server) -> None:
    run_id = lab.upload("ann", RUN, "test")["id"]
    lab.turn("test", "close")
    work(lab)
    without = {key: value for key, value in BY_HAND.items() if key[0] != "source"}
    assert counts(lab, run_id) == without
    give(lab)
    assert counts(lab, run_id) == without, "what there was stays until the new is there"
    work(lab)
    assert counts(lab, run_id) == BY_HAND
    give(lab, METADATA.replace("t1\tP1", "t1\tP7"))
    work(lab)
    assert counts(lab, run_id)["source", "new"] == (2, 2, 2)
    assert ("source", "seen") not in counts(lab, run_id)
    before = states(lab)
    assert enlist(lab.worker) == 0, "there is nothing to do"
    assert states(lab) == before


def test_corrected_gold_gives_other_strata(lab: Server) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    corrected = TEST_GOLD | {"t2": TEST_GOLD["t2"] + "T3\tBB 6 10\twith\n"}
    with lab.worker.database.session(write=True) as session:
        split = find_split(find_task(session, "t"), "test")
        corpus = installing.read_gold(files(TEST, corrected), definition_of(split.task))
        install_version(session, lab.worker.storage, split, corpus, "one was missing")
        session.commit()
    work(lab)
    assert counts(lab, run_id) == BY_HAND, "the version waits"
    rescore(lab.worker, lambda: False)
    assert counts(lab, run_id) == {}
    work(lab)
    assert counts(lab, run_id)["source", "new"] == (2, 0, 1)
    assert counts(lab, run_id)["entropy", "S4"] == (2, 0, 0)


def test_who_is_told_when(lab: Server) -> None:
    give(lab)
    dev = lab.upload("ann", DEV_GOLD)["id"]
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    assert counts(lab, dev, "ann")["source", "new"] == (1, 0, 0), "dev at once"
    assert "By stratum" in lab.browser("ann").get(f"/runs/{dev}").text
    browser = lab.browser("ann")
    browser.post(f"/runs/{run_id}/publish")
    board = "/leaderboard/strata?phase=test"

    def told(who: str | None) -> list[int]:
        addresses = (f"/tasks/t{board}", "/tasks/t/leaderboard/strata.csv?phase=test", f"/runs/{run_id}")
        found = [lab.browser(who).get(each) for each in addresses]
        assert not any(re.search(r'[>",]Q2[<",]', each.text) for each in found if each.status_code != 200)
        api = (f"/runs/{run_id}/strata", "/tasks/t/strata?phase=test")
        found += [lab.api("GET", each, who if who != "nobody" else None) for each in api]
        return [each.status_code for each in found]

    assert told("organiser") == [200] * 5
    assert told("ann") == [403, 403, 200, 403, 403]
    assert "By stratum" not in lab.browser("ann").get(f"/runs/{run_id}").text
    assert page(lab, "/organise/strata?phase=test").count("Ann&#39;s") > 0
    lab.turn("test", "close")
    assert told("ann") == [403, 403, 200, 403, 403], "another phase takes runs on these documents"
    lab.turn("late", "open")
    lab.turn("late", "close")
    assert told("ann") == [200] * 5
    assert told(None) == [200] * 5
    assert "By stratum" in lab.browser("ann").get(f"/runs/{run_id}").text
    late = lab.upload("ann", TEST_GOLD, "test")["id"]
    browser.post(f"/runs/{late}/publish")
    work(lab)
    assert lab.api("GET", f"/runs/{late}/strata", "ann").status_code == 403, "whoever sends later has seen scores"
    assert "1 run that was sent after the end is left out" in page(lab, board, "ann")
    assert counts(lab, late)["source", "new"] == (2, 0, 0)


def test_what_fails_is_told_and_tried_again(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    monkeypatch.setattr(jobs, "find_leakage", lambda *_: 1 / 0)
    work(lab)
    assert states(lab) == ([JobState.FAILED] * 2, [])
    assert "an error of ours (ZeroDivisionError) in 3 attempts" in page(lab, "/organise/leakage?split=test")
    monkeypatch.setattr(jobs, "find_leakage", find_leakage)
    monkeypatch.setattr(run_jobs, "score_strata", lambda *_: 1 / 0)
    assert lab.browser("organiser").post("/tasks/t/organise/leakage/retry?split=test").status_code == 302
    work(lab)
    assert states(lab) == ([JobState.DONE] * 2, [JobState.FAILED])
    assert "1 could not be scored by stratum" in page(lab, "/organise/strata?phase=test")
    monkeypatch.undo()
    lab.browser("organiser").post("/tasks/t/organise/leakage/retry")
    work(lab)
    assert counts(lab, run_id) == BY_HAND
    assert "Nothing failed" in lab.browser("organiser").post("/tasks/t/organise/leakage/retry").text


def test_a_worker_that_is_killed_loses_nothing(lab: Server) -> None:
    give(lab)
    run_id = lab.upload("ann", RUN, "test")["id"]
    enlist(lab.worker)
    assert claim_next(lab.worker, LeakageReport) is not None
    work(lab)
    assert states(lab)[0].count(JobState.WAITING) == 1, "somebody has it"
    with lab.worker.database.session(write=True) as session:
        session.execute(update(LeakageReport).values(lease_until=now() - timedelta(seconds=1)))
        session.commit()
    work(lab)
    assert counts(lab, run_id) == BY_HAND
    with lab.worker.database.session(write=False) as session:
        assert session.scalar(select(func.count()).where(ScoreRow.stratification != "all")) is not None
        assert session.scalar(select(func.count(Scoring.id))) == 1


def test_a_change_while_it_is_being_found_counts(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    give(lab, METADATA.replace("t1\tP1", "t1\tP7"))
    run_id = lab.upload("ann", RUN, "test")["id"]
    changed: list[int] = []

    def slow(*arguments: Any) -> Any:
        if not changed:
            changed.append(1)
            give(lab)
            enlist(lab.worker)
        return find_leakage(*arguments)

    monkeypatch.setattr(jobs, "find_leakage", slow)
    work(lab)
    work(lab)
    assert counts(lab, run_id) == BY_HAND


def test_the_organisers_page(lab: Server) -> None:
    assert "It is being found" in page(lab, "/organise/leakage")
    assert "Of no document the source is known" not in page(lab, "/organise/leakage")
    give(lab)
    work(lab)
    found = page(lab, "/organise/leakage")
    assert "What test shares with training" in found, "a blind split comes first"
    assert re.search(r"<strong>1</strong> of 2 test documents are clean", found)
    assert re.search(r"<strong>1</strong> pair of copies across splits", found)
    assert re.search(r"<strong>1</strong> of 2 sources of test", found)
    assert "Sources by split" in found
    assert 'aria-label="Similarity of test documents to training.' in found
    assert "Distribution of language" in found
    assert "What dev shares" in page(lab, "/organise/leakage?split=dev")
    link = re.search(r'href="([^"]+leakage/pair[^"]+)"', found)
    assert link is not None
    pair = lab.browser("organiser").get(link[1].replace("&amp;", "&")).text
    assert "Similarity 1.0000" in pair
    assert pair.count("<mark>copper was taken and copper was left</mark>") == 2
    copy = page(lab, "/organise/leakage/pair?split=test&of=train&document=r1&with=test&other=t1")
    assert "An exact copy" in copy
    words = page(lab, "/organise/leakage/pair?split=test&of=test&document=t2&with=train&other=r2")
    assert "no run of five words" in words
    assert "<mark>boron</mark>" in words
    for address in (
        "pair?split=test&of=test&document=t9&with=train&other=r2",
        "pair?of=other&document=t1",
        "?split=train",
        "?split=x",
    ):
        assert (
            lab.browser("organiser").get(f"/tasks/t/organise/leakage{'' if address[0] == '?' else '/'}{address}").status_code
            == 404
        )


def test_files_of_the_organisers_page(lab: Server) -> None:
    browser = lab.browser("organiser")
    assert browser.get("/tasks/t/organise/leakage/report.csv").status_code == 409, "nothing has been found yet"
    give(lab)
    work(lab)
    rows = list(csv.DictReader(io.StringIO(browser.get("/tasks/t/organise/leakage/report.csv?split=test").text)))
    assert {row["value"] for row in rows if row["table"] == "copies" and row["column"] == "jaccard"} == {"1.0"}
    assert "\\toprule" in browser.get("/tasks/t/organise/leakage/report.tex").text
    whole = browser.get("/tasks/t/organise/leakage/report.json").json
    assert whole["signature"]["digest-metadata"]
    assert browser.get("/tasks/t/organise/leakage/report.exe").status_code == 404


def test_tables_of_ten_runs(server: Server) -> None:
    lab = make_lab(server, TOML.replace('title = "Test"\n', 'title = "Test"\nquota = 10\n'))
    give(lab)
    for number in range(10):
        annotations = RUN if number % 2 else TEST_GOLD | {"t2": ""}
        lab.upload(
            "ann", {**annotations, "t1": annotations["t1"].replace("T1\t", f"T{number + 5}\t")}, "test", f"=run {number}"
        )
    work(lab)
    lines = list(csv.reader(io.StringIO(page(lab, "/organise/strata.csv?phase=test&table=similarity"))))
    assert lines[0] == ["run", "Q2_delta", "Q2_percent", "Q4_delta", "Q4_percent", "spread"]
    assert sorted(line[0] for line in lines[1:]) == [f"Ann's, =run {number}" for number in range(10)]
    # Right on t1 and empty on t2: F1 2·2/(2·2+2) = 2/3 in all, 1 on Q4, 0 on Q2: Δ 1.
    best = next(line for line in lines if line[0] == "Ann's, =run 0")
    assert [float(each) for each in best[1:]] == pytest.approx([-2 / 3, 100, 1 / 3, 50, 1])
    latex = page(lab, "/organise/strata.tex?phase=test&table=similarity")
    assert latex.count("\\\\\n") == 11
    assert "{Ann's, =run 0} & $-$0.6667 & 100.0 & $+$0.3333 & 50.0 & 1.0000" in latex
    counted = list(csv.DictReader(io.StringIO(page(lab, "/organise/strata.csv?phase=test"))))
    assert len(counted) == 10 * len(BY_HAND)
    assert {each["stratum"] for each in counted if each["stratification"] == "entropy"} == {"S1", "S3", "S4"}
    starred = page(lab, "/organise/strata.csv?phase=test&table=source&group=GOLDMARK").splitlines()[0]
    assert starred == "run,f1,delta,percent,f1_GOLDMARK,delta_GOLDMARK,percent_GOLDMARK"
    assert "XX is none of the labels" in lab.browser("organiser").get("/tasks/t/organise/strata?phase=test&group=XX").text
    assert "none of the tables" in lab.browser("organiser").get("/tasks/t/organise/strata.csv?phase=test&table=XX").text
    told = page(lab, "/organise/strata?phase=test")
    assert "10 runs" in told
    assert told.count("<svg") >= 8


def test_a_page_for_runs_that_wait_and_for_none(lab: Server) -> None:
    assert "No team has sent a run" in page(lab, "/organise/strata?phase=test")
    lab.upload("ann", RUN, "test")
    assert "1 run is still being scored by stratum" in page(lab, "/organise/strata?phase=test")


@pytest.mark.parametrize(
    ("content", "source", "told"),
    [
        (METADATA, "office", "m.tsv: no column is called office; there are: patent, language."),
        ("document\tpatent\nx\tP1\n", "", "m.tsv: no row is of a document of this task, such as r1; the first row is of x"),
        ("document\tpatent\nt1\tP1\nt1\tP2\n", "", "m.tsv:3: document t1 has a second row"),
        ("document\tpatent\nt1\tP1\tP2\n", "", "m.tsv:2:3: 3 columns, where the first line has 2"),
        ('[{"document": "t1",}]', "", "m.tsv:1:20: not JSON"),
        (b"document\tpatent\nt1\tP\xff\n", "", "m.tsv:2:5: error [not-utf8]"),
        ("", "", "m.tsv:1: no line of column names"),
        (None, "", "Choose a file"),
    ],
)
def test_metadata_that_cannot_be_used(lab: Server, content: str | bytes | None, source: str, told: str) -> None:
    data = content.encode() if isinstance(content, str) else content
    form: dict[str, Any] = {"source": source} | ({} if data is None else {"file": (io.BytesIO(data), "m.tsv")})
    answer = lab.browser("organiser").post("/tasks/t/organise/leakage/metadata", data=form)
    assert answer.status_code == 422
    assert told in answer.text.replace("&#39;", "'")
    with lab.worker.database.session(write=False) as session:
        assert session.scalar(select(func.count(MetadataVersion.id))) == 0


def test_metadata_from_the_page(lab: Server) -> None:
    form = {"source": " patent ", "file": (io.BytesIO((METADATA + "zz\tP1\ten\n").encode()), "m.tsv")}
    answer = lab.browser("organiser").post("/tasks/t/organise/leakage/metadata?split=dev", data=form, follow_redirects=True)
    assert "train 2 of 2, dev 1 of 1, test 2 of 2; patent is their source. Left out: 1 row of other documents." in answer.text
    assert "What dev shares" in answer.text
    assert "metadata" in lab.browser("organiser").get("/tasks/t/organise/audit").text
    assert all(each.good for each in examine(lab.worker.settings))


def test_documents_without_a_source_are_unknown(lab: Server) -> None:
    give(lab, "document\tsource\nr1\tP1\nt1\tP1\n", "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    found = {key[1]: value for key, value in counts(lab, run_id).items() if key[0] == "source"}
    assert found == {"seen": (1, 1, 1), "unknown": (1, 1, 1)}
    assert "of 1 documents the source is not known" in page(lab, "/organise/leakage?split=test")


def test_without_train_there_is_nothing_to_share(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Ann's")
    run_id = server.upload("ann", {"d1": "T1\tAA 0 5\talpha\n", "d2": ""})["id"]
    work(server)
    assert "This task has no train" in server.browser("organiser").get("/tasks/t/organise/leakage").text
    assert server.browser("organiser").get("/tasks/t/organise/leakage?split=dev").status_code == 404
    assert "This task has no train" in page(server, "/organise")
    assert "There are no scores by stratum" in page(server, "/organise/strata")
    assert "By stratum" not in server.browser("ann").get(f"/runs/{run_id}").text
    assert server.api("GET", f"/runs/{run_id}/strata", "ann").json["scores"] == []


def test_triggers_are_in_the_stratum_of_what_they_are_as_triggers(server: Server) -> None:
    """Train has `boil` as a trigger of two kinds, so it is open, and `cool` of one; as entities neither is anything."""
    conf = "[entities]\nAA\n[events]\nHEAT\nSTEP\n[relations]\n"
    toml = TOML.replace('title = "NER"', 'title = "NER"\nasks = ["entities", "triggers"]')
    train = {"r1": "boil boil cool", "r2": "cool"}
    gold = {"r1": "T1\tHEAT 0 4\tboil\nT2\tSTEP 5 9\tboil\nT3\tSTEP 10 14\tcool\n", "r2": "T1\tSTEP 0 4\tcool\n"}
    text, triggers = {"d1": "boil cool dry"}, {"d1": "T1\tHEAT 0 4\tboil\nT2\tSTEP 5 9\tcool\nT3\tSTEP 10 13\tdry\n"}
    server.add_task(toml, conf, corpora={"train": (train, gold), "dev": (text, triggers), "test": (text, triggers)})
    server.add_person("ann", "Ann's")
    run_id = server.upload("ann", triggers)["id"]
    work(server)
    scores = server.api("GET", f"/runs/{run_id}/strata", "ann").json["scores"]
    found = {
        each["stratum"]: each["tp"]
        for each in scores
        if (each["stratification"], each["annotations"], each["span"], each["labels"], each["label"])
        == ("entropy", "triggers", "exact", "fine", "all")
    }
    # boil: half and half, log10 2 = .301. cool: always STEP. dry: not in train.
    assert found == {"S3": 1, "S1": 1, "S4": 1}


def test_others_can_write_while_a_file_is_read(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def slow(data: bytes, file: str) -> Metadata:
        lab.add_person("meanwhile")
        written.append(file)
        return parse_bytes(data, file)

    monkeypatch.setattr("app.analysis.leakage_views.parse_bytes", slow)
    form = {"source": "patent", "file": (io.BytesIO(METADATA.encode()), "m.tsv")}
    assert lab.browser("organiser").post("/tasks/t/organise/leakage/metadata", data=form).status_code == 302
    assert written == ["m.tsv"]


def test_figures_stay_until_the_new_ones_are_there_and_files_wait(lab: Server) -> None:
    give(lab)
    lab.upload("ann", RUN, "test")
    work(lab)
    give(lab, METADATA.replace("t1\tP1", "t1\tP7"))
    stale = page(lab, "/organise/strata?phase=test")
    assert "figures here may be from before" in stale
    assert "F1 by source" in stale
    for address in ("strata.csv", "strata.tex", "strata.json", "groups.csv", "groups.tex"):
        refused = lab.browser("organiser").get(f"/tasks/t/organise/{address}?phase=test")
        assert (refused.status_code, "still being found" in refused.text) == (409, True)
    work(lab)
    assert "from before" not in page(lab, "/organise/strata?phase=test")
    assert page(lab, "/organise/strata.tex?phase=test").startswith("% task t, phase test, track ner, split test, criterion ")


def test_what_is_not_ranked_is_in_no_ranking(lab: Server) -> None:
    lab.upload("ann", RUN, "test", "in time")
    lab.turn("test", "close")
    lab.upload("ann", TEST_GOLD, "test", "later")
    work(lab)
    found = json.loads(page(lab, "/organise/strata.json?phase=test"))
    assert [each["run"] for each in found["runs"]] == ["Ann's, in time", "Ann's, later *"]
    assert all(
        [one["run"] for one in each["ranks"]] == ["Ann's, in time"] for table in found["tables"] for each in table["rankings"]
    )


def test_an_attribute_may_have_any_name(lab: Server) -> None:
    give(lab, METADATA.replace("language", "label"))
    work(lab)
    shown = page(lab, "/organise/leakage?split=test")
    assert shown.count("Distribution of label") == 4, "labels, and the attribute; each is a caption and the name of a region"
    rows = csv.DictReader(io.StringIO(page(lab, "/organise/leakage/report.csv?split=test")))
    assert {"fairness:label", "attribute:label"} <= {each["table"] for each in rows}


def test_a_long_message_still_is_one(lab: Server) -> None:
    names = [f"{number:03}" + "ß" * 30 for number in range(150)]
    form = {"source": "none", "file": (io.BytesIO(("\t".join(["document", *names]) + "\nt1\n").encode()), "m.tsv")}
    browser = lab.browser("organiser")
    referrer = {"Referer": "http://localhost/tasks/t/organise/leakage"}
    answer = browser.post("/tasks/t/organise/leakage/metadata", data=form, headers=referrer, follow_redirects=True)
    assert "no column is called none" in answer.text
    assert all(len(each) < 4_000 for each in answer.headers.getlist("Set-Cookie"))


def test_what_is_known_can_be_had_back(lab: Server) -> None:
    assert lab.browser("organiser").get("/tasks/t/organise/leakage/metadata.json").status_code == 409
    give(lab)
    known = lab.browser("organiser").get("/tasks/t/organise/leakage/metadata.json").json
    assert known["test"] == {"t1": {"patent": "P1", "language": "en"}, "t2": {"patent": "P9", "language": "de"}}


def test_of_a_late_run_it_is_never_told(lab: Server) -> None:
    for phase, action in (("test", "close"), ("late", "open"), ("late", "close")):
        lab.turn(phase, action)
    late = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    for address in ("strata", "groups"):
        answer = lab.api("GET", f"/runs/{late}/{address}", "ann")
        assert (answer.status_code, "sent after the end" in answer.text) == (403, True)


def test_sources_of_test_alone_make_nothing_new(lab: Server) -> None:
    give(lab, "document\tsource\nt1\tP1\nt2\tP2\n", "")
    work(lab)
    assert "Of no training document the source is known" in page(lab, "/organise/leakage?split=test")
