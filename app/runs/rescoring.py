"""Scoring runs again against a version of gold, as work in the background (`app.runs.claims`)."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import ColumnElement, select

from app.runs.claims import claim_next, finishing, working
from app.runs.gold_versions import is_held_up, switch_if_complete
from app.runs.leases import LostClaimError, Worker
from app.runs.models import Rescoring
from app.runs.scoring import gold_of_version, measure, write_scoring
from app.runs.services import scoring_against
from app.shared_tasks.models import GoldState, GoldVersion

_SCORED_AGAINST = (GoldState.WAITING, GoldState.CURRENT)
"""Versions that runs are scored against; of the one that holds, runs that are tried again after the switch."""


def rescore(worker: Worker, stopped: Callable[[], bool]) -> None:
    """Score what waits until nothing does, or until told to stop; then let complete versions hold."""
    while not stopped() and rescore_next(worker):
        pass
    if not stopped():
        switch_if_ready(worker)


def rescore_next(worker: Worker) -> bool:
    """Score one run against a version of gold; returns whether there was one to score."""
    claim = claim_next(worker, Rescoring, _is_due())
    if claim is None:
        return False
    with working(worker, Rescoring, claim):
        with worker.database.session(write=False) as session:
            row = session.get_one(Rescoring, claim.id)
            run_id, gold = row.run_id, gold_of_version(row.version)
            known = scoring_against(session, run_id, gold.digest) is not None  # because it held before
        measured = None if known else measure(worker, run_id, gold)
        with finishing(worker, Rescoring, claim) as (session, row):
            if row.version.state not in _SCORED_AGAINST:
                raise LostClaimError
            if measured is not None and scoring_against(session, run_id, gold.digest) is None:
                write_scoring(session, row.run, measured)
    return True


def _is_due() -> ColumnElement[bool]:
    return Rescoring.version_id.in_(select(GoldVersion.id).where(GoldVersion.state.in_(_SCORED_AGAINST)))


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
