"""The scores of a run by label: one row a label, every label rule of the task side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.runs.services import ToldScore
from evaluator.scores import ALL
from evaluator.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label, how deep it lies below others, and its score under each label rule; None where that does not tell it apart."""

    label: str
    depth: int
    scores: tuple[ToldScore | None, ...]


@dataclass(frozen=True, slots=True)
class LabelTable:
    """The rows of one kind of annotations under one span rule, and what else there is to choose."""

    annotations: str
    span: str
    rules: tuple[str, ...]
    rows: tuple[LabelRow, ...]
    all_annotations: tuple[str, ...]
    all_spans: tuple[str, ...]


def label_table(
    scores: Sequence[ToldScore], definition: TaskDefinition, track: str, wanted: Mapping[str, str]
) -> LabelTable | None:
    """The table that `wanted` (annotations, span) asks for, else that of what the track ranks by; None without scores.

    Labels are in the order of annotation.conf, those it does not know at the end.
    """
    kinds, spans = (tuple(dict.fromkeys(getattr(each.row, name) for each in scores)) for name in ("annotations", "span"))
    if not scores:
        return None
    found = definition.track(track)
    first = found.primary.value if found is not None and found.primary.value in kinds else kinds[0]
    kind = wanted["annotations"] if wanted.get("annotations") in kinds else first
    span = wanted["span"] if wanted.get("span") in spans else spans[0]
    chosen = [each for each in scores if (each.row.annotations, each.row.span) == (kind, span)]
    rules = tuple(dict.fromkeys(each.row.labels for each in chosen))
    by_label = {(each.row.label, each.row.labels): each for each in chosen}
    order = [ALL, *definition.hierarchy.parents, *definition.relations]
    place = {label: number for number, label in reversed(list(enumerate(order)))}
    labels = sorted({label for label, _ in by_label}, key=lambda label: (place.get(label, len(order)), label))
    rows = tuple(
        LabelRow(label, len(definition.hierarchy.ancestors(label)), tuple(by_label.get((label, rule)) for rule in rules))
        for label in labels
    )
    return LabelTable(kind, span, rules, rows, kinds, spans)
