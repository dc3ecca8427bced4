"""Starting a baseline, stopping it, and what became of it."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import Team, User
from app.accounts.teams import baseline_team
from app.baseline_runs.models import Baseline, Device
from app.clock import now
from app.errors import ConflictError, InvalidError, NotFoundError
from app.runs.models import JobState, Run, RunState
from app.runs.services import enter
from app.shared_tasks import audit
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase, Task
from app.shared_tasks.services import definition_of
from baselines.methods import METHODS, About
from baselines.protocol import Asks, BaselineError
from baselines.recipes import parse_all, parse_recipe, path_settings
from baselines.tiny import TINY
from evaluator.task import Layer, Split, Track

_LONGEST = timedelta(days=7)
_MOST_WAITING = 20
_LONGEST_SETTINGS = 4000
VOTE = "majority-vote"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What an organiser asks for.

    Attributes:
        recipe: the name of a method, or of two in a row.
        settings: as texts.
        device: which workers take it; None: a GPU where the method is worth one.
        minutes: how long it may take.
        publish: whether its run goes on the public board.
    """

    track: str
    recipe: str
    settings: Mapping[str, str]
    device: Device | None = None
    minutes: int = 60
    publish: bool = True


def start(session: Session, task: Task, phase: Phase, wish: Wish, user: User) -> Baseline:
    """Have a baseline trained and run; the caller commits, and a worker takes it.

    Raises:
        InvalidError: method, settings, track or time cannot be.
        ConflictError: the phase takes no runs, the task has no train, or too many wait.
    """
    track = _check_phase(task, phase, wish.track)
    limit = timedelta(minutes=wish.minutes)
    if not timedelta(0) < limit <= _LONGEST:
        raise InvalidError("Between 1 minute and 7 days are expected.", field="minutes")
    recipe = _check_settings(wish)
    runs = wish.settings.get("runs", wish.settings.get(f"{VOTE}.runs", "")) if wish.recipe == VOTE else ""
    if runs:
        voters(session, phase, track.id, runs)
    else:
        _check_fits([each.asks for each in recipe], track, wish.recipe)
        _check_train(task, phase)
    waiting = select(Baseline).where(Baseline.task_id == task.id, Baseline.state == JobState.WAITING)
    if len(session.scalars(waiting).all()) >= _MOST_WAITING:
        raise ConflictError(f"{_MOST_WAITING} baselines of this task wait already.")
    heavy = any(each.heavy for each in recipe)
    row = Baseline(
        task_id=task.id,
        phase_id=phase.id,
        track=track.id,
        recipe="+".join(each.name for each in recipe),
        given=json.dumps(dict(wish.settings), ensure_ascii=False),
        device=wish.device or (Device.GPU if heavy else Device.CPU),
        seconds=int(limit.total_seconds()),
        publish=wish.publish,
        started_by=user.id,
        made_at=now(),
        state=JobState.WAITING,
    )
    session.add(row)
    session.flush()
    audit.record(session, user, task, "baseline", f"{row.recipe} {row.id}", f"{phase.slug}, {track.id}, {row.given}")
    return row


def _check_phase(task: Task, phase: Phase, track_id: str) -> Track:
    """The track, of a phase that takes runs of it.

    Raises:
        InvalidError: it does not.
        ConflictError: the phase has not opened, or the task is archived.
    """
    if track_id not in phase.tracks:
        raise InvalidError(f"{phase.title} takes runs of: {', '.join(phase.tracks) or 'no track'}.", field="track")
    if task.archived_at is not None:
        raise ConflictError("This task is archived; it takes no runs.")
    if phase.state is PhaseState.UPCOMING:
        raise ConflictError(f"{phase.title} has not opened yet; it takes no runs.", field="phase")
    track = definition_of(task).track(track_id)
    assert track is not None, "BUG: a phase takes runs of a track that the task does not have"  # noqa: S101
    return track


def _check_settings(wish: Wish) -> tuple[About, ...]:
    """The methods of a recipe, of which all settings can be.

    Raises:
        InvalidError: a name is unknown, or a value unusable.
    """
    if not all((key + value).isprintable() for key, value in wish.settings.items()):
        raise InvalidError("Settings are printable characters in one line.", field="settings")
    if len(json.dumps(dict(wish.settings))) > _LONGEST_SETTINGS:
        raise InvalidError("So many settings no method has.", field="settings")
    try:
        recipe = parse_recipe(wish.recipe)
        parse_all(recipe, wish.settings)
    except BaselineError as bad:
        raise InvalidError(f"{bad}.", field="settings" if wish.recipe in METHODS else "method") from bad
    for key in path_settings(recipe) & wish.settings.keys():
        _check_path(key, wish.settings[key])
    return recipe


def _check_train(task: Task, phase: Phase) -> None:
    """See that there is something to learn from.

    Raises:
        ConflictError: there is no train, or the phase is on it.
    """
    if Split.TRAIN not in [each.name for each in task.splits]:
        raise ConflictError(f"{task.slug} has no split train, which a baseline learns from.", field="method")
    if phase.split.name == Split.TRAIN:
        raise ConflictError(f"{phase.title} is on train itself, which a baseline learns from.", field="phase")


