"""What people can do with accounts, teams, invitations and tokens."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.access import Reader
from app.accounts.models import ApiToken, Invitation, Membership, Organiser, Team, TeamRole, User
from app.db import now
from app.errors import ConflictError, InvalidError, NotFoundError
from app.shared_tasks.models import Task

_HASHER = PasswordHasher()
_NOBODYS_HASH = _HASHER.hash(secrets.token_urlsafe())
_EMAIL = re.compile(r"^[^\s@]+@[^\s@]+\.[^\s@]+$")
_SHORTEST_PASSWORD = 10
_INVITATION_LASTS = timedelta(days=14)
TOKEN_LASTS = timedelta(days=180)


def register(session: Session, *, email: str, name: str, password: str) -> User:
    """Make an account.

    Raises:
        InvalidError: an address, name or password that cannot be used.
        ConflictError: the address has an account.
    """
    email = email.strip().lower()
    if not _EMAIL.match(email) or len(email) > 254:
        raise InvalidError("Enter an e-mail address such as name@lab.org.", field="email")
    name = clean_name(name, "name", 100)
    if len(password) < _SHORTEST_PASSWORD:
        raise InvalidError(f"Choose a password of at least {_SHORTEST_PASSWORD} characters.", field="password")
    user = User(email=email, name=name, password_hash=_HASHER.hash(password), created_at=now())
    session.add(user)
    try:
        session.flush()
    except IntegrityError:
        session.rollback()
        raise ConflictError("This address cannot be registered. If you have an account, sign in.", field="email") from None
    return user


def authenticate(session: Session, *, email: str, password: str) -> User | None:
    """The person with this address and password. It takes as long when there is no such address."""
    user = session.scalar(select(User).where(User.email == email.strip().lower()))
    try:
        _HASHER.verify(user.password_hash if user else _NOBODYS_HASH, password)
    except (VerifyMismatchError, InvalidHashError):
        return None
    return user


def set_password(session: Session, user: User, password: str) -> None:
    """Give the person another password."""
    user.password_hash = _HASHER.hash(password)
    session.flush()


def find_user(session: Session, email: str) -> User:
    """The person with this address.

    Raises:
        NotFoundError: nobody has it.
    """
    user = session.scalar(select(User).where(User.email == email.strip().lower()))
    if user is None:
        raise NotFoundError(f"Nobody is registered as {email}.")
    return user


def reader_of(session: Session, user: User | None) -> Reader:
    """What `app.access` needs to know of a person."""
    if user is None:
        return Reader()
    teams = session.scalars(select(Membership.team_id).where(Membership.user_id == user.id))
    tasks = session.scalars(select(Organiser.task_id).where(Organiser.user_id == user.id))
    return Reader(user.id, frozenset(teams), frozenset(tasks))


def issue_token(session: Session, user: User, name: str) -> str:
    """A new key for the API. It is returned here once and cannot be read again."""
    secret = f"assay_{secrets.token_urlsafe(32)}"
    session.add(
        ApiToken(
            user_id=user.id,
            name=clean_name(name, "name", 100),
            digest=_digest(secret),
            created_at=now(),
            expires_at=now() + TOKEN_LASTS,
        )
    )
    session.flush()
    return secret


def revoke_token(session: Session, user: User, token_id: int) -> None:
    """End a token of this person.

    Raises:
        NotFoundError: they have no such token.
    """
    token = session.get(ApiToken, token_id)
    if token is None or token.user_id != user.id:
        raise NotFoundError("You have no such token.")
    token.revoked_at = token.revoked_at or now()


def tokens_of(session: Session, user: User) -> list[ApiToken]:
    """The person's tokens that still work, newest first."""
    wanted = select(ApiToken).where(ApiToken.user_id == user.id, ApiToken.revoked_at.is_(None), ApiToken.expires_at > now())
    return list(session.scalars(wanted.order_by(ApiToken.id.desc())))


def user_of_token(session: Session, secret: str) -> User | None:
    """Whose token this is, if it is one that works."""
    token = session.scalar(select(ApiToken).where(ApiToken.digest == _digest(secret)))
    if token is None or token.revoked_at is not None or token.expires_at <= now():
        return None
    return token.user


def team_of(session: Session, user: User | None, task: Task) -> Team | None:
    """The team of this person in this task."""
    if user is None:
        return None
    wanted = select(Team).join(Membership).where(Membership.user_id == user.id, Membership.task_id == task.id)
    return session.scalar(wanted)


def found_team(session: Session, user: User, task: Task, name: str) -> Team:
    """Found a team; the founder is its captain.

    Raises:
        InvalidError: no name.
        ConflictError: the name is taken, or the person is in a team or organises the task.
    """
    name = clean_name(name, "name", 60)
    _check_free(session, user, task)
    key = _team_key(name)
    if session.scalar(select(Team.id).where(Team.task_id == task.id, Team.name_key == key)) is not None:
        raise ConflictError(f"There is a team called {name} already.", field="name")
    team = Team(task_id=task.id, name=name, name_key=key, created_at=now())
    session.add(team)
    session.flush()
    _join(session, user, team, TeamRole.CAPTAIN)
    return team


def invite(session: Session, team: Team) -> str:
    """The secret of a new invitation to the team."""
    secret = secrets.token_urlsafe(24)
    session.add(Invitation(team_id=team.id, digest=_digest(secret), created_at=now(), expires_at=now() + _INVITATION_LASTS))
    session.flush()
    return secret


def invitation(session: Session, secret: str) -> Invitation:
    """An invitation that still holds.

    Raises:
        NotFoundError: unknown or expired.
    """
    found = session.scalar(select(Invitation).where(Invitation.digest == _digest(secret)))
    if found is None or found.expires_at <= now():
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
    task = session.get_one(Task, team.task_id)
    _check_free(session, user, task)
    _join(session, user, team, TeamRole.MEMBER)
    return team


def clean_name(name: str, field: str, longest: int) -> str:
    """A name on one line, without control characters, in composed Unicode.

    Raises:
        InvalidError: nothing is left of it, or it is too long.
    """
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not name or len(name) > longest or not name.isprintable():
        raise InvalidError(f"Enter 1 to {longest} printable characters.", field=field)
    return name


def _check_free(session: Session, user: User, task: Task) -> None:
    team = team_of(session, user, task)
    if team is not None:
        raise ConflictError(f"You are in the team {team.name} of this task already; a person is in at most one.")
    if task.id in reader_of(session, user).organises:
        raise ConflictError("You organise this task, so you cannot take part in it.")


def _join(session: Session, user: User, team: Team, role: TeamRole) -> None:
    session.add(Membership(user_id=user.id, team_id=team.id, task_id=team.task_id, role=role, joined_at=now()))
    try:
        session.flush()
    except IntegrityError:  # two requests at once
        session.rollback()
        raise ConflictError("You are in a team of this task already.") from None


def _team_key(name: str) -> str:
    """Names that look alike are one name."""
    return unicodedata.normalize("NFKC", name).casefold()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
