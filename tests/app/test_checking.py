"""Checking only, diagnoses, held runs, corrected runs: through the API and the pages."""

from __future__ import annotations

import io
import os
import re
import time
import zipfile
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from app.clock import now
from app.runs.again import forget_trials
from app.runs.models import QuotaEntry, Run, RunState
from app.shared_tasks.models import Phase
from tests.factories import DEV_GOLD, TOML, Server, zipped

OFF = {"d1": "T1\tAA 1 6\talpha\nT2\tBB 7 11\tbeta\n", "d2": "T1\tAA 1 6\tdelta\n"}
"""`DEV_GOLD` with one added to each offset: all three spans are explained by a byte order mark, and by a shift."""


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task(TOML.replace('split = "dev"', 'split = "dev"\nquota = 2', 1))
    server.add_person("ann", "Team One")
    server.add_person("bob", "Team Two")


def send(server: Server, annotations: dict[str, str] | bytes, name: str = "ann", **options: Any) -> Any:
    data = annotations if isinstance(annotations, bytes) else zipped(annotations)
    file_name = options.pop("file_name", "run.zip")
    form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(data), file_name), **options}
    return server.api("POST", "/tasks/t/runs", name, data=form, content_type="multipart/form-data")


def left(server: Server) -> str:
    return str(server.api("GET", "/tasks/t", "ann").headers["X-Assay-Runs-Left"]).partition(",")[0]


def test_a_trial_is_checked_and_costs_nothing_and_is_on_no_board(server: Server) -> None:
    sent = send(server, DEV_GOLD, trial="true").json
    run = server.run(sent["id"], "ann")

    assert (run["state"], run["trial"], run["scores"], run["problems"], run["diagnosis"]) == ("tried", True, [], [], [])
    assert [each["state"] for each in run["history"]] == ["received", "tried"]
    assert left(server) == "dev/ner=2 of 2 runs left"
    for board in ("public", "team"):
        listed = server.api("GET", f"/tasks/t/leaderboard?phase=dev&board={board}", "ann").json["entries"]
        assert listed == []
    assert "run" in server.browser("ann").get("/tasks/t/upload").text
    assert sent["id"] not in server.browser("organiser").get("/tasks/t/organise").text
    assert server.api("GET", f"/runs/{sent['id']}", "bob").status_code == 404


def test_a_trial_tells_all_errors(server: Server) -> None:
    run = server.run(send(server, {"d1": "T1\tAA 0 99\talpha\nnonsense\n"}, trial="true").json["id"], "ann")

    assert run["state"] == "rejected"
    assert run["problem_counts"] == {"unreadable-line": 1, "span-outside-text": 1, "missing-document": 1}


def test_a_trial_is_submitted_as_it_is(server: Server) -> None:
    trial = send(server, DEV_GOLD, trial="true").json["id"]
    answer = server.api("POST", f"/runs/{trial}/submit", "ann", json={})
    run = server.run(answer.json["id"], "ann")

    assert answer.status_code == 202
    assert (run["state"], run["trial"]) == ("scored", False)
    assert left(server) == "dev/ner=1 of 2 runs left"


def test_a_phase_that_has_not_opened_checks_nothing(server: Server) -> None:
    form = {"phase": "late", "track": "ner", "trial": "true", "file": (io.BytesIO(zipped(DEV_GOLD)), "run.zip")}
    answer = server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")

    assert answer.status_code == 409
    assert "takes no runs yet" in answer.json["error"]["message"]


def test_systematic_offsets_hold_a_run_until_the_team_decides(server: Server) -> None:
    held = server.run(send(server, OFF).json["id"], "ann")

    assert held["state"] == "held"
    assert held["scores"] == []
    assert [(each["code"], each["explained"], each["of"]) for each in held["diagnosis"]] == [("bom", 3, 3), ("shift", 3, 3)]
    assert left(server) == "dev/ner=2 of 2 runs left"

    packed = server.api("GET", f"/runs/{held['id']}/corrected.zip", "ann").data
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            f"{k}.ann": v for k, v in DEV_GOLD.items()
        }

    corrected = server.api("POST", f"/runs/{held['id']}/submit", "ann", json={"corrected": True}).json
    run = server.run(corrected["id"], "ann")
    assert run["state"] == "scored"
    assert next(each["f1"] for each in run["scores"] if each["label"] == "all") == 1
    assert left(server) == "dev/ner=1 of 2 runs left"


def test_a_held_run_as_it_is_counts_from_when_it_was_sent(server: Server) -> None:
    held = send(server, OFF).json["id"]
    sent = server.api("POST", f"/runs/{held}/submit", "ann", json={})
    run, before = server.run(sent.json["id"], "ann"), server.run(held, "ann")

    assert run["state"] == "scored"
    assert run["submitted_at"] == before["submitted_at"]
    assert next(each["tp"] for each in run["scores"] if each["label"] == "all") == 0


