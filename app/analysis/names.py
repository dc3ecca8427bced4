"""What a run makes of people's names, where a task is about them: as it is kept with the run, and for its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from brat.model import Document
from evaluator.columnar.adding import Block, Sums
from evaluator.criteria import Criterion
from evaluator.fairness.census import Census, CensusError
from evaluator.fairness.name_errors import ErrorType, NameScore, Rule, Target, add_up, score_names
from evaluator.fairness.name_lists import ListError, own_text, parse_names
from evaluator.fairness.name_predictions import PredictionsError, Wanted
from evaluator.fairness.name_report import describe
from evaluator.fairness.name_runs import places_in, read_run
from evaluator.fairness.names_as_chemicals import NamesAsChemicals, about_documents
from evaluator.fairness.sentences import parse_templates
from evaluator.fairness.template_report import Outcome, outcomes, report_templates, tagged_names
from evaluator.metadata import Metadata, MetadataError
from evaluator.plain_tables import Table
from evaluator.scoring import Scheme
from evaluator.tables import Tables

_MOST_NAMES = 10
"""In error, of each template and sex: those with the highest frequency."""
_MOST_TAGGED = 200
"""Names taken for chemicals, the first of each list."""
_OF_METADATA, _OF_RUN = "the task's metadata", "the run"


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """The share of names in error, or of their frequency; None where there is nothing to divide by."""

    error: int
    weighted: bool
    value: float | None


@dataclass(frozen=True, slots=True)
class RatesOf:
    """The rates of one sex over all templates, in a year or decade or, where that is None, over all of them."""

    sex: str
    year: int | None
    rates: tuple[ErrorRate, ...]

    def rate(self, error: int, *, weighted: bool) -> float | None:
        """One of them; None where it has no meaning either."""
        return next((each.value for each in self.rates if (each.error, each.weighted) == (error, weighted)), None)


@dataclass(frozen=True, slots=True)
class StoredNames:
    """What a run makes of names.

    Attributes:
        target: what its taggers look for, `person` or `chemical`.
        rates: of each sex over all years, and in each year.
        tables: everything, for the page of the run.
        value: the same as plain values.
        why_not: why there is nothing, in words; empty where there is.
    """

    target: str
    rates: tuple[RatesOf, ...] = ()
    tables: tuple[Table, ...] = ()
    value: Mapping[str, Any] | None = None
    why_not: str = ""

    @property
    def errors(self) -> tuple[int, ...]:
        """The types of errors that have a meaning, by number."""
        return (1, 2, 3) if self.target == Target.PERSON else (2,)

    @property
    def years(self) -> tuple[int, ...]:
        """In which there are names, rising."""
        return tuple(sorted({each.year for each in self.rates if each.year is not None}))

    def of(self, sex: str, year: int | None = None) -> RatesOf | None:
        """The rates of one sex, over all years or in one."""
        return next((each for each in self.rates if (each.sex, each.year) == (sex, year)), None)


_STORED = TypeAdapter(StoredNames)


def find_names(
    rule: Rule,
    rows: Mapping[str, Mapping[str, str]],
    sides: tuple[Mapping[str, Document], Mapping[str, Document]],
    tables: Tables,
    *,
    census: Census | None,
) -> StoredNames:
    """What a run makes of the names in the documents of a task.

    Args:
        rule: what is looked for.
        rows: attributes of the documents, as `assay names write` or `assay templates` gives them.
        sides: gold and run.
        tables: of both.
        census: how many people have the names; None where that is not known. Not for chemicals, whose names are Assay's own.
    """
    attributes = tuple(dict.fromkeys(name for row in rows.values() for name in row))
    metadata = Metadata(attributes, rows, _OF_METADATA)
    try:
        if rule.target is Target.CHEMICAL:
            return _as_chemicals(metadata, tables)
        return _in_context(rule, metadata, sides, census)
    except (PredictionsError, MetadataError, CensusError, ListError) as bad:
        return StoredNames(rule.target.value, why_not=str(bad))


def _in_context(
    rule: Rule, metadata: Metadata, sides: tuple[Mapping[str, Document], Mapping[str, Document]], census: Census | None
) -> StoredNames:
    tagged = read_run(*sides, places_in(metadata, _OF_RUN), census, Wanted())
    scores = [score_names(each, rule) for each in tagged]
    over_templates = add_up(scores, years=False, templates=True)
    parts = describe(tagged, rule, _MOST_NAMES)
    return StoredNames(
        target=rule.target.value,
        rates=tuple(_rates_of(each, rule) for each in (*add_up(scores, templates=True), *over_templates)),
        tables=tuple(_without_system(table) for part in parts for table in part.tables),
        value={key: value for part in parts for key, value in part.value.items()},
    )


def _rates_of(score: NameScore, rule: Rule) -> RatesOf:
    found = StoredNames(rule.target.value).errors
    rates = (ErrorRate(e, w, score.rate(ErrorType(e), weighted=w)) for e in found for w in (False, True))
    return RatesOf(score.sex.value, score.year, tuple(rates))


def _without_system(table: Table) -> Table:
    """A table of one system without the column that names it."""
    if table.heads[0] != "system":
        return table
    rows = tuple(row[1:] for row in table.rows)
    return Table(key=table.key, title=table.title, heads=table.heads[1:], rows=rows, long=table.long)


def _as_chemicals(metadata: Metadata, tables: Tables) -> StoredNames:
    templates = parse_templates(own_text("templates.txt"), "templates")
    numbered = {str(number): each for number, each in enumerate(templates, 1)}
    about = about_documents(tables.documents, metadata, numbered, parse_names(own_text("names.tsv"), "Assay's own names"))
    criterion = Criterion()
    sums = Sums(tables.documents, [criterion], Scheme())
    names = NamesAsChemicals(tables.documents, about, _OF_METADATA)
    block: Block = sums.take(tables, np.arange(len(tables.documents), dtype=np.int64))
    names.take(block)
    found = outcomes(about, sums.documents[0], names.counts)
    report = report_templates(found, tagged_names(about, names.counts), criterion, {})
    return StoredNames(
        target=Target.CHEMICAL.value,
        rates=tuple(_shares(found)),
        tables=tuple(each.first(_MOST_TAGGED) for each in report.tables),
        value=report.value,
    )


def _shares(found: Sequence[Outcome]) -> Iterator[RatesOf]:
    for each in found:
        if each.cut in ("gender", "gender×decade"):
            sex, _, decade = each.group.partition("×")
            rates = ErrorRate(2, False, each.share), ErrorRate(2, True, each.weighted)
            yield RatesOf(sex, int(decade) if decade else None, rates)


def pack_names(found: StoredNames) -> bytes:
    """As JSON."""
    return _STORED.dump_json(found)


def unpack_names(packed: bytes) -> StoredNames:
    """The same again."""
    return _STORED.validate_json(packed)
