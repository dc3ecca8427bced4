"""Finding a run, publishing, withdrawing, describing and nominating it, and telling its scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told, may_see_run, owns_run, told, told_of, why_not_told
from app.accounts.models import Team
from app.accounts.names import clean_name
from app.clock import now
from app.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from app.runs.models import ACCEPTED, UNSCORED, Run, RunState, ScoreRow, Scoring, StateChange
from app.shared_tasks.models import Phase
from app.shared_tasks.services import definition_of
from brat.problems import Problem, Severity
from evaluator.scores import ALL, Counts
from evaluator.signature import SCORER_VERSION
from evaluator.task import Disclosure, TaskDefinition

_KEPT_PROBLEMS = 200
_LONGEST_DESCRIPTION = 10_000


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


def enter(session: Session, run: Run, state: RunState, note: str = "") -> None:
    """Bring a run into a state and write it into its history."""
    run.state = state
    session.add(StateChange(run_id=run.id, state=state, at=now(), note=note))
    session.flush()


def keep_problems(run: Run, problems: Sequence[Problem], counts: Mapping[str, int]) -> None:
    """Keep the problems of a run with it: all counts, and of each code as many as a page can show, errors first."""
    seen: Counter[str] = Counter()
    kept = []
    for each in sorted(problems, key=lambda one: one.severity is not Severity.ERROR):
        seen[each.code] += 1
        if seen[each.code] <= _KEPT_PROBLEMS:
            kept.append(asdict(each))
    run.problems = json.dumps(kept, ensure_ascii=False)
    run.problem_counts = json.dumps(dict(sorted(counts.items(), key=lambda each: -each[1])))


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


def find_told_run(session: Session, reader: Reader, run_id: str, what: What) -> Run:
    """A run that the reader may see, and be told this of.

    Raises:
        NotFoundError: there is none, or it is another team's secret.
        ForbiddenError: the reader may not know it, or not yet.
    """
    run = find_run(session, reader, run_id)
    if not may_be_told(reader, run, what):
        raise ForbiddenError(why_not_told(run))
    return run


def publish(session: Session, reader: Reader, run: Run) -> None:
    """Show a run to everybody.

    Raises:
        ForbiddenError: it is another team's.
        ConflictError: it has no scores.
    """
    if not owns_run(reader, run):
        raise ForbiddenError("Only its team can publish a run.")
    level = told(reader, run.phase, run.task.phases)
    if run.state is not RunState.SCORED and not (level is Disclosure.NOTHING and run.state in ACCEPTED):
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
    return scoring_against(session, run.id, run.phase.split.gold_digest)


def scoring_against(session: Session, run_id: str, gold_digest: str) -> Scoring | None:
    """A run's scores against a version of gold by the present scorer."""
    wanted = select(Scoring).where(
        Scoring.run_id == run_id, Scoring.gold_digest == gold_digest, Scoring.scorer == SCORER_VERSION
    )
    return session.scalar(wanted)


def told_scores(session: Session, reader: Reader, run: Run, scoring: Scoring | None) -> tuple[Disclosure, list[ToldScore]]:
    """What the reader may know of a run's scores on the whole split, and how much that is."""
    level = told_of(reader, run)
    return level, _told_rows(session, level, run, scoring, ScoreRow.stratification == ALL)


def told_strata(session: Session, reader: Reader, run: Run, scoring: Scoring | None, *, labels: bool = True) -> list[ToldScore]:
    """What the reader may know of a run's scores by stratum: of all labels, or of all labels together only."""
    which = ScoreRow.stratification != ALL
    if not labels:
        which &= ScoreRow.label == ALL
    return _told_rows(session, told_of(reader, run), run, scoring, which)


def _told_rows(
    session: Session, level: Disclosure, run: Run, scoring: Scoring | None, which: ColumnElement[bool]
) -> list[ToldScore]:
    if scoring is None or level is Disclosure.NOTHING:
        return []
    rows = session.scalars(select(ScoreRow).where(ScoreRow.scoring_id == scoring.id, which).order_by(ScoreRow.id)).all()
    return tell_rows(level, rows, definition_of(run.task), run.track)


def shown_state(level: Disclosure, run: Run) -> str:
    """The state as a reader may know it."""
    return "accepted" if level is Disclosure.NOTHING and run.state in ACCEPTED else run.state.value


def shown_history(level: Disclosure, run: Run) -> list[StateChange]:
    """The history as a reader may know it: what comes after the check, and when, is told with the scores only."""
    if level is Disclosure.FULL:
        return run.history
    return [each for each in run.history if each.state not in ACCEPTED]


