"""What a request has at hand: settings, a database session of its own, storage, queue, and who asks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from flask import Flask, current_app, g, request
from flask_login import current_user
from sqlalchemy.orm import Session

from app.access import Reader
from app.accounts.models import User
from app.accounts.services import reader_of
from app.db import Database
from app.jobs import Queue
from app.settings import Settings
from app.storage import Storage

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Context:
    """What the process has, one of each."""

    settings: Settings
    database: Database
    storage: Storage
    queue: Queue


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
    """The request's session. Views commit; what is not committed is rolled back at the end of the request."""
    if "assay_session" not in g:
        g.assay_stack = ExitStack()
        write = request.method not in _SAFE_METHODS
        g.assay_session = g.assay_stack.enter_context(context().database.session(write=write))
    found: Session = g.assay_session
    return found


def person() -> User | None:
    """Who is signed in, by session or by API token."""
    if "assay_person" in g:
        by_token: User | None = g.assay_person
        return by_token
    return None if current_user.is_anonymous else current_user._get_current_object()  # noqa: SLF001 - Flask-Login's documented way


def signed_in() -> User:
    """Who is signed in; for views that ask for it."""
    found = person()
    if found is None:
        raise RuntimeError("BUG: a view without login_required")
    return found


def reader() -> Reader:
    """What `app.access` needs to know of who asks."""
    if "assay_reader" not in g:
        g.assay_reader = reader_of(session(), person())
    found: Reader = g.assay_reader
    return found
