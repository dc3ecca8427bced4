"""Gold gets corrected: every run is scored again, boards switch at once, and nothing half-done is shown."""

from __future__ import annotations

import csv
import io
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select, update

from app.cli.main import main
from app.clock import now
from app.db import Database
from app.errors import ConflictError, InvalidError
from app.runs import gold_versions, jobs, rescoring
from app.runs.claims import claim_next, finishing
from app.runs.jobs import process_run
from app.runs.leases import LostClaimError
from app.runs.models import JobState, Rescoring, Run, RunState, ScoreRow, Scoring
from app.runs.rescoring import rescore, rescore_next, switch_if_ready
from app.shared_tasks import audit, installing, services
from app.shared_tasks.installing import BadCorpusError
from app.shared_tasks.models import GoldState, GoldVersion, Split
from app.upkeep import examine
from tests.app.test_blind import PARTS
from tests.app.test_workers import start_worker
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, SECRET_MARK, TEST_GOLD, TEST_TEXTS, TEXTS, Server, files

DEV_FIXED = DEV_GOLD | {"d1": "T1\tAA 0 5\talpha\nT2\tBB 11 16\tgamma\n"}
TEST_FIXED = TEST_GOLD | {"t1": f"T1\t{SECRET_MARK} 0 4\tzeta\nT2\tBB 9 14\ttheta\n"}
REASON = "The second entity was misplaced"
NOT_SCORED = "not scored against the corrected gold"


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team Ann")
    server.add_person("bob", "Team Bob")


def correct(
    server: Server, annotations: dict[str, str], split: str = "dev", texts: dict[str, str] | None = None, reason: str = REASON
) -> GoldState:
    """Install other annotations of a split; returns the state of their version."""
    texts = texts or (TEXTS if split == "dev" else TEST_TEXTS)
    with server.worker.database.session(write=True) as session:
        found = services.find_split(services.find_task(session, "t"), split)
        corpus = installing.read_gold(files(texts, annotations), services.definition_of(found.task))
        version = gold_versions.install_version(session, server.worker.storage, found, corpus, reason)
        session.commit()
        return version.state


def work(server: Server) -> None:
    rescore(server.worker, lambda: False)


def versions(server: Server, split: str = "dev") -> list[GoldState]:
    with server.worker.database.session(write=False) as session:
        return [each.state for each in services.find_split(services.find_task(session, "t"), split).versions]


def rescorings(server: Server) -> list[tuple[JobState, int, str]]:
    with server.worker.database.session(write=False) as session:
        return [(each.state, each.attempts, each.note) for each in session.scalars(select(Rescoring).order_by(Rescoring.id))]


def count(server: Server, model: type[Scoring | ScoreRow]) -> int:
    with server.worker.database.session(write=False) as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


def two_runs(server: Server, phase: str = "dev") -> tuple[str, str]:
    """A published run that agrees with the gold there is, and one that agrees with the corrected gold."""
    old, new = (DEV_GOLD, DEV_FIXED) if phase == "dev" else (TEST_GOLD, TEST_FIXED)
    ids = server.upload("ann", old, phase=phase, run="old")["id"], server.upload("bob", new, phase=phase, run="new")["id"]
    for name, run_id in zip(("ann", "bob"), ids, strict=True):
        assert server.api("POST", f"/runs/{run_id}/publish", name).status_code == 200
    return ids


def board(server: Server, phase: str = "dev", name: str | None = None) -> list[tuple[int | None, str, Any]]:
    """(rank, run, F1) as a reader sees it."""
    entries = server.api("GET", "/tasks/t/leaderboard", name, query_string={"phase": phase}).json["entries"]
    return [(each["rank"], each["name"], each["score"] and each["score"]["f1"]) for each in entries]


def changes(server: Server, name: str | None = None) -> list[Any]:
    found: list[Any] = server.api("GET", "/tasks/t/changes", name).json["changes"]
    return found


def changes_page(server: Server, name: str | None = None) -> str:
    answer = server.browser(name).get("/tasks/t/changes")
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


def fail_for(monkeypatch: pytest.MonkeyPatch, run_id: str, bad: Exception | None = None) -> None:
    measure = rescoring.measure

    def sometimes(worker: Any, wanted: str, gold: Any) -> Any:
        if wanted == run_id:
            raise bad or ValueError(f"{SECRET_MARK} 0 4")
        return measure(worker, wanted, gold)

    monkeypatch.setattr(rescoring, "measure", sometimes)


