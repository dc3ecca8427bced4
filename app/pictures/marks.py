"""Marks and lines by which runs are told apart: never by colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.pictures.svg import ACCENT, BAD, CARD, FOCUS, INK, QUIET, WARM, element, line

_SIZE = 4.2
_SHAPES: dict[str, Sequence[tuple[float, float]]] = {
    "square": ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    "triangle": ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
    "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    "wedge": ((0, 1.1), (1.05, -0.8), (-1.05, -0.8)),
    "bar": ((-1.3, -0.55), (1.3, -0.55), (1.3, 0.55), (-1.3, 0.55)),
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a run is drawn: a colour, a dash pattern (empty: none) and a shape."""

    colour: str
    dashes: str
    shape: str


STYLES = (
    Style(ACCENT, "", "circle"),
    Style(BAD, "6 3", "square"),
    Style(INK, "1.5 2.5", "triangle"),
    Style(WARM, "8 3 2 3", "diamond"),
    Style(FOCUS, "3 2", "wedge"),
    Style(QUIET, "10 4", "bar"),
)


def mark(style: Style, x: float, y: float, *children: Markup) -> Markup:
    """The shape at a point, with a rim that parts it from what lies below."""
    rim: dict[str, str | float] = {"fill": style.colour, "stroke": CARD, "stroke_width": 1}
    if style.shape == "circle":
        return element("circle", *children, cx=x, cy=y, r=_SIZE, **rim)
    points = " ".join(f"{x + _SIZE * dx:g},{y + _SIZE * dy:g}" for dx, dy in _SHAPES[style.shape])
    return element("polygon", *children, points=points, **rim)


def stroke(style: Style, start: tuple[float, float], end: tuple[float, float]) -> Markup:
    """A piece of the run's line."""
    dashes = {"stroke_dasharray": style.dashes} if style.dashes else {}
    return line(start, end, style.colour, stroke_width=1.8, stroke_linecap="round", **dashes)
