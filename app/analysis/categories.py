"""What a run misses of each group, by category: as it is kept with the run, and for its page (METHODS, section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter

from brat.model import Document
from evaluator.fairness.categories import CategoryCounts, Missed, count_categories
from evaluator.fairness.category_sources import by_label, by_string
from evaluator.matching import Matching
from evaluator.scoring import Scheme
from evaluator.tables import Tables


@dataclass(frozen=True, slots=True)
class Cell:
    """The entities of a group in a category, and how many were missed; no category: those that have none."""

    group: str
    category: str | None
    gold: int
    missed: int


@dataclass(frozen=True, slots=True)
class StoredCategories:
    """The counts of all groups of an attribute under one criterion.

    `ungrouped` are (gold, missed) of documents without a group.
    """

    attribute: str
    span: str
    labels: str
    groups: tuple[str, ...]
    categories: tuple[str, ...]
    cells: tuple[Cell, ...]
    ungrouped: tuple[int, int]

    def counts(self) -> CategoryCounts:
        """The same as what figures are made of."""
        known = {(each.group, each.category): Missed(each.gold, each.missed) for each in self.cells}
        return CategoryCounts(
            groups=self.groups,
            categories=self.categories,
            counts={(group, category): each for (group, category), each in known.items() if category is not None},
            uncategorised={group: known.get((group, None), Missed()) for group in self.groups},
            ungrouped=Missed(*self.ungrouped),
        )


_STORED = TypeAdapter(list[StoredCategories])


def count_all(
    groups: Mapping[str, Mapping[str, str]],
    gold: Mapping[str, Document],
    tables: Tables,
    matchings: Sequence[Matching],
    scheme: Scheme,
    *,
    lexicon: Mapping[str, str],
) -> Iterator[StoredCategories]:
    """Count the entities of every attribute's groups under every criterion; nothing is matched again.

    Args:
        groups: of each attribute, its value for every document that has one.
        gold, tables, matchings: what was scored.
        scheme: what is counted; triggers are no entities.
        lexicon: category by folded string; where it is empty, the category of an entity is its label.
    """
    of_row = (by_string(tables, gold, lexicon) if lexicon else by_label(tables)).of_row
    entities = np.array([each not in scheme.triggers for each in tables.labels], dtype=bool) & scheme.counted(tables.labels)
    counted = entities[tables.gold.label] if len(tables.labels) else np.zeros(0, dtype=bool)
    for attribute, values in groups.items():
        for matching in matchings:
            found = count_categories(tables, matching, of_row, values, counted)
            cells = [Cell(group, category, each.gold, each.missed) for (group, category), each in found.counts.items()]
            cells += [Cell(group, None, each.gold, each.missed) for group, each in found.uncategorised.items()]
            yield StoredCategories(
                attribute=attribute,
                span=matching.criterion.span_name,
                labels=matching.criterion.labels.value,
                groups=found.groups,
                categories=found.categories,
                cells=tuple(cells),
                ungrouped=(found.ungrouped.gold, found.ungrouped.missed),
            )


def pack_categories(stored: Sequence[StoredCategories]) -> bytes:
    """As JSON."""
    return _STORED.dump_json(list(stored))


def unpack_categories(packed: bytes) -> list[StoredCategories]:
    """The same again."""
    return _STORED.validate_json(packed)
