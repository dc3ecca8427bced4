"""What a request has at hand: settings, a database session of its own, storage, queue, and who asks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Flask, current_app, g, request, url_for
from flask_login import current_user
from sqlalchemy.orm import Session

from app.access import Reader
from app.accounts.models import User
from app.accounts.services import reader_of
from app.db import Database
from app.jobs import Queue
from app.mail import Mail
from app.settings import Settings
from app.shared_tasks.models import Task
from app.storage import Storage

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Context:
    """What the process has, one of each."""

    settings: Settings
    database: Database
    storage: Storage
    queue: Queue
    mail: Mail | None


def attach(app: Flask, context: Context) -> None:
    """Give the context to the application, and close each request's session at its end."""
    app.extensions["assay"] = context

    @app.teardown_appcontext
    def close(_: BaseException | None) -> None:
        stack: ExitStack | None = g.pop("assay_stack", None)
        if stack is not None:
            stack.close()


def context() -> Context:
    """What the process has."""
    found: Context = current_app.extensions["assay"]
    return found


def session() -> Session:
    """The request's session. Views commit; what is not committed is rolled back at the end of the request.

    The guard only reads; a view of a method that changes things gets a session that may write, and so, on SQLite, the lock.
    """
    if "assay_session" not in g:
        g.assay_stack = ExitStack()
        write = request.method not in _SAFE_METHODS and "admitted" in g
        g.assay_session = g.assay_stack.enter_context(context().database.session(write=write))
    found: Session = g.assay_session
    return found


def end_session() -> None:
    """Let go of the database: what was read so far is forgotten, and read again when it is asked for."""
    for name in ("assay_session", "assay_person", "assay_reader", "assay_task"):
        g.pop(name, None)
    stack: ExitStack | None = g.pop("assay_stack", None)
    if stack is not None:
        stack.close()


def person() -> User | None:
    """Who is signed in, by session or by API token."""
    if "assay_person" not in g:
        user_id: int | None = g.person_id if "person_id" in g else getattr(current_user, "id", None)
        g.assay_person = session().get(User, user_id) if user_id is not None else None
    found: User | None = g.assay_person
    return found


def signed_in() -> User:
    """Who is signed in; for views that ask for it."""
    found = person()
    if found is None:
        raise RuntimeError("BUG: a view without login_required")
    return found


def began() -> datetime:
    """When the header of the request was read."""
    found: datetime = g.began
    return found


def task() -> Task:
    """The task in the address of the request, which the guard has found."""
    found = task_or_none()
    if found is None:
        raise RuntimeError("BUG: an address without a task")
    return found


def task_or_none() -> Task | None:
    """The same, where there may be none."""
    if "assay_task" not in g:
        task_id: int | None = g.get("task_id")
        g.assay_task = session().get(Task, task_id) if task_id is not None else None
    found: Task | None = g.assay_task
    return found


def link(endpoint: str, **values: Any) -> str:
    """An address to give to people; its beginning is a setting, not what the request says."""
    return context().settings.url + url_for(endpoint, **values)


def reader() -> Reader:
    """What `app.access` needs to know of who asks."""
    if "assay_reader" not in g:
        g.assay_reader = reader_of(session(), person())
    found: Reader = g.assay_reader
    return found
