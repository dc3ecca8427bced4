"""Quotas: a scored run costs one, a rejected one nothing, a failure of ours is given back, and nothing else is."""

from __future__ import annotations

import io
import re
import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import select

from app.clock import now
from app.runs import jobs
from app.runs.jobs import process_run
from app.runs.leases import runs_to_send
from app.runs.models import QuotaEntry
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, TEST_GOLD, TOML, Server, zipped

QUOTA = TOML.replace('title = "Test"', 'title = "Test"\nquota = 2').replace(
    'title = "Development"', 'title = "Development"\nquota = 1\nquota_days = 1'
)


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task(toml=QUOTA)
    server.add_person("ann", "Team One")


def send(server: Server, run: dict[str, str], phase: str = "test", **more: str) -> Any:
    form = {"phase": phase, "track": "ner", "file": (io.BytesIO(zipped(run)), "r.zip")} | more
    return server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")


def variant(number: int) -> dict[str, str]:
    return TEST_GOLD | {"t2": f"T{number}\tBB 0 4\tiota\n"}


def left(server: Server) -> str:
    answer = server.api("GET", "/tasks/t", "ann")
    return str(answer.headers["X-Assay-Runs-Left"])


def ledger(server: Server) -> list[tuple[int, str]]:
    with server.worker.database.session(write=False) as session:
        return [(each.change, each.reason) for each in session.scalars(select(QuotaEntry).order_by(QuotaEntry.id))]


def test_scored_runs_are_counted_and_the_last_try_is_the_last(server: Server) -> None:
    assert left(server) == "dev/ner=1 of 1 runs left in 24 hours, test/ner=2 of 2 runs left"
    assert [send(server, variant(i)).status_code for i in range(3)] == [202, 202, 409]
    assert "0 of 2 runs left" in left(server)
    assert "<strong>Test</strong> 0 of 2 runs left" in server.browser("ann").get("/tasks/t/team").text
    assert ledger(server) == [(-1, "taken"), (-1, "taken")]


def test_a_rejected_run_costs_nothing(server: Server) -> None:
    assert send(server, {"t1": "nonsense"}).status_code == 202
    assert "2 of 2 runs left" in left(server)
    assert ledger(server) == [(-1, "taken"), (1, "rejected")]