def test_a_correction_moves_ranks_and_keeps_old_scores(server: Server) -> None:
    old, new = two_runs(server)
    before = {run_id: server.run(run_id)["signature"] for run_id in (old, new)}
    assert board(server) == [(1, "old", 1.0), (2, "new", pytest.approx(2 / 3))]

    assert correct(server, DEV_FIXED) is GoldState.WAITING
    assert board(server)[0] == (1, "old", 1.0)
    work(server)

    assert board(server) == [(1, "new", 1.0), (2, "old", pytest.approx(2 / 3))]
    assert versions(server) == [GoldState.REPLACED, GoldState.CURRENT]
    assert count(server, Scoring) == 4
    with server.worker.database.session(write=False) as session:
        kept = set(session.scalars(select(Scoring.signature)))
    assert set(before.values()) < kept
    assert server.run(old)["signature"] not in before.values()
    (change,) = changes(server)
    assert (change["split"], change["version"], change["reason"], change["runs"]) == ("dev", 2, REASON, 2)
    (moved,) = change["boards"]
    assert [(each["name"], each["team"], each["before"]["rank"], each["after"]["rank"]) for each in moved["moves"]] == [
        ("new", "Team Bob", 2, 1),
        ("old", "Team Ann", 1, 2),
    ]
    assert moved["moves"][1]["before"]["figure"] == 1.0
    page = changes_page(server)
    assert "2 → 1" in page
    assert "1.0000 → 0.6667" in page
    assert "/tasks/t/changes" in server.browser().get("/tasks/t/leaderboard?phase=dev").text
    assert "/tasks/t/changes" not in server.browser().get("/tasks/t/leaderboard?phase=test").text
    page = server.browser().get("/tasks/t").text
    assert f"were corrected: {REASON}. 2 runs were scored again." in page
    assert 'href="/tasks/t/changes"' in page
    assert server.browser("ann").get("/tasks/t/splits/dev/gold.zip").status_code == 200


BOARDS = ("?phase=dev", "?phase=test", "?board=team&phase=dev", "?board=team&phase=test")
CHANGING = re.compile(r'csrf_token"[^>]* value="[^"]*"|(?:x|x1|x2|width)="[\d.]+"')  # the time line goes on


def everything(server: Server, name: str | None, run_ids: tuple[str, str]) -> dict[str, str]:
    """What every address without side effects answers a person, without what differs from one look to the next."""
    seen = {}
    browser = server.browser(name)
    for rule in server.app.url_map.iter_rules():
        if "GET" not in (rule.methods or set()) or rule.endpoint in ("static", "openapi.spec", "accounts.sign_out"):
            continue
        headers = {"Authorization": f"Bearer {server.tokens[name]}"} if name and rule.endpoint.startswith("api") else {}
        for run_id, split in zip(run_ids, ("dev", "test"), strict=True):
            path = address(rule.rule, PARTS | {"name": split, "phase": split, "track": "ner", "run_id": run_id})
            for query in BOARDS if path.endswith(("leaderboard", "leaderboard.csv", "team")) else ("",):
                answer = browser.get(path + query, headers=headers)
                assert answer.status_code < 500, path
                seen[path + query] = CHANGING.sub("", answer.data.decode("latin-1"))
                answer.close()
    assert len(seen) > 60
    return seen


def address(rule: str, parts: dict[str, str]) -> str:
    return re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda found: parts.get(found[1], "1"), rule)


@pytest.mark.parametrize("name", [None, "ann"])
def test_nothing_is_seen_before_the_switch_and_gold_never(server: Server, name: str | None) -> None:
    runs = two_runs(server), two_runs(server, "test")
    of_ann = runs[0][0], runs[1][0]
    before = everything(server, name, of_ann)
    correct(server, DEV_FIXED)
    correct(server, TEST_FIXED, "test")
    while rescore_next(server.worker):
        pass
    assert count(server, Scoring) == 8
    assert everything(server, name, of_ann) == before
    assert "2 of 2 runs" in server.browser("organiser").get("/tasks/t/organise").text

    assert switch_if_ready(server.worker) == 2
    after = everything(server, name, of_ann)
    assert after != before
    # Every label is in annotation.conf and in the matrices of dev, and a team may have its own file back.
    may = [f"/runs/{of_ann[0]}/{each}" for each in ("confusion", "confusion.csv")] + [f"/api/v1/runs/{of_ann[0]}/confusion"]
    may += [f"/runs/{of_ann[1]}/file", f"/api/v1/runs/{of_ann[1]}/file"] if name == "ann" else []
    assert {path for path, text in after.items() if SECRET_MARK in text} <= {"/tasks/t", "/api/v1/tasks/t", *may}


