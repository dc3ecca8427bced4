"""Tables of tasks, splits and phases."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.db import Base, UtcDateTime, Word
from evaluator.task import Disclosure


class PhaseState(StrEnum):
    """Whether a phase takes runs."""

    UPCOMING = "upcoming"
    OPEN = "open"
    CLOSED = "closed"


class Task(Base):
    """A shared task. Its definition is kept as the text of its bundle."""

    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(64), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    toml: Mapped[str] = mapped_column(Text)
    conf: Mapped[str] = mapped_column(Text)
    readme: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    phases: Mapped[list[Phase]] = relationship(back_populates="task", order_by="Phase.position")
    splits: Mapped[list[Split]] = relationship(back_populates="task", order_by="Split.id")


class Split(Base):
    """A set of documents. Texts and gold are archives in the storage; the gold of a blind split is never handed out."""

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

    task: Mapped[Task] = relationship(back_populates="splits")


class Phase(Base):
    """A window in which runs on one split are taken."""

    __tablename__ = "phases"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"), index=True)
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    position: Mapped[int]
    tells: Mapped[Disclosure] = mapped_column(Word(Disclosure))
    state: Mapped[PhaseState] = mapped_column(Word(PhaseState))
    opened_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    closed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    task: Mapped[Task] = relationship(back_populates="phases")
    split: Mapped[Split] = relationship()
