"""Relations: paired through the partners of their arguments, so that nothing is matched a second time.

A predicted relation is right when a gold one has a label that agrees and its arguments are the partners of the predicted
arguments, each in its place. Roles say only which argument is which: they are put in the order of their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from brat.model import Document, Relation
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Partners
from evaluator.pairing import pair_rows
from evaluator.references import anchors
from evaluator.scores import Part
from evaluator.tables import EntityTable, Flags, Ints, Tables, first_of_each


@dataclass(frozen=True, slots=True)
class RelationTable:
    """The relations of one side, without repetitions, in the order of their documents and lines.

    Attributes:
        document: [n] index into `Tables.documents`.
        label: [n] index into `Relations.labels`.
        first, second: [n] rows of the side's `EntityTable`; the trigger of an event stands for the event.
        repeated: how many repetitions (same document, label and arguments) were left out.
    """

    document: Ints
    label: Ints
    first: Ints
    second: Ints
    repeated: int

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True)
class Relations:
    """Gold and run side by side; `labels` are sorted. Relations with an argument that leads nowhere are in neither."""

    labels: tuple[str, ...]
    gold: RelationTable
    run: RelationTable


def build_relations(tables: Tables, gold: Mapping[str, Document], run: Mapping[str, Document]) -> Relations:
    """Lay out the relations of the documents that `tables` were built from."""
    lines = [_read_side(tables.documents, side) for side in (gold, run)]
    labels = tuple(sorted({each[1] for side in lines for each in side}))
    number = {label: i for i, label in enumerate(labels)}
    sides = zip(lines, (tables.gold, tables.run), strict=True)
    return Relations(labels, *(_build_side(side, number, entities) for side, entities in sides))


def relation_part(
    relations: Relations,
    partners: Partners,
    classes: Ints,
    hierarchy: Hierarchy,
    *,
    counted: Flags,
    given_triggers: bool = False,
) -> Part:
    """The relations that are counted, and their pairs.

    Args:
        relations: both sides.
        partners: of the text-bound annotations.
        classes: [labels] which labels agree (`evaluator.pairing.label_classes`).
        hierarchy: of the labels of relations.
        counted: [labels] which labels are counted.
        given_triggers: only relations whose first argument has a partner: how well arguments are found, given right triggers.
    """
    gold, run = relations.gold, relations.run
    g, r = counted[gold.label], counted[run.label]
    if given_triggers:
        g, r = g & partners.gold_found[gold.first], r & partners.run_found[run.first]
    gold_label, run_label = gold.label[g], run.label[r]
    keys = [
        (partners.gold[gold.first[g]], partners.run[run.first[r]]),
        (partners.gold[gold.second[g]], partners.run[run.second[r]]),
    ]
    pairs_gold, pairs_run = pair_rows(keys, (gold_label, run_label), classes)
    return Part(
        labels=relations.labels,
        gold=gold_label,
        run=run_label,
        gold_row=gold.first[g],
        run_row=run.first[r],
        pairs_gold=pairs_gold,
        pairs_run=pairs_run,
        hierarchy=hierarchy,
    )


def _read_side(ids: tuple[str, ...], documents: Mapping[str, Document]) -> list[tuple[int, str, int, int]]:
    """(document, label, first, second) of every relation that leads somewhere; arguments are numbered as they are given."""
    found: list[tuple[int, str, int, int]] = []
    start = 0
    for number, id_ in enumerate(ids):
        document = documents.get(id_)
        if document is None:
            continue
        relations = [each for each in document.annotations if isinstance(each, Relation)]
        if relations:
            at = anchors(document, start)
            for each in relations:
                first, second = each.in_order
                one, other = at.get(first.target), at.get(second.target)
                if one is not None and other is not None:
                    found.append((number, each.label, one, other))
        start += sum(1 for _ in document.text_bounds)
    return found


def _build_side(lines: list[tuple[int, str, int, int]], number: Mapping[str, int], entities: EntityTable) -> RelationTable:
    columns = np.array([(document, number[label], one, other) for document, label, one, other in lines], dtype=np.int64)
    document, label, one, other = columns.reshape(-1, 4).T
    first, second = entities.row[one], entities.row[other]
    kept, _ = first_of_each(label, first, second)  # a row is of one document
    return RelationTable(document[kept], label[kept], first[kept], second[kept], len(lines) - len(kept))
