"""The oracle's cases: gold, run, options, and what BRATEval printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluator.brateval import Aborted, TypeMode, compare_entities
from evaluator.criteria import SpanRule
from evaluator.report import figure
from tests.shared import SHARED

_TYPES = {"exact": TypeMode.EXACT, "inexact": TypeMode.INEXACT, "hierarchical": TypeMode.HIERARCHICAL}


@dataclass(frozen=True, slots=True)
class Options:
    """How BRATEval was called."""

    span: SpanRule
    threshold: float
    types: TypeMode


def options(span: str, types: str) -> Options:
    """From the words of expected.json and of the shipped tables: exact, overlap, approx0.8."""
    if span.startswith("approx"):
        return Options(SpanRule.APPROXIMATE, float(span.removeprefix("approx")), _TYPES[types])
    return Options({"exact": SpanRule.EXACT, "overlap": SpanRule.RELAXED}[span], 1.0, _TYPES[types])


@cache
def annotation_files(folder: Path) -> dict[str, bytes]:
    """Every .ann file below a folder, hidden ones too, by path."""
    return {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.name.endswith(".ann")
    }


def rows(
    gold: dict[str, bytes], run: dict[str, bytes], chosen: Options, conf: bytes | None = None, *, full: bool = False
) -> list[list[object]] | None:
    """Our rows in the shape of expected.json; None where the program stops."""
    try:
        found = compare_entities(
            gold, run, span=chosen.span, threshold=chosen.threshold, types=chosen.types, conf=conf, full_taxonomy=full
        )
    except Aborted:
        return None
    return [
        [r.label, r.counts.tp, r.counts.fp, r.counts.fn, figure(r.precision), figure(r.recall), figure(r.f1)] for r in found
    ]


def names() -> list[str]:
    """The cases there are."""
    folder = SHARED / "oracle"
    return sorted(each.parent.name for each in folder.glob("*/expected.json")) if folder.is_dir() else []


def calls(case: Path, tool: str = "CompareEntities") -> Iterator[dict[str, object]]:
    """The calls of a tool that a case records."""
    yield from (each for each in json.loads((case / "expected.json").read_text())["runs"] if each["tool"] == tool)
