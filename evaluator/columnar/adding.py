"""Scores on the whole and on every stratum, added up from blocks of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluator.criteria import Annotations, Criterion
from evaluator.matching import Matching, match
from evaluator.scores import Counts, Part, Score, told
from evaluator.scoring import Scheme, lay_out
from evaluator.strata.model import NONE, Strata
from evaluator.tables import Ints, Tables

_KIND = Annotations.ENTITIES
_DENSE = 4


@dataclass(frozen=True, slots=True)
class Block:
    """What was matched of some documents.

    Attributes:
        tables: of these documents.
        place: [documents of the tables] the number of each among all.
        matchings: one a criterion.
        parts: what is counted under each criterion.
    """

    tables: Tables
    place: Ints
    matchings: tuple[Matching, ...]
    parts: tuple[Part, ...]


class Sums:
    """Counts of entities, added up block by block; as `evaluator.scoring.score` and `evaluator.strata.tallying` count them.

    Stratifications are by document. Counts are kept for each label and each combination of strata that some document is in,
    so that their number does not grow with that of annotations.

    Attributes:
        documents: for each criterion, [documents, 3] true positives, false positives and false negatives.
    """

    def __init__(
        self, documents: Sequence[str], criteria: Sequence[Criterion], scheme: Scheme, stratifications: Sequence[Strata] = ()
    ) -> None:
        if scheme.triggers or scheme.annotations != (_KIND,):
            raise ValueError("blocks of documents are scored for entities only")
        places = [each.documents for each in stratifications]
        by_document = [each for each in places if each is not None and len(each) == len(documents)]
        if len(by_document) < len(places):
            raise ValueError("the stratifications must be by document, and of these documents")
        # The first row is the whole, which is there without any stratification too.
        stacked = np.stack([np.zeros(len(documents), dtype=np.int64), *by_document])
        combinations, cell = np.unique(stacked, axis=1, return_inverse=True)
        self._criteria, self._scheme, self._stratifications = tuple(criteria), scheme, tuple(stratifications)
        self._strata_of_cell: Ints = combinations[1:]
        self._cell: Ints = cell.reshape(-1)
        self._counts: list[dict[tuple[int, str], Counts]] = [{} for _ in criteria]
        self.documents: list[Ints] = [np.zeros((len(documents), 3), dtype=np.int64) for _ in criteria]

    def take(self, tables: Tables, place: Ints) -> Block:
        """Match and count a block of documents, each of which comes once.

        Args:
            tables: of the block.
            place: [documents of the tables] the number of each among all documents.
        """
        scheme = self._scheme
        counted = lay_out({}, {}, tables, scheme)
        matchings = tuple(match(tables, each, scheme.hierarchy) for each in self._criteria)
        parts = tuple(counted.parts(each)[_KIND][0] for each in matchings)
        for number, part in enumerate(parts):
            self._add(number, part, tables, place)
        return Block(tables, place, matchings, parts)

    def _add(self, number: int, part: Part, tables: Tables, place: Ints) -> None:
        of_gold, of_run = tables.gold.document[part.gold_row], tables.run.document[part.run_row]
        right, predicted_right = of_gold[part.pairs_gold], of_run[part.pairs_run]
        size = len(place)
        tp, predicted, wanted, found = (np.bincount(each, minlength=size) for each in (right, of_run, of_gold, predicted_right))
        self.documents[number][place] += np.stack([tp, predicted - found, wanted - tp], axis=1)
        cells, local = np.unique(self._cell[place], return_inverse=True)
        labels = len(part.labels)

        def keys(document: Ints, label: Ints) -> Ints:
            return local[document] * labels + label

        counts = _count_keys(
            len(cells) * labels,
            keys(of_gold, part.gold),
            keys(of_run, part.run),
            keys(right, part.gold[part.pairs_gold]),
            keys(predicted_right, part.run[part.pairs_run]),
        )
        whole = self._counts[number]
        for key, n_gold, n_run, n_right, n_predicted in counts:
            cell, label = int(cells[key // labels]), part.labels[key % labels]
            more = Counts(n_right, n_run - n_predicted, n_gold - n_right)
            whole[cell, label] = whole.get((cell, label), Counts()) + more

    def scores(self) -> Iterator[Score]:
        """The scores on the whole: of each criterion in turn, in the order in which `tally` gives them."""
        for criterion, counts in zip(self._criteria, self._counts, strict=True):
            whole = _by_stratum(counts, np.zeros(self._strata_of_cell.shape[1], dtype=np.int64))
            yield from told(_KIND, criterion, (whole.get(0, {}), self._scheme.hierarchy))

    def strata_scores(self) -> Iterator[Score]:
        """The scores on every stratum, in the order in which `score_strata` gives them."""
        for criterion, counts in zip(self._criteria, self._counts, strict=True):
            for strata, of_cell in zip(self._stratifications, self._strata_of_cell, strict=True):
                sums = _by_stratum(counts, of_cell)
                for number, name in (*enumerate(strata.strata), (-1, NONE)):
                    if number in sums:
                        for each in told(_KIND, criterion, (sums[number], self._scheme.hierarchy)):
                            yield replace(each, stratification=strata.name, stratum=name)


def _by_stratum(counts: dict[tuple[int, str], Counts], of_cell: Ints) -> dict[int, dict[str, Counts]]:
    """The counts of each label in each stratum that has some, all cells looked at once.

    Args:
        counts: by cell and label.
        of_cell: [cells] the number of each one's stratum.
    """
    found: dict[int, dict[str, Counts]] = {}
    strata = of_cell.tolist()
    for (cell, label), each in counts.items():
        own = found.setdefault(strata[cell], {})
        own[label] = own.get(label, Counts()) + each
    return found


def _count_keys(size: int, *columns: Ints) -> Iterator[tuple[int, ...]]:
    """How often each key occurs in each column, for keys that occur at all.

    Args:
        size: keys are below it.
        columns: each [n].
    """
    every = np.concatenate(columns)
    present = np.arange(size) if size <= _DENSE * len(every) else np.unique(every)
    tallies = [
        np.bincount(np.searchsorted(present, each) if len(present) < size else each, minlength=len(present)) for each in columns
    ]
    rows = np.stack([present, *tallies], axis=1)
    for row in rows[rows[:, 1:].any(axis=1)].tolist():
        yield tuple(row)
