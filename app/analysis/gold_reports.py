"""What is found of the gold of a split: what it holds, how hard its instances are over runs, and where it may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import User
from app.clock import now
from app.errors import InvalidError
from app.runs.models import GoldMark, GoldReport, JobState
from app.shared_tasks import audit
from app.shared_tasks.models import Split
from app.storage import Storage
from evaluator.plain_tables import Table

VERDICTS = ("right", "wrong", "unsure")
_LONGEST_PLACE = 200


@dataclass(frozen=True, slots=True)
class Doubt:
    """A candidate for a fault, with the text around it.

    Attributes:
        document, place: where: `0 4`, or `0 4;9 12`.
        before, text, behind: what stands there.
        said: the label of gold, `O` for none.
        why, instead, support, score: as of `evaluator.analysis.gold_faults.Candidate`.
    """

    document: str
    place: str
    before: str
    text: str
    behind: str
    said: str
    why: str
    instead: str
    support: int
    score: float


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report as it is kept.

    Attributes:
        gold: digest of the annotations that it is about.
        runs: names of the runs that were asked.
        statistics, difficulty: tables; there is no difficulty without runs.
        doubts: ranked.
        value: the same as plain values.
    """

    gold: str
    runs: tuple[str, ...]
    statistics: tuple[Table, ...]
    difficulty: tuple[Table, ...]
    doubts: tuple[Doubt, ...]
    value: Mapping[str, Any]


_STORED = TypeAdapter(StoredReport)


def pack_report(found: StoredReport) -> bytes:
    """As JSON."""
    return _STORED.dump_json(found)


def ask_for_report(session: Session, split: Split, user: User) -> None:
    """Have the gold of a split looked at, or looked at again; the caller commits."""
    row = session.scalar(select(GoldReport).where(GoldReport.split_id == split.id))
    if row is None:
        row = GoldReport(split_id=split.id, stored="", asked_at=now(), state=JobState.WAITING)
        session.add(row)
    elif row.state is not JobState.WAITING:
        row.restart()
    row.asked_at = now()
    audit.record(session, user, split.task, "gold report", split.name, "")
    session.flush()


def report_of(session: Session, storage: Storage, split: Split) -> tuple[GoldReport | None, StoredReport | None]:
    """The row of a split, and what was found last; None where nobody has asked, or nothing has been found yet."""
    row = session.scalar(select(GoldReport).where(GoldReport.split_id == split.id))
    return row, _STORED.validate_json(storage.get(row.stored)) if row is not None and row.stored else None


def marks_of(session: Session, split: Split) -> dict[tuple[str, str], GoldMark]:
    """What was said of places of a split, by document and place."""
    rows: Sequence[GoldMark] = session.scalars(select(GoldMark).where(GoldMark.split_id == split.id)).all()
    return {(each.document, each.place): each for each in rows}


def mark(session: Session, split: Split, doubt: Doubt, verdict: str, user: User) -> None:
    """Say whether gold is right in a place; again replaces what was said, and an empty verdict takes it back.

    Raises:
        InvalidError: the verdict is none.
    """
    if verdict not in (*VERDICTS, ""):
        raise InvalidError(f"{verdict} is none of {', '.join(VERDICTS)}.", field="verdict")
    row = marks_of(session, split).get((doubt.document, doubt.place[:_LONGEST_PLACE]))
    if not verdict:
        if row is not None:
            session.delete(row)
    else:
        if row is None:
            row = GoldMark(split_id=split.id, document=doubt.document, place=doubt.place[:_LONGEST_PLACE])
            session.add(row)
        row.verdict, row.said, row.instead = verdict, doubt.said, doubt.instead
        row.marked_by, row.marked_at = user.id, now()
    audit.record(
        session, user, split.task, "gold marked", f"{split.name}, {doubt.document} {doubt.place}"[:200], verdict or "taken back"
    )
    session.flush()
