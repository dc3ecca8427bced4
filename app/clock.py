"""The one clock. Everything that asks for the time asks here."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """This moment in UTC."""
    return datetime.now(UTC)