def test_a_failure_of_ours_is_given_back_by_itself_once(
    server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.held = True
    run_id = send(server, variant(1)).json["id"]
    monkeypatch.setattr(jobs, "measure", lambda *_: 1 / 0)
    for _ in range(6):
        process_run(server.worker, run_id)

    run = server.run(run_id, "ann")
    assert (run["state"], [each["state"] for each in run["history"]]) == ("accepted", ["received", "checked"])
    assert ledger(server) == [(-1, "taken")], (
        "that scoring fails can depend on gold, so nothing is told before the phase is over"
    )
    assert runs_to_send(server.worker) == []
    assert server.api("POST", f"/runs/{run_id}/publish", "ann").status_code == 200, "nor by what can be done with the run"

    server.turn("test", "close")
    assert runs_to_send(server.worker) == [run_id]
    for _ in range(2):
        process_run(server.worker, run_id)
    assert server.run(run_id, "ann")["state"] == "failed"
    assert ledger(server) == [(-1, "taken"), (1, "a failure of ours")]


def test_withdrawing_gives_nothing_back(server: Server) -> None:
    run_id = send(server, variant(1)).json["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    server.api("POST", f"/runs/{run_id}/withdraw", "ann")

    assert "test/ner=1 of 2 runs left" in left(server)


def test_a_quota_of_a_day_comes_back_the_next_day(server: Server) -> None:
    assert send(server, DEV_GOLD, "dev").status_code == 202
    assert send(server, DEV_GOLD | {"d2": ""}, "dev").status_code == 409
    with time_machine.travel(now() + timedelta(days=1, minutes=1)):
        assert send(server, DEV_GOLD | {"d2": ""}, "dev").status_code == 202


def test_the_same_run_asks_before_it_costs_however_it_is_packed(server: Server) -> None:
    send(server, variant(1))
    again = send(server, dict(reversed(variant(1).items())))

    assert (again.status_code, again.json["error"]["code"]) == (409, "same-run")
    assert "test/ner=1 of 2 runs left" in left(server)
    form = {"phase": "test", "track": "ner", "name": "", "file": (io.BytesIO(zipped(variant(1))), "r.zip")}
    page = server.browser("ann").post("/tasks/t/upload", data=form, content_type="multipart/form-data").text
    assert "Send it although it is the same as an earlier run" in page
    assert send(server, variant(1), again="true").status_code == 202


def test_two_uploads_that_race_for_the_last_try(server: Server, queue: InlineQueue) -> None:
    queue.held = True
    send(server, variant(0))
    statuses: list[int] = []
    barrier = threading.Barrier(4)

    def race(number: int) -> None:
        barrier.wait()
        statuses.append(send(server, variant(number)).status_code)

    threads = [threading.Thread(target=race, args=(number,)) for number in range(1, 5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sorted(statuses) == [202, 409, 409, 409]


def test_the_official_run_is_the_nominated_one_else_the_last(server: Server) -> None:
    first, second = (send(server, variant(i)).json["id"] for i in range(2))

    def official() -> list[str]:
        board = server.api("GET", "/tasks/t/leaderboard", "ann", query_string={"board": "team", "phase": "test"}).json[
            "entries"
        ]
        return [each["run"] for each in board if each["official"]]

    assert official() == [second]
    assert server.browser("ann").post(f"/runs/{first}/nominate").status_code == 302
    assert official() == [first]
    assert server.browser("ann").post(f"/runs/{second}/nominate").status_code == 302
    assert official() == [second]
    server.turn("test", "close")
    assert server.browser("ann").post(f"/runs/{first}/nominate").status_code == 409, "results are told"
    assert official() == [second]


def test_leaving_and_founding_another_team_is_not_a_way_to_tries(server: Server) -> None:
    send(server, variant(1))
    ann = server.browser("ann")
    assert "Stay until then" in ann.post("/tasks/t/team/leave", follow_redirects=True).text.replace("stay", "Stay")
    link = ann.post("/tasks/t/team/invitation", follow_redirects=True).text
    server.add_person("bea")
    joined = re.search(r"/invitations/[\w.-]+", link)
    assert joined
    assert server.browser("bea").post(joined[0]).status_code == 302
    ann.post("/tasks/t/team/leave")
    refused = ann.post("/tasks/t/team/new", data={"name": "Second life"})
    assert "You were in Team One, which has sent runs" in refused.text
    assert ledger(server) == [(-1, "taken")]

    server.turn("test", "close")
    server.turn("late", "open")
    server.turn("late", "close")
    assert ann.post("/tasks/t/team/new", data={"name": "Second life"}).status_code == 302, "it is over"


def test_who_left_a_team_that_sent_nothing_may_found_another(server: Server) -> None:
    send(server, {"t1": "nonsense"})
    ann = server.browser("ann")
    ann.post("/tasks/t/team/leave")

    assert ann.post("/tasks/t/team/new", data={"name": "Second life"}).status_code == 302


def test_a_run_that_is_not_checked_yet_cannot_be_nominated(server: Server, queue: InlineQueue) -> None:
    good = send(server, variant(1)).json["id"]
    queue.held = True
    waiting = send(server, {"t1": "nonsense"}).json["id"]

    assert server.browser("ann").post(f"/runs/{waiting}/nominate").status_code == 409
    assert server.browser("ann").post(f"/runs/{good}/nominate").status_code == 302


def test_what_is_sure_to_be_refused_is_not_stored(server: Server) -> None:
    def stored() -> int:
        return sum(1 for each in (server.worker.settings.data / "objects").rglob("*") if each.is_file())

    for number in range(2):
        send(server, variant(number))
    before = stored()
    assert send(server, variant(7)).status_code == 409
    assert stored() == before
