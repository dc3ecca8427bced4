"""Plain SQLAlchemy: the base of all models, the engine and the session scope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, DateTime, Dialect, MetaData, String, Text, TypeDecorator, create_engine, event
from sqlalchemy.orm import DeclarativeBase, Session

_BUSY_MILLISECONDS = 30_000


class Base(DeclarativeBase):
    """The base of all models. Constraints are named by rule, so that a migration can name what it drops."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, stored as UTC without zone (SQLite has none) and always aware in Python."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Refuse naive times."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("BUG: a time without a zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back."""
        return None if value is None else value.replace(tzinfo=UTC)


class Word(TypeDecorator[StrEnum]):
    """One of the words of an enumeration, stored as text and always a member in Python."""

    impl = String(16)
    cache_ok = True

    def __init__(self, words: type[StrEnum]) -> None:
        super().__init__()
        self.words = words

    def process_bind_param(self, value: StrEnum | str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Refuse other words."""
        return None if value is None else self.words(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:  # noqa: ARG002
        """Give the member back."""
        return None if value is None else self.words(value)


class Words(TypeDecorator[tuple[str, ...]]):
    """Words without blanks in them, in order."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """One text."""
        return None if value is None else " ".join(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...] | None:  # noqa: ARG002
        """The words again."""
        return None if value is None else tuple(value.split())


class Database:
    """An engine and its sessions."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)

    @contextmanager
    def session(self, *, write: bool) -> Iterator[Session]:
        """A session that commits nothing by itself and rolls back at the end.

        `write` says what it is for: SQLite then takes its write lock at once, instead of failing when a reader of an
        older state wants to write.
        """
        with (
            self.engine.connect().execution_options(assay_write=write) as connection,
            Session(connection, expire_on_commit=False) as session,
        ):
            yield session


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's "begin" event opens transactions, not the driver
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", f"busy_timeout={_BUSY_MILLISECONDS}", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("assay_write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
