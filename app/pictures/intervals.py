"""Intervals of a board as thin bars, one a row, on one scale."""

from __future__ import annotations

from markupsafe import Markup

from app.pictures.svg import ACCENT, LINE, QUIET, Scale, element, line
from evaluator.report import figure

_WIDTH, _HEIGHT, _RADIUS = 72, 14, 3.2


def interval_bar(value: float, bounds: tuple[float, float], whole: tuple[float, float]) -> Markup:
    """A line from the lower to the upper end, and a dot at the figure.

    Args:
        value: the figure.
        bounds: of its interval.
        whole: the lowest and the highest that any row of the board shows.
    """
    low, high = whole
    scale = Scale(low, high, _RADIUS, _WIDTH - _RADIUS) if high > low else Scale(low - 1, high + 1, _RADIUS, _WIDTH - _RADIUS)
    middle = _HEIGHT / 2
    told = f"95 % of draws between {figure(bounds[0])} and {figure(bounds[1])}"
    return element(
        "svg",
        element("title", told),
        line((0, middle), (_WIDTH, middle), LINE),
        line((scale.at(bounds[0]), middle), (scale.at(bounds[1]), middle), QUIET, stroke_width=2.4),
        element("circle", cx=scale.at(value), cy=middle, r=_RADIUS, fill=ACCENT),
        xmlns="http://www.w3.org/2000/svg",
        class_="interval",
        role="img",
        aria_label=told,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=str(_WIDTH),
        height=str(_HEIGHT),
    )
