"""What the subcommands that touch the server share: settings, a migrated database, services."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import click
from sqlalchemy.exc import OperationalError

from app.db import Database
from app.errors import DomainError
from app.migrate import is_current
from app.runs.leases import Worker
from app.settings import Settings, SettingsError, from_environment
from app.storage import Storage

_P = ParamSpec("_P")
_R = TypeVar("_R")


def told(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Domain errors and bad settings of a command as one line and status 1."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return command(*args, **kwargs)
        except DomainError as bad:
            raise click.ClickException(bad.message) from bad
        except SettingsError as bad:
            raise click.ClickException(str(bad)) from bad

    return run


def settings() -> Settings:
    """The settings of the environment."""
    return from_environment(os.environ)


def worker(found: Settings | None = None) -> Worker:
    """Settings, database and storage.

    Raises:
        SettingsError: a setting is missing, or the database has another schema.
    """
    os.umask(0o077)  # gold and everything else here is nobody else's business
    found = found or settings()
    database = Database(found.database_url)
    try:
        current = is_current(database)
    except OperationalError:
        current = False
    if not current:
        raise SettingsError(
            "ASSAY_DATABASE_URL: the database is not there or has not the schema of this version; run `assay migrate` first"
        )
    return Worker(found, database, Storage(found.storage_url))
