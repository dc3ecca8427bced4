"""Curves of the errors on female and male names, over years or decades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.analysis.names import StoredNames
from app.pictures.curves import Curve, year_curves
from evaluator.fairness.census import Sex

_FEWEST_YEARS = 2


@dataclass(frozen=True, slots=True)
class RateCurves:
    """A picture, and what it shows; no picture where there are too few years."""

    title: str
    picture: Markup | None
    years: tuple[int, ...]
    curves: tuple[Curve, ...]


def rate_curves(runs: Sequence[tuple[str, StoredNames]], error: int) -> RateCurves:
    """One error of some runs: weighted by frequency where that is known of all of them, else as a share of names.

    Args:
        runs: what each is called, and what it makes of names.
        error: the type, 1 to 3.
    """
    weighted = all(_known(stored, error) for _, stored in runs)
    years = tuple(sorted({year for _, stored in runs for year in stored.years}))
    curves = []
    for name, stored in runs:
        for sex in Sex:
            of_years = (stored.of(sex.value, year) for year in years)
            values = tuple(each.rate(error, weighted=weighted) if each else None for each in of_years)
            curves.append(Curve(name, sex.value, values))
    title = f"Type-{error}, share of {'frequency' if weighted else 'names'}"
    picture = year_curves(curves, years, title) if len(years) >= _FEWEST_YEARS else None
    return RateCurves(title, picture, years, tuple(curves))


def _known(stored: StoredNames, error: int) -> bool:
    return any(each.rate(error, weighted=True) is not None for each in stored.rates)
