"""The score on the easy part of a test set against that on its clean part: on the diagonal nothing leaked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.pictures.marks import STYLES, mark
from app.pictures.svg import CARD, QUIET, SMALL, WIDTH, Scale, decimals, element, frame, line, shorten, steps, text, width_of
from evaluator.report import figure

_LEFT, _RIGHT, _TOP, _BOTTOM = 44, WIDTH - 14, 12, 314
_TOLD = (_RIGHT - 70, _TOP + 92)
"""Where the diagonal is explained: below it, where no run is that gains by what leaked."""
_LABEL = 150
_GAP = 7
_BOX = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RunPoint:
    """A run's F1 on the easy part and on the clean one; None is undefined, and is not drawn."""

    name: str
    easy: float | None
    clean: float | None


def leak_scatter(runs: Sequence[RunPoint], easy: str, clean: str, title: str) -> Markup:
    """The picture, a square with the same scale both ways; names stand where there is room for them, first come first.

    Args:
        runs: in the order of the ranking.
        easy: what the vertical axis is called, such as `S1`.
        clean: what the horizontal axis is called, such as `S4`.
        title: the picture's name.
    """
    points = [(each.name, each.easy, each.clean) for each in runs if each.easy is not None and each.clean is not None]
    values = [value for _, high, low in points for value in (high, low)]
    grid = steps(min(values, default=0), max(values, default=1))
    x, y = Scale(grid[0], grid[-1], _LEFT, _RIGHT), Scale(grid[0], grid[-1], _BOTTOM, _TOP)
    places = [
        (name, x.at(low), y.at(high), f"{name}: {figure(high)} on {easy}, {figure(low)} on {clean}")
        for name, high, low in points
    ]
    body = [
        *_axes(grid, x, y),
        *_names(places),
        *(mark(STYLES[0], px, py, element("title", told)) for _, px, py, told in places),
    ]
    body += [
        text((_LEFT + _RIGHT) / 2, _BOTTOM + 36, shorten(f"F1 on {clean}", 290), anchor="middle", fill=QUIET),
        text(
            12, (_TOP + _BOTTOM) / 2, shorten(f"F1 on {easy}", 290),
            anchor="middle", fill=QUIET, transform=f"rotate(-90 12 {(_TOP + _BOTTOM) / 2:g})",
        ),
    ]  # fmt: skip
    return frame(_BOTTOM + 46, title, _describe(points, len(runs), easy, clean), body)


def _axes(grid: Sequence[float], x: Scale, y: Scale) -> Iterator[Markup]:
    places = decimals(grid)
    for value in grid:
        yield line((_LEFT, y.at(value)), (_RIGHT, y.at(value)))
        yield line((x.at(value), _TOP), (x.at(value), _BOTTOM))
        yield text(_LEFT - 5, y.at(value) + 4, figure(value, places), anchor="end", fill=QUIET, font_size=SMALL)
        yield text(x.at(value), _BOTTOM + 16, figure(value, places), anchor="middle", fill=QUIET, font_size=SMALL)
    yield line((_LEFT, _BOTTOM), (_RIGHT, _TOP), QUIET, stroke_width=1.5, stroke_dasharray="5 4")
    x_told, y_told = _TOLD
    turn = f"rotate(-45 {x_told} {y_told})"
    yield text(x_told, y_told, "nothing leaked", anchor="middle", fill=QUIET, font_size=SMALL, transform=turn)


def _names(places: Sequence[tuple[str, float, float, str]]) -> Iterator[Markup]:
    """The names that have room right, left, above or below their point."""
    taken: list[_BOX] = [(px - 5, py - 5, px + 5, py + 5) for _, px, py, _ in places]
    taken.append((_TOLD[0] - 32, _TOLD[1] - 38, _TOLD[0] + 28, _TOLD[1] + 26))
    for name, px, py, _ in places:
        words = shorten(name, _LABEL, SMALL)
        wide = width_of(words, SMALL)
        for left, base in (
            (px + _GAP, py + 4), (px - _GAP - wide, py + 4), (px - wide / 2, py - _GAP - 1), (px - wide / 2, py + _GAP + 9)
        ):  # fmt: skip
            box = (left, base - 9, left + wide, base + 2)
            inside = left >= _LEFT and box[2] <= _RIGHT and box[1] >= _TOP and box[3] <= _BOTTOM
            if inside and not any(_meet(box, each) for each in taken):
                taken.append(box)
                at = round(left, 2), round(base, 2)
                yield text(*at, words, font_size=SMALL, stroke=CARD, stroke_width=3, paint_order="stroke")
                break


def _meet(one: _BOX, other: _BOX) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _describe(points: Sequence[tuple[str, float, float]], runs: int, easy: str, clean: str) -> str:
    higher = sum(high > low for _, high, low in points)
    told = f"Of {len(points)} runs {higher} score higher on {easy} than on {clean}, above the diagonal where nothing leaked"
    left_out = runs - len(points)
    return f"{told}; {left_out} have no score on one of them." if left_out else f"{told}."
