"""Runs are scored once, whatever happens to workers."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from app.clock import now
from app.runs import jobs
from app.runs.jobs import process_run
from app.runs.leases import runs_to_send
from app.runs.models import Run, RunState, ScoreRow, Scoring
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, Server


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team One")


def count(server: Server, model: type[Scoring | ScoreRow]) -> int:
    with server.worker.database.session(write=False) as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


def state(server: Server, run_id: str) -> RunState:
    with server.worker.database.session(write=False) as session:
        return session.get_one(Run, run_id).state


def test_the_id_is_sent_after_the_row_is_there(server: Server, queue: InlineQueue) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]

    assert queue.sent == [run_id]
    assert runs_to_send(server.worker) == [run_id]


def test_a_message_twice_scores_once(server: Server) -> None:
    run_id = server.upload("ann", DEV_GOLD)["id"]
    rows = count(server, ScoreRow)
    process_run(server.worker, run_id)

    assert (count(server, Scoring), count(server, ScoreRow)) == (1, rows)
    assert runs_to_send(server.worker) == []


def test_a_run_that_another_worker_has_is_left_alone(server: Server, queue: InlineQueue) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]
    with server.worker.database.session(write=True) as session:
        session.execute(update(Run).values(owner="other", lease_until=now() + timedelta(seconds=60)))
        session.commit()

    process_run(server.worker, run_id)
    assert state(server, run_id) is RunState.RECEIVED
    assert runs_to_send(server.worker) == []

    with server.worker.database.session(write=True) as session:
        session.execute(update(Run).values(lease_until=now() - timedelta(seconds=1)))
        session.commit()
    assert runs_to_send(server.worker) == [run_id]
    process_run(server.worker, run_id)
    assert state(server, run_id) is RunState.SCORED


def test_a_worker_that_lost_its_claim_writes_nothing(
    server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]
    score = jobs.measure

    def slow(*arguments: object) -> object:
        with server.worker.database.session(write=True) as session:
            session.execute(update(Run).values(owner="other"))
            session.commit()
        return score(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "measure", slow)
    process_run(server.worker, run_id)

    assert count(server, Scoring) == 0
    assert state(server, run_id) is RunState.SCORING


def test_a_fault_of_ours_is_tried_again_and_then_told(
    server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]

    def broken(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "measure", broken)
        process_run(server.worker, run_id)
        assert state(server, run_id) is RunState.SCORING
        process_run(server.worker, run_id)
    process_run(server.worker, run_id)
    assert state(server, run_id) is RunState.SCORED
    assert count(server, Scoring) == 1


def test_enough_faults_are_a_failure(server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]
    monkeypatch.setattr(jobs, "measure", lambda *_: 1 / 0)
    for _ in range(5):
        process_run(server.worker, run_id)
    run = server.run(run_id, "ann")

    assert run["state"] == "failed"
    assert "error of ours (ZeroDivisionError)" in run["history"][-1]["note"]
    assert run["scores"] == []


def test_the_heartbeat_keeps_a_slow_run(server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]
    score = jobs.measure
    seen: list[list[str]] = []

    def slow(*arguments: object) -> object:
        time.sleep(server.worker.settings.lease_seconds * 1.5)
        seen.append(runs_to_send(server.worker))
        return score(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "measure", slow)
    process_run(server.worker, run_id)

    assert seen == [[]]
    assert state(server, run_id) is RunState.SCORED
