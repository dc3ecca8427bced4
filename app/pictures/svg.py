"""What all pictures are made of: escaped elements, a frame with a text alternative, and scales."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

WIDTH = 360
"""Units across, so that a unit is about a pixel on a telephone; `narrow` keeps pictures from growing beyond 30rem."""
FONT, SMALL = 13, 11
INK, QUIET, LINE, CARD, ACCENT, WARM, BAD, FOCUS = (
    f"var(--{each})" for each in ("ink", "quiet", "line", "card", "accent", "warm", "bad", "focus")
)
_PAPER = ("#1c2526", "#56646a", "#dcdcd4", "#fff", "#14615c", "#8a5a00", "#a3262a", "#c77700")
"""The same colours for a picture that stands alone, on white paper."""
_LETTER = 0.6
"""Width of a letter on average, in units of the font size."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale: values from `low` to `high` lie from `start` to `end`, in units of the picture."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a value lies, to two decimals."""
        return round(self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start), 2)


def element(name: str, *children: str, **attributes: str | float) -> Markup:
    """An element with its children; what is not Markup is escaped. `stroke_width` is written `stroke-width`."""
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value)) for key, value in attributes.items()
    )
    inside = Markup("").join(each if isinstance(each, Markup) else _plain(each) for each in children)
    return Markup("<{0}{1}>{2}</{0}>").format(name, given, inside)


def frame(height: float, title: str, description: str, body: Iterable[Markup]) -> Markup:
    """The whole picture, one image with a name and a description to those who do not see it.

    Args:
        height: in units, of which `WIDTH` go across.
        title: its name.
        description: what is to be seen, in sentences.
        body: what it is drawn of.
    """
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *body,
        xmlns="http://www.w3.org/2000/svg",
        class_="picture narrow",
        role="img",
        aria_label=f"{title}. {description}",
        viewBox=f"0 0 {WIDTH} {_plain(height)}",
        width="100%",
        font_size=FONT,
    )


def alone(picture: Markup) -> str:
    """The picture as a file of its own, which no page gives colours or a font to."""
    found = str(picture)
    for name, colour in zip((INK, QUIET, LINE, CARD, ACCENT, WARM, BAD, FOCUS), _PAPER, strict=True):
        found = found.replace(name, colour)
    return found.replace("<svg ", '<svg font-family="sans-serif" ', 1) + "\n"


def text(x: float, y: float, *words: str, anchor: str = "start", fill: str = INK, **attributes: str | float) -> Markup:
    """Words whose base line is at y."""
    return element("text", *words, x=x, y=y, text_anchor=anchor, fill=fill, **attributes)


def line(start: tuple[float, float], end: tuple[float, float], stroke: str = LINE, **attributes: str | float) -> Markup:
    """A straight line."""
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=stroke, **attributes)


def shorten(words: str, room: float, size: float = FONT) -> str:
    """Words cut to about so many units, with an ellipsis."""
    letters = max(2, int(room / (_LETTER * size)))
    return words if len(words) <= letters else f"{words[: letters - 1].rstrip()}…"


def width_of(words: str, size: float = FONT) -> float:
    """About how many units words take."""
    return len(words) * _LETTER * size


def steps(low: float, high: float, most: int = 6) -> list[float]:
    """Round values from at or below `low` to at or above `high`, at most so many, two at least."""
    least = max(high - low, 1e-9) / (most - 1)
    size = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 2.5, 5, 10, 20, 25, 50):
        step = size * factor
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        if last - first < most:
            return [round(i * step, 10) for i in range(first, last + 1)]
    raise AssertionError("BUG: a step of fifty times the least always fits")


def decimals(values: Iterable[float]) -> int:
    """How many places the smallest difference of neighbours asks for, two at least."""
    found = list(values)
    least = min((b - a for a, b in pairwise(found)), default=0.1)
    places = 2
    while places < 6 and round(least * 10**places, 6) % 1:
        places += 1
    return places


def _plain(value: str | float) -> str:
    """A number in short, or words in which what XML forbids, control characters among them, is written out."""
    if not isinstance(value, str):
        return f"{value:g}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in value)