def test_who_says_so_at_once_is_scored_at_once(server: Server) -> None:
    assert server.run(send(server, OFF, anyway="true").json["id"], "ann")["state"] == "scored"


def test_a_correction_is_a_try_and_the_same_again_is_asked_about(server: Server) -> None:
    server.upload("ann", DEV_GOLD)
    held = send(server, OFF).json["id"]
    refused = server.api("POST", f"/runs/{held}/submit", "ann", json={"corrected": True})

    assert (refused.status_code, refused.json["error"]["code"]) == (409, "same-run")
    assert server.api("POST", f"/runs/{held}/submit", "ann", json={"corrected": True, "again": True}).status_code == 202
    assert "no run left" in server.api("POST", f"/runs/{held}/submit", "ann", json={}).json["error"]["message"]


def test_only_the_team_submits_and_only_what_can_be(server: Server) -> None:
    held, scored = send(server, OFF).json["id"], server.upload("ann", DEV_GOLD)["id"]

    assert server.api("POST", f"/runs/{held}/submit", "bob", json={}).status_code == 404
    assert server.api("POST", f"/runs/{held}/submit", "organiser", json={}).status_code == 403
    assert server.api("POST", f"/runs/{scored}/submit", "ann", json={}).status_code == 409
    assert server.api("POST", f"/runs/{scored}/submit", "ann", json={"corrected": True}).status_code == 409
    assert server.api("GET", f"/runs/{scored}/corrected.zip", "ann").status_code == 404


def test_a_held_run_is_late_once_the_phase_is_over(server: Server) -> None:
    held = send(server, OFF).json["id"]
    server.turn("dev", "close")
    with time_machine.travel(now() + timedelta(hours=2)):
        sent = server.api("POST", f"/runs/{held}/submit", "ann", json={})

    # The gold of dev is public, so a late run is refused as any other would be.
    assert sent.status_code == 409
    assert "has ended" in sent.json["error"]["message"]


def test_the_page_shows_the_diagnosis_and_its_buttons_submit(server: Server) -> None:
    browser = server.browser("ann")
    form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(zipped(OFF)), "run.zip"), "trial": "Check only"}
    page = browser.post("/tasks/t/upload", data=form, follow_redirects=True).text
    run_id = re.search(r"/runs/(\w+)/submit", page)

    assert run_id is not None
    assert "3 of 3 spans" in page
    assert "T1\tAA 1 6\talpha" in page
    assert "T1\tAA 0 5\talpha" in page
    done = browser.post(f"/runs/{run_id[1]}/submit", data={"corrected": "1"}, follow_redirects=True)
    assert "corrected" in done.text
    assert browser.get("/guide/problems").text.count('id="bom"') == 1


def test_many_empty_documents_are_told_when_earlier_runs_had_fewer(server: Server) -> None:
    server.upload("ann", DEV_GOLD)
    run = server.run(send(server, {"d1": "", "d2": ""}).json["id"], "ann")

    assert run["problem_counts"] == {"many-empty": 1}
    assert "0 of 2" in run["problems"][0]["expected"]


@pytest.mark.parametrize(
    ("file_name", "data"),
    [
        ("run.tsv", b"document\tbegin\tend\ttype\textraction\nd1\t0\t5\tAA\talpha\nd1\t6\t10\tBB\tbeta\nd2\t0\t5\tAA\tdelta\n"),
        (
            "run.txt",
            (
                b"d1|t|alpha beta gamma\nd1|a|\nd1\t0\t5\talpha\tAA\nd1\t6\t10\tbeta\tBB\n\n"
                b"d2|t|delta epsilon\nd2|a|\nd2\t0\t5\tdelta\tAA\n"
            ),
        ),
    ],
    ids=["spans-tsv", "pubtator"],
)
def test_other_formats_are_taken_and_named(server: Server, file_name: str, data: bytes) -> None:
    run = server.run(send(server, data, file_name=file_name).json["id"], "ann")

    assert (run["state"], run["problem_counts"]) == ("scored", {"read-as": 1})
    assert next(each["f1"] for each in run["scores"] if each["label"] == "all") == 1


def test_a_team_waits_for_its_own_trials(server: Server) -> None:
    for number in range(3):
        assert send(server, {"d1": "", "d2": f"#{number + 1}\tNote T1\tx"}, trial="true").status_code == 202
    with server.worker.database.session(write=True) as session:
        for run in session.query(Run):
            run.state = RunState.RECEIVED
        session.commit()

    assert send(server, DEV_GOLD, trial="true").status_code == 409
    assert send(server, DEV_GOLD).status_code == 202
    assert send(server, DEV_GOLD, name="bob", trial="true").status_code == 202


