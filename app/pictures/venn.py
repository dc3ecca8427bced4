"""Which sources three splits share: the seven numbers of ChEMU 2020, Figure 16."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set
from dataclasses import dataclass

from markupsafe import Markup

from app.pictures.svg import ACCENT, BAD, QUIET, WARM, WIDTH, element, frame, shorten, text

_RADIUS = 92
_CENTRES = ((136, 134), (224, 134), (180, 210))
_PLACES = ((96, 116), (264, 116), (180, 264), (180, 98), (129, 193), (231, 193), (180, 164))


@dataclass(frozen=True, slots=True)
class Sectors:
    """How many things are in exactly these of three sets, called a, b and c."""

    a: int
    b: int
    c: int
    ab: int
    ac: int
    bc: int
    abc: int

    @classmethod
    def of(cls, a: Set[Hashable], b: Set[Hashable], c: Set[Hashable]) -> Sectors:
        """The sectors of three sets."""
        return cls(
            len(a - b - c), len(b - a - c), len(c - a - b), len(a & b - c), len(a & c - b), len(b & c - a), len(a & b & c)
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """All seven."""
        return (self.a, self.b, self.c, self.ab, self.ac, self.bc, self.abc)

    @property
    def totals(self) -> tuple[int, int, int]:
        """How many things each set has."""
        return (
            self.a + self.ab + self.ac + self.abc,
            self.b + self.ab + self.bc + self.abc,
            self.c + self.ac + self.bc + self.abc,
        )


def venn(names: tuple[str, str, str], sectors: Sectors, title: str) -> Markup:
    """The picture: three circles, not to scale, with a number in every sector.

    Args:
        names: of the sets a, b (above) and c (below).
        sectors: the seven numbers.
        title: the picture's name.
    """
    return frame(330, title, _describe(names, sectors), [*_circles(), *_names(names, sectors), *_numbers(sectors)])


def _circles() -> Iterator[Markup]:
    for (x, y), colour in zip(_CENTRES, (ACCENT, WARM, BAD), strict=True):
        yield element("circle", cx=x, cy=y, r=_RADIUS, fill=colour, fill_opacity=0.14, stroke=colour, stroke_width=1.8)


def _names(names: tuple[str, str, str], sectors: Sectors) -> Iterator[Markup]:
    for name, total, (x, anchor, y) in zip(
        names, sectors.totals, ((8, "start", 18), (WIDTH - 8, "end", 18), (WIDTH / 2, "middle", 324)), strict=True
    ):
        count = f" {total:,}"
        yield text(
            x, y, element("tspan", shorten(name, 130), font_weight="bold"), element("tspan", count, fill=QUIET), anchor=anchor
        )


def _numbers(sectors: Sectors) -> Iterator[Markup]:
    for (x, y), count in zip(_PLACES, sectors.numbers, strict=True):
        yield text(x, y + 5, f"{count:,}", anchor="middle", font_size=14)


def _describe(names: tuple[str, str, str], sectors: Sectors) -> str:
    a, b, c = names
    wheres = (
        f"in {a} only", f"in {b} only", f"in {c} only",
        f"in {a} and {b} only", f"in {a} and {c} only", f"in {b} and {c} only", "in all three",
    )  # fmt: skip
    told = ", ".join(f"{count} {where}" for count, where in zip(sectors.numbers, wheres, strict=True))
    return f"{told}. The circles are not to scale."
