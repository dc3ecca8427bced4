"""The tables that difficulty is told in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.analysis.difficulty import BINS, Difficulty, Instance
from evaluator.analysis.information import Contribution, frequency_of
from evaluator.plain_tables import Cell, Report, Table


def report_difficulty(
    found: Difficulty, contributions: Sequence[Contribution], seen: Mapping[str, int] | None, signature: dict[str, Any]
) -> Report:
    """Tables and plain values."""
    value = {
        "runs": found.runs,
        "histogram": {"exact": found.histogram(), "relaxed": found.histogram(relaxed=True)},
        "instances": [
            {
                "document": each.document,
                "label": each.label,
                "fragments": each.fragments,
                "text": each.text,
                "exact": each.exact,
                "relaxed": each.relaxed,
                "said": [{"kind": one.kind.value, "label": one.label, "text": one.text, "runs": one.runs} for one in each.said],
            }
            for each in found.instances
        ],
        "spurious": [
            {"document": each.document, "label": each.label, "fragments": each.fragments, "text": each.text, "runs": each.runs}
            for each in found.spurious
        ],
        "features": [
            {"feature": each.feature, "values": each.values, "gain": each.gain, "ratio": each.ratio} for each in contributions
        ],
    }
    return Report(tables=tuple(_tables(found, contributions, seen)), value=value, signature=signature)


def _tables(found: Difficulty, contributions: Sequence[Contribution], seen: Mapping[str, int] | None) -> Iterator[Table]:
    exact, relaxed = found.histogram(), found.histogram(relaxed=True)
    yield Table(
        key="histogram",
        title=f"Instances by easiness, the share of {len(found.runs)} runs that get them right",
        heads=("easiness", "exact spans", "relaxed spans"),
        rows=tuple((f"{i / BINS:.1f} to {(i + 1) / BINS:.1f}", exact[i], relaxed[i]) for i in range(BINS)),
    )
    groups: dict[str, Callable[[Instance], str]] = {
        "label": lambda each: each.label,
        "words": lambda each: str(min(len(each.text.split()), 6)) if len(each.text.split()) < 6 else "6+",
    }
    if seen is not None:
        known = seen
        groups["in train"] = lambda each: frequency_of(known.get(each.text, 0))
    for name, group_of in groups.items():
        yield _group_table(name, found.instances, group_of)
    hard = [each for each in found.instances if each.is_hard]
    yield Table(
        key="kinds",
        title="What runs say of hard instances: those that at most a tenth of them get right",
        heads=("kind", "times"),
        rows=tuple(Counter(one.kind.value for each in hard for one in each.said for _ in range(one.runs)).most_common()),
    )
    yield _confusion(hard)
    yield Table(
        key="hard",
        title="Hard instances, those first on which most runs say the same",
        heads=("document", "place", "label", "text", "exact", "relaxed", "most say", "of them"),
        rows=tuple(_hard_row(each) for each in sorted(hard, key=lambda one: -one.said[0].runs if one.said else 0)),
        long=True,
    )
    yield Table(
        key="spurious",
        title="Predictions that several runs make and that overlap nothing in gold",
        heads=("document", "place", "label", "text", "runs"),
        rows=tuple((each.document, _place(each.fragments), each.label, each.text, each.runs) for each in found.spurious),
        long=True,
    )
    yield Table(
        key="features",
        title="What features tell of hard and easy: information gain in bits, and its ratio to all there is to tell",
        heads=("feature", "values", "gain", "ratio"),
        rows=tuple((each.feature, each.values, each.gain, each.ratio) for each in contributions),
    )


def _group_table(name: str, instances: Sequence[Instance], group_of: Callable[[Instance], str]) -> Table:
    parts: dict[str, list[Instance]] = {}
    for each in instances:
        parts.setdefault(group_of(each), []).append(each)
    rows: list[tuple[Cell, ...]] = []
    for group, part in sorted(parts.items()):
        means = [sum(getattr(each, kind) for each in part) / len(part) for kind in ("exact", "relaxed")]
        rows.append((group, len(part), *means, sum(each.is_hard for each in part), sum(each.is_easy for each in part)))
    return Table(
        key=f"by:{name}",
        title=f"Easiness by {name}",
        heads=(name, "instances", "mean exact", "mean relaxed", "hard", "easy"),
        rows=tuple(rows),
    )


def _confusion(hard: Sequence[Instance]) -> Table:
    counts = Counter((each.label, one.label) for each in hard for one in each.said for _ in range(one.runs))
    columns = sorted({label for _, label in counts})
    rows = sorted({label for label, _ in counts})
    return Table(
        key="confusion",
        title="Labels of hard instances, and what runs say instead, O for nothing",
        heads=("gold", *columns),
        rows=tuple((row, *(counts[row, column] for column in columns)) for row in rows),
    )


def _hard_row(each: Instance) -> tuple[Cell, ...]:
    first = each.said[0] if each.said else None
    instead = "–" if first is None else f"{first.kind.value}: {first.label} {first.text}".rstrip()
    return (
        each.document, _place(each.fragments), each.label, each.text, each.exact, each.relaxed, instead,
        0 if first is None else first.runs,
    )  # fmt: skip


def _place(fragments: Sequence[tuple[int, int]]) -> str:
    return ";".join(f"{start} {end}" for start, end in fragments)
