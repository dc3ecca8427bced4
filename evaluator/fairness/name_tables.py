"""The tables that errors on names are told in, whatever the format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.fairness.frequent_names import LabelCount, NameInError
from evaluator.fairness.name_errors import Difference, ErrorType, NameScore, add_up, differences
from evaluator.fairness.name_versions import ChangedName, RateChange, VersionBias
from evaluator.fairness.names_in_data import NamesFound
from evaluator.plain_tables import Cell, Table

_RATES = tuple(f"{error} {weight}" for error in ErrorType for weight in ("names", "frequency"))
_WHERE = ("system", "template", "year")
_ALL = "all"


def rate_tables(scores: Sequence[NameScore]) -> Iterator[Table]:
    """The six rates and their differences: over all years, then over all templates as well, then year by year."""
    several = _several(scores, "year")
    yield from _rates("", "over all years" if several else "", add_up(scores) if several else scores)
    if _several(scores, "template"):
        yield from _rates("-templates", "over all templates and years", add_up(scores, templates=True))
    if several:
        yield from _rates("-year", "by year", scores, long=True)


def _several(scores: Sequence[NameScore], what: str) -> bool:
    return len({getattr(each, what) for each in scores}) > 1


def _rates(suffix: str, told: str, scores: Sequence[NameScore], *, long: bool = False) -> Iterator[Table]:
    told = f" {told}" if told else ""
    yield Table(
        key=f"rates{suffix}",
        title=f"Error rates{told}: share of names, and of their frequency",
        heads=(*_WHERE, "sex", "names", "frequency", *_RATES),
        rows=tuple(_rate_row(each) for each in scores),
        long=long,
    )
    yield Table(
        key=f"differences{suffix}",
        title=f"Female minus male{told}",
        heads=(*_WHERE, "error", "share of", "female", "male", "female − male", "sign"),
        rows=tuple(_difference_row(each) for each in differences(scores)),
        long=long,
    )


def _where(each: NameScore | Difference) -> tuple[Cell, ...]:
    year = _ALL if each.year is None else str(each.year)
    return each.system, _ALL if each.template is None else each.template, year


def _rate_row(each: NameScore) -> tuple[Cell, ...]:
    return (*_where(each), each.sex.value, each.counts.names, each.counts.frequency, *each.rates().values())


def _difference_row(each: Difference) -> tuple[Cell, ...]:
    return (*_where(each), str(each.error), _share_of(each.weighted), each.female, each.male, each.value, each.sign)


def _share_of(weighted: bool) -> str:
    return "frequency" if weighted else "names"


def frequent_table(names: Sequence[NameInError]) -> Table:
    """Table 2 of the paper."""
    return Table(
        key="names",
        title="The most frequent names in error",
        heads=("system", "template", "sex", "name", "frequency", "years", "error", "tagged as"),
        rows=tuple(
            (
                each.system,
                each.template,
                each.sex.value,
                each.name,
                each.frequency,
                each.years,
                ", ".join(str(error) for error in each.errors),
                ", ".join(each.labels),
            )
            for each in names
        ),
    )


def label_table(labels: Sequence[LabelCount]) -> Table:
    """What names were tagged as."""
    return Table(
        key="labels",
        title="What names were tagged as",
        heads=("system", "template", "sex", "label", "names", "frequency"),
        rows=tuple((each.system, each.template, each.sex.value, each.label, each.names, each.frequency) for each in labels),
        long=True,
    )


def change_table(before: str, after: str, changes: Sequence[RateChange]) -> Table:
    """Figures 5 and 6 of the paper."""
    return Table(
        key=f"versions:{before}:{after}",
        title=f"From {before} to {after}: above 0 is worse",
        heads=("template", "year", "sex", "error", "share of", "before", "after", "change"),
        rows=tuple(
            (
                _ALL if each.template is None else each.template,
                _ALL if each.year is None else str(each.year),
                each.sex.value,
                str(each.error),
                _share_of(each.weighted),
                each.before,
                each.after,
                each.value,
            )
            for each in changes
        ),
    )


def version_bias_table(before: str, after: str, biases: Sequence[VersionBias]) -> Table:
    """What an update did for either sex."""
    return Table(
        key=f"version-bias:{before}:{after}",
        title=f"From {before} to {after}: change for female names minus change for male names",
        heads=("template", "year", "error", "share of", "female", "male", "female − male", "sign"),
        rows=tuple(
            (
                _ALL if each.template is None else each.template,
                _ALL if each.year is None else str(each.year),
                str(each.error),
                _share_of(each.weighted),
                each.female,
                each.male,
                each.value,
                each.sign,
            )
            for each in biases
        ),
    )


def changed_table(before: str, after: str, names: Sequence[ChangedName]) -> Table:
    """Table 3 of the paper."""
    return Table(
        key=f"changed:{before}:{after}",
        title=f"Names that {after} judges otherwise than {before}",
        heads=("template", "sex", "name", "frequency", "years", "before", "after", "change"),
        rows=tuple(
            (
                each.template,
                each.sex.value,
                each.name,
                each.frequency,
                each.years,
                each.before,
                each.after,
                each.change.value,
            )
            for each in names
        ),
        long=True,
    )


def data_table(found: Sequence[NamesFound]) -> Table:
    """Table 4 of the paper."""
    whole = next((each for each in found if not each.among), None)
    return Table(
        key="data",
        title="Different names of the census that occur",
        heads=("in", "among", "female", "male", "female share", "male share", "of all female", "of all male"),
        rows=tuple(
            (
                each.place,
                each.among or "names",
                each.female,
                each.male,
                each.female_share,
                each.male_share,
                each.female / whole.female if whole and whole.female else None,
                each.male / whole.male if whole and whole.male else None,
            )
            for each in found
        ),
    )
