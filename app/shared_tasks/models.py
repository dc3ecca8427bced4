"""Tables of tasks, splits and phases."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.clock import now
from app.db import Base, UtcDateTime, Word, Words
from app.shared_tasks.deadlines import PhaseState, phase_state
from evaluator.task import Disclosure, Release


class Task(Base):
    """A shared task. Its definition is kept as the text of its bundle.

    `anonymous`: teams have aliases on boards until every phase has closed. `approves_teams`: a team uploads only after an
    organiser has approved it.
    """

    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(64), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    toml: Mapped[str] = mapped_column(Text)
    conf: Mapped[str] = mapped_column(Text)
    readme: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    archived_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    anonymous: Mapped[bool] = mapped_column(default=False, server_default=false())
    approves_teams: Mapped[bool] = mapped_column(default=False, server_default=false())

    phases: Mapped[list[Phase]] = relationship(back_populates="task", order_by="Phase.position")
    splits: Mapped[list[Split]] = relationship(back_populates="task", order_by="Split.id")


class Split(Base):
    """A set of documents. Texts and gold are archives in the storage; the gold of a blind split is never handed out.

    `gold`, `gold_digest` and `label_counts` are those of the version of gold that holds (`GoldVersion`).
    """

    __tablename__ = "splits"
    __table_args__ = (UniqueConstraint("task_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    blind: Mapped[bool]
    documents: Mapped[int]
    texts: Mapped[str] = mapped_column(String(64))
    gold: Mapped[str] = mapped_column(String(64))
    gold_digest: Mapped[str] = mapped_column(String(64))
    label_counts: Mapped[str] = mapped_column(Text, default="{}", server_default="{}")

    task: Mapped[Task] = relationship(back_populates="splits")
    versions: Mapped[list[GoldVersion]] = relationship(back_populates="split", order_by="GoldVersion.number")

    @property
    def was_corrected(self) -> bool:
        """Whether another version of gold held before."""
        return any(each.state is GoldState.REPLACED for each in self.versions)


class GoldState(StrEnum):
    """Where a version of gold is: it waits until every run has been scored against it, holds, and is replaced by the next."""

    WAITING = "waiting"
    CURRENT = "current"
    REPLACED = "replaced"
    DROPPED = "dropped"


class GoldVersion(Base):
    """One version of the annotations of a split. The texts never change.

    `stored` is the archive of annotations, `digest` that of the set of documents, `reason` what is told to everyone.
    `given_changed`: entities that were handed out are others in this version.
    """

    __tablename__ = "gold_versions"
    __table_args__ = (UniqueConstraint("split_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"))
    number: Mapped[int]
    stored: Mapped[str] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(String(64))
    label_counts: Mapped[str] = mapped_column(Text, default="{}", server_default="{}")
    state: Mapped[GoldState] = mapped_column(Word(GoldState))
    reason: Mapped[str] = mapped_column(Text, default="", server_default="")
    given_changed: Mapped[bool] = mapped_column(default=False, server_default=false())
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    switched_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    split: Mapped[Split] = relationship(back_populates="versions")


class MetadataVersion(Base):
    """What is known of the documents of a task beside their annotations; the newest version holds.

    `stored` is a JSON file of attributes by document id, by split (`app.analysis.metadata`), `source` the attribute that is the
    source of documents, empty where there is none; `lexicon` is a JSON file of categories of entity strings, empty where there
    is none. `census` is a file of names with how many people have them, as it was given, empty likewise.
    """

    __tablename__ = "metadata_versions"
    __table_args__ = (UniqueConstraint("task_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    number: Mapped[int]
    stored: Mapped[str] = mapped_column(String(64))
    source: Mapped[str] = mapped_column(String(200), default="", server_default="")
    lexicon: Mapped[str] = mapped_column(String(64), default="", server_default="")
    census: Mapped[str] = mapped_column(String(64), default="", server_default="")
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Phase(Base):
    """A window in which runs on one split are taken.

    `tracks` are the ids of the tracks that take runs, `releases` what is handed out of the split from its beginning on.
    `quota` is how many scored runs a team may have in a track, None where there is no limit; with `quota_days`, within so
    many days. `grace_minutes` is how long after the end the body of a request that began in time may take; none where it was
    closed by hand (`cut`). `first_told_at` is when scores of a blind phase were told for the first time, which is not undone
    when it takes runs again.
    """

    __tablename__ = "phases"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"), index=True)
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    position: Mapped[int]
    tracks: Mapped[tuple[str, ...]] = mapped_column(Words, default=(), server_default="")
    releases: Mapped[Release] = mapped_column(Word(Release), default=Release.TEXT, server_default="text")
    tells: Mapped[Disclosure] = mapped_column(Word(Disclosure))
    opens_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    closes_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    grace_minutes: Mapped[int] = mapped_column(default=30, server_default="30")
    cut: Mapped[bool] = mapped_column(default=False, server_default=false())
    first_told_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    quota: Mapped[int | None]
    quota_days: Mapped[int | None]

    task: Mapped[Task] = relationship(back_populates="phases")
    split: Mapped[Split] = relationship()

    @property
    def state(self) -> PhaseState:
        """Whether it takes runs at this moment."""
        return phase_state(self.opens_at, self.closes_at, now())

    @property
    def keeps_quiet(self) -> bool:
        """Whether teams are told nothing of scores now."""
        return self.split.blind and self.tells is Disclosure.NOTHING and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether no run can count any more: it has closed, and the minutes are over in which bodies may still arrive."""
        return self.told_at is not None and now() > self.told_at

    @property
    def told_at(self) -> datetime | None:
        """When the phase is over: its end, and the minutes that bodies of requests may take after it."""
        return None if self.closes_at is None else self.closes_at + self.grace

    @property
    def grace(self) -> timedelta:
        """How long after the end the body of a request that began in time may take."""
        return timedelta(minutes=0 if self.cut else self.grace_minutes)


class Terms(Base):
    """A version of the data terms of a task; the newest one holds."""

    __tablename__ = "terms"
    __table_args__ = (UniqueConstraint("task_id", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    version: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Acceptance(Base):
    """Who accepted which version of the terms. Name and address are kept as they were, also when the account goes."""

    __tablename__ = "acceptances"
    __table_args__ = (UniqueConstraint("terms_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    terms_id: Mapped[int] = mapped_column(ForeignKey("terms.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    email: Mapped[str] = mapped_column(String(254))
    accepted_at: Mapped[datetime] = mapped_column(UtcDateTime)

    terms: Mapped[Terms] = relationship()


class Announcement(Base):
    """A message of the organisers to everyone, in Markdown."""

    __tablename__ = "announcements"

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    text: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AuditEntry(Base):
    """Something an organiser or administrator did to a task, a phase, gold, a team or a score; never changed, never deleted."""

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    task_id: Mapped[int | None] = mapped_column(ForeignKey("tasks.id", ondelete="SET NULL"), index=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    actor: Mapped[str] = mapped_column(String(254))
    action: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str] = mapped_column(Text, default="")
