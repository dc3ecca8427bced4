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
        writer.writerow([_harmless(each) if isinstance(each, str) else each for each in line])
    return buffer.getvalue()


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
