"""Tables of any kind as text, CSV, LaTeX and JSON; figures are rounded by `evaluator.report.figure` alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from evaluator.report import LATEX_SPECIAL, UNDEFINED, escape_formula, figure, printable

Cell: TypeAlias = str | int | float | None
_ROWS_SHOWN = 10
_WIDEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under heads.

    Attributes:
        key: its name in a CSV.
        title: what it shows, a sentence without its full stop.
        heads: of the columns.
        rows: cells as they are, unrounded; None is undefined.
        long: whether it has a row for each of many things, and may be cut where people read it.
        left_out: rows that were cut.
    """

    key: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    long: bool = False
    left_out: int = 0

    def first(self, count: int | None) -> Table:
        """A long table with no more rows than that; None keeps all of them."""
        if count is None or not self.long or len(self.rows) <= count:
            return self
        return replace(self, rows=self.rows[:count], left_out=len(self.rows) - count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Something to tell, and what it depends on.

    Attributes:
        tables: what it shows.
        value: the same as plain values, in full.
        signature: version, digests and settings.
    """

    tables: tuple[Table, ...]
    value: Mapping[str, Any]
    signature: Mapping[str, Any]


def as_text(report: Report, rows: int | None = _ROWS_SHOWN) -> str:
    """For a terminal: of each table the first rows, and how many there are more."""
    blocks = [_text_block(each.first(rows)) for each in report.tables]
    return "\n".join([*blocks, f"signature {_signature(report)}\n"])


def as_json(report: Report) -> str:
    """The signature and everything that was found, at full precision."""
    return json.dumps({"signature": dict(report.signature), **report.value}, ensure_ascii=False, indent=1) + "\n"


def as_csv(report: Report) -> str:
    """One line a cell: table, number of the row, name of the row, column, value. Unrounded; an undefined figure is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("table", "row", "name", "column", "value"))
    for table in report.tables:
        columns = _distinct(table.heads)
        for number, row in enumerate(table.rows, 1):
            for column, cell in list(zip(columns, row, strict=True))[1:] or [(columns[0], row[0])]:
                writer.writerow([_no_formula(each) for each in (table.key, number, row[0], column, cell)])
    return buffer.getvalue()


def as_latex(report: Report) -> str:
    """A `tabular` for each table, with rules of the booktabs package."""
    blocks = [f"% signature {_signature(report)}\n"]
    for table in report.tables:
        kinds = "".join("l" if is_text(table, i) else "r" for i in range(len(table.heads)))
        lines = [" & ".join(_latex(each) for each in row) for row in (table.heads, *table.rows)]
        blocks.append(
            f"% {printable(table.title)}\n\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{lines[0]} \\\\\n\\midrule\n"
            + "".join(f"{line} \\\\\n" for line in lines[1:])
            + "\\bottomrule\n\\end{tabular}\n"
        )
    return "".join(blocks)


def _signature(report: Report) -> str:
    shown = {key: ",".join(value) if isinstance(value, list) else str(value) for key, value in report.signature.items()}
    return "|".join(f"{key}:{value[:12] if key.startswith('digest') else value}" for key, value in shown.items() if value)


def _text_block(table: Table) -> str:
    cells = [[_shown(each) for each in row] for row in (table.heads, *table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.heads))]
    texts = [is_text(table, i) for i in range(len(table.heads))]
    lines = [
        "  ".join(
            f"{cell:<{width}}" if text else f"{cell:>{width}}" for cell, width, text in zip(row, widths, texts, strict=True)
        )
        for row in cells
    ]
    more = [f"… and {table.left_out:,} more"] if table.left_out else []
    shown = [*lines, *more] if table.rows else ["none"]
    return "".join(f"{line.rstrip()}\n" for line in [printable(table.title), *shown])


def is_text(table: Table, column: int) -> bool:
    """Whether a column holds words rather than figures."""
    return column == 0 or any(isinstance(row[column], str) for row in table.rows)


def _shown(cell: Cell) -> str:
    text = printable(told(cell))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _latex(cell: Cell) -> str:
    text = told(cell)
    return f"{{{printable(text).translate(LATEX_SPECIAL)}}}" if isinstance(cell, str) else text


def told(cell: Cell) -> str:
    """A cell for people: figures to four decimals, undefined ones as a dash."""
    if cell is None:
        return UNDEFINED
    return figure(cell) if isinstance(cell, float) else str(cell)


def _distinct(heads: Iterable[str]) -> list[str]:
    """Heads that can be told apart: one that follows another and is used again is called after it, as in `train share`."""
    heads = list(heads)
    found: list[str] = []
    for i, head in enumerate(heads):
        found.append(f"{heads[i - 1]} {head}" if heads.count(head) > 1 and i else head)
    return found


def _no_formula(cell: Cell) -> Cell:
    """A text that a spreadsheet would take for a formula gets a quote in front of it."""
    return escape_formula(cell) if isinstance(cell, str) else cell


FORMATS: MappingProxyType[str, Callable[[Report], str]] = MappingProxyType(
    {"table": as_text, "json": as_json, "csv": as_csv, "latex": as_latex}
)
