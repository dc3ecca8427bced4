"""Exports and overviews for organisers, and inviting another organiser."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import Organiser, OrganiserInvitation, Team, User
from app.accounts.teams import team_of
from app.clock import now
from app.csv_text import as_csv
from app.errors import ConflictError, NotFoundError
from app.runs.models import Run, ScoreRow, Scoring
from app.runs.quotas import Quota, quota_of
from app.runs.services import official_runs
from app.secret import digest
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Acceptance, AuditEntry, GoldState, GoldVersion, Task
from app.shared_tasks.services import add_organiser
from app.storage import Storage
from brat.files import pack_zip
from evaluator.scores import Counts
from evaluator.signature import SCORER_VERSION

_INVITATION_LASTS = timedelta(days=14)
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


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
    limited = [each for each in task.phases if each.quota is not None and each.state is not PhaseState.UPCOMING]
    return {
        team.id: [
            (phase.title if len(phase.tracks) == 1 else f"{phase.title}, {track}", quota_of(session, team, phase, track))
            for phase in limited
            for track in phase.tracks
        ]
        for team in teams
    }


def scores_csv(session: Session, task: Task) -> str:
    """Every score of every scored run, at full precision, with its team, phase, lateness and whether it is official.

    Scores against versions of gold that held before are there too, those against one that waits are not.
    """
    official = {
        id_ for phase in task.phases for track in _tracks(session, task) for id_ in official_runs(session, phase, track)
    }
    wanted = (
        select(Run, ScoreRow, Scoring.gold_digest)
        .join(Scoring, Scoring.run_id == Run.id)
        .join(ScoreRow, ScoreRow.scoring_id == Scoring.id)
        .where(Run.task_id == task.id, Scoring.scorer == SCORER_VERSION)
        .order_by(Run.submitted_at, Run.id, Scoring.id, ScoreRow.id)
    )
    held = _versions_that_held(task)
    rows = ((run, row, held.get((run.phase.split_id, digest))) for run, row, digest in session.execute(wanted))
    return as_csv(_score_lines(((run, row, gold) for run, row, gold in rows if gold is not None), official))


def _versions_that_held(task: Task) -> dict[tuple[int, str], GoldVersion]:
    """By split and digest: the version of gold that holds or held, the newest of those with the same annotations."""
    versions = (each for split in task.splits for each in split.versions)
    return {(each.split_id, each.digest): each for each in versions if each.state in (GoldState.CURRENT, GoldState.REPLACED)}


def _tracks(session: Session, task: Task) -> list[str]:
    return list(session.scalars(select(Run.track).where(Run.task_id == task.id).distinct()))


def _score_lines(rows: Iterable[tuple[Run, ScoreRow, GoldVersion]], official: set[str]) -> Iterator[Sequence[object]]:
    keys = ("annotations", "span", "labels", "matching", "stratification", "stratum", "label", "tp", "fp", "fn")
    about_run = ("team", "dry_run", "phase", "track", "run", "run_id", "submitted_at", "late", "official", "published")
    about_gold = ("gold_version", "gold_is_current")
    yield (*about_run, *about_gold, *keys, "precision", "recall", "f1")
    for run, row, gold in rows:
        counts = Counts(row.tp, row.fp, row.fn)
        about = (run.team.name, int(run.team.hidden), run.phase.slug, run.track, run.name, run.id, run.submitted_at.isoformat())
        flags = (int(run.late), int(run.id in official), int(run.published_at is not None))
        of_gold = (gold.number, int(gold.state is GoldState.CURRENT))
        yield (*about, *flags, *of_gold, *(getattr(row, key) for key in keys), counts.precision, counts.recall, counts.f1)


def acceptances_csv(acceptances: Iterable[Acceptance]) -> str:
    """Who accepted which version of the terms, and when."""
    lines: list[Sequence[object]] = [("name", "email", "terms_version", "accepted_at")]
    lines += [(each.name, each.email, each.terms.version, each.accepted_at.isoformat()) for each in acceptances]
    return as_csv(lines)


def runs_zip(storage: Storage, runs: Iterable[Run]) -> bytes:
    """Every upload as it came, in a folder a team and phase."""
    members = []
    for run in runs:
        parts = (f"{run.team_id}-{run.team.name}", run.phase.slug, f"{run.id}-{run.state.value}-{run.file_name}")
        path = "/".join(_NOT_IN_A_FILE_NAME.sub("_", part).strip(".") for part in parts)
        members.append((path, storage.get(run.upload)))
    return pack_zip(members)


def invite_organiser(session: Session, task: Task) -> str:
    """The secret of a link that lets one person run the task; it holds for 14 days."""
    secret = secrets.token_urlsafe(24)
    session.add(
        OrganiserInvitation(task_id=task.id, digest=digest(secret), created_at=now(), expires_at=now() + _INVITATION_LASTS)
    )
    session.flush()
    return secret


def organiser_invitations(session: Session, task: Task) -> list[OrganiserInvitation]:
    """The invitations of organisers that still hold."""
    wanted = select(OrganiserInvitation).where(
        OrganiserInvitation.task_id == task.id, OrganiserInvitation.ended_at.is_(None), OrganiserInvitation.expires_at > now()
    )
    return list(session.scalars(wanted.order_by(OrganiserInvitation.id)))


def revoke_organiser_invitation(session: Session, task: Task, invitation_id: int) -> None:
    """End an invitation.

    Raises:
        NotFoundError: the task has no such invitation.
    """
    found = session.get(OrganiserInvitation, invitation_id)
    if found is None or found.task_id != task.id:
        raise NotFoundError("There is no such invitation.")
    found.ended_at = found.ended_at or now()
    session.flush()


def invited_to_run(session: Session, secret: str) -> tuple[OrganiserInvitation, Task]:
    """The invitation behind a link, and its task.

    Raises:
        NotFoundError: it does not hold, or was used.
    """
    found = session.scalar(select(OrganiserInvitation).where(OrganiserInvitation.digest == digest(secret)))
    if found is None or found.ended_at is not None or found.expires_at <= now():
        raise NotFoundError("This invitation is not valid any more. Ask the organiser for a new link.")
    return found, session.get_one(Task, found.task_id)


def accept_organiser_invitation(session: Session, secret: str, user: User) -> Task:
    """Become an organiser; the link is used up.

    Raises:
        NotFoundError: the link does not hold.
        ConflictError: the person takes part in the task.
    """
    found, task = invited_to_run(session, secret)
    team = team_of(session, user, task)
    if team is not None and not team.hidden:
        raise ConflictError(f"You take part in this task in the team {team.name}, so you cannot run it.")
    add_organiser(session, task, user)
    found.ended_at = now()
    session.flush()
    return task


def remove_organiser(session: Session, task: Task, user_id: int) -> str:
    """Let a person run the task no more; returns their address.

    Raises:
        NotFoundError: they do not run it.
        ConflictError: nobody would be left.
    """
    organisers = {each.user_id: each for each in session.scalars(select(Organiser).where(Organiser.task_id == task.id))}
    if user_id not in organisers:
        raise NotFoundError("There is no such organiser.")
    if len(organisers) == 1:
        raise ConflictError("A task needs an organiser. Invite another first.")
    email = organisers[user_id].user.email
    session.delete(organisers[user_id])
    session.flush()
    return email


def audit_csv(entries: Iterable[AuditEntry]) -> str:
    """Lines of the audit log, the newest first."""
    lines: list[Sequence[object]] = [("at", "who", "what", "to", "detail")]
    lines += [(each.at.isoformat(), each.actor, each.action, each.subject, each.detail) for each in entries]
    return as_csv(lines)


def participants_csv(teams: Iterable[Team]) -> str:
    """Who takes part: every member of every team, with affiliation."""
    lines: list[Sequence[object]] = [("team", "team_id", "dry_run", "name", "email", "affiliation", "role", "joined_at")]
    for team in teams:
        for each in team.members:
            person = (each.user.name, each.user.email, each.user.affiliation)
            lines.append((team.name, team.id, int(team.hidden), *person, each.role.value, each.joined_at.isoformat()))
    return as_csv(lines)
