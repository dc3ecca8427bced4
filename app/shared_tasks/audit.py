"""The audit log: what organisers and administrators did, and each look at gold by a person. Only added to."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import User
from app.clock import now
from app.shared_tasks.models import AuditEntry, Task

_SHOWN = 500


def record(session: Session, actor: User | None, task: Task | None, action: str, subject: str, detail: str = "") -> None:
    """Write a line.

    Args:
        session: the session of the change itself, so that both are committed or neither.
        actor: who did it; None for the server's terminal.
        task: the task it belongs to.
        action: what was done, in a word or two.
        subject: what it was done to.
        detail: anything else, such as a reason.
    """
    session.add(
        AuditEntry(
            at=now(),
            task_id=task.id if task else None,
            user_id=actor.id if actor else None,
            actor=f"#{actor.id} {actor.email}"[:254] if actor else "terminal",
            action=action,
            subject=subject[:200],
            detail=detail,
        )
    )
    session.flush()


def entries(session: Session, task: Task, most: int | None = _SHOWN) -> list[AuditEntry]:
    """The newest lines of a task, newest first; all of them for None."""
    wanted = select(AuditEntry).where(AuditEntry.task_id == task.id).order_by(AuditEntry.id.desc()).limit(most)
    return list(session.scalars(wanted))
