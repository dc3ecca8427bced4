"""Groups: documents by an attribute, such as the gender of the person who wrote them, an age band or a decade.

The code knows groups; gender is one. A document without the attribute is in none of them, and is counted as `unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.strata.model import NONE, UNKNOWN, Strata, by_document
from evaluator.tables import Tables

_PREFIX = "group:"


def group_name(attribute: str) -> str:
    """What the stratification by an attribute is called in a Score record: `group:gender`."""
    return f"{_PREFIX}{attribute}"


def attribute_of(stratification: str) -> str | None:
    """The attribute behind `group:gender`; None for a stratification that is not by group."""
    return stratification.removeprefix(_PREFIX) if stratification.startswith(_PREFIX) else None


def groups_in(values: Mapping[str, str]) -> tuple[str, ...]:
    """The groups of an attribute, sorted; numbers by their size, before words."""
    return tuple(sorted(set(values.values()), key=_order))


def _order(group: str) -> tuple[bool, float, str]:
    try:
        return False, float(group), group
    except ValueError:
        return True, 0.0, group


def named(values: Mapping[str, str]) -> dict[str, str]:
    """The values as names of groups: `none` is what annotations without a stratum are in, so as a value it is marked."""
    return {id_: f"{NONE} (as given)" if value == NONE else value for id_, value in values.items()}


def by_group(attribute: str, values: Mapping[str, str], tables: Tables, groups: Sequence[str] | None = None) -> Strata:
    """The strata of an attribute.

    Args:
        attribute: its name.
        values: of each document that has it; those of documents that are not in the tables do not matter.
        tables: gold and run.
        groups: all groups, in order; those that are met where not given.
    """
    here = named({id_: values[id_] for id_ in tables.documents if id_ in values})
    names = tuple(groups) if groups is not None else groups_in(here)
    known = [each for each in names if each != UNKNOWN]
    return by_document(
        group_name(attribute), (*known, UNKNOWN), {id_: here.get(id_, UNKNOWN) for id_ in tables.documents}, tables
    )
