"""What taggers make of names, as tables and plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluator.fairness.census import Sex
from evaluator.fairness.frequent_names import count_labels, names_in_error
from evaluator.fairness.name_errors import ErrorType, NameScore, Rule, TaggedNames, add_up, differences, score_names
from evaluator.fairness.name_tables import (
    change_table,
    changed_table,
    frequent_table,
    label_table,
    rate_tables,
    version_bias_table,
)
from evaluator.fairness.name_versions import changed_names, rate_changes, shared, version_bias
from evaluator.plain_tables import Table


@dataclass(frozen=True, slots=True)
class Part:
    """Tables, and the same as plain values by what they are called."""

    tables: tuple[Table, ...]
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesByYear:
    """One error rate of a system on the names of one sex, year by year: what a curve shows. None where there is none."""

    system: str
    sex: Sex
    values: tuple[float | None, ...]


def rates_by_year(
    scores: Sequence[NameScore], template: str | None, error: ErrorType, *, weighted: bool
) -> tuple[tuple[int, ...], tuple[RatesByYear, ...]]:
    """One error rate over the years, by system and sex.

    Args:
        scores: of single years.
        template: the one to show; None where templates were added up.
        error: which of the three.
        weighted: by frequency in the census.

    Returns:
        The years, rising, and the rates in these years.
    """
    shown = {(each.system, each.sex, each.year): each for each in scores if each.template == template and each.year is not None}
    years = tuple(sorted({each.year for each in shown.values() if each.year is not None}))
    found = []
    for system, sex in dict.fromkeys((each.system, each.sex) for each in shown.values()):
        here = [shown.get((system, sex, year)) for year in years]
        values = tuple(None if each is None else each.rate(error, weighted=weighted) for each in here)
        found.append(RatesByYear(system=system, sex=sex, values=values))
    return years, tuple(found)


def describe(tagged: Sequence[TaggedNames], rule: Rule, most: int | None) -> list[Part]:
    """The rates and differences, the most frequent names in error, and what names were tagged as.

    Args:
        tagged: each system, template, year and sex once.
        rule: what is an error.
        most: how many names in error of each system, template and sex; None for all.
    """
    scores = [score_names(each, rule) for each in sorted(tagged, key=lambda one: one.key)]
    totals = add_up(scores)  # of one year as well, so that what reads them finds them
    frequent, labels = names_in_error(tagged, rule, most), count_labels(tagged)
    value = {
        "scores": [each.to_json() for each in scores],
        "differences": [each.to_json() for each in differences(scores)],
        "over-years": [each.to_json() for each in totals],
        "differences-over-years": [each.to_json() for each in differences(totals)],
        "names-in-error": [asdict(each) for each in frequent],
        "labels": [asdict(each) for each in labels],
    }
    return [Part((*rate_tables(scores), frequent_table(frequent), label_table(labels)), value)]


def compare(before: Sequence[TaggedNames], after: Sequence[TaggedNames], pair: tuple[str, str], rule: Rule) -> Part:
    """Version bias: what an update did to the rates of either sex, and to which names.

    Args:
        before, after: each system, template, year and sex once.
        pair: the system before, and after.
        rule: what is an error.

    Raises:
        ValueError: they were not given the same names, or nothing both have.
    """
    old, new = pair
    both = shared([each for each in before if each.system == old], [each for each in after if each.system == new])
    if not both:
        raise ValueError(f"{old} and {new} have no template and year in common")
    sides = [[score_names(each, rule) for each in side] for side in zip(*both, strict=True)]
    by_year = rate_changes(*sides)
    totals = rate_changes(*(add_up(each) for each in sides)) if len({each.year for each in by_year}) > 1 else by_year
    biases = version_bias(totals)
    names = changed_names(both, rule)
    earlier = f"{old} before" if old == new else old
    value = {
        "before": old,
        "after": new,
        "over-years": [each.to_json() for each in totals],
        "version-bias": [each.to_json() for each in biases],
        "by-year": [each.to_json() for each in by_year],
        "names": [asdict(each) for each in names],
    }
    tables = (
        change_table(earlier, new, totals),
        version_bias_table(earlier, new, biases),
        changed_table(earlier, new, names),
    )
    return Part(tables, {f"versions {old} {new}": value})
