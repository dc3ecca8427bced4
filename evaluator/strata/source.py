"""Source overlap: whether a test document comes from a source that train or dev has too (ChEMU 2020, section 9.1)."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.strata.model import UNKNOWN, Strata, by_document
from evaluator.tables import Tables

NAME = "source"
NEW, SEEN = "new", "seen"
STRATA = (NEW, SEEN, UNKNOWN)


def by_source(seen: Mapping[str, bool | None], tables: Tables) -> Strata:
    """The strata `new` (the paper's T_new), `seen`, and `unknown` for documents whose source is not known.

    Args:
        seen: of each test document, whether its source occurs in train or dev; None, or no entry: not known.
        tables: gold and run.
    """
    names = {True: SEEN, False: NEW, None: UNKNOWN}
    return by_document(NAME, STRATA, {id_: names[seen.get(id_)] for id_ in tables.documents}, tables)