def test_old_trials_go_and_their_files_with_them_but_nothing_else(server: Server) -> None:
    trial = send(server, OFF, trial="true").json["id"]
    kept = server.upload("ann", DEV_GOLD)["id"]
    storage, database = server.worker.storage, server.worker.database
    with database.session(write=False) as session:
        uploads = {each.id: (each.upload, each.corrected) for each in session.query(Run)}
    assert forget_trials(database, storage) == 0
    with time_machine.travel(now() + timedelta(days=8)):
        assert forget_trials(database, storage) == 1

    assert server.api("GET", f"/runs/{trial}", "ann").status_code == 404
    for digest in uploads[trial]:
        if digest not in uploads[kept]:
            with pytest.raises(FileNotFoundError):
                storage.get(digest)
    assert storage.get(uploads[kept][0])
    with database.session(write=False) as session:
        assert [each.change for each in session.query(QuotaEntry)] == [-1]


def test_a_held_run_costs_a_try_of_the_day_on_which_it_is_submitted(server: Server) -> None:
    with server.worker.database.session(write=True) as session:
        phase = session.get_one(Phase, 1)
        phase.quota, phase.quota_days = 1, 1
        session.commit()
    held = [send(server, {**OFF, "d2": f"T1\tAA 1 6\tdelta\n#1\tNote T1\t{number}\n"}).json["id"] for number in range(3)]
    with time_machine.travel(now() + timedelta(days=2)):
        answers = [server.api("POST", f"/runs/{run_id}/submit", "ann", json={}).status_code for run_id in held]

    assert answers == [202, 409, 409]


def test_a_double_click_submits_once_also_without_a_quota(server: Server) -> None:
    with server.worker.database.session(write=True) as session:
        session.get_one(Phase, 1).quota = None
        session.commit()
    held = send(server, OFF).json["id"]
    answers = [server.api("POST", f"/runs/{held}/submit", "ann", json={"corrected": True}).status_code for _ in range(2)]

    assert answers == [202, 409]
    assert server.api("POST", f"/runs/{held}/submit", "ann", json={"corrected": True, "again": True}).status_code == 202


def test_a_held_run_that_was_submitted_says_so_and_leaves_the_board(server: Server) -> None:
    held = send(server, OFF).json["id"]
    sent = server.api("POST", f"/runs/{held}/submit", "ann", json={"corrected": True}).json["id"]
    page = server.browser("ann").get(f"/runs/{held}").text
    board = server.api("GET", "/tasks/t/leaderboard?phase=dev&board=team", "ann").json["entries"]

    assert "waits for you" not in page
    assert f"/runs/{sent}" in page
    assert [each["run"] for each in board] == [sent]


def test_a_file_that_is_put_again_while_it_is_removed_stays(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = server.worker.storage
    digest = storage.put(b"a run")
    long_ago = time.time() - 7200
    os.utime(storage._path(digest), (long_ago, long_ago))
    modified, looks = storage._fs.modified, []

    def look(path: str) -> Any:
        looks.append(path)
        found = modified(path)
        if len(looks) == 1:  # between the look at its age and the removal
            storage.put(b"a run")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(type(storage._fs), "modified", lambda _, path: look(path))
        storage.remove(digest)
    assert len(looks) == 2
    assert storage.get(digest) == b"a run"


def test_a_fault_in_another_format_is_corrected_without_losing_a_span(server: Server) -> None:
    head = "document\tbegin\tend\ttype\textraction\n"
    # One too high: the last span of d2 ends beyond its text.
    rows = "d1\t1\t6\tAA\talpha\nd1\t7\t11\tBB\tbeta\nd2\t1\t6\tAA\tdelta\nd2\t7\t14\tBB\tepsilon\n"
    run = server.run(send(server, (head + rows).encode(), file_name="run.tsv").json["id"], "ann")
    packed = server.api("GET", f"/runs/{run['id']}/corrected.zip", "ann").data

    assert (run["state"], run["problem_counts"]["span-outside-text"]) == ("rejected", 1)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("d2.ann").decode() == "T1\tAA 0 5\tdelta\nT2\tBB 6 13\tepsilon\n"


def test_a_run_that_was_not_read_to_its_end_is_not_corrected(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brat.corpus._MOST_ANNOTATIONS", 1)
    run = server.run(send(server, OFF).json["id"], "ann")

    assert (run["state"], run["diagnosis"], run["corrected"]) == ("rejected", [], None)
