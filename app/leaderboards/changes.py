"""Who moved when gold was corrected: every switch of a split's gold, and the published runs with another rank or figure.

Both sides are read from scores that there were at the moment of the switch. Nothing is told of them that the reader may not
know of a board: where a phase tells nothing, neither ranks nor figures; where it tells the headline, both as rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.access import Reader, name_of, told, told_of
from app.accounts.models import Team
from app.leaderboards.services import rank
from app.runs.models import JobState, Rescoring, Run, RunState, ScoreRow, Scoring
from app.runs.services import tell_rows
from app.shared_tasks.models import GoldVersion, Phase, Split, Task
from app.shared_tasks.services import definition_of
from evaluator.scores import ALL
from evaluator.signature import SCORER_VERSION
from evaluator.task import Disclosure, Figure, TaskDefinition, Track


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run stood: no rank for a late run, no figure where there is nothing to divide by."""

    rank: int | None
    figure: float | None


@dataclass(frozen=True, slots=True)
class Move:
    """A run before and after the switch, as far as the reader may know; None where it was not scored."""

    run: Run
    team: str
    told: Disclosure
    before: Place | None
    after: Place | None


@dataclass(frozen=True, slots=True)
class MovedBoard:
    """The board of a phase and track under the primary criterion: the runs that moved, in their new order."""

    phase: Phase
    track: Track
    span: str
    labels: str
    figure: Figure
    told: Disclosure
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A version of gold that replaced another."""

    split: Split
    version: int
    at: datetime
    reason: str
    runs: int
    boards: tuple[MovedBoard, ...]


@dataclass(frozen=True, slots=True)
class _Switch:
    """Digests before and after, and the moment; scores that were written later are not looked at."""

    before: str
    after: str
    at: datetime


def changes_of(session: Session, reader: Reader, task: Task) -> list[Change]:
    """Every switch of the gold of a task's splits, the newest first."""
    found = [each for split in task.splits for each in _changes_of_split(session, reader, task, split)]
    return sorted(found, key=lambda each: each.at, reverse=True)


def _changes_of_split(session: Session, reader: Reader, task: Task, split: Split) -> Iterator[Change]:
    held = [(each, each.switched_at) for each in split.versions if each.switched_at is not None]
    for (earlier, _), (version, at) in pairwise(held):
        switch = _Switch(earlier.digest, version.digest, at)
        yield Change(
            split=split,
            version=version.number,
            at=at,
            reason=version.reason,
            runs=_runs_scored(session, version),
            boards=tuple(_boards(session, reader, task, split, switch)),
        )


def _runs_scored(session: Session, version: GoldVersion) -> int:
    wanted = select(func.count()).where(Rescoring.version_id == version.id, Rescoring.state == JobState.DONE)
    return session.scalar(wanted) or 0


def _boards(session: Session, reader: Reader, task: Task, split: Split, switch: _Switch) -> Iterator[MovedBoard]:
    definition = definition_of(task)
    criterion = definition.criteria[0]
    for phase in task.phases:
        for track in definition.tracks:
            if phase.split_id != split.id or track.id not in phase.tracks:
                continue
            level = told(reader, phase, task.phases)
            quiet = level is Disclosure.NOTHING
            moves = () if quiet else _moves(session, reader, definition, (phase, track), switch)
            yield MovedBoard(phase, track, criterion.span_name, criterion.labels.value, definition.figure, level, tuple(moves))


def _moves(
    session: Session, reader: Reader, definition: TaskDefinition, board: tuple[Phase, Track], switch: _Switch
) -> list[Move]:
    rows = _overall_rows(session, definition, board, switch)
    runs = [each for each in _published(session, *board) if each.id in rows[switch.before] or each.id in rows[switch.after]]
    before, after = (_places(reader, definition, runs, rows[digest]) for digest in (switch.before, switch.after))
    moves = [
        Move(run, name_of(reader, run.team, run.task), told_of(reader, run), before[run.id], after[run.id])
        for run in runs
        if before[run.id] != after[run.id]
    ]
    return sorted(moves, key=lambda each: (_order(each.after), _order(each.before), each.run.submitted_at, each.run.id))


def _order(place: Place | None) -> tuple[bool, int]:
    return place is None or place.rank is None, (place.rank or 0) if place else 0


def _published(session: Session, phase: Phase, track: Track) -> Sequence[Run]:
    """The scored runs that everybody sees."""
    here = Run.phase_id == phase.id, Run.track == track.id, Run.state == RunState.SCORED
    wanted = select(Run).join(Team, Team.id == Run.team_id)
    return session.scalars(wanted.where(*here, Run.published_at.is_not(None), Team.hidden.is_(False))).all()


def _overall_rows(
    session: Session, definition: TaskDefinition, board: tuple[Phase, Track], switch: _Switch
) -> dict[str, dict[str, ScoreRow]]:
    """By digest and run: the overall row under the primary criterion, by the scorer that was in use at the switch."""
    phase, track = board
    known = Scoring.created_at <= switch.at, Scoring.gold_digest == switch.after
    newest = select(Scoring.scorer).join(Run, Run.id == Scoring.run_id).where(*known, Run.phase_id == phase.id)
    scorer = session.scalar(newest.order_by(Scoring.id.desc()).limit(1)) or SCORER_VERSION
    wanted = (
        select(Scoring.gold_digest, Scoring.run_id, ScoreRow)
        .join(ScoreRow, ScoreRow.scoring_id == Scoring.id)
        .join(Run, Run.id == Scoring.run_id)
        .where(
            Run.phase_id == phase.id,
            Run.track == track.id,
            Scoring.created_at <= switch.at,
            Scoring.gold_digest.in_((switch.before, switch.after)),
            Scoring.scorer == scorer,
            ScoreRow.annotations == track.primary.value,
            ScoreRow.span == definition.criteria[0].span_name,
            ScoreRow.labels == definition.criteria[0].labels.value,
            ScoreRow.stratification == ALL,
            ScoreRow.label == ALL,
        )
    )
    found: dict[str, dict[str, ScoreRow]] = {switch.before: {}, switch.after: {}}
    for digest, run_id, row in session.execute(wanted):
        found[digest][run_id] = row
    return found


def _places(
    reader: Reader, definition: TaskDefinition, runs: Sequence[Run], rows: dict[str, ScoreRow]
) -> dict[str, Place | None]:
    """Ranks and figures as the board would tell them."""
    figures: dict[str, float | None] = {}
    for run in runs:
        row = rows.get(run.id)
        told_rows = tell_rows(told_of(reader, run), [row], definition, run.track) if row is not None else []
        if told_rows:
            figures[run.id] = getattr(told_rows[0], definition.figure.value)
    ranks = rank([None if run.late else figures.get(run.id) for run in runs])
    return {
        run.id: Place(place, figures[run.id]) if run.id in figures else None for place, run in zip(ranks, runs, strict=True)
    }
