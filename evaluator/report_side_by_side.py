"""Scores under several criteria beside one another: by label for one run, overall for many.

The tables of ChEMU 2020 put exact beside relaxed and have fine labels in Table 6, high ones in Table 7; here both stand in
one table, the labels of a span rule next to each other. Figures are precision, recall and F1.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from evaluator.hierarchy import Hierarchy
from evaluator.report import LATEX_SPECIAL, UNDEFINED, Record, figure, printable
from evaluator.scores import ALL, Json, MatchingRule
from evaluator.signature import Signature

_Criterion: TypeAlias = tuple[str, str]
_FIGURES = ("precision", "recall", "f1")
_SHARED = ("annotations", "matching", "stratification", "stratum")
_CELL = 6


@dataclass(frozen=True, slots=True)
class _Row:
    """A label, or a run, and its record under each criterion that has one."""

    name: str
    depth: int = 0
    records: dict[_Criterion, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows that agree in what `_SHARED` names; `head` says what the rows are."""

    shared: tuple[str, ...]
    head: str
    criteria: tuple[_Criterion, ...]
    rows: tuple[_Row, ...]

    @property
    def title(self) -> str:
        annotations, matching, stratification, stratum = self.shared
        return f"{annotations}, {matching}" + ("" if stratification == ALL else f", {stratification} {stratum}")


def side_by_side(scores: Sequence[Record], signature: Signature, hierarchy: Hierarchy | None = None) -> str:
    """Tables for a terminal, one for each kind of annotation: a row a label, precision, recall and F1 a criterion.

    `all` comes first, then the labels in the order of the hierarchy, those below another one indented, then the others,
    sorted. What a criterion does not have, such as a fine label under high ones, is blank there. Rows of BRATEval keep their
    own order and indentation.
    """
    return "".join(f"{_as_text(each)}\n" for each in _by_label(scores, hierarchy)) + f"signature {signature}\n"


def side_by_side_latex(scores: Sequence[Record], signature: Signature, hierarchy: Hierarchy | None = None) -> str:
    """The same as a `tabular` each, with rules of the booktabs package."""
    return f"% signature {signature}\n" + "".join(_as_latex(each) for each in _by_label(scores, hierarchy))


def side_by_side_csv(scores: Sequence[Record], signature: Signature | None = None, hierarchy: Hierarchy | None = None) -> str:
    """The same as one table at full precision; undefined and blank figures are both empty."""
    del signature  # a CSV has no place for it
    return _as_csv(_by_label(scores, hierarchy))


def overall_side_by_side(rows: Sequence[tuple[str, Sequence[Record]]]) -> str:
    """Tables for a terminal, one for each kind of annotation: a row a run, in the order given, of its overall figures.

    Args:
        rows: the name of each run and its scores.
    """
    return "\n".join(_as_text(each) for each in _by_run(rows))


def overall_side_by_side_latex(rows: Sequence[tuple[str, Sequence[Record]]]) -> str:
    """The same in LaTeX; in each column the best figure is bold and the next italic, as in the tables of ChEMU 2020."""
    return "".join(_as_latex(each, marked=True) for each in _by_run(rows))


def overall_side_by_side_csv(rows: Sequence[tuple[str, Sequence[Record]]]) -> str:
    """The same as one table at full precision; undefined and blank figures are both empty."""
    return _as_csv(_by_run(rows))


def _by_label(scores: Sequence[Record], hierarchy: Hierarchy | None) -> list[_Table]:
    tables = []
    for shared, records in _grouped(each.to_json() for each in scores).items():
        rows: dict[tuple[str, int], _Row] = {}
        seen: Counter[tuple[_Criterion, str]] = Counter()
        for record in records:
            label, criterion = str(record["label"]), _criterion(record)
            seen[criterion, label] += 1  # BRATEval may print a label twice
            rows.setdefault((label, seen[criterion, label]), _Row(label)).records[criterion] = record
        found = list(rows.values())
        if MatchingRule.BRATEVAL not in shared:
            found = list(_ordered({each.name: each for each in found}, hierarchy or Hierarchy()))
        tables.append(_Table(shared, "label", _criteria(records), tuple(found)))
    return tables


def _by_run(rows: Sequence[tuple[str, Sequence[Record]]]) -> list[_Table]:
    told = [(name, [each.to_json() for each in scores]) for name, scores in rows]
    overall = [(name, [each for each in records if each["label"] == ALL]) for name, records in told]
    tables = []
    for shared, of_all in _grouped(each for _, records in overall for each in records).items():
        lines = tuple(
            _Row(name, 0, {_criterion(each): each for each in records if _shared(each) == shared}) for name, records in overall
        )
        tables.append(_Table(shared, "run", _criteria(of_all), tuple(each for each in lines if each.records)))
    return tables


def _shared(record: Json) -> tuple[str, ...]:
    return tuple(str(record[each]) for each in _SHARED)


def _grouped(records: Iterable[Json]) -> dict[tuple[str, ...], list[Json]]:
    found: dict[tuple[str, ...], list[Json]] = {}
    for each in records:
        found.setdefault(_shared(each), []).append(each)
    return found


