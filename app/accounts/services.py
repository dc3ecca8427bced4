"""What people can do with their accounts: register, sign in, change and reset passwords, tokens, leave for good."""

from __future__ import annotations

import secrets
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.access import Reader
from app.accounts.models import ApiToken, Departure, Membership, Organiser, PasswordReset, Team, TeamRole, User
from app.accounts.names import clean_affiliation, clean_email, clean_name
from app.clock import now
from app.errors import ConflictError, InvalidError, NotFoundError
from app.secret import digest, new_secret

_HASHER = PasswordHasher()
_NOBODYS_HASH = _HASHER.hash(secrets.token_urlsafe())
_SHORTEST_PASSWORD = 10
_RESET_LASTS = timedelta(hours=2)
TOKEN_LASTS = timedelta(days=180)


def register(session: Session, *, email: str, name: str, password: str, affiliation: str = "") -> User:
    """Make an account.

    Raises:
        InvalidError: an address, name or password that cannot be used.
        ConflictError: the address has an account.
    """
    user = User(
        email=clean_email(email),
        name=clean_name(name, "name", 100),
        affiliation=clean_affiliation(affiliation),
        password_hash=_hash(password),
        session_key=secrets.token_hex(8),
        created_at=now(),
        is_admin=False,
    )
    session.add(user)
    try:
        session.flush()
    except IntegrityError:
        session.rollback()
        raise ConflictError("This address cannot be registered. If you have an account, sign in.", field="email") from None
    return user


def authenticate(session: Session, *, email: str, password: str) -> User | None:
    """The person with this address and password. It takes as long when there is no such address."""
    user = session.scalar(select(User).where(User.email == email.strip().lower(), User.deleted_at.is_(None)))
    return user if _verify(user.password_hash if user else _NOBODYS_HASH, password) and user else None


def user_of_session(session: Session, key: str) -> User | None:
    """Whose session this is, unless it was ended since."""
    number, _, session_key = key.partition(".")
    user = session.get(User, int(number)) if number.isdigit() else None
    if user is None or user.deleted_at is not None or not secrets.compare_digest(user.session_key, session_key):
        return None
    return user


def set_password(session: Session, user: User, password: str) -> None:
    """Give the person another password; all their sessions end.

    Raises:
        InvalidError: the password is too short.
    """
    user.password_hash = _hash(password)
    user.session_key = secrets.token_hex(8)
    session.flush()


def end_sessions(session: Session, user: User) -> None:
    """Sign the person out everywhere."""
    user.session_key = secrets.token_hex(8)
    session.flush()


def change_password(session: Session, user: User, *, old: str, new: str) -> None:
    """The same, by the person, who must know the old one.

    Raises:
        InvalidError: the old one is wrong, or the new one too short.
    """
    if not _verify(user.password_hash, old):
        raise InvalidError("This is not your present password.", field="old")
    set_password(session, user, new)
    _revoke_tokens(session, user)


def request_reset(session: Session, user: User) -> str:
    """The secret of a link with which a new password can be set once, within two hours."""
    secret = new_secret()
    keep_reset(session, user, secret)
    return secret


def keep_reset(session: Session, user: User, secret: str) -> None:
    """From now on, a link with this secret sets a new password."""
    session.add(PasswordReset(user_id=user.id, digest=digest(secret), expires_at=now() + _RESET_LASTS))
    session.flush()


def _revoke_tokens(session: Session, user: User) -> None:
    for token in tokens_of(session, user):
        token.revoked_at = now()
    session.flush()


def find_reset(session: Session, secret: str) -> PasswordReset:
    """A link for a new password that still holds.

    Raises:
        NotFoundError: it does not.
    """
    found = session.scalar(select(PasswordReset).where(PasswordReset.digest == digest(secret)))
    if found is None or found.used_at is not None or found.expires_at <= now() or found.user.deleted_at is not None:
        raise NotFoundError("This link is not valid any more. Ask for a new one.")
    return found


def reset_password(session: Session, secret: str, password: str) -> User:
    """Set a new password by a link; the link, and all others of the person, are used up.

    Raises:
        NotFoundError: the link does not hold.
        InvalidError: the password is too short.
    """
    found = find_reset(session, secret)
    set_password(session, found.user, password)
    _revoke_tokens(session, found.user)
    for each in session.scalars(select(PasswordReset).where(PasswordReset.user_id == found.user_id)):
        each.used_at = each.used_at or now()
    session.flush()
    return found.user


