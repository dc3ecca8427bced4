"""The tables that the statistics of a corpus are told in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from evaluator.analysis.corpus_statistics import CorpusStatistics, Likeness, Spread
from evaluator.leakage.fairness import LABEL
from evaluator.plain_tables import Cell, Report, Table
from evaluator.scores import ALL


def report_statistics(found: CorpusStatistics, signature: dict[str, Any]) -> Report:
    """Tables and plain values."""
    value = {
        "splits": [
            {
                "split": each.name,
                "documents": each.documents,
                "sentences": asdict(each.sentences),
                "words": asdict(each.words),
                "instances": [
                    {"annotations": kind, "label": label, "count": count} for (kind, label), count in each.instances.items()
                ],
            }
            for each in found.splits
        ],
        "likeness": [_likeness(each) for each in found.likeness],
    }
    return Report(tables=tuple(statistics_tables(found)), value=value, signature=signature)


def statistics_tables(found: CorpusStatistics) -> Iterator[Table]:
    """Tables 1, 3 and 4 of the paper, and what its Figures 4 and 5 show."""
    names = [each.name for each in found.splits]
    rows: list[tuple[Cell, ...]] = []
    for each in found.splits:
        for what, spread in (("sentences", each.sentences), ("words", each.words)):
            rows.append((each.name, each.documents, what, *_spread(spread)))
    yield Table(
        key="texts",
        title="Documents, and their sentences and words",
        heads=("split", "documents", "of each", "total", "min", "max", "median", "mean"),
        rows=tuple(rows),
    )
    keys = list(dict.fromkeys(key for each in found.splits for key in each.instances))
    order = list(dict.fromkeys(kind for kind, _ in keys))
    keys.sort(key=lambda key: (order.index(key[0]), key[1] != ALL, key[1]))
    yield Table(
        key="instances",
        title="Annotations by label",
        heads=("annotations", "label", *names),
        rows=tuple((*key, *(each.instances.get(key, 0) for each in found.splits)) for key in keys),
    )
    for likeness in found.likeness:
        yield from _likeness_tables(likeness)


def _spread(spread: Spread) -> tuple[Cell, ...]:
    return spread.total, spread.low, spread.high, spread.median, spread.mean


def _likeness_tables(each: Likeness) -> Iterator[Table]:
    fairness = each.fairness
    if len(fairness.splits) < 2:
        return
    what = "labels" if fairness.name == LABEL else fairness.name
    yield Table(
        key=f"shares:{fairness.name}",
        title=f"Share of {what} in each split",
        heads=(fairness.name, *fairness.splits),
        rows=tuple((value, *shares) for value, shares in zip(fairness.values, fairness.shares, strict=True)),
    )
    largest = fairness.largest
    yield Table(
        key=f"test:{fairness.name}",
        title=f"Are {what} distributed alike? Pearson's chi-squared; the effect is Cramér's V, under 5 expected it is rough",
        heads=("largest difference", "of", "between", "chi-squared", "df", "p", "effect", "least expected"),
        rows=(
            (
                "–" if largest is None else f"{largest.difference:.4f}",
                "–" if largest is None else largest.value,
                "–" if largest is None else " and ".join(largest.splits),
                each.statistic,
                each.freedom,
                each.p,
                each.effect,
                each.smallest,
            ),
        ),
    )


def _likeness(each: Likeness) -> dict[str, Any]:
    return {
        **asdict(each.fairness),
        "statistic": each.statistic,
        "freedom": each.freedom,
        "p": each.p,
        "effect": each.effect,
        "least_expected": each.smallest,
    }
