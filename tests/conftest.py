"""Fixtures of all tests: a migrated database, an application, people."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from apiflask import APIFlask
from argon2 import PasswordHasher

from app import create_app
from app.accounts import services
from app.db import Database
from app.migrate import migrate
from app.runs.jobs import process_run
from app.runs.leases import Worker
from app.settings import Settings
from app.storage import Storage
from tests.factories import Server

os.environ["HF_HUB_OFFLINE"] = "1"  # read when it is imported: no test waits for a hub


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest modules first: of two workers, none then ends with a long one while the other has nothing to do."""
    items.sort(key=lambda item: "functional" not in item.nodeid)


class InlineQueue:
    """A queue that does the work at once, or keeps it when `held`."""

    def __init__(self) -> None:
        self.worker: Worker | None = None
        self.held = False
        self.sent: list[str] = []

    def send(self, run_id: str) -> None:
        self.sent.append(run_id)
        if not self.held and self.worker is not None:
            process_run(self.worker, run_id)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database with the present schema, made by the migrations once."""
    file = tmp_path_factory.mktemp("schema") / "assay.db"
    database = Database(f"sqlite:///{file}")
    migrate(database)
    database.engine.dispose()  # the last connection to close folds the write-ahead log into the file
    return file


@pytest.fixture(autouse=True, scope="session")
def _cheap_passwords() -> None:
    """Argon2 with the least cost it allows: it is slow on purpose, and no test is about that."""
    services._HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    services._NOBODYS_HASH = services._HASHER.hash("nobody")


@pytest.fixture
def settings(tmp_path: Path, migrated: Path) -> Settings:
    shutil.copy(migrated, tmp_path / "assay.db")
    return Settings(
        data=tmp_path,
        database_url=f"sqlite:///{tmp_path / 'assay.db'}",
        storage_url=f"file://{tmp_path / 'objects'}",
        secret_key="for tests only, and long enough " * 2,
        https=False,
        rate_limits=False,
        lease_seconds=2,
    )


@pytest.fixture
def queue() -> InlineQueue:
    return InlineQueue()


@pytest.fixture
def app(settings: Settings, queue: InlineQueue) -> APIFlask:
    app = create_app(settings, queue)
    app.config["WTF_CSRF_ENABLED"] = False
    app.testing = False  # errors become pages, as they do for people
    return app


@pytest.fixture
def server(app: APIFlask, settings: Settings, queue: InlineQueue) -> Iterator[Server]:
    worker = Worker(settings, Database(settings.database_url), Storage(settings.storage_url))
    queue.worker = worker
    yield Server(app, worker)
    worker.database.engine.dispose()
    app.extensions["assay"].database.engine.dispose()
