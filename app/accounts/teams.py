"""What people can do with teams: found, invite, join, leave, hand over, rename; what organisers can: approve, try out."""

from __future__ import annotations

import secrets
import unicodedata
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.accounts.models import Departure, Invitation, Membership, Organiser, Team, TeamRole, User
from app.accounts.names import clean_name
from app.accounts.services import leave
from app.clock import now
from app.errors import ConflictError, ForbiddenError, NotFoundError
from app.runs.models import QuotaEntry
from app.secret import digest
from app.shared_tasks.models import Task

_BASELINE = "Baseline"
_INVITATION_LASTS = timedelta(days=14)


def team_of(session: Session, user: User | None, task: Task) -> Team | None:
    """The team of this person in this task."""
    if user is None:
        return None
    wanted = select(Team).join(Membership).where(Membership.user_id == user.id, Membership.task_id == task.id)
    return session.scalar(wanted)


def found_team(session: Session, user: User, task: Task, name: str) -> Team:
    """Found a team; the founder is its captain. It may upload at once unless the task's organisers approve teams.

    Raises:
        InvalidError: no name.
        ConflictError: the name is taken, or the person is in a team or organises the task.
    """
    _check_free(session, user, task)
    return _make(session, user, task, name, hidden=False, approved=not task.approves_teams)


def found_dry_run(session: Session, user: User, task: Task) -> Team:
    """The team in which an organiser tries the task; nobody but the organisers sees it or its runs.

    Raises:
        ConflictError: the person has one.
    """
    if team_of(session, user, task) is not None:
        raise ConflictError("You have a team for dry runs already.")
    return _make(session, user, task, f"Dry run of {user.name}"[:50] + f" {secrets.token_hex(3)}", hidden=True, approved=True)


def teams_of_task(session: Session, task: Task) -> list[Team]:
    """All teams of a task, by name; those for dry runs too."""
    return list(session.scalars(select(Team).where(Team.task_id == task.id).order_by(Team.name)))


def approve(session: Session, team: Team) -> None:
    """Let a team upload."""
    team.approved_at = team.approved_at or now()
    session.flush()


def rename(session: Session, team: Team, name: str) -> None:
    """Give the team another name.

    Raises:
        InvalidError: no name.
        ConflictError: it is taken.
    """
    name = clean_name(name, "name", 60)
    _check_name(session, team.task_id, name, but=team.id)
    team.name, team.name_key = name, _team_key(name)
    session.flush()


def hand_over(session: Session, team: Team, member_id: int) -> None:
    """Make another member the captain.

    Raises:
        NotFoundError: there is no such member.
    """
    follower = next((each for each in team.members if each.user_id == member_id), None)
    if follower is None:
        raise NotFoundError("There is no such member in your team.")
    for each in team.members:
        each.role = TeamRole.CAPTAIN if each is follower else TeamRole.MEMBER
    session.flush()


def leave_team(session: Session, user: User, team: Team) -> None:
    """Leave; the runs stay with the team. A captain is followed by the longest member.

    Raises:
        ConflictError: nobody else is in the team, which has spent a try in a blind phase that is not over.
        ForbiddenError: the person is not in the team.
    """
    mine = next((each for each in team.members if each.user_id == user.id), None)
    if mine is None:
        raise ForbiddenError("You are not in this team.")
    if len(team.members) == 1 and _charged(session, session.get_one(Task, team.task_id), [team.id]):
        raise ConflictError(
            "Your team has sent runs to a blind phase that is not over. Until it is, you could join no other team, and nobody "
            "would be here to let you in again: stay until then."
        )
    leave(session, mine)


def invite(session: Session, team: Team) -> str:
    """The secret of a new invitation to the team."""
    secret = secrets.token_urlsafe(24)
    session.add(Invitation(team_id=team.id, digest=digest(secret), created_at=now(), expires_at=now() + _INVITATION_LASTS))
    session.flush()
    return secret


def invitations_of(session: Session, team: Team) -> list[Invitation]:
    """The invitations of a team that still hold."""
    wanted = select(Invitation).where(
        Invitation.team_id == team.id, Invitation.revoked_at.is_(None), Invitation.expires_at > now()
    )
    return list(session.scalars(wanted.order_by(Invitation.id)))


def revoke_invitation(session: Session, team: Team, invitation_id: int) -> None:
    """End an invitation of the team.

    Raises:
        NotFoundError: the team has no such invitation.
    """
    found = session.get(Invitation, invitation_id)
    if found is None or found.team_id != team.id:
        raise NotFoundError("Your team has no such invitation.")
    found.revoked_at = found.revoked_at or now()
    session.flush()


