"""CSV that people open in spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from evaluator.report import escape_formula


def as_csv(lines: Iterable[Sequence[object]]) -> str:
    """Lines as CSV; a text that a spreadsheet would take for a formula gets a quote in front of it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for line in lines:
        writer.writerow([escape_formula(each) if isinstance(each, str) else each for each in line])
    return buffer.getvalue()
