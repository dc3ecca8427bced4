"""The whole way from two sets of documents to scores, for the command line and the server alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from brat.model import Document, TextBound
from evaluator.criteria import Criterion
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching, match
from evaluator.scores import Score, tally
from evaluator.tables import Tables, build_tables


@dataclass(frozen=True, slots=True)
class Scored:
    """The tables, one matching a criterion, and the scores: all of the first criterion, then of the next."""

    tables: Tables
    matchings: tuple[Matching, ...]
    scores: tuple[Score, ...]


def score(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    criteria: Iterable[Criterion],
    hierarchy: Hierarchy | None = None,
) -> Scored:
    """Match a run against gold under every criterion and add up. Documents that only the run has are left out."""
    tables = build_tables(gold, run)
    matchings = tuple(match(tables, each, hierarchy) for each in criteria)
    scores = tuple(row for each in matchings for row in tally(tables, each, hierarchy))
    return Scored(tables, matchings, scores)


def keep_labels(documents: Mapping[str, Document], only: frozenset[str], ignore: frozenset[str]) -> dict[str, Document]:
    """The documents with those text-bound annotations whose label is in `only` (when not empty) and not in `ignore`."""
    return {
        id_: Document(
            id_,
            tuple(
                a
                for a in each.annotations
                if not isinstance(a, TextBound) or (a.label not in ignore and (not only or a.label in only))
            ),
            each.text,
        )
        for id_, each in documents.items()
    }
