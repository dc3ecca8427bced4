"""True positives, false positives and false negatives of each document: what every resampling over documents adds up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from brat.model import Document
from evaluator.criteria import Annotations, Criterion
from evaluator.matching import Matching
from evaluator.scores import Counts, Part
from evaluator.scoring import Scheme, lay_out
from evaluator.tables import Ints, Tables


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """The counts of one kind of annotations under one criterion, all labels together.

    Attributes:
        annotations: what was counted.
        criterion: when it was right.
        counts: [documents, 3] true positives, false positives and false negatives, in the order of `Tables.documents`.
    """

    annotations: Annotations
    criterion: Criterion
    counts: Ints

    @property
    def total(self) -> Counts:
        """The sum over all documents: the score on the whole set."""
        return Counts(*self.counts.sum(axis=0).tolist())


def count_documents(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    tables: Tables,
    matchings: Iterable[Matching],
    scheme: Scheme,
) -> Iterator[DocumentCounts]:
    """The counts of each document, of each matching and each kind of annotations in turn; nothing is matched again.

    Args:
        gold, run: the documents that were scored.
        tables, matchings: of these documents, under this scheme.
        scheme: what is counted.
    """
    counted = lay_out(gold, run, tables, scheme)
    for matching in matchings:
        for kind, parts in counted.parts(matching).items():
            yield DocumentCounts(kind, matching.criterion, sum_parts(parts, tables))


def sum_parts(parts: Iterable[Part], tables: Tables) -> Ints:
    """[documents, 3] of the tables: what of some parts is right, too much and missing in each; a pair is where its gold is."""
    size = len(tables.documents)
    found = np.zeros((size, 3), dtype=np.int64)
    for part in parts:
        of_gold, of_run = tables.gold.document[part.gold_row], tables.run.document[part.run_row]
        right = np.bincount(of_gold[part.pairs_gold], minlength=size)
        predicted_right = np.bincount(of_run[part.pairs_run], minlength=size)
        found[:, 0] += right
        found[:, 1] += np.bincount(of_run, minlength=size) - predicted_right
        found[:, 2] += np.bincount(of_gold, minlength=size) - right
    return found
