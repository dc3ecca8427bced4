"""The tables of false negatives by group and category: the paper's Tables 6 and 7 and the data of its Figure 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.fairness.categories import CategoryCounts, CategoryRatio, Comparison, Missed, to_json
from evaluator.plain_tables import Cell, Report, Table


def report_categories(counts: CategoryCounts, comparison: Comparison | None, signature: Mapping[str, Any]) -> Report:
    """All of it; without a comparison, Table 6 only."""
    tables = [rates_table(counts), correlations_table(counts)]
    if comparison is not None:
        tables += [weighted_table(comparison), ratios_table(comparison), *_left_out(comparison)]
    return Report(tables=tuple(tables), value={"categories": to_json(counts, comparison)}, signature=signature)


def rates_table(counts: CategoryCounts) -> Table:
    """Table 6: total and FNR of every category and group, the sum below, and what has no category below that."""
    rows = [(each, *_cells([counts.of(group, each) for group in counts.groups])) for each in counts.categories]
    rows.append(("all of these", *_cells([counts.total(group) for group in counts.groups])))
    rows.append(("without a category", *_cells([counts.uncategorised[group] for group in counts.groups])))
    aside = f"; {counts.ungrouped.gold:,} more are in documents without a group" if counts.ungrouped.gold else ""
    return Table(
        key="rates",
        title=f"False negative rate (FNR) by category and group{aside}",
        heads=("category", *(head for group in counts.groups for head in (f"total {group}", f"FNR {group}"))),
        rows=tuple(rows),
    )


def _cells(found: list[Missed]) -> Iterator[Cell]:
    for each in found:
        yield each.gold
        yield each.rate


def correlations_table(counts: CategoryCounts) -> Table:
    """The last line of Table 6."""
    met = {group: sum(counts.of(group, each).gold > 0 for each in counts.categories) for group in counts.groups}
    return Table(
        key="correlations",
        title="Pearson's r between the frequency of a category and its FNR",
        heads=("group", "categories", "r"),
        rows=tuple((group, met[group], counts.correlation(group)) for group in counts.groups),
    )


def weighted_table(comparison: Comparison) -> Table:
    """Table 7: FNR and weighted FNR of both groups, their gap and their ratio."""
    first, second, fnr, weighted = comparison.first, comparison.second, comparison.fnr, comparison.weighted
    return Table(
        key="weighted",
        title="FNR and weighted FNR (wFNR), which counts a category for more where the group has more of it than the other",
        heads=("", "FNR", "wFNR"),
        rows=(
            (second, fnr.second, weighted.second),
            (first, fnr.first, weighted.first),
            (f"gap ({first} minus {second})", fnr.gap, weighted.gap),
            (f"ratio ({first} over {second})", fnr.ratio, weighted.ratio),
        ),
    )


def ratios_table(comparison: Comparison) -> Table:
    """The data of Figure 1, the categories that lean to the first group on top, undefined ratios at the end."""
    first, second = comparison.first, comparison.second
    return Table(
        key="ratios",
        title="Larger number of false negatives (FN) over the smaller, minus 1: "
        f"positive where {first} has more, negative where {second} has more",
        heads=("category", f"FN {first}", f"FN {second}", "ratio", "more in"),
        rows=tuple(
            (each.category, each.first.missed, each.second.missed, each.ratio, each.leaning or "neither")
            for each in sorted(comparison.ratios, key=_descending)
        ),
    )


def _descending(each: CategoryRatio) -> tuple[bool, float, str]:
    return each.ratio is None, -(each.ratio or 0), each.category


def _left_out(comparison: Comparison) -> Iterator[Table]:
    reasons = [(each, "wFNR", "a group has none of it") for each in comparison.dropped]
    reasons += [(each, "ratio", "a group has no false negative in it") for each in comparison.without_ratio]
    if reasons:
        yield Table(
            key="left-out",
            title="Categories that a figure leaves out",
            heads=("category", "figure", "since"),
            rows=tuple(reasons),
        )
