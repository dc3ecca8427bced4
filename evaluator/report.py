"""Scores as text, CSV, LaTeX and JSON. The only place where figures are rounded."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Any, Protocol

from evaluator.scores import Json
from evaluator.signature import Signature

UNDEFINED = "–"
_FORMULA = ("=", "+", "-", "@", ";", "\t", "\r", "＝", "＋", "－", "＠")
_FIGURES = ("precision", "recall", "f1")
LATEX_SPECIAL = str.maketrans(
    {c: "\\" + c for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


class Record(Protocol):
    """Anything that can be told as a Score record."""

    def to_json(self) -> Json:
        """The record as plain values."""


def figure(value: float | None, places: int = 4) -> str:
    """A figure for people: rounded half up on its shortest decimal form, as BRATEval prints; undefined is a dash."""
    if value is None:
        return UNDEFINED
    return str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def escape_formula(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_json(scores: Sequence[Record], signature: Signature) -> str:
    """The signature and the records, at full precision."""
    value = {"signature": signature.to_json(), "scores": [each.to_json() for each in scores]}
    return json.dumps(value, ensure_ascii=False, indent=1)


def as_csv(scores: Sequence[Record], signature: Signature | None = None) -> str:
    """One line a record, at full precision; an undefined figure is empty."""
    del signature  # a CSV has no place for it
    buffer = io.StringIO()
    rows = [each.to_json() for each in scores]
    if rows:
        writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: escape_formula(each) if isinstance(each, str) else each for key, each in row.items()} for row in rows
        )
    return buffer.getvalue()


def as_table(scores: Sequence[Record], signature: Signature) -> str:
    """A table for a terminal for each criterion, and the signature below."""
    blocks = [_text_block(title, rows) for title, rows in _by_criterion(scores)]
    return "\n".join([*blocks, f"signature {signature}\n"])


def as_latex(scores: Sequence[Record], signature: Signature) -> str:
    """A `tabular` for each criterion, with rules of the booktabs package."""
    blocks = [f"% signature {signature}\n"]
    for title, rows in _by_criterion(scores):
        body = [
            " & ".join(
                [
                    f"{{{printable(row['label']).translate(LATEX_SPECIAL)}}}",
                    *(str(row[c]) for c in ("tp", "fp", "fn")),
                    *_figures(row),
                ]
            )
            for row in rows
        ]
        blocks.append(
            f"% {title}\n\\begin{{tabular}}{{lrrrrrr}}\n\\toprule\n"
            "Label & TP & FP & FN & Precision & Recall & F$_1$ \\\\\n\\midrule\n"
            + "".join(f"{line} \\\\\n" for line in body)
            + "\\bottomrule\n\\end{tabular}\n"
        )
    return "".join(blocks)


def printable(label: object) -> str:
    """A label for a terminal or a document: control characters are escaped, so that a label cannot move the cursor."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(label))


def _figures(row: Json) -> list[str]:
    return [figure(value if isinstance(value, float) else None) for value in (row[each] for each in _FIGURES)]


def _by_criterion(scores: Sequence[Record]) -> list[tuple[str, list[Json]]]:
    found: dict[str, list[Json]] = {}
    for each in scores:
        row = each.to_json()
        title = f"{row['annotations']}, {row['span']} spans, {row['labels']} labels, {row['matching']}"
        found.setdefault(title, []).append(row)
    return list(found.items())


def _text_block(title: str, rows: Sequence[Json]) -> str:
    width = max(len("label"), *(len(printable(row["label"])) for row in rows))
    counts = max(6, *(len(str(row[each])) for row in rows for each in ("tp", "fp", "fn")))
    lines = [
        title,
        f"{'label':<{width}}" + "".join(f"  {each:>{counts}}" for each in ("tp", "fp", "fn")) + "  precision  recall      f1",
    ]
    for row in rows:
        p, r, f = _figures(row)
        cells = "".join(f"  {row[each]:>{counts}}" for each in ("tp", "fp", "fn"))
        lines.append(f"{printable(row['label']):<{width}}{cells}  {p:>9}  {r:>6}  {f:>6}")
    return "\n".join(lines) + "\n"


def _side_by_side(scores: Sequence[Record], signature: Signature) -> str:
    from evaluator.report_side_by_side import side_by_side  # noqa: PLC0415 - it rounds by `figure` of this module

    return side_by_side(scores, signature)


FORMATS: MappingProxyType[str, Callable[[Sequence[Any], Signature], str]] = MappingProxyType(
    {"table": as_table, "json": as_json, "csv": as_csv, "latex": as_latex, "side-by-side": _side_by_side}
)