def voters(session: Session, phase: Phase, track: str, asked: str) -> list[Run]:
    """The runs that vote: published ones, since their votes can be read off; `teams` for the newest of each team.

    Raises:
        InvalidError: there is none, or one of the ids is not that of such a run.
    """
    wanted = (
        select(Run)
        .where(Run.phase_id == phase.id, Run.track == track, Run.state == RunState.SCORED, Run.late.is_(False))
        .where(Run.published_at.is_not(None))
        .order_by(Run.submitted_at)
    )
    there = {each.id: each for each in session.scalars(wanted) if not each.team.hidden}
    if asked.strip() == "teams":
        found = list({each.team_id: each for each in there.values() if not each.team.baseline}.values())
        if not found:
            raise InvalidError("runs: no team has published a scored run of this phase and track.", field="settings")
        return found
    ids = [each.strip() for each in asked.split("/")]
    strange = [each for each in ids if each not in there]
    if strange:
        raise InvalidError(f"runs: {strange[0] or 'nothing'} is no published run of this phase and track.", field="settings")
    return [there[each] for each in ids]


def _check_path(key: str, value: str) -> None:
    """See that a setting names nothing but a file that the server's keeper has laid out, or a checkpoint of a hub.

    Some kinds of model files can do anything when they are read, and what people upload lies on this machine too.

    Raises:
        InvalidError: it might.
    """
    if not _NAME.fullmatch(value.strip()) or ".." in value:
        raise InvalidError(
            f"{key}: tiny, the name of a file in the folder models of the server's data, or a name on a hub is expected.",
            field="settings",
        )


def laid_out(data: Path, recipe: tuple[About, ...], given: Mapping[str, str]) -> dict[str, str]:
    """Settings with the files that they name in the folder `models` of the data folder as whole paths.

    Raises:
        BaselineError: one names another file.
    """
    models, found = data / "models", dict(given)
    for key in path_settings(recipe) & given.keys():
        value = given[key].strip()
        if value != TINY and (models / value).exists():
            found[key] = str(models / value)
        elif Path(value).exists():  # where this process happens to be
            raise BaselineError(f"{key}: {value} is not in the folder models of the server's data")
    return found


def _check_fits(asks: list[Asks], track: Track, name: str) -> None:
    """See that a recipe finds what a track asks for.

    Raises:
        InvalidError: it does not.
    """
    linked = bool({Layer.RELATIONS, Layer.EVENTS, Layer.TRIGGERS} & set(track.asks))
    wanted = [Asks.ENTITIES] if Layer.ENTITIES in track.asks else []
    wanted += [Asks.RELATIONS] if linked else []
    if asks != wanted:
        what = {
            (Asks.ENTITIES,): "a method for entities, such as crf",
            (Asks.RELATIONS,): "a method for relations, such as cooccurrence",
            (Asks.ENTITIES, Asks.RELATIONS): "a method for entities and one for relations, such as crf+cooccurrence",
        }
        raise InvalidError(f"The track {track.title} needs {what[tuple(wanted)]}; {name} is none.", field="method")


def baselines_of(session: Session, task: Task) -> list[Baseline]:
    """All baselines of a task, the newest first."""
    return list(session.scalars(select(Baseline).where(Baseline.task_id == task.id).order_by(Baseline.id.desc())))


def find_baseline(session: Session, task: Task, number: int) -> Baseline:
    """A baseline of a task.

    Raises:
        NotFoundError: there is none of that number.
    """
    row = session.get(Baseline, number)
    if row is None or row.task_id != task.id:
        raise NotFoundError(f"{task.slug} has no baseline {number}.")
    return row


def stop(session: Session, row: Baseline, user: User) -> None:
    """Have a baseline end: at once if no worker has it, else as soon as its worker looks; the caller commits.

    Raises:
        ConflictError: it has ended.
    """
    if row.shown_state.final:
        raise ConflictError(f"This baseline is {row.shown_state.value} already.")
    row.stop = True
    if row.owner is None:
        row.state, row.ended_at, row.note = JobState.FAILED, now(), f"stopped by {user.name}"[:200]
    audit.record(session, user, row.task, "baseline stop", f"{row.recipe} {row.id}", "")
    session.flush()


def enter_run(session: Session, row: Baseline, stored: str, content: str) -> Run:
    """The run of a baseline, which is checked and scored as any other; tries and deadlines are those of teams."""
    team: Team = baseline_team(session, row.task)
    settings = " ".join(f"{key}={value}" for key, value in row.settings.items())
    run = Run(
        id=secrets.token_hex(8),
        task_id=row.task_id,
        phase_id=row.phase_id,
        team_id=team.id,
        submitted_by=row.started_by,
        track=row.track,
        name=f"{row.recipe}{f' ({settings})' if settings else ''}"[:100],
        description="",
        trained_by=row.signature,
        content=content,
        file_name=f"baseline-{row.id}.zip",
        upload=stored,
        state=RunState.RECEIVED,
        began_at=row.began_at,
        submitted_at=now(),
        published_at=now() if row.publish else None,
        problems="[]",
        problem_counts="{}",
        attempts=0,
    )
    session.add(run)
    session.flush()
    enter(session, run, RunState.RECEIVED, "a baseline")
    row.run_id = run.id
    return run


def baseline_of_run(session: Session, run: Run) -> Baseline | None:
    """The baseline that a run came out of."""
    return session.scalar(select(Baseline).where(Baseline.run_id == run.id)) if run.team.baseline else None
