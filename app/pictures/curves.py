"""Curves over years: a line for each system and kind of people, such as the error rates of female and of male names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from markupsafe import Markup

from app.pictures.marks import STYLES, Style, mark, stroke
from app.pictures.svg import CARD, INK, QUIET, SMALL, WIDTH, Scale, decimals, element, frame, line, shorten, steps, text
from app.pictures.svg import width_of as width
from evaluator.report import UNDEFINED, figure

_TOP, _BOTTOM, _LEFT, _RIGHT = 14, 224, 38, WIDTH - 12
_KEY, _KEY_ROW = _BOTTOM + 42, 19
_DASHES = ("", "5 3", "1.5 3", "9 3 2 3")
"""By which the variants of a system are told apart, beside the hollow marks of all but the first."""
_MARKS = 9
"""On a line, at most; more would hide it."""
_APART = 44
"""Units between two years below the axis."""

_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """One line.

    Attributes:
        name: of the system: its colour and the shape of its marks.
        variant: of whom, such as `female`: whether the line is dashed and its marks are hollow. Empty where there is one.
        values: [years] None is undefined, and breaks the line.
    """

    name: str
    variant: str
    values: tuple[float | None, ...]

    @property
    def title(self) -> str:
        """What it is called in words."""
        return f"{self.name}, {self.variant}" if self.variant else self.name


def year_curves(curves: Sequence[Curve], years: Sequence[int], title: str, what: str = "error rate") -> Markup:
    """The picture. The first six systems have a colour and a mark of their own; the others are thin lines.

    Args:
        curves: in the order of the key.
        years: rising; they need not be evenly apart.
        title: the picture's name.
        what: the values are.

    Raises:
        ValueError: a curve has another number of values than there are years, the years do not rise, or there are more than
            four variants.
    """
    names, variants = list(dict.fromkeys(c.name for c in curves)), list(dict.fromkeys(c.variant for c in curves))
    if any(len(each.values) != len(years) for each in curves):
        raise ValueError(f"there are {len(years)} years")
    if any(a >= b for a, b in pairwise(years)):
        raise ValueError("the years must rise")
    if len(variants) > len(_DASHES):
        raise ValueError(f"{len(variants)} variants cannot be told apart; {len(_DASHES)} can")
    values = [value for each in curves for value in each.values if value is not None]
    grid = steps(min(values, default=0), max(values, default=1))
    x, y = _across(years), Scale(grid[0], grid[-1], _BOTTOM, _TOP)
    body = [*_axes(grid, y, x, years)]
    for each in sorted(curves, key=lambda one: -names.index(one.name)):  # the first on top
        place = names.index(each.name)
        kind = variants.index(each.variant)
        points = _pieces(each, years, x, y)
        body.append(
            _drawn(each, years, _style(place, kind), kind, points) if place < len(STYLES) else _thin(each, years, points)
        )
    body += _key(names, variants)
    rows = min(len(names), len(STYLES)) + (len(names) > len(STYLES)) + (variants not in ([], [""]))
    return frame(_KEY + _KEY_ROW * rows - 6, title, _describe(curves, years, what), body)


def _across(years: Sequence[int]) -> Scale:
    first, last = (years[0], years[-1]) if years else (0, 1)
    return Scale(first, last, _LEFT, _RIGHT) if last > first else Scale(first - 1, first + 1, _LEFT, _RIGHT)


def _style(place: int, kind: int) -> Style:
    return Style(STYLES[place].colour, _DASHES[kind], STYLES[place].shape)


def _axes(grid: Sequence[float], y: Scale, x: Scale, years: Sequence[int]) -> Iterator[Markup]:
    places = decimals(grid)
    for value in grid:
        yield line((_LEFT, y.at(value)), (_RIGHT, y.at(value)))
        yield text(_LEFT - 5, y.at(value) + 4, figure(value, places), anchor="end", fill=QUIET, font_size=SMALL)
    for year in _told_years(years, x):
        at = x.at(year)
        yield line((at, _BOTTOM), (at, _BOTTOM + 4))
        anchor = "end" if at + width("0000", SMALL) / 2 > WIDTH else "middle"
        yield text(at, _BOTTOM + 17, str(year), anchor=anchor, fill=QUIET, font_size=SMALL)


def _told_years(years: Sequence[int], x: Scale) -> list[int]:
    """The first and the last, and round ones between them."""
    if not years:
        return []
    found = [years[0]] if years[0] == years[-1] else [years[0], years[-1]]
    for value in steps(years[0], years[-1]) if len(found) > 1 else ():
        inside = years[0] < value < years[-1] and value == int(value)
        if inside and all(abs(x.at(value) - x.at(each)) >= _APART for each in found):
            found.append(int(value))
    return sorted(found)


def _pieces(curve: Curve, years: Sequence[int], x: Scale, y: Scale) -> list[list[_Point]]:
    """The points, parted where a value is undefined."""
    points = [None if value is None else (x.at(year), y.at(value)) for year, value in zip(years, curve.values, strict=True)]
    return [[point for point in group if point] for there, group in groupby(points, bool) if there]


def _drawn(curve: Curve, years: Sequence[int], style: Style, kind: int, pieces: Sequence[Sequence[_Point]]) -> Markup:
    dashes = {"stroke_dasharray": style.dashes} if style.dashes else {}
    lines = [_polyline(each, style.colour, stroke_width=1.8, stroke_linejoin="round", **dashes) for each in pieces]
    points = [each for piece in pieces for each in piece]
    every = -(-len(points) // _MARKS) or 1
    marks = [each for point in points[::every] for each in _mark(style, kind, point)]
    return element("g", element("title", _figures(curve, years)), *lines, *marks)


def _mark(style: Style, kind: int, point: _Point) -> Iterator[Markup]:
    yield mark(style, *point)
    if kind:
        yield element("circle", cx=point[0], cy=point[1], r=1.8, fill=CARD)


def _thin(curve: Curve, years: Sequence[int], pieces: Sequence[Sequence[_Point]]) -> Markup:
    lines = [_polyline(each, QUIET, stroke_width=1) for each in pieces]
    return element("g", element("title", _figures(curve, years)), *lines, opacity=0.55)


def _polyline(points: Sequence[_Point], colour: str, **attributes: str | float) -> Markup:
    return element("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), stroke=colour, fill="none", **attributes)


def _key(names: Sequence[str], variants: Sequence[str]) -> Iterator[Markup]:
    at = _KEY
    for i, name in enumerate(names[: len(STYLES)]):
        yield stroke(_style(i, 0), (8, at - 4), (36, at - 4))
        yield mark(STYLES[i], 22, at - 4)
        yield text(44, at, shorten(name, _RIGHT - 44))
        at += _KEY_ROW
    others = len(names) - len(STYLES)
    if others > 0:
        yield line((8, at - 4), (36, at - 4), QUIET, opacity=0.55)
        yield text(44, at, f"{others} other{'s' if others > 1 else ''}")
        at += _KEY_ROW
    if list(variants) not in ([], [""]):
        room = (_RIGHT - 8) / len(variants)
        for kind, variant in enumerate(variants):
            left = 8 + room * kind
            style = Style(INK, _DASHES[kind], "circle")
            yield stroke(style, (left, at - 4), (left + 28, at - 4))
            yield from _mark(style, kind, (left + 14, at - 4))
            yield text(left + 36, at, shorten(variant or "all", room - 40))


def _figures(curve: Curve, years: Sequence[int]) -> str:
    told = ", ".join(f"{year}: {figure(value)}" for year, value in zip(years, curve.values, strict=True))
    return f"{curve.title}: {told or UNDEFINED}"


def _describe(curves: Sequence[Curve], years: Sequence[int], what: str) -> str:
    """First, last, lowest and highest of each: all of them are in a table beside the picture."""
    told: list[str] = []
    for each in curves:
        known = [(year, value) for year, value in zip(years, each.values, strict=True) if value is not None]
        if not known:
            told.append(f"{each.title}: none")
            continue
        ends = known[:1] if len(known) == 1 else [known[0], known[-1]]
        words = [f"{figure(value)} in {year}" for year, value in ends]
        if len(known) > 2:
            low, high = (way(known, key=lambda one: one[1]) for way in (min, max))
            words += [f"lowest {figure(low[1])} in {low[0]}", f"highest {figure(high[1])} in {high[0]}"]
        told.append(f"{each.title}: {', '.join(words)}")
    return f"{what[:1].upper()}{what[1:]} by year. {'; '.join(told) or 'No curves'}."