def _criterion(record: Json) -> _Criterion:
    return str(record["span"]), str(record["labels"])


def _criteria(records: Iterable[Json]) -> tuple[_Criterion, ...]:
    """In the order of first mention, but with those of one span rule next to each other."""
    found = list(dict.fromkeys(_criterion(each) for each in records))
    spans = list(dict.fromkeys(span for span, _ in found))
    return tuple(sorted(found, key=lambda each: spans.index(each[0])))


def _ordered(rows: Mapping[str, _Row], hierarchy: Hierarchy) -> Iterator[_Row]:
    """`all`, the tree of the hierarchy, and the rest; a label that has no row does not count as a level."""
    below: dict[str | None, list[str]] = {}
    for label, parent in hierarchy.parents.items():
        below.setdefault(parent, []).append(label)
    tops = [*below.get(None, []), *(each for each in below if each is not None and each not in hierarchy.parents)]
    waiting = [(label, 0) for label in reversed(tops)]
    done = {ALL}
    if ALL in rows:
        yield rows[ALL]
    while waiting:
        label, depth = waiting.pop()
        if label in rows and label not in done:
            done.add(label)
            yield _Row(label, depth, rows[label].records)
        deeper = depth + (label in rows)
        waiting += [(each, deeper) for each in reversed(below.get(label, []))]
    yield from (rows[label] for label in sorted(rows.keys() - done))


def _figures(row: _Row, criterion: _Criterion) -> list[str]:
    """Precision, recall and F1 for people; blank where there is no record."""
    record = row.records.get(criterion)
    if record is None:
        return [""] * len(_FIGURES)
    return [figure(value if isinstance(value, float) else None) for value in (record[each] for each in _FIGURES)]


def _as_text(table: _Table) -> str:
    names = ["  " * row.depth + printable(row.name) for row in table.rows]
    first = max(len(each) for each in (table.head, *names))
    heads = [f"{span} {labels}" for span, labels in table.criteria]
    widths = [max(len(head), len(_FIGURES) * (_CELL + 2) - 2) for head in heads]
    lines = [("", heads), (table.head, [_cells(["P", "R", "F1"])] * len(heads))]
    lines += [
        (name, [_cells(_figures(row, each)) for each in table.criteria]) for name, row in zip(names, table.rows, strict=True)
    ]
    text = [
        f"{name:<{first}}" + "".join(f"    {group:<{width}}" for group, width in zip(groups, widths, strict=True))
        for name, groups in lines
    ]
    return "".join(f"{line.rstrip()}\n" for line in [table.title, *text])


def _cells(cells: Iterable[str]) -> str:
    return "  ".join(f"{each:>{_CELL}}" for each in cells)


def _as_latex(table: _Table, *, marked: bool = False) -> str:
    size = len(_FIGURES)
    body = [[cell for each in table.criteria for cell in _figures(row, each)] for row in table.rows]
    if marked:
        body = [list(row) for row in zip(*(_mark(column) for column in zip(*body, strict=True)), strict=True)]
    names = ["\\quad " * row.depth + f"{{{_latex(row.name)}}}" for row in table.rows]
    groups = [f"\\multicolumn{{{size}}}{{c}}{{{_latex(f'{span} {labels}')}}}" for span, labels in table.criteria]
    rules = [f"\\cmidrule(lr){{{2 + i * size}-{1 + (i + 1) * size}}}" for i in range(len(groups))]
    lines = [
        f"% {table.title}",
        f"\\begin{{tabular}}{{l{'r' * size * len(groups)}}}",
        "\\toprule",
        " & ".join(["", *groups]) + " \\\\",
        "".join(rules),
        " & ".join([table.head.capitalize(), *["P", "R", "F$_1$"] * len(groups)]) + " \\\\",
        "\\midrule",
        *(" & ".join([name, *row]) + " \\\\" for name, row in zip(names, body, strict=True)),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return printable(text).translate(LATEX_SPECIAL)


def _mark(column: Sequence[str]) -> list[str]:
    """The best figure bold, the next italic, as they are printed: what reads the same is marked the same."""
    best = sorted({Decimal(each) for each in column if each not in ("", UNDEFINED)}, reverse=True)[:2]
    marks = {str(value): command for value, command in zip(best, ("\\textbf", "\\textit"), strict=False)}
    return [f"{marks[each]}{{{each}}}" if each in marks else each for each in column]


def _as_csv(tables: Sequence[_Table]) -> str:
    criteria = list(dict.fromkeys(each for table in tables for each in table.criteria))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if tables:
        columns = [f"{span}-{labels} {each}" for span, labels in criteria for each in _FIGURES]
        writer.writerow([*_SHARED, tables[0].head, *columns])
    for table in tables:
        for row in table.rows:
            found = [row.records.get(each) for each in criteria]
            writer.writerow([*table.shared, row.name, *(each and each[name] for each in found for name in _FIGURES)])
    return buffer.getvalue()
