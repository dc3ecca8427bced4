"""`assay migrate`: the data folder, its secret key and the database's schema."""

from __future__ import annotations

import os
from pathlib import Path

import click

from app.cli import server
from app.db import Database
from app.migrate import migrate as migrate_database
from app.settings import make_secret


@click.command()
@server.told
def migrate() -> None:
    """Make the data folder and bring the database to the schema of this version."""
    prepare()
    click.echo("The data folder and the database are ready.")


def prepare() -> None:
    """See `migrate`."""
    os.umask(0o077)
    if not os.environ.get("ASSAY_SECRET_KEY"):
        make_secret(Path(os.environ.get("ASSAY_DATA", "var")).resolve())
    settings = server.settings()
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    migrate_database(Database(settings.database_url))
