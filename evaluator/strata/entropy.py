"""Entity entropy: how far the training data leave open what an annotated string is (ChEMU 2020, section 9.3).

A gold annotation is in the stratum of its own string, a predicted one in that of the string it covers: what is predicted
need not occur in the test set, so its entropy is asked for on the fly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

import numpy as np

from brat.model import covered_text
from evaluator.strata.model import Strata
from evaluator.tables import EntityTable, Ints, Tables

NAME = "entropy"
STRATA = ("S1", "S2", "S3", "S4")
_MIDDLE = 0.25
_UNSEEN = 1 - 1e-12


def set_of(entropy: float) -> str:
    """S1 {0}, S2 (0, .25), S3 [.25, 1) or S4: 1 and more, to which an unseen string belongs by definition.

    With more than ten categories entropy can pass 1; what rounding has put within 1e-12 of it is in S4 too.

    Raises:
        ValueError: it is negative or no number.
    """
    if not entropy >= 0:
        raise ValueError(f"{entropy} is no entropy")
    if entropy >= _UNSEEN:
        return "S4"
    if entropy >= _MIDDLE:
        return "S3"
    return "S2" if entropy > 0 else "S1"


def by_entropy(
    entropy: Callable[[str], float],
    tables: Tables,
    triggers: Collection[str] = (),
    of_trigger: Callable[[str], float] | None = None,
) -> Strata:
    """The strata S1 to S4.

    Args:
        entropy: of a string over train and dev, base 10, 1.0 where it is not seen; called once for each string.
        tables: gold and run. Without a document's text, the text columns are what its annotations cover.
        triggers: labels whose annotations are asked another question,
        of_trigger: which is this one: the same over what occurrences carry as triggers. Where it is not given, none are.
    """
    asked = {False: cache(lambda string: STRATA.index(set_of(entropy(string))))}
    asked[True] = asked[False] if of_trigger is None else cache(lambda string: STRATA.index(set_of(of_trigger(string))))
    is_trigger = [each in triggers for each in tables.labels]

    def side(table: EntityTable) -> Ints:
        kinds = (is_trigger[label] for label in table.label.tolist())
        found = (asked[kind](string) for kind, string in zip(kinds, strings_of(tables, table), strict=True))
        return np.fromiter(found, dtype=np.int64, count=len(table))

    return Strata(NAME, STRATA, side(tables.gold), side(tables.run))


def strings_of(tables: Tables, side: EntityTable) -> list[str]:
    """[n] what each row covers: its fragments of the text joined by a space, white space collapsed, case kept."""
    return [_string(tables, side, row) for row in range(len(side))]


def distinct_strings(tables: Tables) -> list[str]:
    """Every string of gold and run, sorted: what the entropy will be asked of."""
    return sorted({string for side in (tables.gold, tables.run) for string in strings_of(tables, side)})


def _string(tables: Tables, side: EntityTable, row: int) -> str:
    text = tables.texts[int(side.document[row])]
    covered = (side.text[row] or "") if text is None else covered_text(text, tables.shapes[side.span[row]])
    return " ".join(covered.split())
