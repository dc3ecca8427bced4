"""`assay score … --metadata FILE --by COLUMN`: the scores on each group of documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from app.cli.metadata import column_of, read_table, tell_unknown
from evaluator.criteria import Criterion
from evaluator.report import FORMATS, Record
from evaluator.scores import ALL, Counts, MatchingRule, Score
from evaluator.signature import Signature, digest_value
from evaluator.strata.differences import GroupComparison, compare_groups
from evaluator.strata.groups import attribute_of, by_group
from evaluator.strata.model import Strata, cross, is_known
from evaluator.tables import Ints, Tables, build_tables

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Groups:
    """Attributes of documents, by name; empty where no groups are asked for. `intervals`: of differences, too."""

    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    intervals: bool = False

    def strata(self, documents: Tables | Sequence[str]) -> list[Strata]:
        """The documents by each attribute, and by all of them together where there are several.

        Args:
            documents: ids, sorted, or tables whose annotations are wanted in strata too.
        """
        tables = documents if isinstance(documents, Tables) else replace(build_tables({}, {}), documents=tuple(documents))
        single = [by_group(name, values, tables) for name, values in self.values.items()]
        return [*single, reduce(cross, single)] if len(single) > 1 else single

    def compare(self, documents: Sequence[str], counts: Sequence[tuple[str, Ints]]) -> list[tuple[str, GroupComparison]]:
        """Differences between groups, with what they are of; none where they are not asked for.

        Args:
            documents: [n] ids.
            counts: what is counted and when it is right, in words, with its [n, 3] counts of each document.
        """
        if not self.intervals or not counts:
            return []
        stacked = np.stack([each for _, each in counts], axis=1)
        return [
            (title, each)
            for name, values in self.values.items()
            for (title, _), each in zip(counts, compare_groups(name, values, documents, stacked), strict=True)
        ]

    def tell_unknown(self, documents: Iterable[str]) -> None:
        """Say on standard error how many documents lack an attribute."""
        ids = list(documents)
        for name, values in self.values.items():
            tell_unknown(name, {id_: values[id_] for id_ in ids if id_ in values}, len(ids))

    def sign(self, signature: Signature, documents: Iterable[str]) -> Signature:
        """The signature with a digest of what of the attributes entered."""
        if not self.values:
            return signature
        ids = sorted(documents)
        used = {name: {id_: values[id_] for id_ in ids if id_ in values} for name, values in self.values.items()}
        return replace(signature, metadata=digest_value(used))


@dataclass(frozen=True, slots=True)
class Grouped:
    """Scores on the whole, scores on groups, how many documents each group has by stratification, and differences."""

    scores: Sequence[Record]
    groups: Sequence[Score] = ()
    documents: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    comparisons: Sequence[tuple[str, GroupComparison]] = ()


def count_documents(stratifications: Sequence[Strata]) -> dict[str, dict[str, int]]:
    """How many documents are in each stratum that has some, in order."""
    found: dict[str, dict[str, int]] = {}
    for strata in stratifications:
        counts = Counter([] if strata.documents is None else strata.documents.tolist())
        found[strata.name] = {name: counts[i] for i, name in enumerate(strata.strata) if counts[i]}
    return found


def group_options(command: _Command) -> _Command:
    """The options that say how documents are grouped."""
    for option in (
        click.option("--intervals", is_flag=True, help="With --by: how certain differences are, and if they are chance."),
        click.option("--by", "columns", multiple=True, metavar="COLUMN", help="Scores by group of this attribute; repeatable."),
        click.option(
            "--metadata",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="With --by: TSV or JSON with a row a document.",
        ),
    ):
        command = option(command)
    return command


def read_groups(metadata: Path | None, columns: tuple[str, ...], *, intervals: bool) -> Groups:
    """The attributes that are asked for; the command ends with status 1 when they cannot be read."""
    if (metadata is None) is not (not columns):
        raise click.UsageError("--metadata and --by go together")
    if intervals and not columns:
        raise click.UsageError("--intervals goes with --by")
    if metadata is None:
        return Groups()
    table = read_table(metadata)
    return Groups({column: column_of(table, column) for column in dict.fromkeys(columns)}, intervals)


def tell(found: Grouped, signature: Signature, format_: str) -> str:
    """Everything in a format: records in one list where programs read it, tables of groups after the others where people do."""
    if not found.documents:
        return FORMATS[format_](found.scores, signature)
    if format_ in ("json", "csv"):
        told = FORMATS[format_]([*found.scores, *found.groups], signature)
        if format_ == "csv" or not found.comparisons:
            return told
        comparisons = [{"of": title, **each.to_json()} for title, each in found.comparisons]
        return json.dumps(json.loads(told) | {"comparisons": comparisons}, ensure_ascii=False, indent=1)
    from evaluator.plain_tables import Report, as_latex, as_text  # noqa: PLC0415 - most calls have no groups

    report = Report(tables=(*_tables(found), *_comparisons(found)), value={}, signature={})
    whole = FORMATS[format_](found.scores, signature)
    if format_ == "latex":
        return whole + as_latex(report).partition("\n")[2]
    end = f"signature {signature}\n"
    return f"{whole.removesuffix(end)}{as_text(report, None).rpartition('signature')[0]}{end}"


def _tables(found: Grouped) -> Iterable[Any]:
    """One for each criterion, kind of annotations and stratification; labels are added up."""
    from evaluator.plain_tables import Table  # noqa: PLC0415

    titles = list(dict.fromkeys(_title(each) for each in found.groups))
    whole = {(_title(each), each.stratification, each.stratum): each.counts for each in found.groups if each.label == ALL}
    for title in titles:
        for name, documents in found.documents.items():
            of_stratum = {stratum: whole.get((title, name, stratum), Counts()) for stratum in documents}
            head = "group" if "×" in name else attribute_of(name) or name
            rows: list[tuple[str | int | float | None, ...]] = [
                (stratum, documents[stratum], each.tp, each.fp, each.fn, each.precision, each.recall, each.f1)
                for stratum, each in of_stratum.items()
            ]
            known = [stratum for stratum in documents if is_known(stratum)]
            if len(known) == 2 and "×" not in name:
                first, second = sorted(known)
                rows.append(
                    (f"{first} − {second}", None, None, None, None, *_differences(of_stratum[first], of_stratum[second]))
                )
            yield Table(
                key=name,
                title=f"{title}, by {name.replace('group:', '')}",
                heads=(head, "documents", "tp", "fp", "fn", "precision", "recall", "f1"),
                rows=tuple(rows),
            )


def _comparisons(found: Grouped) -> Iterable[Any]:
    from evaluator.plain_tables import Table  # noqa: PLC0415

    for title, each in found.comparisons:
        yield Table(
            key=f"differences:{each.attribute}",
            title=f"{title}, differences by {each.attribute}: 95 % of {each.draws.bootstrap:,} draws, chance of "
            f"{each.draws.permutations:,} deals (seed {each.draws.seed})",
            heads=("difference", "of", "value", "low", "high", "chance"),
            rows=tuple(
                (
                    one.sign,
                    one.metric,
                    one.value,
                    one.interval.low if one.interval else None,
                    one.interval.high if one.interval else None,
                    one.chance,
                )
                for one in each.differences
            ),
        )


def title_of(annotations: str, criterion: Criterion) -> str:
    """What is counted, and when it is right."""
    return f"{annotations}, {criterion.span_name} spans, {criterion.labels.value} labels, {MatchingRule.EXACT_FIRST.value}"


def _title(each: Score) -> str:
    return f"{each.annotations}, {each.span} spans, {each.labels} labels, {each.matching}"


def _differences(one: Counts, other: Counts) -> list[float | None]:
    """Precision, recall and F1 of one minus those of the other; None where either is undefined."""
    pairs = ((one.precision, other.precision), (one.recall, other.recall), (one.f1, other.f1))
    return [None if a is None or b is None else a - b for a, b in pairs]
