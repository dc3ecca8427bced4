"""How similar the test documents are to their nearest training document: a histogram with the bins Q1 to Q4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from app.pictures.svg import ACCENT, INK, QUIET, SMALL, WIDTH, Scale, element, frame, line, steps, text
from evaluator.report import figure
from evaluator.strata.similarity import EDGES, STRATA, bin_of

_TOP, _BOTTOM, _LEFT, _RIGHT = 62, 214, 38, WIDTH - 16
_BARS = 20
_X = Scale(0, 1, _LEFT, _RIGHT)


def similarity_histogram(similarity: Sequence[float], title: str) -> Markup:
    """The picture: bars of .05, the edges of the bins dashed, and above each bin its documents and their share.

    Args:
        similarity: of each test document, in [0, 1]; what rounding has put above 1 counts as 1.
        title: the picture's name.
    """
    edges = [i / _BARS for i in range(_BARS + 1)]
    heights = np.histogram(np.minimum(np.array(similarity, dtype=float), 1), edges)[0].tolist()
    grid = [each for each in steps(0, max(1, *heights), 5) if each == int(each)]
    y = Scale(0, grid[-1], _BOTTOM, _TOP)
    bins = Counter(bin_of(each) for each in similarity)
    whole = max(1, len(similarity))
    shares = {name: f"{figure(100 * bins[name] / whole, 1)} %" for name in STRATA}
    body = [*_axes(grid, y), *_bars(edges, heights, y), *_heads(bins, shares)]
    described = ", ".join(f"{name} has {bins[name]} ({shares[name]})" for name in STRATA)
    return frame(_BOTTOM + 44, title, f"Of {len(similarity)} test documents {described}.", body)


def _axes(grid: Sequence[float], y: Scale) -> Iterator[Markup]:
    for value in grid:
        yield line((_LEFT, y.at(value)), (_RIGHT, y.at(value)))
        yield text(_LEFT - 5, y.at(value) + 4, f"{value:,.0f}", anchor="end", fill=QUIET, font_size=SMALL)
    for value in (0, *EDGES, 1):
        yield text(_X.at(value), _BOTTOM + 16, figure(value, 2), anchor="middle", font_size=SMALL)
    yield text((_LEFT + _RIGHT) / 2, _BOTTOM + 36, "similarity to the nearest training document", anchor="middle", fill=QUIET)


def _bars(edges: Sequence[float], heights: Sequence[int], y: Scale) -> Iterator[Markup]:
    for i, count in enumerate(heights):
        if count:
            left, right = _X.at(edges[i]), _X.at(edges[i + 1])
            title = element("title", f"{figure(edges[i], 2)} to {figure(edges[i + 1], 2)}: {count}")
            size = {"width": round(right - left - 1.5, 2), "height": round(_BOTTOM - y.at(count), 2)}
            yield element("rect", title, x=round(left + 0.75, 2), y=y.at(count), rx=1, fill=ACCENT, **size)


def _heads(bins: Counter[str], shares: dict[str, str]) -> Iterator[Markup]:
    edges = (0.0, *EDGES, 1.0)
    for edge in EDGES:
        yield line((_X.at(edge), 6), (_X.at(edge), _BOTTOM + 4), QUIET, stroke_dasharray="3 3")
    for i, name in enumerate(STRATA):
        middle = (_X.at(edges[i]) + _X.at(edges[i + 1])) / 2
        yield text(middle, 16, name, anchor="middle", fill=INK, font_weight="bold")
        yield text(middle, 32, f"{bins[name]:,}", anchor="middle")
        yield text(middle, 47, shares[name], anchor="middle", fill=QUIET, font_size=SMALL)
