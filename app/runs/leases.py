"""Who has a run: claims, leases and heartbeats.

The row is the truth. A worker claims it with a lease in one conditional UPDATE, a heartbeat extends the lease, and the
results are written in one transaction that checks that the worker still has the claim. A sweep sends what nobody has.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, CursorResult, or_, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db import Database
from app.errors import shortage
from app.runs.models import Job, Run, RunState
from app.runs.quotas import refund
from app.runs.services import enter
from app.settings import Settings
from app.storage import Storage

LONGEST_PAUSE = 60
"""Seconds that work rests where the machine is short of something."""


class Stage(StrEnum):
    """What a worker does.

    Checking never touches gold. How long scoring takes depends on gold, and would otherwise show in how soon the next upload
    is checked, or the next run scored: so runs of phases that tell nothing are scored by a worker that does nothing else.
    """

    CHECK = "check"
    SCORE = "score"
    SCORE_QUIETLY = "score-quietly"


_OPEN_STATES = (RunState.RECEIVED, RunState.QUEUED, RunState.SCORING)
EVERYTHING = frozenset(Stage)


@dataclass(frozen=True, slots=True)
class Worker:
    """What the work needs."""

    settings: Settings
    database: Database
    storage: Storage


class LostClaimError(Exception):
    """Another worker has the run now; nothing of ours may be written."""


def runs_to_send(worker: Worker, stages: frozenset[Stage] = EVERYTHING) -> list[str]:
    """Ids of runs that are not done and that no live worker has."""
    with worker.database.session(write=False) as session:
        waiting = session.scalars(select(Run).where(Run.state.in_(_OPEN_STATES), free(worker)).order_by(Run.submitted_at))
        return [run.id for run in waiting if stage_of(run) in stages and not _rests(worker, run)]


def free(worker: Worker, what: type[Run] | type[Job] = Run) -> ColumnElement[bool]:
    """Nobody has it: no lease, one that has run out, or one that a clock which jumped since has put far ahead."""
    far = now() + timedelta(seconds=2 * worker.settings.lease_seconds + LONGEST_PAUSE)
    return or_(what.lease_until.is_(None), what.lease_until < now(), what.lease_until > far)


def stage_of(run: Run) -> Stage:
    """What an open run waits for."""
    if run.state is RunState.RECEIVED:
        return Stage.CHECK
    return Stage.SCORE_QUIETLY if run.phase.keeps_quiet else Stage.SCORE


def _rests(worker: Worker, run: Run) -> bool:
    """Whether a run could not be scored and its phase tells nothing yet.

    That scoring fails may depend on gold: memory, for one. Such a run stays as it is, accepted, and fails, with its try given
    back, when the phase is over.
    """
    return run.attempts >= worker.settings.attempts and stage_of(run) is Stage.SCORE_QUIETLY


def claim(worker: Worker, run_id: str, owner: str, stages: frozenset[Stage]) -> bool:
    """Take a run for a while, unless somebody has it or these stages are not what it waits for."""
    lease = now() + timedelta(seconds=worker.settings.lease_seconds)
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id)
        if run is None or run.state not in _OPEN_STATES or stage_of(run) not in stages or _rests(worker, run):
            return False
        if run.attempts >= worker.settings.attempts and (not run.lease_until or run.lease_until < now()):
            _fail(session, run, f"given up after {run.attempts} attempts")
            session.commit()
            return False
        claimed = session.execute(
            update(Run)
            .where(Run.id == run_id, Run.state == run.state, free(worker))
            .values(owner=owner, lease_until=lease, attempts=Run.attempts + 1)
        )
        session.commit()
        return isinstance(claimed, CursorResult) and claimed.rowcount == 1


@contextmanager
def heartbeat(worker: Worker, id_: str | int, owner: str, what: type[Run] | type[Job] = Run) -> Iterator[None]:
    """Extend the lease again and again."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(worker.settings.lease_seconds / 3):
            lease = now() + timedelta(seconds=worker.settings.lease_seconds)
            with worker.database.session(write=True) as session:
                session.execute(update(what).where(what.id == id_, what.owner == owner).values(lease_until=lease))
                session.commit()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def holding(worker: Worker, run_id: str, owner: str) -> Iterator[tuple[Session, Run]]:
    """A transaction in which the run is still ours; commits at the end.

    Raises:
        LostClaimError: it is not.
    """
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id, with_for_update=True)
        if run is None or run.owner != owner:
            raise LostClaimError
        yield session, run
        session.commit()


def give_back(worker: Worker, run_id: str, owner: str, bad: Exception) -> None:
    """After a fault of ours: another attempt at once, or, when there have been enough, failed.

    Where the machine is short of something for a while, the run waits a minute, and that is no attempt.
    """
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id)
        if run is None or run.owner != owner:
            return
        run.owner, run.lease_until = None, None
        if shortage(bad) is not None:
            run.attempts -= 1
            run.lease_until = now() + timedelta(seconds=LONGEST_PAUSE)
        elif run.attempts >= worker.settings.attempts and not _rests(worker, run):
            _fail(session, run, f"an error of ours ({type(bad).__name__}); the organisers can see it in the log")
        session.commit()


def _fail(session: Session, run: Run, note: str) -> None:
    refund(session, run, "a failure of ours")
    enter(session, run, RunState.FAILED, note)
