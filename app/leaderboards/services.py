"""Ranking runs by what the reader may know of their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, and_, exists, not_, select
from sqlalchemy.orm import Session, aliased

from app.access import Reader, name_of, told, told_of
from app.accounts.models import Team
from app.errors import InvalidError
from app.runs.models import ACCEPTED, Run, RunState, ScoreRow, Scoring
from app.runs.services import ToldScore, official_runs, scored_by_team, shown_state, tell_rows
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase
from app.shared_tasks.services import definition_of
from evaluator.criteria import Criterion
from evaluator.signature import SCORER_VERSION
from evaluator.task import Disclosure, Figure, TaskDefinition

_PLURALS = {"phase": "phases", "track": "tracks", "span": "rules for spans", "labels": "rules for labels"}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a board is about; it is the whole state of the page."""

    phase: Phase
    track: str
    annotations: str
    span: str
    labels: str
    official: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A run on a board, with the name its team has for the reader.

    There is no rank and no score where nothing is told, and no rank for a late run.
    """

    rank: int | None
    run: Run
    team: str
    state: str
    official: bool
    score: ToldScore | None
    scored_runs: int


@dataclass(frozen=True, slots=True)
class Board:
    """A ranked list of runs, and how much of their scores is told."""

    choice: Choice
    told: Disclosure
    figure: Figure
    entries: tuple[Entry, ...]


def choose(definition: TaskDefinition, phases: Sequence[Phase], wanted: dict[str, str]) -> Choice:
    """A board from the words of an address; what is not said is the first there is, and the primary criterion.

    Raises:
        InvalidError: a word is not one of those there are.
    """
    by_slug = {each.slug: each for each in phases if each.tracks}
    started = next((slug for slug, each in by_slug.items() if each.state is not PhaseState.UPCOMING), next(iter(by_slug)))
    slug = _pick("phase", wanted, list(by_slug), started)
    chosen = _pick("track", wanted, by_slug[slug].tracks, by_slug[slug].tracks[0])
    track = next(each for each in definition.tracks if each.id == chosen)
    counted = [each.value for each in track.counted]
    spans = list(dict.fromkeys(each.span_name for each in definition.criteria))
    labels = list(dict.fromkeys(each.labels.value for each in definition.criteria))
    primary: Criterion = definition.criteria[0]
    return Choice(
        phase=by_slug[slug],
        track=track.id,
        annotations=_pick("annotations", wanted, counted, track.primary.value),
        span=_pick("span", wanted, spans, primary.span_name),
        labels=_pick("labels", wanted, labels, primary.labels.value),
        official=_pick("runs", wanted, ("all", "official"), "all") == "official",
    )


def public_board(session: Session, reader: Reader, choice: Choice) -> Board:
    """The published runs of a phase and track; those of dry runs are never among them."""
    wanted = (
        select(Run)
        .join(Team, Team.id == Run.team_id)
        .where(
            Run.phase_id == choice.phase.id,
            Run.track == choice.track,
            Run.published_at.is_not(None),
            Run.state.in_(ACCEPTED),
            Team.hidden.is_(False),
        )
    )
    return _board(session, reader, choice, session.scalars(wanted).all())


def team_board(session: Session, reader: Reader, choice: Choice, team: Team) -> Board:
    """All runs of a team in a phase and track, also those that are not scored."""
    wanted = _sent(choice).where(Run.team_id == team.id)
    return _board(session, reader, choice, session.scalars(wanted).all())


def all_runs_board(session: Session, reader: Reader, choice: Choice) -> Board:
    """Every run of a phase and track; for organisers."""
    return _board(session, reader, choice, session.scalars(_sent(choice)).all())


def _sent(choice: Choice) -> Select[Run]:
    """The runs of a phase and track; not what was only checked, nor what was held and then submitted once more."""
    later = aliased(Run)
    replaced = and_(Run.state == RunState.HELD, exists().where(later.origin == Run.id))
    here = Run.phase_id == choice.phase.id, Run.track == choice.track
    return select(Run).where(*here, Run.trial.is_(False), not_(replaced))


def _board(session: Session, reader: Reader, choice: Choice, runs: Iterable[Run]) -> Board:
    definition = definition_of(choice.phase.task)
    level = told(reader, choice.phase, choice.phase.task.phases)
    scores = {} if level is Disclosure.NOTHING else _headline_rows(session, choice)
    counts = scored_by_team(session, choice.phase, choice.track)
    figures = {}
    for run in runs:
        row = scores.get(run.id)
        figures[run] = next(iter(tell_rows(told_of(reader, run), [row], definition, run.track)), None) if row else None
    official = official_runs(session, choice.phase, choice.track)
    if choice.official:
        figures = {run: score for run, score in figures.items() if run.id in official}
    ranks = rank(
        [
            None if each is None or run.late or run.team.hidden else getattr(each, definition.figure.value)
            for run, each in figures.items()
        ]
    )
    entries = [
        Entry(
            place,
            run,
            name_of(reader, run.team, run.task),
            shown_state(level, run),
            run.id in official,
            score,
            counts.get(run.team_id, 0),
        )
        for place, (run, score) in zip(ranks, figures.items(), strict=True)
    ]
    entries.sort(key=lambda each: (each.rank is None, each.rank or 0, each.run.submitted_at, each.run.id))
    return Board(choice, level, definition.figure, tuple(entries))


def _headline_rows(session: Session, choice: Choice) -> dict[str, ScoreRow]:
    """The overall row under the chosen criterion, by run."""
    wanted = (
        select(Scoring.run_id, ScoreRow)
        .join(ScoreRow, ScoreRow.scoring_id == Scoring.id)
        .join(Run, Run.id == Scoring.run_id)
        .where(
            Run.phase_id == choice.phase.id,
            Run.track == choice.track,
            Scoring.gold_digest == choice.phase.split.gold_digest,
            Scoring.scorer == SCORER_VERSION,
            ScoreRow.annotations == choice.annotations,
            ScoreRow.span == choice.span,
            ScoreRow.labels == choice.labels,
            ScoreRow.stratification == "all",
            ScoreRow.label == "all",
        )
    )
    return {run_id: row for run_id, row in session.execute(wanted)}  # noqa: C416 - rows are not tuples to mypy


def rank(figures: Sequence[float | None]) -> list[int | None]:
    """Places, best first: equal figures share one, the next place counts them all, and undefined has none."""
    ordered = sorted((each for each in figures if each is not None), reverse=True)
    return [None if each is None else ordered.index(each) + 1 for each in figures]


def _pick(field: str, wanted: dict[str, str], known: Sequence[str], default: str) -> str:
    value = wanted.get(field) or default
    if value not in known:
        raise InvalidError(
            f"{value} is none of the {_PLURALS.get(field, field)} here; there are: {', '.join(known)}.", field=field
        )
    return value