def invitation(session: Session, secret: str) -> Invitation:
    """An invitation that still holds.

    Raises:
        NotFoundError: unknown, expired or revoked.
    """
    found = session.scalar(select(Invitation).where(Invitation.digest == digest(secret)))
    if found is None or found.revoked_at is not None or found.expires_at <= now():
        raise NotFoundError("This invitation is not valid any more. Ask your team for a new link.")
    return found


def accept_invitation(session: Session, user: User, secret: str) -> Team:
    """Join the team of an invitation; joining it again changes nothing.

    Raises:
        NotFoundError: the invitation does not hold.
        ConflictError: the person is in another team or organises the task.
    """
    team = invitation(session, secret).team
    if any(each.user_id == user.id for each in team.members):
        return team
    _check_free(session, user, session.get_one(Task, team.task_id), back_to=team.id)
    _join(session, user, team, TeamRole.MEMBER)
    return team


def baseline_team(session: Session, task: Task) -> Team:
    """The team whose runs are baselines; it is made when it is asked for the first time."""
    team = session.scalar(select(Team).where(Team.task_id == task.id, Team.baseline.is_(True)))
    if team is None:
        wanted = select(Team.id).where(Team.task_id == task.id, Team.name_key == _team_key(_BASELINE))
        taken = session.scalar(wanted) is not None
        name = f"{_BASELINE} of the organisers" if taken else _BASELINE
        team = Team(task_id=task.id, name=name, name_key=_team_key(name), baseline=True, approved_at=now(), created_at=now())
        session.add(team)
        session.flush()
    return team


def _make(session: Session, user: User, task: Task, name: str, *, hidden: bool, approved: bool) -> Team:
    name = clean_name(name, "name", 60)
    _check_name(session, task.id, name)
    team = Team(
        task_id=task.id,
        name=name,
        name_key=_team_key(name),
        alias=f"Team {secrets.token_hex(3).upper()}",
        hidden=hidden,
        approved_at=now() if approved else None,
        created_at=now(),
    )
    session.add(team)
    session.flush()
    _join(session, user, team, TeamRole.CAPTAIN)
    return team


def _check_name(session: Session, task_id: int, name: str, but: int = 0) -> None:
    if _team_key(name) == _team_key(_BASELINE):
        raise ConflictError(f"{_BASELINE} is the team of what Assay trains itself.", field="name")
    wanted = select(Team.id).where(Team.task_id == task_id, Team.name_key == _team_key(name), Team.id != but)
    if session.scalar(wanted) is not None:
        raise ConflictError(f"There is a team called {name} already.", field="name")


def _check_free(session: Session, user: User, task: Task, back_to: int = 0) -> None:
    team = team_of(session, user, task)
    if team is not None:
        raise ConflictError(f"You are in the team {team.name} of this task already; a person is in at most one.")
    if session.scalar(select(Organiser.id).where(Organiser.user_id == user.id, Organiser.task_id == task.id)) is not None:
        raise ConflictError("You organise this task, so you cannot take part in it.")
    left = list(session.scalars(select(Departure.team_id).where(Departure.user_id == user.id, Departure.task_id == task.id)))
    former = None if back_to in left else _charged(session, task, left)
    if former is not None:
        raise ConflictError(
            f"You were in {former}, which has sent runs to a blind phase that is not over. Until it is, you can go back to it, "
            "and not to another team."
        )


def _charged(session: Session, task: Task, team_ids: list[int]) -> str | None:
    """The name of one of these teams that has spent a try in a blind phase that is not over."""
    blind = [each.id for each in task.phases if each.split.blind and not each.is_over]
    spent = (
        select(Team.name)
        .join(QuotaEntry, QuotaEntry.team_id == Team.id)
        .where(Team.id.in_(team_ids), QuotaEntry.phase_id.in_(blind))
        .group_by(Team.id)
        .having(func.sum(QuotaEntry.change) < 0)
    )
    return session.scalar(spent)


def _join(session: Session, user: User, team: Team, role: TeamRole) -> None:
    session.add(Membership(user_id=user.id, team_id=team.id, task_id=team.task_id, role=role, joined_at=now()))
    try:
        session.flush()
    except IntegrityError:  # two requests at once
        session.rollback()
        raise ConflictError("You are in a team of this task already.") from None
    session.refresh(team)


def _team_key(name: str) -> str:
    """Names that look alike are one name."""
    return unicodedata.normalize("NFKC", name).casefold()
