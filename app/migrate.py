"""Bringing a database to the present schema, by Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import app.accounts.models
import app.baseline_runs.models
import app.runs.models
import app.shared_tasks.models  # noqa: F401 - models register themselves
import migrations
from app.db import Base, Database

METADATA = Base.metadata


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration, without a file."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def migrate(database: Database, revision: str = "head") -> None:
    """Bring the database to the newest schema (or to a revision); does nothing if it is there."""
    with database.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            _suspend_foreign_keys(connection)
        with connection.begin():
            command.upgrade(alembic_config(connection), revision)
            if connection.dialect.name == "sqlite":
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
                if broken:
                    raise RuntimeError(f"BUG: the migration broke references: {broken[:3]}")
        connection.invalidate()  # the next user of the file gets a connection that checks foreign keys again


def _suspend_foreign_keys(connection: Connection) -> None:
    """SQLite changes a table by making it anew; dropping the old one must not cascade. Only possible outside a transaction."""
    raw = connection.connection.dbapi_connection
    if raw is None:
        raise RuntimeError("BUG: no connection")
    raw.cursor().execute("PRAGMA foreign_keys=OFF")


def is_current(database: Database) -> bool:
    """Whether the database has the schema that this software needs."""
    with database.engine.connect() as connection:
        head = ScriptDirectory.from_config(alembic_config(connection)).get_current_head()
        return MigrationContext.configure(connection).get_current_revision() == head
