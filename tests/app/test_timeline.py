"""Phases on a time line."""

from __future__ import annotations

from datetime import UTC, datetime

from app.shared_tasks.models import Phase
from app.timeline import timeline

NOV = [datetime(2026, 11, day, tzinfo=UTC) for day in range(1, 31)]


def phase(opens: datetime | None, closes: datetime | None) -> Phase:
    return Phase(opens_at=opens, closes_at=closes)


def test_bars_are_in_proportion() -> None:
    # From 1 to 21 November, with a twentieth more behind it: 21 days are 100 per cent.
    line = timeline([phase(NOV[0], NOV[10]), phase(NOV[10], NOV[20]), phase(None, None)], NOV[10])

    assert line is not None
    assert [(bar.start, bar.width) for bar in line.bars] == [(0.0, 47.62), (47.62, 47.62)]
    assert line.present == 47.62


def test_a_bar_without_an_end_goes_to_the_edge_and_a_short_one_is_seen() -> None:
    line = timeline([phase(NOV[0], NOV[0]), phase(NOV[0], None)], NOV[20])

    assert line is not None
    assert [(bar.start, bar.width, bar.open_end) for bar in line.bars] == [(0.0, 1.5, False), (0.0, 100.0, True)]


def test_there_is_none_for_a_single_phase() -> None:
    assert timeline([phase(NOV[0], None), phase(None, None)], NOV[1]) is None
