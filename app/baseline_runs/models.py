"""The table of baselines."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.models import User
from app.db import Base, UtcDateTime, Word
from app.runs.models import Job, JobState, Run
from app.shared_tasks.models import Phase, Task


class Device(StrEnum):
    """Which workers take a baseline: `assay worker --queue cpu`, or `gpu`."""

    CPU = "cpu"
    GPU = "gpu"


class BaselineState(StrEnum):
    """Where a baseline is on its way."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen."""
        return self not in (BaselineState.WAITING, BaselineState.RUNNING)


class Baseline(Job, Base):
    """A method that is trained on a task's train and dev, and tags the texts of a phase.

    `recipe` and `given` (JSON of texts) say what is trained, `seconds` how long that may take, `spent` how long it has. `done`,
    `total` and `unit` say how far it is, `log` is what it told. `stop` is set to have it end. `run_id` is its run, and
    `signature` what that depends on.
    """

    __tablename__ = "baselines"

    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id", ondelete="CASCADE"))
    track: Mapped[str] = mapped_column(String(64))
    recipe: Mapped[str] = mapped_column(String(200))
    given: Mapped[str] = mapped_column(Text, default="{}")
    device: Mapped[Device] = mapped_column(Word(Device))
    seconds: Mapped[int]
    publish: Mapped[bool] = mapped_column(default=False, server_default=false())
    started_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    began_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    unit: Mapped[str] = mapped_column(String(80), default="")
    log: Mapped[str] = mapped_column(Text, default="")
    spent: Mapped[int] = mapped_column(default=0, server_default="0")
    stop: Mapped[bool] = mapped_column(default=False, server_default=false())
    signature: Mapped[str] = mapped_column(Text, default="")
    run_id: Mapped[str | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)

    task: Mapped[Task] = relationship()
    phase: Mapped[Phase] = relationship()
    run: Mapped[Run | None] = relationship()
    starter: Mapped[User | None] = relationship()

    @property
    def settings(self) -> dict[str, str]:
        """What was asked for; everything else is as the method has it."""
        found: dict[str, str] = json.loads(self.given)
        return found

    @property
    def shown_state(self) -> BaselineState:
        """Where it is."""
        if self.state is JobState.DONE:
            return BaselineState.DONE
        if self.state is JobState.FAILED:
            return BaselineState.STOPPED if self.stop else BaselineState.FAILED
        return BaselineState.RUNNING if self.owner is not None else BaselineState.WAITING
