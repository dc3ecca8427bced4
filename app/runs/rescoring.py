"""Scoring runs again against a version of gold: the same claims, leases and heartbeats as of runs (`app.runs.leases`).

The row of a rescoring is the truth. Scores and the row's state are written in one transaction that checks that the worker still
has the claim, so a worker that is killed loses nothing, and nothing is scored twice.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlalchemy import ColumnElement, CursorResult, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.errors import shortage
from app.runs.gold_versions import is_held_up, switch_if_complete
from app.runs.leases import LONGEST_PAUSE, LostClaimError, Worker, free, heartbeat
from app.runs.models import Rescoring, RescoringState
from app.runs.scoring import Gold, Measured, gold_of_version, measure, write_scoring
from app.runs.services import scoring_against
from app.shared_tasks.models import GoldState, GoldVersion

_log = structlog.get_logger()
_SCORED_AGAINST = (GoldState.WAITING, GoldState.CURRENT)
"""Versions that runs are scored against; of the one that holds, runs that are tried again after the switch."""


@dataclass(frozen=True, slots=True)
class _Claim:
    id: int
    owner: str
    run_id: str
    gold: Gold


def rescore(worker: Worker, stopped: Callable[[], bool]) -> None:
    """Score what waits until nothing does, or until told to stop; then let complete versions hold."""
    while not stopped() and rescore_next(worker):
        pass
    if not stopped():
        switch_if_ready(worker)


def rescore_next(worker: Worker) -> bool:
    """Score one run against a version of gold; returns whether there was one to score."""
    claimed = _claim(worker)
    if claimed is None:
        return False
    log = _log.bind(run=claimed.run_id, gold=claimed.gold.digest[:12])
    try:
        with heartbeat(worker, claimed.id, claimed.owner, Rescoring):
            with worker.database.session(write=False) as session:
                known = _is_scored(session, claimed)
            _write(worker, claimed, None if known else measure(worker, claimed.run_id, claimed.gold))
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("scoring again failed")
        _give_back(worker, claimed, bad)
    return True


def _due(worker: Worker) -> tuple[ColumnElement[bool], ...]:
    """What nobody has in hand."""
    versions = select(GoldVersion.id).where(GoldVersion.state.in_(_SCORED_AGAINST))
    return Rescoring.state == RescoringState.WAITING, Rescoring.version_id.in_(versions), free(worker, Rescoring)


def _claim(worker: Worker) -> _Claim | None:
    """Take one for a while, in one conditional UPDATE; those whose workers were killed again and again are given up."""
    with worker.database.session(write=False) as session:
        if session.scalar(select(Rescoring.id).where(*_due(worker)).limit(1)) is None:
            return None
    attempts = worker.settings.attempts
    lease = now() + timedelta(seconds=worker.settings.lease_seconds)
    owner = f"{socket.gethostname()}:{secrets.token_hex(8)}"
    with worker.database.session(write=True) as session:
        session.execute(
            update(Rescoring)
            .where(*_due(worker), Rescoring.attempts >= attempts)
            .values(state=RescoringState.FAILED, note=f"given up after {attempts} attempts", owner=None, lease_until=None)
            .execution_options(synchronize_session=False)
        )
        due = session.scalar(select(Rescoring).where(*_due(worker)).order_by(Rescoring.id).limit(1))
        if due is None:
            session.commit()
            return None
        found = _Claim(due.id, owner, due.run_id, gold_of_version(due.version))
        claimed = session.execute(
            update(Rescoring)
            .where(Rescoring.id == due.id, *_due(worker))
            .values(owner=owner, lease_until=lease, attempts=Rescoring.attempts + 1)
            .execution_options(synchronize_session=False)
        )
        session.commit()
    return found if isinstance(claimed, CursorResult) and claimed.rowcount == 1 else None


def _is_scored(session: Session, claimed: _Claim) -> bool:
    """Whether the run has scores against these annotations, because they held before."""
    return scoring_against(session, claimed.run_id, claimed.gold.digest) is not None


def _write(worker: Worker, claimed: _Claim, measured: Measured | None) -> None:
    with worker.database.session(write=True) as session:
        row = session.get(Rescoring, claimed.id, with_for_update=True)
        if row is None or row.owner != claimed.owner or row.version.state not in _SCORED_AGAINST:
            raise LostClaimError
        if measured is not None and not _is_scored(session, claimed):
            write_scoring(session, row.run, measured)
        row.state, row.owner, row.lease_until, row.note = RescoringState.DONE, None, None, ""
        session.commit()


def _give_back(worker: Worker, claimed: _Claim, bad: Exception) -> None:
    """After a fault of ours: another attempt, or, when there have been enough, failed. A shortage is no attempt."""
    with worker.database.session(write=True) as session:
        row = session.get(Rescoring, claimed.id)
        if row is None or row.owner != claimed.owner:
            return
        row.owner, row.lease_until = None, None
        if shortage(bad) is not None:
            row.attempts -= 1
            row.lease_until = now() + timedelta(seconds=LONGEST_PAUSE)
        elif row.attempts >= worker.settings.attempts:
            row.state = RescoringState.FAILED
            row.note = f"an error of ours ({type(bad).__name__}) in {row.attempts} attempts; see the log"
        session.commit()


def switch_if_ready(worker: Worker) -> int:
    """Let every version hold whose runs are all scored; returns how many. Each switches in one transaction."""
    with worker.database.session(write=False) as session:
        waiting = session.scalars(select(GoldVersion).where(GoldVersion.state == GoldState.WAITING)).all()
        ready = [each.id for each in waiting if not is_held_up(session, each)]
    switched = 0
    for id_ in ready:
        with worker.database.session(write=True) as session:
            switched += switch_if_complete(session, session.get_one(GoldVersion, id_))
            session.commit()
    return switched