def test_a_quiet_phase_moves_nobody_for_anybody_but_organisers(server: Server) -> None:
    two_runs(server, "test")
    correct(server, TEST_FIXED, "test")
    work(server)

    for name in (None, "ann", "bob"):
        (change,) = changes(server, name)
        assert [(each["phase"], each["told"], each["moves"]) for each in change["boards"]] == [
            ("test", "nothing", []),
            ("late", "nothing", []),
        ]
        page = changes_page(server, name)
        assert "Scores of Test are told when the phase closes" in page
        assert "→" not in page
        assert board(server, "test", name) == [(None, "old", None), (None, "new", None)]
    assert "2 → 1" in changes_page(server, "organiser")

    server.turn("test", "close")
    (change,) = changes(server, "ann")
    assert [each["before"]["figure"] for each in change["boards"][0]["moves"]] == [0.67, 1.0], "rounded, as told"
    assert "0.67 → 1.00" in changes_page(server, "ann")
    server.turn("late", "open")
    server.turn("late", "close")
    assert changes(server, "ann")[0]["boards"][0]["moves"][0]["before"]["figure"] == pytest.approx(2 / 3)


def test_what_does_not_move_as_told_is_not_in_the_list(server: Server) -> None:
    run_id = server.upload("ann", {"t1": "T1\tBB 10 11\tt\n", "t2": "T1\tBB 0 4\tiota\n"}, phase="test")["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    correct(server, TEST_FIXED, "test")
    work(server)
    server.turn("test", "close")

    assert changes(server, "ann")[0]["boards"][0]["moves"] == []
    assert "Test: no published run moved" in changes_page(server)


def test_aliases_and_withdrawn_runs_are_kept(server: Server) -> None:
    old, _ = two_runs(server)
    correct(server, DEV_FIXED)
    work(server)
    server.browser("organiser").post("/tasks/t/organise/options", data={"anonymous": "1"})
    names = [each["team"] for each in changes(server, "ann")[0]["boards"][0]["moves"]]
    assert names[1] == "Team Ann"
    assert re.fullmatch(r"Team [0-9A-F]{6}", names[0])
    server.api("POST", f"/runs/{old}/withdraw", "ann")
    assert [each["name"] for each in changes(server)[0]["boards"][0]["moves"]] == ["new"]


def test_a_run_that_cannot_be_scored_holds_the_switch_until_it_can(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = two_runs(server)
    correct(server, DEV_FIXED)
    with monkeypatch.context() as patch:
        fail_for(patch, old)
        work(server)

    assert rescorings(server) == [
        (JobState.FAILED, 3, "an error of ours (ValueError) in 3 attempts; see the log"),
        (JobState.DONE, 1, ""),
    ]
    assert versions(server) == [GoldState.CURRENT, GoldState.WAITING]
    assert board(server) == [(1, "old", 1.0), (2, "new", pytest.approx(2 / 3))]
    page = server.browser("organiser").get("/tasks/t/organise").text
    assert "1 of 2 runs" in page
    assert "1 could not be scored" in page
    assert "an error of ours (ValueError)" in page
    assert "ValueError" not in server.browser("ann").get(f"/runs/{old}").text
    assert server.browser("ann").post("/tasks/t/organise/gold/dev/retry").status_code == 403

    answer = server.browser("organiser").post("/tasks/t/organise/gold/dev/retry", follow_redirects=True)
    assert "1 run is tried again" in answer.text
    work(server)
    assert board(server)[0] == (1, "new", 1.0)
    assert "could not be scored" not in server.browser("organiser").get("/tasks/t/organise").text
    assert server.browser("organiser").post("/tasks/t/organise/gold/dev/retry").status_code == 409


def test_a_shortage_is_no_attempt(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = two_runs(server)
    correct(server, DEV_FIXED)
    with monkeypatch.context() as patch:
        fail_for(patch, old, OSError(28, "no room"))
        work(server)
    assert rescorings(server)[0] == (JobState.WAITING, 0, "")
    assert not rescore_next(server.worker), "it rests for a while"
    with server.worker.database.session(write=True) as session:
        session.execute(update(Rescoring).values(lease_until=None))
        session.commit()
    work(server)
    assert board(server)[0] == (1, "new", 1.0)


def test_a_switch_without_those_that_failed_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = two_runs(server)
    correct(server, DEV_FIXED)
    organiser = server.browser("organiser")
    assert organiser.post("/tasks/t/organise/gold/dev/switch").status_code == 409, "some are still to be scored"
    with monkeypatch.context() as patch:
        fail_for(patch, old)
        work(server)
    answer = organiser.post("/tasks/t/organise/gold/dev/switch", follow_redirects=True)

    assert "Version 2 of the gold of dev holds now" in answer.text
    assert board(server) == [(1, "new", 1.0), (None, "old", None)]
    for path in (f"/runs/{old}", "/tasks/t/leaderboard?phase=dev", "/tasks/t/team?phase=dev", "/tasks/t/changes"):
        assert NOT_SCORED in server.browser("ann").get(path).text, path
    assert NOT_SCORED not in server.browser("ann").get(f"/runs/{new}").text
    assert NOT_SCORED not in server.browser("ann").get("/tasks/t/leaderboard?phase=test").text
    assert server.browser("ann").get(f"/runs/{old}/confusion").status_code in (404, 409)
    run = server.run(old, "ann")
    assert (run["state"], run["scores"], run["signature"]) == ("scored", [], None)
    assert "1 run was scored again" in server.browser().get("/tasks/t").text

    organiser.post("/tasks/t/organise/gold/dev/retry")
    work(server)
    assert board(server)[1] == (2, "old", pytest.approx(2 / 3))
    assert NOT_SCORED not in server.browser("ann").get(f"/runs/{old}").text


def test_a_failure_in_a_quiet_phase_is_seen_by_organisers_only(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = two_runs(server, "test")
    before = CHANGING.sub("", server.browser("ann").get(f"/runs/{old}").text)
    correct(server, TEST_FIXED, "test")
    fail_for(monkeypatch, old)
    work(server)
    server.browser("organiser").post("/tasks/t/organise/gold/test/switch")

    assert versions(server, "test") == [GoldState.REPLACED, GoldState.CURRENT]
    assert CHANGING.sub("", server.browser("ann").get(f"/runs/{old}").text) == before
    assert NOT_SCORED not in server.browser("ann").get("/tasks/t/leaderboard?phase=test").text
    assert NOT_SCORED in server.browser("organiser").get(f"/runs/{old}").text


def test_a_version_that_is_dropped_leaves_no_trace_on_boards(server: Server) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    rescore_next(server.worker)
    answer = server.browser("organiser").post("/tasks/t/organise/gold/dev/drop", follow_redirects=True)

    assert "Version 2 of the gold of dev is dropped" in answer.text
    assert not rescore_next(server.worker)
    assert versions(server) == [GoldState.CURRENT, GoldState.DROPPED]
    assert board(server)[0] == (1, "old", 1.0)
    assert changes(server) == []
    rows = list(csv.DictReader(io.StringIO(server.browser("organiser").post("/tasks/t/organise/export/scores.csv").text)))
    assert {row["gold_version"] for row in rows} == {"1"}
    assert server.browser("organiser").post("/tasks/t/organise/gold/dev/drop").status_code == 409
    assert correct(server, DEV_FIXED) is GoldState.WAITING
    assert [state for state, _, _ in rescorings(server)[2:]] == [JobState.DONE, JobState.WAITING]
    work(server)
    assert board(server)[0] == (1, "new", 1.0)
    assert [each["version"] for each in changes(server)] == [3]


def test_a_version_dropped_while_a_run_is_scored_against_it(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    measure = rescoring.measure

    def slowly(*arguments: Any) -> Any:
        server.browser("organiser").post("/tasks/t/organise/gold/dev/drop")
        return measure(*arguments)

    monkeypatch.setattr(rescoring, "measure", slowly)
    work(server)
    assert count(server, Scoring) == 2


def test_what_is_refused(server: Server) -> None:
    with pytest.raises(ConflictError, match="hold now"):
        correct(server, DEV_GOLD)
    for reason in ("  ", "x" * 2_000):
        with pytest.raises(InvalidError, match="Say why"):
            correct(server, DEV_FIXED, reason=reason)
    with pytest.raises(BadCorpusError) as other:
        correct(server, DEV_FIXED, texts={"d1": "alpha\nbeta gamma", "d2": "delta epsilon!"})
    assert [(each.file, each.line, each.column, each.severity) for each in other.value.problems] == [
        ("d1.txt", 1, 6, "error"),
        ("d2.txt", 1, 14, "error"),
    ]
    assert 'found "\\nbeta gamma"; expected " beta gamma"' in str(other.value.problems[0])
    assert "from character 13 on" in other.value.problems[1].message
    assert other.value.problems[1].expected == "the end of the text"
    with pytest.raises(BadCorpusError) as missing:
        correct(server, {"d1": "", "d3": "", "d4": ""}, texts={"d1": TEXTS["d1"], "d3": "", "d4": ""})
    assert [(each.code, each.file) for each in missing.value.problems] == [
        ("missing-document", "d2.ann"),
        ("extra-document", "d3.ann"),
        ("extra-document", "d4.ann"),
    ]
    two_runs(server)
    correct(server, DEV_FIXED)
    with pytest.raises(ConflictError, match="Version 2 of the gold of dev waits already"):
        correct(server, {"d1": "", "d2": ""})
    assert versions(server) == [GoldState.CURRENT, GoldState.WAITING]


def test_without_runs_a_version_holds_at_once(server: Server) -> None:
    assert correct(server, DEV_FIXED) is GoldState.CURRENT
    run_id = server.upload("bob", DEV_FIXED)["id"]
    assert server.run(run_id, "bob")["scores"][0]["f1"] == 1.0
    assert changes(server)[0]["runs"] == 0
    assert 'class="quiet">1 in dev' in server.browser().get("/tasks/t").text


def test_a_run_that_came_between_is_scored_before_the_switch(server: Server, queue: InlineQueue) -> None:
    two_runs(server)
    queue.held = True
    waiting = server.upload("ann", DEV_FIXED, run="waiting")["id"]
    correct(server, DEV_FIXED)
    while rescore_next(server.worker):
        pass
    process_run(server.worker, waiting)
    queue.held = False
    between = server.upload("bob", DEV_GOLD, run="between")["id"]

    assert switch_if_ready(server.worker) == 0, "two runs have no scores against it yet"
    assert [server.run(each, name)["scores"][0]["tp"] for each, name in ((waiting, "ann"), (between, "bob"))] == [2, 3]
    assert [state for state, _, _ in rescorings(server)].count(JobState.WAITING) == 2
    work(server)
    assert [server.run(each, name)["scores"][0]["tp"] for each, name in ((waiting, "ann"), (between, "bob"))] == [3, 2]
    assert changes(server)[0]["runs"] == 4


def test_a_run_that_is_being_scored_at_the_switch(server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_FIXED)["id"]
    measure, looks = jobs.measure, []

    def meanwhile(*arguments: Any) -> Any:
        looks.append(arguments[-1])
        if len(looks) == 1:
            assert correct(server, DEV_FIXED) is GoldState.CURRENT
        return measure(*arguments)

    monkeypatch.setattr(jobs, "measure", meanwhile)
    process_run(server.worker, run_id)

    assert server.run(run_id, "ann")["state"] == "scored"
    assert server.run(run_id, "ann")["scores"][0]["f1"] == 1.0
    assert (len(looks), count(server, Scoring)) == (2, 1)


def test_going_back_uses_the_scores_that_there_are(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    work(server)
    between = server.upload("ann", DEV_GOLD, run="between")["id"]
    server.api("POST", f"/runs/{between}/publish", "ann")
    asked: list[str] = []
    measure = rescoring.measure
    monkeypatch.setattr(rescoring, "measure", lambda *arguments: asked.append(arguments[1]) or measure(*arguments))  # type: ignore[func-returns-value]

    assert correct(server, DEV_GOLD, reason="It was right before!") is GoldState.WAITING
    work(server)

    assert asked == [between]
    assert versions(server) == [GoldState.REPLACED, GoldState.REPLACED, GoldState.CURRENT]
    assert board(server) == [(1, "old", 1.0), (1, "between", 1.0), (3, "new", pytest.approx(2 / 3))]
    back, there = changes(server)
    assert (back["version"], there["version"]) == (3, 2)
    moves = [[each["name"] for each in change["boards"][0]["moves"]] for change in (back, there)]
    assert moves == [["old", "between", "new"], ["new", "old"]], "what came later had no rank at the first switch"
    rows = list(csv.DictReader(io.StringIO(server.browser("organiser").post("/tasks/t/organise/export/scores.csv").text)))
    assert {(row["gold_version"], row["gold_is_current"]) for row in rows} == {("2", "0"), ("3", "1")}
    assert len(rows) == count(server, ScoreRow)


def test_a_worker_killed_while_scoring_again_loses_nothing(server: Server) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    killed = claim_next(server.worker, Rescoring)
    assert killed is not None
    assert rescore_next(server.worker)
    assert not rescore_next(server.worker), "the other one is in somebody's hands"
    assert switch_if_ready(server.worker) == 0
    with server.worker.database.session(write=True) as session:
        session.execute(update(Rescoring).where(Rescoring.id == killed.id).values(lease_until=now() - timedelta(seconds=1)))
        session.commit()

    work(server)
    assert board(server)[0] == (1, "new", 1.0)
    assert rescorings(server)[0] == (JobState.DONE, 2, "")
    with pytest.raises(LostClaimError), finishing(server.worker, Rescoring, killed):
        pytest.fail("a claim that is lost lets nothing be written")
    assert count(server, Scoring) == 4


def test_workers_that_are_killed_again_and_again_give_up(server: Server) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    for _ in range(server.worker.settings.attempts):
        killed = claim_next(server.worker, Rescoring)
        assert killed is not None
        with server.worker.database.session(write=True) as session:
            session.execute(update(Rescoring).where(Rescoring.id == killed.id).values(lease_until=None))
            session.commit()
    work(server)
    assert rescorings(server)[0] == (JobState.FAILED, 3, "given up after 3 attempts")
    assert versions(server) == [GoldState.CURRENT, GoldState.WAITING]


def test_the_heartbeat_keeps_a_slow_one(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.upload("ann", DEV_GOLD)
    correct(server, DEV_FIXED)
    measure, seen = rescoring.measure, []

    def slowly(*arguments: Any) -> Any:
        time.sleep(server.worker.settings.lease_seconds * 1.5)
        seen.append(claim_next(server.worker, Rescoring))
        return measure(*arguments)

    monkeypatch.setattr(rescoring, "measure", slowly)
    work(server)
    assert seen == [None]
    assert versions(server) == [GoldState.REPLACED, GoldState.CURRENT]


def test_the_quiet_worker_does_it_also_for_archived_tasks(server: Server) -> None:
    two_runs(server)
    server.browser("organiser").post("/tasks/t/organise/options", data={"archived": "1"})
    correct(server, DEV_FIXED)
    worker = start_worker(server.worker)
    try:
        wait_for_switch(server.worker.database)
    finally:
        worker.terminate()
        worker.wait()
    assert board(server, name="ann")[0] == (1, "new", 1.0)
    assert count(server, Scoring) == 4


def wait_for_switch(database: Database) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with database.session(write=False) as session:
            if session.scalar(select(GoldVersion.number).where(GoldVersion.state == GoldState.CURRENT, GoldVersion.number > 1)):
                return
        time.sleep(0.1)
    raise AssertionError("no switch after a minute")


def test_everything_is_in_the_audit_log(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = two_runs(server)
    organiser = server.browser("organiser")
    correct(server, DEV_FIXED)
    organiser.post("/tasks/t/organise/gold/dev/drop")
    correct(server, DEV_FIXED)
    with monkeypatch.context() as patch:
        fail_for(patch, old)
        work(server)
        organiser.post("/tasks/t/organise/gold/dev/retry")
        work(server)
    organiser.post("/tasks/t/organise/gold/dev/switch")
    correct(server, DEV_GOLD)
    work(server)

    with server.worker.database.session(write=False) as session:
        entries = reversed(audit.entries(session, services.find_task(session, "t")))
        found = [(each.action, each.subject, each.actor.split()[-1]) for each in entries if each.action.startswith("gold")]
    assert found == [
        ("gold installed", "dev, version 2", "terminal"),
        ("gold dropped", "dev, version 2", "organiser@x.org"),
        ("gold installed", "dev, version 3", "terminal"),
        ("gold tried again", "dev, version 3", "organiser@x.org"),
        ("gold switched", "dev, version 3", "organiser@x.org"),
        ("gold installed", "dev, version 4", "terminal"),
        ("gold switched", "dev, version 4", "terminal"),
    ]
    assert f"without scores of: {old}" in organiser.get("/tasks/t/organise/audit").text


def test_stored_files_of_all_versions_are_looked_at(server: Server) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    with server.worker.database.session(write=False) as session:
        stored = session.scalars(select(GoldVersion.stored).where(GoldVersion.state == GoldState.WAITING)).one()
        confusion = session.scalars(select(Scoring.confusion)).first()
    assert all(each.good for each in examine(server.worker.settings) if each.subject.startswith("stored"))
    for digest in (stored, confusion):
        assert digest
        (server.worker.settings.data / "objects" / digest[:2] / digest[2:]).unlink()
    assert "2 of" in next(each for each in examine(server.worker.settings) if each.subject == "stored files are there").detail


def folder(path: Path, content: dict[str, bytes]) -> Path:
    path.mkdir()
    for name, data in content.items():
        (path / name).write_bytes(data)
    return path


def test_the_command(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = server.worker.settings
    environment = {"ASSAY_DATA": str(settings.data), "ASSAY_SECRET_KEY": settings.secret_key}

    def assay(*arguments: object) -> Result:
        shown = [str(each) for each in ("task", "gold", "t", "--split", "test", *arguments)]
        return CliRunner().invoke(main, shown, env=environment)

    old, _ = two_runs(server, "test")
    good = folder(tmp_path / "good", files(TEST_TEXTS, TEST_FIXED))
    bad = folder(tmp_path / "bad", files({"t1": "zeta Eta theta"}, {"t1": ""}))
    assert "held from" in assay().stdout
    refused = assay(bad, "--reason", REASON)
    assert refused.exit_code == 1
    assert "\nt1.txt:1:6: error [text-mismatch] the text differs from that of the split from character 5 on" in refused.stderr
    assert "\nt2.ann: error [missing-document]" in refused.stderr
    assert (assay(good).exit_code, assay(good, "--drop", "--reason", "x").exit_code) == (2, 2)
    assert assay("--reason", "x").exit_code == 2
    installed = assay(good, "--reason", REASON)
    assert installed.exit_code == 0, installed.output
    assert "Version 2 of the gold of test is stored. 2 runs are scored again by the server" in installed.stdout
    assert assay(good, "--reason", REASON).exit_code == 1
    fail_for(monkeypatch, old)
    work(server)
    listed = assay().stdout
    assert f"version 2: waiting, made {now():%Y-%m-%d}" in listed
    assert "1 of 2 runs are scored against it" in listed
    assert f"failed: old ({old}) of Team Ann: an error of ours (ValueError)" in listed
    assert "1 run is tried again" in assay("--retry").stdout
    work(server)
    assert "Version 2 of the gold of test holds now" in assay("--switch-without-failed").stdout
    assert assay("--drop").exit_code == 1
    assert "version 2: current" in assay().stdout
    assert "version 1: replaced" in assay().stdout


def test_a_phase_that_tells_headlines(server: Server) -> None:
    with server.worker.database.session(write=True) as session:
        task = services.find_task(session, "t")
        next(each for each in task.phases if each.slug == "test").tells = type(task.phases[0].tells)("headline")
        session.commit()
    two_runs(server, "test")
    correct(server, TEST_FIXED, "test")
    work(server)
    (moved, _) = changes(server, "ann")[0]["boards"]
    assert moved["told"] == "headline"
    assert [(each["before"], each["after"]) for each in moved["moves"]] == [
        ({"rank": 2, "figure": 0.67}, {"rank": 1, "figure": 1.0}),
        ({"rank": 1, "figure": 1.0}, {"rank": 2, "figure": 0.67}),
    ]


def test_the_split_has_what_the_version_has(server: Server) -> None:
    two_runs(server)
    correct(server, DEV_FIXED)
    work(server)
    with server.worker.database.session(write=False) as session:
        assert set(session.scalars(select(Run.state))) == {RunState.SCORED}
        split = session.scalars(select(Split).where(Split.name == "dev")).one()
        assert split.was_corrected
        assert split.gold_digest == split.versions[-1].digest
        assert split.label_counts == split.versions[-1].label_counts
