"""The schema is what the migrations build, and settings that cannot be used stop the start."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy.exc import IntegrityError

from app.db import Database
from app.migrate import METADATA, is_current, migrate
from app.settings import Settings, SettingsError, from_environment, make_secret


def test_models_and_migrations_agree(settings: Settings) -> None:
    with Database(settings.database_url).engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_migrating_again_changes_nothing(settings: Settings) -> None:
    database = Database(settings.database_url)
    migrate(database)
    assert is_current(database)
    assert not is_current(Database("sqlite://"))


def test_foreign_keys_are_kept(settings: Settings) -> None:
    with (
        Database(settings.database_url).session(write=True) as session,
        pytest.raises(IntegrityError),
    ):
        session.connection().exec_driver_sql("INSERT INTO organisers (user_id, task_id, added_at) VALUES (1, 1, '2026-01-01')")


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "ASSAY_SECRET_KEY"),
        ({"ASSAY_SECRET_KEY": "short"}, "ASSAY_SECRET_KEY"),
        ({"ASSAY_SECRET_KEY": "x" * 40, "ASSAY_HTTPS": "maybe"}, "ASSAY_HTTPS"),
        ({"ASSAY_SECRET_KEY": "x" * 40, "ASSAY_UPLOAD_MEBIBYTES": "-1"}, "ASSAY_UPLOAD_MEBIBYTES"),
        ({"ASSAY_SECRET_KEY": "x" * 40, "ASSAY_LEASE_SECONDS": "soon"}, "ASSAY_LEASE_SECONDS"),
    ],
)
def test_a_setting_that_cannot_be_used(tmp_path: Path, environment: dict[str, str], name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: "):
        from_environment({"ASSAY_DATA": str(tmp_path)} | environment)


def test_a_secret_is_made_once_and_is_private(tmp_path: Path) -> None:
    make_secret(tmp_path / "data")
    first = from_environment({"ASSAY_DATA": str(tmp_path / "data")}).secret_key
    make_secret(tmp_path / "data")

    assert from_environment({"ASSAY_DATA": str(tmp_path / "data")}).secret_key == first
    assert (tmp_path / "data" / "secret-key").stat().st_mode & 0o077 == 0