def tell_rows(level: Disclosure, rows: Sequence[ScoreRow], definition: TaskDefinition, track_id: str) -> list[ToldScore]:
    """Score rows of a track as far as a level of disclosure lets them be known (`app.access.TELLS`).

    The overall figures of the headline are those that the board ranks by: relations, say, and not their triggers too.
    """
    track, tells = definition.track(track_id), TELLS[level]
    places = None if What.COUNTS in tells else definition.headline_places
    return [
        _tell(row, places)
        for row in rows
        if (What.PER_LABEL if row.label != ALL else What.OVERALL) in tells
        and (row.stratum == ALL or What.PER_STRATUM in tells)
        and (places is None or (track is not None and row.annotations == track.primary))
    ]


def _tell(row: ScoreRow, places: int | None) -> ToldScore:
    counts = Counts(row.tp, row.fp, row.fn)
    figures = (counts.precision, counts.recall, counts.f1)
    if places is None:
        return ToldScore(row, row.tp, row.fp, row.fn, *figures)
    rounded = (None if each is None else round(each, places) for each in figures)
    return ToldScore(row, None, None, None, *rounded)


def describe(session: Session, run: Run, *, name: str, description: str) -> None:
    """Give a run another name and description (Markdown).

    Raises:
        InvalidError: no name, or a description beyond all measure.
    """
    if len(description) > _LONGEST_DESCRIPTION:
        raise InvalidError(f"A description has at most {_LONGEST_DESCRIPTION:,} characters.", field="description")
    run.name, run.description = clean_name(name, "name", 100), description.replace("\r\n", "\n").strip()
    session.flush()


def may_nominate(run: Run) -> bool:
    """Whether its team may still say that this run is its official one: before results are told, and in time."""
    if run.late or run.state not in ACCEPTED:
        return False
    known = run.phase.first_told_at is not None and run.submitted_at <= run.phase.first_told_at
    return not known and told(Reader(), run.phase, run.task.phases) is Disclosure.NOTHING


def nominate(session: Session, run: Run) -> None:
    """Make a run the official one of its team, phase and track.

    Raises:
        ConflictError: it is too late for that, or the run cannot be.
    """
    if not may_nominate(run):
        raise ConflictError(
            "A run is nominated before its phase's results are told, and only one that was in time and is accepted."
        )
    for other in session.scalars(select(Run).where(*_same_place(run))):
        other.nominated_at = now() if other.id == run.id else None
    session.flush()


def _same_place(run: Run) -> tuple[ColumnElement[bool], ...]:
    return Run.team_id == run.team_id, Run.phase_id == run.phase_id, Run.track == run.track


def official_runs(session: Session, phase: Phase, track: str) -> set[str]:
    """The official run of every team: the nominated one, else the last one that was in time and is scored; every baseline."""
    wanted = (
        select(Run)
        .where(Run.phase_id == phase.id, Run.track == track, Run.state.in_(ACCEPTED), Run.late.is_(False))
        .order_by(Run.submitted_at, Run.id)
    )
    chosen: dict[int | str, Run] = {}
    for run in session.scalars(wanted):
        key = run.id if run.team.baseline else run.team_id
        before = chosen.get(key)
        if before is None or before.nominated_at is None or run.nominated_at is not None:
            chosen[key] = run
    return {run.id for run in chosen.values()}


def runs_of_team(session: Session, team: Team) -> list[Run]:
    """All runs of a team, the newest first; without trials."""
    wanted = select(Run).where(Run.team_id == team.id, Run.trial.is_(False))
    return list(session.scalars(wanted.order_by(Run.submitted_at.desc(), Run.id)))


def trials_of(session: Session, team: Team, most: int = 5) -> list[Run]:
    """The newest files that a team had checked only."""
    wanted = select(Run).where(Run.team_id == team.id, Run.trial.is_(True))
    return list(session.scalars(wanted.order_by(Run.submitted_at.desc(), Run.id).limit(most)))


def tracks_used(session: Session, phase: Phase) -> frozenset[str]:
    """The tracks in which a phase has runs that count."""
    counts = Run.trial.is_(False), Run.state.not_in(UNSCORED)
    return frozenset(session.scalars(select(Run.track).where(Run.phase_id == phase.id, *counts).distinct()))


def runs_of_task(session: Session, task_id: int) -> list[Run]:
    """All runs of a task, the newest first; without trials."""
    wanted = select(Run).where(Run.task_id == task_id, Run.trial.is_(False))
    return list(session.scalars(wanted.order_by(Run.submitted_at.desc(), Run.id)))


def scored_by_team(session: Session, phase: Phase, track: str) -> dict[int, int]:
    """How many runs of the phase and track each team has had scored, published or not."""
    wanted = (
        select(Run.team_id, func.count())
        .where(Run.phase_id == phase.id, Run.track == track, Run.state.in_(ACCEPTED))
        .group_by(Run.team_id)
    )
    return {team: count for team, count in session.execute(wanted)}  # noqa: C416 - rows are not tuples to mypy
