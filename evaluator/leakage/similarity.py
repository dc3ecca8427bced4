"""How near each test document is to training, and how the test documents fall into bins (ChEMU 2020, section 9.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.leakage.nearest import NOBODY, Effort, Nearest, Progress, find_nearest
from evaluator.leakage.vectors import Vectors, vectorise
from evaluator.strata.similarity import STRATA, bin_of, quartiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A test document and the training document that is nearest to it; None and 0 where they share no word with any."""

    document: str
    nearest: str | None
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Some of the test documents.

    Attributes:
        name: Q1 to Q4.
        documents: how many.
        share: of all test documents; None without any.
        lowest, highest: similarity in it; None where it is empty.
    """

    name: str
    documents: int
    share: float | None
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """The similarity of a test set to training.

    Attributes:
        vectors: which vectors were compared, such as `binary-lower`.
        method: `exact`, or how it was approximated.
        neighbours: one for each test document, by id.
        bins: the paper's Q1 [0, .25), Q2 [.25, .5), Q3 [.5, .75), Q4 [.75, 1].
        quartiles: four groups of equal size, the least similar first.
    """

    vectors: str
    method: str
    neighbours: tuple[Neighbour, ...]
    bins: tuple[Bin, ...]
    quartiles: tuple[Bin, ...]

    @property
    def of_document(self) -> dict[str, float]:
        """The similarity of each test document."""
        return {each.document: each.similarity for each in self.neighbours}


def find_similarity(
    train: Mapping[str, str],
    test: Mapping[str, str],
    vectors: Vectors | None = None,
    effort: Effort | None = None,
    progress: Progress | None = None,
) -> Similarity:
    """The similarity of test texts to training texts, exactly. Dev is not training here.

    Cosines are sums of products of float64, term by term, as in scikit-learn's `cosine_similarity`: one that is exactly an
    edge of a bin can come out a rounding below it, and is then in the lower bin.

    Args:
        train, test: texts by document id. Of equally near training documents the one with the lowest id is told.
        vectors: binary and lower-cased where not given.
        effort: memory and processes.
        progress: told how many pairs have been compared, and how many there are.
    """
    vectors = vectors or Vectors()
    test_ids, train_ids = sorted(test), sorted(train)
    rows, columns = vectorise(vectors, [test[id_] for id_ in test_ids], [train[id_] for id_ in train_ids])
    return describe(test_ids, train_ids, find_nearest(rows, columns, effort, progress), vectors=vectors.name, method="exact")


def describe(test_ids: Sequence[str], train_ids: Sequence[str], nearest: Nearest, *, vectors: str, method: str) -> Similarity:
    """What was found, with its bins."""
    neighbours = tuple(
        Neighbour(document=id_, nearest=None if at == NOBODY else train_ids[at], similarity=similarity)
        for id_, at, similarity in zip(test_ids, nearest.train.tolist(), nearest.similarity.tolist(), strict=True)
    )
    values = {each.document: each.similarity for each in neighbours}
    return Similarity(
        vectors=vectors,
        method=method,
        neighbours=neighbours,
        bins=_bins(values, {id_: bin_of(value) for id_, value in values.items()}),
        quartiles=_bins(values, quartiles(values)),
    )


def _bins(values: Mapping[str, float], place: Mapping[str, str]) -> tuple[Bin, ...]:
    found: dict[str, list[float]] = {name: [] for name in STRATA}
    for id_, value in values.items():
        found[place[id_]].append(value)
    return tuple(
        Bin(
            name=name,
            documents=len(each),
            share=len(each) / len(values) if values else None,
            lowest=min(each, default=None),
            highest=max(each, default=None),
        )
        for name, each in found.items()
    )
