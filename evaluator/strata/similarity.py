"""Text similarity: how near the nearest training document is (ChEMU 2020, section 9.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from evaluator.strata.model import Strata, by_document
from evaluator.tables import Tables

BINS, QUARTILES = "similarity", "similarity-quartile"
STRATA = ("Q1", "Q2", "Q3", "Q4")
EDGES = (0.25, 0.5, 0.75)
"""Where Q2, Q3 and Q4 begin; each bin has its lower edge."""


def bin_of(similarity: float) -> str:
    """Q1 [0, .25), Q2 [.25, .5), Q3 [.5, .75) or Q4 [.75, 1]; what rounding has put above 1 is in Q4.

    Raises:
        ValueError: it is negative or no number.
    """
    if not similarity >= 0:
        raise ValueError(f"{similarity} is no similarity")
    return STRATA[bisect_right(EDGES, similarity)]


def quartiles(similarity: Mapping[str, float]) -> dict[str, str]:
    """The documents in four groups of equal size, least similar first; equal values are in the order of their ids.

    Where the number of documents is no multiple of four, sizes differ by one at most.
    """
    order = sorted(similarity, key=lambda id_: (similarity[id_], id_))
    return {id_: STRATA[len(STRATA) * rank // len(order)] for rank, id_ in enumerate(order)}


def by_similarity(similarity: Mapping[str, float], tables: Tables) -> Strata:
    """The paper's bins, which can be empty.

    Args:
        similarity: of each test document to its nearest training document, in [0, 1].
        tables: gold and run.
    """
    return by_document(BINS, STRATA, {id_: bin_of(value) for id_, value in similarity.items()}, tables)


def by_similarity_quartile(similarity: Mapping[str, float], tables: Tables) -> Strata:
    """Real quartiles of the documents in `similarity`, which must be the test set and nothing else."""
    return by_document(QUARTILES, STRATA, quartiles(similarity), tables)
