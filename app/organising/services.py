"""Exports and overviews for organisers, and inviting another organiser."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import Team, User
from app.accounts.teams import team_of
from app.csv_text import as_csv
from app.errors import ConflictError, NotFoundError
from app.runs.models import Run, RunState, ScoreRow, Scoring
from app.runs.quotas import Quota, quota_of
from app.runs.services import official_runs
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Acceptance, Task
from app.shared_tasks.services import add_organiser, definition_of, find_task
from app.storage import Storage
from brat.files import pack_zip
from evaluator.scores import Counts
from evaluator.signature import SCORER_VERSION

_INVITATION_SECONDS = 14 * 24 * 3600
_NOT_IN_A_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def runs_in_flight(runs: Iterable[Run]) -> list[Run]:
    """Runs that something will still happen to."""
    return [each for each in runs if not each.state.final]


def problems_met_most(runs: Iterable[Run], most: int = 8) -> list[tuple[str, int, int]]:
    """(code, problems, runs that have it) of the codes that most runs of all teams have."""
    problems: Counter[str] = Counter()
    affected: Counter[str] = Counter()
    for run in runs:
        counts: dict[str, int] = json.loads(run.problem_counts)
        problems.update(counts)
        affected.update(counts.keys())
    return [(code, problems[code], count) for code, count in affected.most_common(most)]


def quotas_used(session: Session, task: Task, teams: Iterable[Team]) -> dict[int, list[tuple[str, Quota]]]:
    """What each team has used where there is a limit: team to (phase and track, quota), of phases that have begun."""
    tracks = {each.id: each.tracks for each in definition_of(task).phases}
    limited = [each for each in task.phases if each.quota is not None and each.state is not PhaseState.UPCOMING]
    return {
        team.id: [
            (phase.title if len(tracks[phase.slug]) == 1 else f"{phase.title}, {track}", quota_of(session, team, phase, track))
            for phase in limited
            for track in tracks[phase.slug]
        ]
        for team in teams
    }


def scores_csv(session: Session, task: Task) -> str:
    """Every score of every scored run, at full precision, with its team, phase, lateness and whether it is official."""
    official = {
        id_ for phase in task.phases for track in _tracks(session, task) for id_ in official_runs(session, phase, track)
    }
    wanted = (
        select(Run, ScoreRow)
        .join(Scoring, Scoring.run_id == Run.id)
        .join(ScoreRow, ScoreRow.scoring_id == Scoring.id)
        .where(Run.task_id == task.id, Scoring.scorer == SCORER_VERSION)
        .order_by(Run.submitted_at, Run.id, ScoreRow.id)
    )
    return as_csv(_score_lines(((run, row) for run, row in session.execute(wanted)), official))


def _tracks(session: Session, task: Task) -> list[str]:
    return list(session.scalars(select(Run.track).where(Run.task_id == task.id).distinct()))


def _score_lines(rows: Iterable[tuple[Run, ScoreRow]], official: set[str]) -> Iterator[Sequence[object]]:
    keys = ("annotations", "span", "labels", "matching", "stratification", "stratum", "label", "tp", "fp", "fn")
    yield (
        "team",
        "phase",
        "track",
        "run",
        "run_id",
        "submitted_at",
        "late",
        "official",
        "published",
        *keys,
        "precision",
        "recall",
        "f1",
    )
    for run, row in rows:
        counts = Counts(row.tp, row.fp, row.fn)
        about = (run.team.name, run.phase.slug, run.track, run.name, run.id, run.submitted_at.isoformat())
        flags = (int(run.late), int(run.id in official), int(run.published_at is not None))
        yield (*about, *flags, *(getattr(row, key) for key in keys), counts.precision, counts.recall, counts.f1)


def acceptances_csv(acceptances: Iterable[Acceptance]) -> str:
    """Who accepted which version of the terms, and when."""
    lines: list[Sequence[object]] = [("name", "email", "terms_version", "accepted_at")]
    lines += [(each.name, each.email, each.terms.version, each.accepted_at.isoformat()) for each in acceptances]
    return as_csv(lines)


def runs_zip(storage: Storage, runs: Iterable[Run]) -> bytes:
    """Every upload as it came, in a folder a team and phase."""
    members = []
    for run in runs:
        if run.state is not RunState.REJECTED:
            parts = (run.team.name, run.phase.slug, f"{run.id}-{run.file_name}")
            members.append(
                ("/".join(_NOT_IN_A_FILE_NAME.sub("_", part).strip(".") or "_" for part in parts), storage.get(run.upload))
            )
    return pack_zip(members)


def organiser_invitation(secret_key: str, task: Task) -> str:
    """The secret of a link that lets a person run the task; it holds for 14 days."""
    return _serializer(secret_key).dumps(task.slug)


def accept_organiser_invitation(session: Session, secret_key: str, secret: str, user: User) -> Task:
    """Become an organiser.

    Raises:
        NotFoundError: the link does not hold.
        ConflictError: the person takes part in the task.
    """
    try:
        slug = _serializer(secret_key).loads(secret, max_age=_INVITATION_SECONDS)
    except BadData:
        raise NotFoundError("This invitation is not valid any more. Ask the organiser for a new link.") from None
    task = find_task(session, slug)
    team = team_of(session, user, task)
    if team is not None and not team.hidden:
        raise ConflictError(f"You take part in this task in the team {team.name}, so you cannot run it.")
    add_organiser(session, task, user)
    return task


def _serializer(secret_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret_key, salt="organiser invitation")
