"""Horizontal bars with intervals: one figure of each group, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.pictures.svg import ACCENT, INK, QUIET, SMALL, WARM, WIDTH, Scale, decimals, element, frame, line, shorten, steps, text
from evaluator.report import UNDEFINED, figure

_TOP, _ROW, _BAR = 8, 44, 14
_LEFT, _RIGHT = 10, WIDTH - 10
_CAP = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """A group with its figure and the interval around it; what is None is undefined.

    Raises:
        ValueError: the interval has one end, or ends before it begins.
    """

    group: str
    value: float | None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.group}: an interval has two ends")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.group}: the interval ends before it begins")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or none."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def told(self) -> str:
        """The figure and its interval in words."""
        between = f" ({figure(self.low)} to {figure(self.high)})" if self.interval else ""
        return f"{figure(self.value)}{between}"


def group_bars(bars: Sequence[Bar], title: str, what: str = "F1") -> Markup:
    """The picture: a row for each group, its name and figures above its bar. Bars begin at 0; below it they go to the left.

    Args:
        bars: in the order of the rows.
        title: the picture's name.
        what: the figures are.
    """
    values = [value for each in bars for value in (each.value, *(each.interval or ())) if value is not None]
    grid = steps(min([0.0, *values]), max([0.0, *values]) if values else 1.0)
    x = Scale(grid[0], grid[-1], _LEFT, _RIGHT)
    bottom = _TOP + _ROW * len(bars)
    body = [*_axis(grid, x, bottom, what), *(_row(each, _TOP + _ROW * i, x) for i, each in enumerate(bars))]
    told = "; ".join(f"{each.group}: {each.told}" for each in bars) or "No groups"
    return frame(bottom + 40, title, f"{what} by group. {told}.", body)


def _axis(grid: Sequence[float], x: Scale, bottom: float, what: str) -> Iterator[Markup]:
    places = decimals(grid)
    for i, value in enumerate(grid):
        yield line((x.at(value), _TOP), (x.at(value), bottom + 4))
        anchor = "start" if i == 0 else "end" if i == len(grid) - 1 else "middle"
        yield text(x.at(value), bottom + 17, figure(value, places), anchor=anchor, fill=QUIET, font_size=SMALL)
    yield line((x.at(0), _TOP), (x.at(0), bottom + 4), QUIET)
    yield text(_LEFT, bottom + 33, shorten(what, _RIGHT - _LEFT, SMALL), fill=QUIET, font_size=SMALL)


def _row(bar: Bar, top: float, x: Scale) -> Markup:
    name = text(_LEFT, top + 15, shorten(bar.group, 170))
    told = text(_RIGHT, top + 15, bar.told, anchor="end", fill=INK, font_size=SMALL)
    return element("g", element("title", f"{bar.group}: {bar.told}"), name, told, *_bar(bar, top + 21, x))


def _bar(bar: Bar, top: float, x: Scale) -> Iterator[Markup]:
    if bar.value is None:
        yield text(x.at(0) + 4, top + 11, UNDEFINED, fill=QUIET)
        return
    left, right = sorted((x.at(0), x.at(bar.value)))
    colour = WARM if bar.value < 0 else ACCENT
    yield element("rect", x=left, y=top, width=max(round(right - left, 2), 0.5), height=_BAR, fill=colour, opacity=0.75)
    if bar.interval:
        middle = top + _BAR / 2
        low, high = (x.at(each) for each in bar.interval)
        yield line((low, middle), (high, middle), INK, stroke_width=1.6)
        for at in (low, high):
            yield line((at, middle - _CAP), (at, middle + _CAP), INK, stroke_width=1.6)
