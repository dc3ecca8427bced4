"""What can go wrong in a service, told to people in one way on pages and in the API."""

from __future__ import annotations

import errno
from http import HTTPStatus

from sqlalchemy.exc import OperationalError


class DomainError(Exception):
    """A request that cannot be done; `message` is for the person who asked."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad-request"

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class InvalidError(DomainError):
    """A value is missing or unusable; `field` names it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid"


class NotFoundError(DomainError):
    """There is no such thing, or none that this reader may know of."""

    status = HTTPStatus.NOT_FOUND
    code = "not-found"


class ForbiddenError(DomainError):
    """The reader may not do this."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class ConflictError(DomainError):
    """It cannot be done in the present state of things."""

    status = HTTPStatus.CONFLICT
    code = "conflict"


def shortage(bad: Exception) -> str | None:
    """What the machine is short of for a while, in words for people: room on its disk, or its database is busy.

    None for any other fault.
    """
    said = str(bad.orig).lower() if isinstance(bad, OperationalError) else ""
    if "full" in said or (isinstance(bad, OSError) and bad.errno in (errno.ENOSPC, errno.EDQUOT)):
        return "The server has no room left."
    if "locked" in said or "busy" in said:
        return "The server is busy."
    return None
