"""Tables of people and teams."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.db import Base, UtcDateTime, Word


class TeamRole(StrEnum):
    """What a member of a team may do."""

    CAPTAIN = "captain"
    MEMBER = "member"


class User(Base):
    """A person with an account. E-mail addresses are kept in lower case. A deleted account keeps its row, emptied."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    email: Mapped[str] = mapped_column(String(254), unique=True)
    name: Mapped[str] = mapped_column(String(100))
    password_hash: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    affiliation: Mapped[str] = mapped_column(String(200), default="", server_default="")
    is_admin: Mapped[bool] = mapped_column(default=False, server_default=false())
    session_key: Mapped[str] = mapped_column(String(32), default="", server_default="")
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    # What Flask-Login asks of a user.
    is_authenticated = True
    is_active = True
    is_anonymous = False

    def get_id(self) -> str:
        """The id as Flask-Login keeps it in the session; a new `session_key` ends all sessions."""
        return f"{self.id}.{self.session_key}"


class ApiToken(Base):
    """A key for the API. Only its digest is kept."""

    __tablename__ = "api_tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    user: Mapped[User] = relationship()


class Team(Base):
    """People who take part in a task together.

    `alias` is what boards call it while teams are anonymous. A `hidden` team is an organiser's dry run: nobody else sees
    it. The `baseline` team has nobody in it: its runs are the baselines that organisers start.
    """

    __tablename__ = "teams"
    __table_args__ = (UniqueConstraint("task_id", "name_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(120))
    alias: Mapped[str] = mapped_column(String(20), default="", server_default="")
    hidden: Mapped[bool] = mapped_column(default=False, server_default=false())
    baseline: Mapped[bool] = mapped_column(default=False, server_default=false())
    approved_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    members: Mapped[list[Membership]] = relationship(back_populates="team", order_by="Membership.id")


class Membership(Base):
    """A person in a team; at most one team a task."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("user_id", "task_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    role: Mapped[TeamRole] = mapped_column(Word(TeamRole))
    joined_at: Mapped[datetime] = mapped_column(UtcDateTime)

    user: Mapped[User] = relationship()
    team: Mapped[Team] = relationship(back_populates="members")


class Invitation(Base):
    """A link that lets whoever has it join a team until it expires. Only its digest is kept."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    team: Mapped[Team] = relationship()


class Departure(Base):
    """That a person left a team: who used tries in a blind phase cannot have new ones in another team."""

    __tablename__ = "departures"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class OrganiserInvitation(Base):
    """A link that lets one person run a task. Only its digest is kept; it ends when it is used or revoked."""

    __tablename__ = "organiser_invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PasswordReset(Base):
    """A link that lets whoever has it set a new password, once and soon. Only its digest is kept."""

    __tablename__ = "password_resets"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    user: Mapped[User] = relationship()


class Organiser(Base):
    """A person who runs a task."""

    __tablename__ = "organisers"
    __table_args__ = (UniqueConstraint("user_id", "task_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    added_at: Mapped[datetime] = mapped_column(UtcDateTime)

    user: Mapped[User] = relationship()
