"""Data terms: what a person accepts before the first download. A new version asks everybody again."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.models import User
from app.clock import now
from app.errors import InvalidError
from app.shared_tasks.models import Acceptance, Task, Terms


def current_terms(session: Session, task: Task) -> Terms | None:
    """The version that holds; None where the task has no terms."""
    newest = session.scalar(select(Terms).where(Terms.task_id == task.id).order_by(Terms.version.desc()).limit(1))
    return newest if newest is not None and newest.text.strip() else None


def set_terms(session: Session, task: Task, text: str) -> Terms:
    """Make a new version; an empty one ends the asking.

    Raises:
        InvalidError: it is what holds already.
    """
    text = text.replace("\r\n", "\n").strip()
    holding = current_terms(session, task)
    if text == (holding.text if holding else ""):
        raise InvalidError("These are the terms that hold already.", field="text")
    last = session.scalar(select(func.max(Terms.version)).where(Terms.task_id == task.id)) or 0
    terms = Terms(task_id=task.id, version=last + 1, text=text, created_at=now())
    session.add(terms)
    session.flush()
    return terms


def has_accepted(session: Session, user: User | None, task: Task) -> bool:
    """Whether the person may download: the terms that hold are accepted, or there are none."""
    terms = current_terms(session, task)
    if terms is None:
        return True
    if user is None:
        return False
    return (
        session.scalar(select(Acceptance.id).where(Acceptance.terms_id == terms.id, Acceptance.user_id == user.id)) is not None
    )


def accept(session: Session, user: User, task: Task, version: int) -> None:
    """Note that the person accepts a version.

    Raises:
        InvalidError: it is not the version that holds, so they have not seen what they would accept.
    """
    terms = current_terms(session, task)
    if terms is None or terms.version != version:
        raise InvalidError("The terms have changed since you opened the page. Read them again.")
    if not has_accepted(session, user, task):
        session.add(Acceptance(terms_id=terms.id, user_id=user.id, name=user.name, email=user.email, accepted_at=now()))
        session.flush()


def acceptances(session: Session, task: Task) -> list[Acceptance]:
    """Who accepted which version and when, in order."""
    wanted = select(Acceptance).join(Terms).where(Terms.task_id == task.id).order_by(Acceptance.id)
    return list(session.scalars(wanted))