def update_profile(session: Session, user: User, *, name: str, affiliation: str) -> None:
    """Change name and affiliation.

    Raises:
        InvalidError: one cannot be used.
    """
    user.name = clean_name(name, "name", 100)
    user.affiliation = clean_affiliation(affiliation)
    session.flush()


def delete_account(session: Session, user: User, password: str) -> None:
    """Empty the account for good. The teams keep their runs, without a name; a captain's team gets another captain.

    Raises:
        InvalidError: the password is wrong.
        ConflictError: the person is the only organiser of a task.
    """
    if not _verify(user.password_hash, password):
        raise InvalidError("This is not your present password.", field="password")
    for mine in session.scalars(select(Organiser).where(Organiser.user_id == user.id)).all():
        others = select(Organiser.id).where(Organiser.task_id == mine.task_id, Organiser.user_id != user.id)
        if session.scalar(others) is None:
            raise ConflictError("You are the only organiser of a task. Invite another before you go.")
        session.delete(mine)
    for membership in session.scalars(select(Membership).where(Membership.user_id == user.id)).all():
        leave(session, membership)
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))
    session.execute(delete(PasswordReset).where(PasswordReset.user_id == user.id))
    user.email, user.name, user.affiliation = f"deleted-{user.id}", "Deleted account", ""
    user.password_hash, user.session_key = "!", secrets.token_hex(8)
    user.is_admin, user.deleted_at = False, now()
    session.flush()


def leave(session: Session, membership: Membership) -> None:
    """End a membership; if it was the captain's, the longest member follows."""
    team = session.get_one(Team, membership.team_id)
    others = [each for each in team.members if each.id != membership.id]
    if membership.role is TeamRole.CAPTAIN and others:
        others[0].role = TeamRole.CAPTAIN
    session.add(Departure(user_id=membership.user_id, team_id=team.id, task_id=team.task_id, at=now()))
    session.delete(membership)
    session.flush()
    session.refresh(team)


def find_user(session: Session, email: str) -> User:
    """The person with this address.

    Raises:
        NotFoundError: nobody has it.
    """
    user = session.scalar(select(User).where(User.email == email.strip().lower()))
    if user is None:
        raise NotFoundError(f"Nobody is registered as {email}.", field="email")
    return user


def reader_of(session: Session, user: User | None) -> Reader:
    """What `app.access` needs to know of a person."""
    if user is None:
        return Reader()
    wanted = select(Team.id, Team.task_id, Team.hidden, Membership.role).join(Membership).where(Membership.user_id == user.id)
    memberships = session.execute(wanted).all()
    tasks = session.scalars(select(Organiser.task_id).where(Organiser.user_id == user.id))
    return Reader(
        user.id,
        teams=frozenset(team for team, _, _, _ in memberships),
        captain_of=frozenset(team for team, _, _, role in memberships if role is TeamRole.CAPTAIN),
        takes_part_in=frozenset(task for _, task, hidden, _ in memberships if not hidden),
        organises=frozenset(tasks),
        is_admin=user.is_admin,
    )


def issue_token(session: Session, user: User, name: str) -> str:
    """A new key for the API. It is returned here once and cannot be read again."""
    secret = f"assay_{new_secret()}"
    session.add(
        ApiToken(
            user_id=user.id,
            name=clean_name(name, "name", 100),
            digest=digest(secret),
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
    token = session.scalar(select(ApiToken).where(ApiToken.digest == digest(secret)))
    if token is None or token.revoked_at is not None or token.expires_at <= now():
        return None
    return token.user


def _hash(password: str) -> str:
    if len(password) < _SHORTEST_PASSWORD or len(password) > 1000:
        wrong = "short" if len(password) < _SHORTEST_PASSWORD else "long"
        raise InvalidError(f"This one is too {wrong}.", field="password")
    return _HASHER.hash(password)


def _verify(hashed: str, password: str) -> bool:
    try:
        return _HASHER.verify(hashed, password)
    except (VerifyMismatchError, InvalidHashError):
        return False
