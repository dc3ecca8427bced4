"""When a phase takes runs, and whether a run was in time: the one place that decides, for pages, API and command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12), "AoE")
_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


class PhaseState(StrEnum):
    """Whether a phase takes runs."""

    UPCOMING = "upcoming"
    OPEN = "open"
    CLOSED = "closed"


def phase_state(opens_at: datetime | None, closes_at: datetime | None, at: datetime) -> PhaseState:
    """The state of a phase at a moment. It is open from its first moment up to, and not including, its last.

    A phase without a beginning has not begun; one without an end stays open until it is closed.
    """
    if opens_at is None or at < opens_at:
        return PhaseState.UPCOMING
    if closes_at is not None and at >= closes_at:
        return PhaseState.CLOSED
    return PhaseState.OPEN


def in_time(began: datetime, complete: datetime, closes_at: datetime | None, grace: timedelta) -> bool:
    """Whether an upload counts: the header of its request was read before the end, and its body was there soon enough.

    Args:
        began: when the header was read.
        complete: when the whole body was there.
        closes_at: the end of the phase.
        grace: how long after the end the body may take.
    """
    return closes_at is None or (began < closes_at and complete <= closes_at + grace)


def in_words(moment: datetime) -> str:
    """A moment in UTC and anywhere on Earth, where a day ends last."""
    utc, aoe = moment.astimezone(UTC), moment.astimezone(ANYWHERE_ON_EARTH)
    return f"{utc:%Y-%m-%d %H:%M} UTC ({aoe:%Y-%m-%d %H:%M} AoE)"


def parse_moment(text: str) -> datetime:
    """A moment as a form or the command line gives it: `2026-11-30 23:59`, in UTC unless `AoE` or `+02:00` follows.

    Raises:
        ValueError: it is not one; the message says what was expected.
    """
    words = text.strip()
    zone: timezone | None = None
    for name, found in (("aoe", ANYWHERE_ON_EARTH), ("utc", UTC), ("z", UTC)):
        if words.lower().endswith(name):
            words, zone = words[: -len(name)].strip(), found
            break
    try:
        moment = datetime.fromisoformat(words)
        if not _DATE_AND_TIME.match(words) or not _FIRST_YEAR < moment.year < _LAST_YEAR:
            raise ValueError
    except ValueError:
        examples = "2026-11-30 23:59, 2026-11-30 23:59 AoE or 2026-11-30T23:59+02:00"
        raise ValueError(f'"{text}" is not a moment such as {examples}') from None
    if moment.tzinfo is None or zone is not None:
        moment = moment.replace(tzinfo=zone or UTC)
    return moment.astimezone(UTC)
