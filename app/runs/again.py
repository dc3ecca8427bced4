"""Submitting what is here already: a trial, a held run as it is, or the corrected run of either."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from app.accounts.models import User
from app.clock import now
from app.db import Database
from app.errors import ConflictError
from app.runs.intake import Received, SameRunError, Wish, digest_content, take_run
from app.runs.models import UNSCORED, Run, RunState, StateChange
from app.storage import Storage
from brat.files import ArchiveLimits

_TRIALS_KEPT = timedelta(days=7)
_PORTION = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Resubmission:
    """What the team wants: the corrected run or the one that was sent; `again` as in a `Wish`."""

    corrected: bool
    again: bool = False


def offers(run: Run) -> tuple[bool, bool]:
    """Whether the run can be submitted as it is, and whether as corrected."""
    as_it_is = run.state in (RunState.TRIED, RunState.HELD)
    return as_it_is, bool(run.corrected) and run.state.final


def submit_again(
    session: Session, storage: Storage, limits: ArchiveLimits, *, user: User, run: Run, wanted: Resubmission
) -> Run:
    """Take the upload of a run, or its correction, as a new run. The caller commits, and then enqueues the run's id.

    What was submitted in time and held counts as sent when it was sent, as long as the phase is not over: it is the same file.
    A correction, and what was a trial, count from now.

    Raises:
        ConflictError: there is nothing to submit, and everything that `take_run` raises.
    """
    as_it_is, as_corrected = offers(run)
    if not (as_corrected if wanted.corrected else as_it_is):
        raise ConflictError("There is no corrected run." if wanted.corrected else "This run was submitted already.")
    earlier = next((each for each in submitted_from(session, run) if each.anyway is not wanted.corrected), None)
    if earlier is not None and not wanted.again:
        raise SameRunError(f"This was submitted already, as “{earlier.name}”. Say so to submit it once more.", field="again")
    at = now()
    received = Received(file_name=run.file_name, size=1, stored=run.upload, content=run.content, began=at, complete=at)
    if wanted.corrected:
        received = replace(
            received,
            file_name=corrected_name(run),
            stored=run.corrected,
            content=digest_content(storage.get(run.corrected), "corrected.zip", limits),
        )
    elif not run.trial and not run.phase.is_over:
        received = replace(received, began=run.began_at or run.submitted_at, complete=run.submitted_at)
    wish = Wish(
        track=run.track,
        name=run.name if not wanted.corrected else f"{run.name[:86]}, corrected",
        again=wanted.again,
        anyway=not wanted.corrected,
        origin=run.id,
    )
    return take_run(session, user=user, team=run.team, phase=run.phase, received=received, wish=wish)


def submitted_from(session: Session, run: Run) -> list[Run]:
    """The runs that were submitted from this one and may count, the oldest first."""
    wanted = select(Run).where(Run.origin == run.id, Run.trial.is_(False), Run.state.not_in(UNSCORED))
    return list(session.scalars(wanted.order_by(Run.submitted_at, Run.id)))


def corrected_name(run: Run) -> str:
    """The file name of a corrected run."""
    return f"{run.file_name.partition('.')[0][:240]}-corrected.zip"


def forget_trials(database: Database, storage: Storage) -> int:
    """Delete the trials of more than a week ago, and the files that only they needed; returns how many trials."""
    forgotten = 0
    while portion := _forget_some(database, storage):
        forgotten += portion
    return forgotten


def _forget_some(database: Database, storage: Storage) -> int:
    wanted = select(Run).where(Run.trial.is_(True), Run.submitted_at < now() - _TRIALS_KEPT, Run.state.in_(UNSCORED))
    with database.session(write=True) as session:
        old = list(session.scalars(wanted.limit(_PORTION)))
        files = {digest for run in old for digest in (run.upload, run.corrected) if digest}
        ids = [run.id for run in old]
        session.execute(delete(StateChange).where(StateChange.run_id.in_(ids)))
        session.execute(delete(Run).where(Run.id.in_(ids)))
        still = select(Run.upload, Run.corrected).where(or_(Run.upload.in_(files), Run.corrected.in_(files)))
        needed = {digest for row in session.execute(still) for digest in row}
        session.commit()
    for digest in files - needed:
        storage.remove(digest)
    return len(ids)
