"""F1 by stratum, one line a run, with the whole set's F1 as a mark beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from app.pictures.marks import STYLES, Style, mark, stroke
from app.pictures.svg import INK, LINE, QUIET, SMALL, WIDTH, Scale, decimals, element, frame, line, shorten, steps, text
from evaluator.report import UNDEFINED, figure

_TOP, _BOTTOM, _LEFT, _RIGHT = 14, 224, 38, WIDTH - 10
_KEY, _KEY_ROW = _BOTTOM + 46, 19
_WHOLE = "whole set"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run's F1 on the whole set and on each stratum; None is undefined."""

    name: str
    whole: float | None
    strata: tuple[float | None, ...]


def strata_lines(runs: Sequence[RunLine], strata: Sequence[str], title: str) -> Markup:
    """The picture. The first five runs have a colour, a dash pattern and a mark of their own; the others are thin lines.

    Args:
        runs: in the order of the ranking.
        strata: names of the columns, in order; where a run has no F1 its line is broken.
        title: the picture's name.

    Raises:
        ValueError: a run has another number of figures than there are strata.
    """
    if any(len(each.strata) != len(strata) for each in runs):
        raise ValueError(f"there are {len(strata)} strata")
    values = [value for each in runs for value in (each.whole, *each.strata) if value is not None]
    grid = steps(min(values, default=0), max(values, default=1))
    y = Scale(grid[0], grid[-1], _BOTTOM, _TOP)
    width = (_RIGHT - _LEFT) / (len(strata) + 1)
    xs = [_LEFT + width * (i + 0.5) for i in range(len(strata) + 1)]
    named, others = runs[: len(STYLES)], runs[len(STYLES) :]
    body = [*_axes(grid, y, xs, strata), *(_thin(each, xs, y) for each in others)]
    for style, run in reversed(list(zip(STYLES, named, strict=False))):
        body.append(_run(run, style, xs, y))
    body += _key(named, len(others))
    height = _KEY + _KEY_ROW * (len(named) + bool(others)) - 6
    return frame(height, title, _describe(named, strata, len(others)), body)


def _axes(grid: Sequence[float], y: Scale, xs: Sequence[float], strata: Sequence[str]) -> Iterator[Markup]:
    places = decimals(grid)
    for value in grid:
        yield line((_LEFT, y.at(value)), (_RIGHT, y.at(value)))
        yield text(_LEFT - 5, y.at(value) + 4, figure(value, places), anchor="end", fill=QUIET, font_size=SMALL)
    divide = (xs[0] + xs[1]) / 2 if len(xs) > 1 else _RIGHT
    yield line((divide, _TOP), (divide, _BOTTOM + 18), LINE, stroke_dasharray="2 3")
    width = xs[1] - xs[0] if len(xs) > 1 else _RIGHT - _LEFT
    for x, name in zip(xs, (_WHOLE, *strata), strict=True):
        yield text(x, _BOTTOM + 17, shorten(name, width, SMALL), anchor="middle", font_size=SMALL)
    yield text(_LEFT - 5, _BOTTOM + 17, "F1", anchor="end", fill=QUIET, font_size=SMALL)


def _run(run: RunLine, style: Style, xs: Sequence[float], y: Scale) -> Markup:
    points = _points(run, xs, y)
    pieces = [stroke(style, a, b) for a, b in pairwise(points) if a and b]
    marks = [mark(style, *point) for point in points if point]
    return element("g", element("title", _figures(run)), *_whole(run, style.colour, xs[0], y, 3), *pieces, *marks)


def _thin(run: RunLine, xs: Sequence[float], y: Scale) -> Markup:
    points = _points(run, xs, y)
    pieces = [line(a, b, QUIET) for a, b in pairwise(points) if a and b]
    dots = [element("circle", cx=point[0], cy=point[1], r=1.5, fill=QUIET) for point in points if point]
    title = element("title", _figures(run))
    return element("g", title, *_whole(run, QUIET, xs[0], y, 1), *pieces, *dots, opacity=0.55)


def _points(run: RunLine, xs: Sequence[float], y: Scale) -> list[tuple[float, float] | None]:
    return [None if value is None else (round(x, 2), y.at(value)) for x, value in zip(xs[1:], run.strata, strict=True)]


def _whole(run: RunLine, colour: str, x: float, y: Scale, width: float) -> Iterator[Markup]:
    if run.whole is not None:
        at = y.at(run.whole)
        yield line((round(x - 13, 2), at), (round(x + 13, 2), at), colour, stroke_width=width)


def _key(named: Sequence[RunLine], others: int) -> Iterator[Markup]:
    for i, (style, run) in enumerate(zip(STYLES, named, strict=False)):
        at = _KEY + _KEY_ROW * i
        yield stroke(style, (8, at - 4), (36, at - 4))
        yield mark(style, 22, at - 4)
        yield text(44, at, shorten(run.name, _RIGHT - 100))
        yield text(_RIGHT, at, figure(run.whole), anchor="end", fill=QUIET)
    if others:
        at = _KEY + _KEY_ROW * len(named)
        yield line((8, at - 4), (36, at - 4), QUIET, opacity=0.55)
        yield text(44, at, f"{others} other run{'s' if others > 1 else ''}", fill=INK)


def _figures(run: RunLine) -> str:
    return f"{run.name}: {figure(run.whole)}, by stratum {', '.join(figure(each) for each in run.strata) or UNDEFINED}"


def _describe(named: Sequence[RunLine], strata: Sequence[str], others: int) -> str:
    told = [
        f"{run.name} has {figure(run.whole)} on the {_WHOLE}, "
        + ", ".join(f"{figure(value)} on {name}" for name, value in zip(strata, run.strata, strict=True))
        for run in named
    ]
    if others:
        told.append(f"{others} more, less conspicuous")
    return f"{'; '.join(told) or 'No runs'}."
