"""The server and the command line: the only package that knows Flask, the database and the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from apiflask import APIFlask

    from app.jobs import Queue
    from app.mail import Mail
    from app.settings import Settings


def create_app(settings: Settings, queue: Queue | None = None, mail: Mail | None = None) -> APIFlask:
    """The web application: wiring only. The database must have been migrated.

    Args:
        settings: see `app.settings`.
        queue: where runs are sent; the embedded queue if not given.
        mail: what sends letters; by the settings if not given.
    """
    # Imported here so that the offline commands, which need none of it, start fast.
    from app.wiring import wire  # noqa: PLC0415

    return wire(settings, queue, mail)
