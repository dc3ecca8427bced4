"""How many tries a team has left: a ledger that is only added to, read and written under a lock.

A run is charged when it is taken, and gets its try back by itself when it turns out to be rejected or when we fail. So only
scored runs cost something, and two uploads that race for the last try cannot both have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from app.accounts.models import Team
from app.clock import now
from app.errors import ConflictError
from app.runs.models import QuotaEntry, Run
from app.shared_tasks.models import Phase


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still do in a track of a phase; `limit` is None where there is none, `days` the window it is for."""

    limit: int | None
    used: int
    days: int | None = None

    @property
    def left(self) -> int | None:
        """Runs left, None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.used)

    def __str__(self) -> str:
        if self.limit is None:
            return "no limit"
        window = "" if self.days is None else (" in 24 hours" if self.days == 1 else f" in {self.days} days")
        return f"{self.left} of {self.limit} runs left{window}"


def quota_of(session: Session, team: Team, phase: Phase, track: str) -> Quota:
    """The quota of a team as the ledger has it."""
    wanted = select(func.coalesce(func.sum(QuotaEntry.change), 0)).where(
        QuotaEntry.team_id == team.id, QuotaEntry.phase_id == phase.id, QuotaEntry.track == track
    )
    if phase.quota_days is not None:  # a run counts from when it was charged, and a refund with the run it is for
        charged = aliased(QuotaEntry)
        recent = select(charged.run_id).where(charged.change < 0, charged.at > now() - timedelta(days=phase.quota_days))
        wanted = wanted.where(QuotaEntry.run_id.in_(recent))
    return Quota(phase.quota, -(session.scalar(wanted) or 0), phase.quota_days)


def check_quota(session: Session, team: Team, phase: Phase, track: str) -> None:
    """Fail unless a try is left.

    Raises:
        ConflictError: none is.
    """
    quota = quota_of(session, team, phase, track)
    if quota.left == 0:
        raise ConflictError(f"Your team has no run left in {phase.title}, {track}: {quota}.", field="phase")


def charge(session: Session, team: Team, phase: Phase, run: Run) -> None:
    """Take a try for a run.

    Raises:
        ConflictError: none is left.
    """
    session.get(Phase, phase.id, with_for_update=True)  # on SQLite the writing session has the lock already
    check_quota(session, team, phase, run.track)
    _enter(session, run, -1, "taken")


def refund(session: Session, run: Run, reason: str) -> None:
    """Give the try of a run back, once."""
    charged = select(QuotaEntry.change).where(QuotaEntry.run_id == run.id)
    if sorted(session.scalars(charged)) == [-1]:
        _enter(session, run, +1, reason)


def _enter(session: Session, run: Run, change: int, reason: str) -> None:
    session.add(
        QuotaEntry(
            team_id=run.team_id, phase_id=run.phase_id, track=run.track, run_id=run.id, change=change, reason=reason, at=now()
        )
    )
    session.flush()
