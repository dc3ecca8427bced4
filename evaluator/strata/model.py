"""A stratification: the stratum of every gold and every predicted annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.tables import EntityTable, Ints, Tables

NONE = "none"
"""The stratum told for annotations that a stratification gives none, so that all parts add up to the whole."""
UNKNOWN = "unknown"
"""The stratum of documents that lack the metadata; it is told, and never is the best or the worst one."""
_CROSS = "×"


@dataclass(frozen=True, slots=True)
class Strata:
    """One stratification of the gold and predicted annotations of some tables.

    What hangs on text-bound annotations, relations and events, is in a stratum where the stratification is by document.

    Attributes:
        name: as in a Score record: `source`, `similarity`, `similarity-quartile`, `entropy`.
        strata: the names of the parts, in order.
        gold: [rows of `Tables.gold`] the number of each one's stratum, -1 for none.
        run: [rows of `Tables.run`] the same; it counts for what is in no pair.
        documents: [documents of the tables] the number of the stratum of each, which is that of all its rows, -1 for none;
            None where the stratification is not by document.

    Raises:
        ValueError: a name of a stratum occurs twice or is `none`, or a number has no name.
    """

    name: str
    strata: tuple[str, ...]
    gold: Ints
    run: Ints
    documents: Ints | None = None

    def __post_init__(self) -> None:
        if len(set(self.strata)) < len(self.strata) or NONE in self.strata:
            raise ValueError(f"{self.name}: strata must have different names, none of them {NONE}")
        for each in (self.gold, self.run, self.documents):
            if each is not None and len(each) and not -1 <= int(each.min()) <= int(each.max()) < len(self.strata):
                raise ValueError(f"{self.name}: there are {len(self.strata)} strata, numbered from 0, and -1 for none")


def by_document(name: str, strata: Sequence[str], of_document: Mapping[str, str], tables: Tables) -> Strata:
    """Every annotation in the stratum of its document, on both sides; documents that are not in the mapping have none.

    Raises:
        ValueError: a document is in a stratum that is not among `strata`.
    """
    number = {stratum: i for i, stratum in enumerate(strata)}
    unknown = sorted(set(of_document.values()) - number.keys())
    if unknown:
        raise ValueError(f"{name}: {', '.join(unknown)} is not one of {', '.join(strata)}")
    place = np.array([number[of_document[each]] if each in of_document else -1 for each in tables.documents], dtype=np.int64)

    def side(table: EntityTable) -> Ints:
        return place[table.document] if len(table) else np.zeros(0, dtype=np.int64)

    return Strata(name, tuple(strata), side(tables.gold), side(tables.run), place)


def cross(one: Strata, other: Strata) -> Strata:
    """Two stratifications of the same tables at once: `source×entropy` with `new×S1`; what has none in either has none.

    It is by document where both are.
    """
    size = len(other.strata)

    def both(a: Ints, b: Ints) -> Ints:
        return np.where((a < 0) | (b < 0), -1, a * size + b).astype(np.int64)

    return Strata(
        f"{one.name}{_CROSS}{other.name}",
        tuple(f"{a}{_CROSS}{b}" for a in one.strata for b in other.strata),
        both(one.gold, other.gold),
        both(one.run, other.run),
        None if one.documents is None or other.documents is None else both(one.documents, other.documents),
    )


def is_known(stratum: str) -> bool:
    """Whether a stratum, or every part of a crossed one, is neither `unknown` nor `none`."""
    return not {UNKNOWN, NONE} & set(stratum.split(_CROSS))
