"""Bringing a database to the present schema, by Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import app.accounts.models
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


def migrate(database: Database) -> None:
    """Bring the database to the newest schema; does nothing if it is there."""
    with database.engine.begin() as connection:
        command.upgrade(alembic_config(connection), "head")


def is_current(database: Database) -> bool:
    """Whether the database has the schema that this software needs."""
    with database.engine.connect() as connection:
        head = ScriptDirectory.from_config(alembic_config(connection)).get_current_head()
        return MigrationContext.configure(connection).get_current_revision() == head
