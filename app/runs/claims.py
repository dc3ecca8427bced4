"""Work in the background that is no run: claims, results and failures of rows that are a `Job`.

The row is the truth, as it is with runs (`app.runs.leases`): it is claimed with a lease in one conditional UPDATE, and results
are written in one transaction that checks that the worker still has the claim. So a worker that is killed loses nothing, and
nothing is done twice.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlalchemy import ColumnElement, CursorResult, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.errors import shortage
from app.runs.leases import LONGEST_PAUSE, LostClaimError, Worker, free, heartbeat
from app.runs.models import Job, JobState

_log = structlog.get_logger()
_Job = TypeVar("_Job", bound=Job)


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that this worker has, and the name under which it has it."""

    id: int
    owner: str


def claim_next(worker: Worker, kind: type[_Job], *due: ColumnElement[bool]) -> Claim | None:
    """Take the first row for a while that waits, that nobody has, and for which all of `due` holds; None if there is none.

    Those whose workers were killed again and again are given up.
    """
    wanted = kind.state == JobState.WAITING, *due, free(worker, kind)
    with worker.database.session(write=False) as session:
        if session.scalar(select(kind.id).where(*wanted).limit(1)) is None:
            return None
    attempts = worker.settings.attempts
    lease = now() + timedelta(seconds=worker.settings.lease_seconds)
    owner = f"{socket.gethostname()}:{secrets.token_hex(8)}"
    with worker.database.session(write=True) as session:
        session.execute(
            update(kind)
            .where(*wanted, kind.attempts >= attempts)
            .values(state=JobState.FAILED, note=f"given up after {attempts} attempts", owner=None, lease_until=None)
            .execution_options(synchronize_session=False)
        )
        found = session.scalar(select(kind.id).where(*wanted).order_by(kind.id).limit(1))
        if found is None:
            session.commit()
            return None
        claimed = session.execute(
            update(kind)
            .where(kind.id == found, *wanted)
            .values(owner=owner, lease_until=lease, attempts=kind.attempts + 1)
            .execution_options(synchronize_session=False)
        )
        session.commit()
    return Claim(found, owner) if isinstance(claimed, CursorResult) and claimed.rowcount == 1 else None


@contextmanager
def finishing(worker: Worker, kind: type[_Job], claim: Claim) -> Iterator[tuple[Session, _Job]]:
    """A transaction in which the row is still ours; at the end the row is done, and all is committed.

    Raises:
        LostClaimError: it is not.
    """
    with worker.database.session(write=True) as session:
        row = session.get(kind, claim.id, with_for_update=True)
        if row is None or row.owner != claim.owner:
            raise LostClaimError
        yield session, row
        row.state, row.owner, row.lease_until, row.note = JobState.DONE, None, None, ""
        session.commit()


@contextmanager
def working(worker: Worker, kind: type[Job], claim: Claim) -> Iterator[None]:
    """Keep the claim while there is work; at its end a fault of ours is written down, and a claim that was lost is let go."""
    log = _log.bind(job=kind.__name__, id=claim.id)
    try:
        with heartbeat(worker, claim.id, claim.owner, kind):
            yield
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("job failed")
        _give_back(worker, kind, claim, bad)


def _give_back(worker: Worker, kind: type[Job], claim: Claim, bad: Exception) -> None:
    """After a fault of ours: another attempt, or, when there have been enough, failed. A shortage is no attempt."""
    with worker.database.session(write=True) as session:
        row = session.get(kind, claim.id)
        if row is None or row.owner != claim.owner:
            return
        row.owner, row.lease_until = None, None
        if shortage(bad) is not None:
            row.attempts -= 1
            row.lease_until = now() + timedelta(seconds=LONGEST_PAUSE)
        elif row.attempts >= worker.settings.attempts:
            row.state = JobState.FAILED
            row.note = f"an error of ours ({type(bad).__name__}) in {row.attempts} attempts; see the log"
        session.commit()
