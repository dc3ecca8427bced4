"""Taking a run, finding it, publishing and withdrawing it, and telling its scores."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.access import Reader, may_see_run, owns_run, told
from app.accounts.models import Team, User
from app.accounts.services import clean_name
from app.db import now
from app.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from app.runs.models import Run, RunState, ScoreRow, Scoring, StateChange
from app.shared_tasks.models import Phase, PhaseState
from app.shared_tasks.services import definition_of
from app.storage import Storage
from brat.problems import Problem, Severity, count_by_code
from evaluator.scores import Counts
from evaluator.signature import SCORER_VERSION
from evaluator.task import Disclosure

_KEPT_PROBLEMS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What came with a request to take a run."""

    track: str
    name: str
    file_name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ToldScore:
    """A Score record as far as a reader may know it; counts are None where only the rounded headline is told."""

    row: ScoreRow
    tp: int | None
    fp: int | None
    fn: int | None
    precision: float | None
    recall: float | None
    f1: float | None

    def to_json(self) -> dict[str, str | int | float | None]:
        """The record as plain values."""
        names = ("annotations", "span", "labels", "matching", "stratification", "stratum", "label")
        figures = ("tp", "fp", "fn", "precision", "recall", "f1")
        return {each: getattr(self.row, each) for each in names} | {each: getattr(self, each) for each in figures}


def submit(session: Session, storage: Storage, user: User, team: Team, phase: Phase, upload: Upload) -> Run:
    """Take a run. The caller commits, and then enqueues the run's id.

    Raises:
        ConflictError: the phase does not take runs.
        InvalidError: the track is not one of the phase's, or name or file are missing.
    """
    definition = definition_of(phase.task)
    tracks = next(each.tracks for each in definition.phases if each.id == phase.slug)
    if phase.state is not PhaseState.OPEN:
        raise ConflictError(f"{phase.title} is {phase.state.value}; it takes no runs.", field="phase")
    if upload.track not in tracks:
        raise InvalidError(f"{phase.title} takes runs of: {', '.join(tracks)}.", field="track")
    if not upload.data:
        raise InvalidError("Choose a file that is not empty: a zip, a tar.gz or a single .ann file.", field="file")
    file_name = upload.file_name.replace("\\", "/").rpartition("/")[2][-255:] or "run.zip"
    run = Run(
        id=secrets.token_hex(8),
        task_id=phase.task_id,
        phase_id=phase.id,
        team_id=team.id,
        submitted_by=user.id,
        track=upload.track,
        name=clean_name(upload.name or file_name.partition(".")[0], "name", 100),
        file_name="".join(c for c in file_name if c.isprintable()),
        upload=storage.put(upload.data),
        state=RunState.RECEIVED,
        submitted_at=now(),
        problems="[]",
        problem_counts="{}",
        attempts=0,
    )
    session.add(run)
    session.flush()
    enter(session, run, RunState.RECEIVED)
    return run


def enter(session: Session, run: Run, state: RunState, note: str = "") -> None:
    """Bring a run into a state and write it into its history."""
    run.state = state
    session.add(StateChange(run_id=run.id, state=state, at=now(), note=note))
    session.flush()


def keep_problems(run: Run, problems: tuple[Problem, ...]) -> None:
    """Keep the problems of a run with it: all counts, and as many of the problems as a page can show, errors first."""
    ordered = sorted(problems, key=lambda each: each.severity is not Severity.ERROR)
    run.problems = json.dumps([asdict(each) for each in ordered[:_KEPT_PROBLEMS]], ensure_ascii=False)
    run.problem_counts = json.dumps(count_by_code(problems))


def problems_of(run: Run) -> list[Problem]:
    """The problems kept with a run, errors first."""
    return [Problem(**each | {"severity": Severity(each["severity"])}) for each in json.loads(run.problems)]


def problem_counts_of(run: Run) -> dict[str, int]:
    """How many problems of each code the run has, also those too many to be kept."""
    counts: dict[str, int] = json.loads(run.problem_counts)
    return counts


def find_run(session: Session, reader: Reader, run_id: str) -> Run:
    """A run that the reader may see.

    Raises:
        NotFoundError: there is none, or it is another team's secret.
    """
    run = session.get(Run, run_id)
    if run is None or not may_see_run(reader, run):
        raise NotFoundError("There is no such run, or it is not published.")
    return run


def publish(session: Session, reader: Reader, run: Run) -> None:
    """Show a run to everybody.

    Raises:
        ForbiddenError: it is another team's.
        ConflictError: it has no scores.
    """
    if not owns_run(reader, run):
        raise ForbiddenError("Only its team can publish a run.")
    if run.state is not RunState.SCORED:
        raise ConflictError(f"This run is {run.state.value}; only a scored run can be published.")
    run.published_at = run.published_at or now()
    session.flush()


def withdraw(session: Session, reader: Reader, run: Run) -> None:
    """Take a run back from the public board.

    Raises:
        ForbiddenError: it is another team's.
    """
    if not owns_run(reader, run):
        raise ForbiddenError("Only its team can withdraw a run.")
    run.published_at = None
    session.flush()


def scoring_of(session: Session, run: Run) -> Scoring | None:
    """The run's scores against the present gold by the present scorer."""
    wanted = select(Scoring).where(
        Scoring.run_id == run.id, Scoring.gold_digest == run.phase.split.gold_digest, Scoring.scorer == SCORER_VERSION
    )
    return session.scalar(wanted)


def told_scores(reader: Reader, run: Run, scoring: Scoring | None) -> tuple[Disclosure, list[ToldScore]]:
    """What the reader may know of a run's scores, and how much that is."""
    level = told(reader, run.phase, run.task.phases)
    if scoring is None:
        return level, []
    return level, tell_rows(level, scoring.scores, definition_of(run.task).headline_places)


def tell_rows(level: Disclosure, rows: list[ScoreRow], places: int) -> list[ToldScore]:
    """Score rows as far as a level of disclosure lets them be known."""
    match level:
        case Disclosure.FULL:
            return [_tell(row, None) for row in rows]
        case Disclosure.HEADLINE:
            return [_tell(row, places) for row in rows if row.label == "all" and row.stratum == "all"]
        case Disclosure.NOTHING:
            return []


def _tell(row: ScoreRow, places: int | None) -> ToldScore:
    counts = Counts(row.tp, row.fp, row.fn)
    figures = (counts.precision, counts.recall, counts.f1)
    if places is None:
        return ToldScore(row, row.tp, row.fp, row.fn, *figures)
    rounded = (None if each is None else round(each, places) for each in figures)
    return ToldScore(row, None, None, None, *rounded)


def runs_of_team(session: Session, team: Team) -> list[Run]:
    """All runs of a team, the newest first."""
    return list(session.scalars(select(Run).where(Run.team_id == team.id).order_by(Run.submitted_at.desc(), Run.id)))


def runs_of_task(session: Session, task_id: int) -> list[Run]:
    """All runs of a task, the newest first."""
    return list(session.scalars(select(Run).where(Run.task_id == task_id).order_by(Run.submitted_at.desc(), Run.id)))


def scored_by_team(session: Session, phase: Phase, track: str) -> dict[int, int]:
    """How many runs of the phase and track each team has had scored, published or not."""
    wanted = (
        select(Run.team_id, func.count())
        .where(Run.phase_id == phase.id, Run.track == track, Run.state == RunState.SCORED)
        .group_by(Run.team_id)
    )
    return {team: count for team, count in session.execute(wanted)}  # noqa: C416 - rows are not tuples to mypy
