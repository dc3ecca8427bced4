"""CSV that people open in spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", ";", "\t", "\r", "＝", "＋", "－", "＠")


def as_csv(lines: Iterable[Sequence[object]]) -> str:
    """Lines as CSV; a text that a spreadsheet would take for a formula gets a quote in front of it."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for line in lines:
        writer.writerow([escape_formula(each) if isinstance(each, str) else each for each in line])
    return buffer.getvalue()


def escape_formula(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
