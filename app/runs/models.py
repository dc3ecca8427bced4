"""Tables of runs and their scores."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.models import Team
from app.db import Base, UtcDateTime, Word
from app.shared_tasks.models import GoldVersion, Phase, Split, Task


class RunState(StrEnum):
    """Where a run is on its way. The last five are ends: a trial is checked only, and a held run waits for its team."""

    RECEIVED = "received"
    CHECKED = "checked"
    QUEUED = "queued"
    SCORING = "scoring"
    SCORED = "scored"
    REJECTED = "rejected"
    FAILED = "failed"
    HELD = "held"
    TRIED = "tried"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self in (RunState.SCORED, *UNSCORED)


UNSCORED = (RunState.REJECTED, RunState.FAILED, RunState.HELD, RunState.TRIED)
"""Ends without a score, which cost no try."""


ACCEPTED = (RunState.QUEUED, RunState.SCORING, RunState.SCORED)
"""What a run is once it has been checked. While a phase tells nothing, these are one state to everybody but the organisers: how
long scoring takes depends on gold."""


class Run(Base):
    """What a team uploaded. The row is the truth about its state; the queue only carries its id.

    `content` is a digest of the annotation files, whatever they are packed in. `late` runs are scored and not ranked.
    A `trial` is checked and not scored. `anyway`: the team wants it scored although its offsets are systematically off.
    `diagnosis` is what explains them, `corrected` the digest of a corrected upload, `changes` some of the lines that it
    changes and `changed` how many there are. `trained_by` is what the model of a baseline depends on. `annotated` is the
    number of documents with annotations, `origin` the run that this one was submitted from, itself or corrected.
    `began_at` is when the header of the upload was read, `submitted_at` when its body was there. The nominated run of a team,
    phase and track is its official one. `owner`, `lease_until` and `attempts` belong to the worker that has it
    (`app.runs.jobs`).
    """

    __tablename__ = "runs"
    __table_args__ = (Index("ix_runs_state_lease_until", "state", "lease_until"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id", ondelete="CASCADE"), index=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    submitted_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    track: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(100))
    file_name: Mapped[str] = mapped_column(String(255))
    upload: Mapped[str] = mapped_column(String(64))
    state: Mapped[RunState] = mapped_column(Word(RunState))
    problems: Mapped[str] = mapped_column(Text, default="[]", deferred=True)
    problem_counts: Mapped[str] = mapped_column(Text, default="{}")
    description: Mapped[str] = mapped_column(Text, default="", server_default="")
    content: Mapped[str] = mapped_column(String(64), default="", server_default="")
    late: Mapped[bool] = mapped_column(default=False, server_default=false())
    trial: Mapped[bool] = mapped_column(default=False, server_default=false())
    anyway: Mapped[bool] = mapped_column(default=False, server_default=false())
    diagnosis: Mapped[str] = mapped_column(Text, default="[]", server_default="[]", deferred=True)
    corrected: Mapped[str] = mapped_column(String(64), default="", server_default="")
    changes: Mapped[str] = mapped_column(Text, default="[]", server_default="[]", deferred=True)
    changed: Mapped[int] = mapped_column(default=0, server_default="0")
    annotated: Mapped[int | None]
    origin: Mapped[str | None] = mapped_column(String(32), index=True)
    trained_by: Mapped[str] = mapped_column(Text, default="", server_default="")
    nominated_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    began_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    submitted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    published_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    owner: Mapped[str | None] = mapped_column(String(80))
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(default=0)

    task: Mapped[Task] = relationship()
    phase: Mapped[Phase] = relationship()
    team: Mapped[Team] = relationship()
    history: Mapped[list[StateChange]] = relationship(order_by="StateChange.id")


class QuotaEntry(Base):
    """A line of the ledger of tries: -1 for a run that was taken, +1 where it turned out to cost nothing. Only added to."""

    __tablename__ = "quota_entries"
    __table_args__ = (
        UniqueConstraint("run_id", "change"),
        Index("ix_quota_entries_team_id_phase_id_track", "team_id", "phase_id", "track"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id", ondelete="CASCADE"))
    track: Mapped[str] = mapped_column(String(64))
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    change: Mapped[int]
    reason: Mapped[str] = mapped_column(String(100))
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class StateChange(Base):
    """When a run came into a state."""

    __tablename__ = "state_changes"

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    state: Mapped[RunState] = mapped_column(Word(RunState))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    note: Mapped[str] = mapped_column(String(200), default="")


class Scoring(Base):
    """A run scored against one version of gold by one version of the scorer; never overwritten.

    `matchings` and `confusion` are digests of stored files; there is no confusion in scorings of older versions.
    """

    __tablename__ = "scorings"
    __table_args__ = (UniqueConstraint("run_id", "gold_digest", "scorer"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"))
    gold_digest: Mapped[str] = mapped_column(String(64))
    scorer: Mapped[str] = mapped_column(String(16))
    signature: Mapped[str] = mapped_column(Text)
    matchings: Mapped[str] = mapped_column(String(64))
    confusion: Mapped[str] = mapped_column(String(64), default="", server_default="")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    run: Mapped[Run] = relationship()


class JobState(StrEnum):
    """Whether work in the background has been done."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class Job:
    """What rows of work in the background have in common (`app.runs.claims`).

    `owner`, `lease_until` and `attempts` belong to the worker that has it; `note` says why it failed.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[JobState] = mapped_column(Word(JobState))
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String(80))
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    note: Mapped[str] = mapped_column(String(200), default="", server_default="")

    def restart(self) -> None:
        """Have it done, or done again, from the first attempt on."""
        self.state, self.attempts, self.owner, self.lease_until, self.note = JobState.WAITING, 0, None, None, ""


class Rescoring(Job, Base):
    """A run that is to be scored against a version of gold that waits."""

    __tablename__ = "rescorings"
    __table_args__ = (UniqueConstraint("version_id", "run_id"),)

    version_id: Mapped[int] = mapped_column(ForeignKey("gold_versions.id", ondelete="CASCADE"))
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)

    run: Mapped[Run] = relationship()
    version: Mapped[GoldVersion] = relationship()


class LeakageReport(Job, Base):
    """What a split shares with train and dev, as it was found last.

    `basis` is a digest of all that it depends on (`app.analysis.bases`), `stored` that of what was found, empty until then.
    """

    __tablename__ = "leakage_reports"

    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"), unique=True)
    basis: Mapped[str] = mapped_column(String(64))
    stored: Mapped[str] = mapped_column(String(64), default="", server_default="")

    split: Mapped[Split] = relationship()


class GoldReport(Job, Base):
    """What was found of the gold of a split, when an organiser last asked: `stored` is the digest of it, empty until then."""

    __tablename__ = "gold_reports"

    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"), unique=True)
    stored: Mapped[str] = mapped_column(String(64), default="")
    asked_at: Mapped[datetime] = mapped_column(UtcDateTime)

    split: Mapped[Split] = relationship()


class GoldMark(Base):
    """What an organiser says of a doubtful place of gold: `said` and `instead` are what was to be judged."""

    __tablename__ = "gold_marks"
    __table_args__ = (UniqueConstraint("split_id", "document", "place"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    split_id: Mapped[int] = mapped_column(ForeignKey("splits.id", ondelete="CASCADE"))
    document: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(String(200))
    verdict: Mapped[str] = mapped_column(String(16))
    said: Mapped[str] = mapped_column(Text)
    instead: Mapped[str] = mapped_column(Text)
    marked_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    marked_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Stratification(Job, Base):
    """The scores by stratum that belong to a scoring; when it is done they are its rows with a stratification.

    `basis` is a digest of all that they depend on, or will. Digests of files, empty until they are there: `counts` of each
    document, `comparisons` of groups (`app.analysis.groups`), `categories` of what was missed (`app.analysis.categories`),
    `names` of what was made of people's names (`app.analysis.names`), empty for tasks that are not about these.
    """

    __tablename__ = "stratifications"

    scoring_id: Mapped[int] = mapped_column(ForeignKey("scorings.id", ondelete="CASCADE"), unique=True)
    basis: Mapped[str] = mapped_column(String(64))
    counts: Mapped[str] = mapped_column(String(64), default="", server_default="")
    comparisons: Mapped[str] = mapped_column(String(64), default="", server_default="")
    categories: Mapped[str] = mapped_column(String(64), default="", server_default="")
    names: Mapped[str] = mapped_column(String(64), default="", server_default="")

    scoring: Mapped[Scoring] = relationship()


class ScoreRow(Base):
    """One Score record (`evaluator.scores.Score`)."""

    __tablename__ = "scores"
    __table_args__ = (
        UniqueConstraint("scoring_id", "annotations", "span", "labels", "matching", "stratification", "stratum", "label"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    scoring_id: Mapped[int] = mapped_column(ForeignKey("scorings.id", ondelete="CASCADE"))
    annotations: Mapped[str] = mapped_column(String(16))
    span: Mapped[str] = mapped_column(String(32))
    labels: Mapped[str] = mapped_column(String(16))
    matching: Mapped[str] = mapped_column(String(16))
    stratification: Mapped[str] = mapped_column(String(100))
    stratum: Mapped[str] = mapped_column(String(100))
    label: Mapped[str] = mapped_column(Text)
    tp: Mapped[int]
    fp: Mapped[int]
    fn: Mapped[int]
