"""Worker processes: killed ones leave nothing undone, and checking does not wait for scoring."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from sqlalchemy import func, select

from app.db import Database
from app.runs.jobs import process_run
from app.runs.leases import Stage, Worker, runs_to_send
from app.runs.models import Run, RunState, ScoreRow, Scoring
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, TEST_GOLD, TEXTS, Server


def count(server: Server, model: type[Scoring | ScoreRow]) -> int:
    with server.worker.database.session(write=False) as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


def state(server: Server, run_id: str) -> RunState:
    with server.worker.database.session(write=False) as session:
        return session.get_one(Run, run_id).state


def start_worker(worker: Worker) -> subprocess.Popen[bytes]:
    settings = worker.settings
    environment = os.environ | {
        "ASSAY_DATA": str(settings.data),
        "ASSAY_SECRET_KEY": settings.secret_key,
        "ASSAY_LEASE_SECONDS": str(settings.lease_seconds),
    }
    return subprocess.Popen([sys.executable, "-m", "app.cli", "worker"], env=environment, stderr=subprocess.DEVNULL)


def wait_for(database: Database, run_id: str, *states: RunState) -> RunState:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with database.session(write=False) as session:
            found = session.get_one(Run, run_id).state
        if found in states:
            return found
        time.sleep(0.002)
    raise AssertionError(f"the run is {found} after a minute")


def test_a_worker_killed_while_scoring_leaves_a_run_that_is_scored_once(server: Server, queue: InlineQueue) -> None:
    # A long text and tens of thousands of predictions: scoring takes a moment, in which the worker is killed.
    server.add_task(dev_texts=TEXTS | {"d1": TEXTS["d1"] + " and so on" * 2_000})
    server.add_person("ann", "Team One")
    queue.held = True
    lines = "".join(f"T{i}\tAA {i % 16} 16\tx\n" for i in range(60_000))
    run_id = server.upload("ann", {"d1": lines, "d2": ""})["id"]
    first = start_worker(server.worker)
    try:
        wait_for(server.worker.database, run_id, RunState.SCORING)
        first.send_signal(signal.SIGKILL)
    finally:
        first.kill()
        first.wait()
    assert state(server, run_id) is RunState.SCORING
    assert count(server, Scoring) == 0

    second = start_worker(server.worker)
    try:
        wait_for(server.worker.database, run_id, RunState.SCORED)
    finally:
        second.terminate()
        second.wait()
    history = [each["state"] for each in server.run(run_id, "ann")["history"]]

    assert count(server, Scoring) == 1
    assert history == ["received", "checked", "queued", "scoring", "scoring", "scored"]


def test_checking_and_scoring_are_done_by_workers_of_their_own(server: Server, queue: InlineQueue) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    queue.held = True
    run_id = server.upload("ann", DEV_GOLD)["id"]

    assert process_run(server.worker, run_id, frozenset({Stage.SCORE})) is None
    assert state(server, run_id) is RunState.RECEIVED
    assert process_run(server.worker, run_id, frozenset({Stage.CHECK})) is Stage.SCORE
    assert state(server, run_id) is RunState.QUEUED
    assert runs_to_send(server.worker, frozenset({Stage.CHECK, Stage.SCORE_QUIETLY})) == []
    assert runs_to_send(server.worker, frozenset({Stage.SCORE})) == [run_id]
    assert process_run(server.worker, run_id, frozenset({Stage.CHECK})) is None
    assert count(server, Scoring) == 0
    assert process_run(server.worker, run_id, frozenset({Stage.SCORE})) is None
    assert state(server, run_id) is RunState.SCORED
    assert count(server, Scoring) == 1


def test_a_run_of_a_phase_that_tells_nothing_holds_up_no_other_run(server: Server, queue: InlineQueue) -> None:
    """How long a run of dev waits would else tell how long the blind run before it took, which depends on gold."""
    server.add_task()
    server.add_person("ann", "Team One")
    queue.held = True
    blind, dev = server.upload("ann", TEST_GOLD, phase="test")["id"], server.upload("ann", DEV_GOLD)["id"]

    assert process_run(server.worker, blind, frozenset({Stage.CHECK})) is Stage.SCORE_QUIETLY
    assert process_run(server.worker, dev, frozenset({Stage.CHECK})) is Stage.SCORE
    assert runs_to_send(server.worker, frozenset({Stage.SCORE})) == [dev]
    assert runs_to_send(server.worker, frozenset({Stage.SCORE_QUIETLY})) == [blind]
    process_run(server.worker, blind, frozenset({Stage.SCORE}))
    assert state(server, blind) is RunState.QUEUED

    server.turn("test", "close")
    assert runs_to_send(server.worker, frozenset({Stage.SCORE})) == [blind, dev]


def test_a_run_that_fails_its_check_never_waits_for_scoring(server: Server, queue: InlineQueue) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    queue.held = True
    run_id = server.upload("ann", {"d1": "nonsense", "d2": ""})["id"]

    assert process_run(server.worker, run_id, frozenset({Stage.CHECK})) is None
    assert state(server, run_id) is RunState.REJECTED
    assert runs_to_send(server.worker) == []
