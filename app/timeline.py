"""Phases on a time line: where each bar begins and how long it is, in per cent of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.shared_tasks.models import Phase

_LEAST_PER_CENT = 1.5


@dataclass(frozen=True, slots=True)
class Bar:
    """A phase that has begun or will; `open_end` where nobody has said when it closes."""

    phase: Phase
    start: float
    width: float
    open_end: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars from `begin` to `end`, and where the present is (None: outside)."""

    bars: tuple[Bar, ...]
    begin: datetime
    end: datetime
    present: float | None


def timeline(phases: Sequence[Phase], now: datetime) -> Timeline | None:
    """The time line of phases that have a beginning; None where fewer than two have, or all at one moment."""
    dated = [(each, each.opens_at) for each in phases if each.opens_at is not None]
    if len(dated) < 2:
        return None
    begin = min(opens for _, opens in dated)
    last = max([now, *(each.closes_at or opens for each, opens in dated)])
    end = last + max((last - begin) * 0.05, timedelta(hours=1))
    whole = (end - begin).total_seconds()

    def place(moment: datetime) -> float:
        return round(100 * (moment - begin).total_seconds() / whole, 2)

    bars = tuple(
        Bar(each, place(opens), max(place(each.closes_at or end) - place(opens), _LEAST_PER_CENT), each.closes_at is None)
        for each, opens in dated
    )
    return Timeline(bars, begin, end, place(now) if begin <= now <= end else None)
