"""Checking and scoring a run: at least once tried, at most once written (`app.runs.leases`)."""

from __future__ import annotations

import secrets
import socket

import structlog

from app.runs.checking import Checked, check_upload, keep_findings
from app.runs.leases import EVERYTHING, LostClaimError, Stage, Worker, claim, give_back, heartbeat, holding, stage_of
from app.runs.models import Run, RunState
from app.runs.quotas import refund
from app.runs.scoring import gold_that_holds, measure, upload_of, write_scoring
from app.runs.services import enter

_log = structlog.get_logger()


def process_run(worker: Worker, run_id: str, stages: frozenset[Stage] = EVERYTHING) -> Stage | None:
    """Check a run and score it, as far as this worker does, unless somebody else is at it or it is done.

    Safe to call again at any time.

    Returns:
        The stage that the run now waits for, if this worker does not do it.
    """
    owner = f"{socket.gethostname()}:{secrets.token_hex(8)}"
    if not claim(worker, run_id, owner, stages):
        return None
    log = _log.bind(run=run_id)
    try:
        with heartbeat(worker, run_id, owner):
            if not _check(worker, run_id, owner):
                return None
            with holding(worker, run_id, owner) as (_, run):
                due = stage_of(run)
                if due not in stages:
                    run.owner, run.lease_until, run.attempts = None, None, 0
                    return due
            _score(worker, run_id, owner)
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("run failed")
        give_back(worker, run_id, owner, bad)
    return None


def _check(worker: Worker, run_id: str, owner: str) -> bool:
    """Check the upload, unless that is done; returns whether it is to be scored. Gold is not touched."""
    with worker.database.session(write=False) as session:
        if session.get_one(Run, run_id).state is not RunState.RECEIVED:
            return True
    checked = check_upload(upload_of(worker, run_id, to_be_told=True))
    with holding(worker, run_id, owner) as (session, run):
        keep_findings(session, worker.storage, run, checked)
        end = _end_of_check(run, checked)
        if end is not None:
            refund(session, run, end.value)
            run.owner, run.lease_until = None, None
            enter(session, run, end)
        else:
            enter(session, run, RunState.CHECKED)
            enter(session, run, RunState.QUEUED)
    return end is None


def _end_of_check(run: Run, checked: Checked) -> RunState | None:
    """The state in which a run stays that is not to be scored."""
    if checked.is_refused:
        return RunState.REJECTED
    if run.trial:
        return RunState.TRIED
    return RunState.HELD if checked.is_off and not run.anyway else None


def _score(worker: Worker, run_id: str, owner: str) -> None:
    with holding(worker, run_id, owner) as (session, run):
        enter(session, run, RunState.SCORING)
        split = run.phase.split
        session.refresh(split)
        gold = gold_that_holds(split)
    while True:
        measured = measure(worker, run_id, gold)
        with holding(worker, run_id, owner) as (session, run):
            session.refresh(run.phase.split, with_for_update=True)
            before, gold = gold, gold_that_holds(run.phase.split)
            if before != gold:  # corrected while this run was being scored
                continue
            write_scoring(session, run, measured)
            run.owner, run.lease_until = None, None
            enter(session, run, RunState.SCORED)
            return
