"""The category of every gold annotation: by its string, its normalisation, its attribute or its label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from brat.model import Attribute, Document, Normalization, TextBound, covered_text
from evaluator.fairness.lexicon import class_of, fold
from evaluator.tables import Tables

_ATC = "atc"


@dataclass(frozen=True, slots=True)
class Categorised:
    """The categories of the gold rows of some tables.

    Attributes:
        of_row: [rows of `Tables.gold`] None for a row without one.
        several: how many rows had more than one; the first, in the order of the lines, is theirs.
    """

    of_row: tuple[str | None, ...]
    several: int = 0


def by_string(tables: Tables, gold: Mapping[str, Document], lexicon: Mapping[str, str]) -> Categorised:
    """The category of the string that each annotation covers, case folded and white space collapsed.

    Args:
        tables: gold and run.
        gold: the documents behind them.
        lexicon: category by folded string.
    """

    def found(document: Document, bound: TextBound) -> Iterable[str]:
        covered = bound.text or "" if document.text is None else covered_text(document.text, bound.fragments)
        category = lexicon.get(fold(covered))
        return () if category is None else (category,)

    return _categorise(tables, gold, lambda document: lambda bound: found(document, bound))


def by_normalization(tables: Tables, gold: Mapping[str, Document], database: str | None = None) -> Categorised:
    """The entry that each annotation is linked to; of one in ATC the class of drugs that its code is in.

    Args:
        tables: gold and run.
        gold: the documents behind them.
        database: the one that counts, such as `ATC`; any where not given.
    """

    def found(document: Document) -> _OfBound:
        links: dict[str, list[str]] = {}
        for each in document.annotations:
            if isinstance(each, Normalization) and database in (None, each.database):
                category = class_of(each.entry.upper()) if each.database.casefold() == _ATC else each.entry
                if category is not None:
                    links.setdefault(each.target, []).append(category)
        return lambda bound: links.get(bound.id, ())

    return _categorise(tables, gold, found)


def by_attribute(tables: Tables, gold: Mapping[str, Document], name: str | None = None) -> Categorised:
    """The value of an attribute of each annotation, or the attribute's name where it has no value.

    Args:
        tables: gold and run.
        gold: the documents behind them.
        name: of the attribute that counts; any where not given.
    """

    def found(document: Document) -> _OfBound:
        values: dict[str, list[str]] = {}
        for each in document.annotations:
            if isinstance(each, Attribute) and name in (None, each.label):
                values.setdefault(each.target, []).append(each.label if each.value is None else each.value)
        return lambda bound: values.get(bound.id, ())

    return _categorise(tables, gold, found)


def by_label(tables: Tables) -> Categorised:
    """The label of each annotation."""
    return Categorised(tuple(tables.labels[i] for i in tables.gold.label.tolist()))


_OfBound = Callable[[TextBound], Iterable[str]]


def _categorise(tables: Tables, gold: Mapping[str, Document], of_document: Callable[[Document], _OfBound]) -> Categorised:
    """Ask for the categories of every annotation as given, and bring them to the rows that they became."""
    found: list[dict[str, None]] = [{} for _ in range(len(tables.gold))]
    rows = iter(tables.gold.row.tolist())
    for id_ in tables.documents:
        of_bound = of_document(gold[id_])
        for bound in gold[id_].text_bounds:
            found[next(rows)].update(dict.fromkeys(of_bound(bound)))
    return Categorised(tuple(next(iter(each), None) for each in found), sum(len(each) > 1 for each in found))
