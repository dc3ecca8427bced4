"""Tables of changes as text, CSV, LaTeX and JSON; figures are rounded by `evaluator.report.figure` alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from evaluator.report import LATEX_SPECIAL, figure, printable
from evaluator.strata.ranking import RankStability
from evaluator.strata.tables import ChangeTable, Column, Kind

MINUS = "−"


def signed(value: float | None, places: int = 4) -> str:
    """A difference for people: `+0.0008`, `−0.0481` with a minus sign, and `0.0000` for what rounds to nothing."""
    told = figure(value, places)
    if value is None or not float(told):
        return told.removeprefix("-")
    return told.replace("-", MINUS) if value < 0 else f"+{told}"


def per_cent(value: float | None, *, capped: bool = False) -> str:
    """A percentage to one decimal, as the paper prints it: where `capped`, `>100` for what is above 100."""
    return ">100" if capped and value is not None and value > 100 else figure(value, 1)


def cell(value: float | None, kind: Kind) -> str:
    """A figure of a column as people read it; undefined is a dash."""
    match kind:
        case Kind.F1 | Kind.SPREAD:
            return figure(value)
        case Kind.DELTA:
            return signed(value)
        case Kind.PERCENT:
            return per_cent(value)
        case Kind.CAPPED_PERCENT:
            return per_cent(value, capped=True)


def as_text(table: ChangeTable) -> str:
    """For a terminal, notes below."""
    names = ["Run", *(printable(row.run) for row in table.rows)]
    first = max(len(each) for each in names)
    columns = [
        [_head(column), *(cell(row.figures[i], column.kind) for row in table.rows)] for i, column in enumerate(table.columns)
    ]
    widths = [max(len(each) for each in column) for column in columns]
    lines = [
        f"{name:<{first}}" + "".join(f"  {column[i]:>{width}}" for column, width in zip(columns, widths, strict=True))
        for i, name in enumerate(names)
    ]
    return "".join(f"{line.rstrip()}\n" for line in [_title(table), *lines, *table.notes])


def as_lines(table: ChangeTable) -> list[list[object]]:
    """Heads and rows at full precision, for whoever writes CSV; an undefined figure is None."""
    lines: list[list[object]] = [["run", *(each.key for each in table.columns)]]
    lines += [[row.run, *row.figures] for row in table.rows]
    return lines


def as_csv(table: ChangeTable) -> str:
    """One line a run at full precision; an undefined figure is empty."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(as_lines(table))
    return buffer.getvalue()


def as_latex(table: ChangeTable) -> str:
    """A `tabular` in the paper's layout, with rules of the booktabs package; notes are comments above."""
    heads = " & ".join(["Run", *(_latex_head(each) for each in table.columns)])
    body = [
        " & ".join(
            [
                f"{{{_latex(row.run)}}}",
                *(_latex_cell(cell(value, column.kind)) for value, column in zip(row.figures, table.columns, strict=True)),
            ]
        )
        for row in table.rows
    ]
    return (
        "".join(f"% {printable(each)}\n" for each in (_title(table), *table.notes))
        + f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}\n\\toprule\n{heads} \\\\\n\\midrule\n"
        + "".join(f"{line} \\\\\n" for line in body)
        + "\\bottomrule\n\\end{tabular}\n"
    )


def to_json(table: ChangeTable, stability: Sequence[RankStability] = ()) -> dict[str, Any]:
    """The table, and the stability of the ranking beside it, as plain values at full precision."""
    keys = [each.key for each in table.columns]
    return {
        "title": table.title,
        "selection": asdict(table.selection),
        "columns": [{"key": each.key, "name": _head(each), "kind": each.kind.name.lower()} for each in table.columns],
        "rows": [{"run": row.run, **dict(zip(keys, row.figures, strict=True))} for row in table.rows],
        "notes": list(table.notes),
        "rankings": [each.to_json() for each in stability],
    }


def as_json(table: ChangeTable, stability: Sequence[RankStability] = ()) -> str:
    """`to_json` as text."""
    return json.dumps(to_json(table, stability), ensure_ascii=False, indent=1)


def stability_as_text(stability: Sequence[RankStability]) -> str:
    """One paragraph a stratum: Kendall's tau, the runs whose rank changes, and the pairs that swap."""
    return "".join(_stability(each) for each in stability)


def _stability(each: RankStability) -> str:
    lines = [f"{printable(each.stratum)}: Kendall's tau-{each.variant} {figure(each.tau)} over {len(each.ranks)} runs"]
    moved = [f"{printable(rank.run)} {rank.whole} → {rank.part}" for rank in each.ranks if rank.moved]
    if moved:
        lines.append(f"rank on the whole set → here: {', '.join(moved)}")
    if each.swaps:
        lines.append(f"swapped: {', '.join(f'{printable(a)} and {printable(b)}' for a, b in each.swaps)}")
    if each.left_out:
        lines.append(f"no F1 here or on the whole set: {', '.join(map(printable, each.left_out))}")
    return "\n  ".join(lines) + "\n"


def _title(table: ChangeTable) -> str:
    chosen = table.selection
    return f"{printable(table.title)}: {chosen.annotations}, {chosen.span} spans, {chosen.labels} labels, {chosen.matching}"


def _head(column: Column) -> str:
    return printable(column.name) + ("*" if column.starred else "")


def _latex_head(column: Column) -> str:
    name = f"$\\Delta${column.name[1:]}" if column.name.startswith("Δ") else _latex(column.name)
    return name + ("$^*$" if column.starred else "")


def _latex_cell(told: str) -> str:
    if told[0] not in f"+{MINUS}>":
        return told
    return f"${'-' if told[0] == MINUS else told[0]}${told[1:]}"


def _latex(text: str) -> str:
    return printable(text).translate(LATEX_SPECIAL)


FORMATS: MappingProxyType[str, Callable[[ChangeTable], str]] = MappingProxyType(
    {"table": as_text, "csv": as_csv, "latex": as_latex, "json": as_json}
)
