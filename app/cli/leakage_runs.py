"""`assay leakage --run`: what the leakage of a data set means for runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from app.cli import inputs
from brat.model import Document
from evaluator.hierarchy import Hierarchy
from evaluator.leakage.leakage import Leakage
from evaluator.leakage.runs import Known, NamedScores, paper_tables, score_run, stability
from evaluator.scoring import Scheme
from evaluator.signature import digest_documents
from evaluator.strata import layout
from evaluator.task import TaskDefinition


def score_runs(
    found: Leakage, known: Known, test: Path, runs: Sequence[Path], task: TaskDefinition | None
) -> tuple[list[NamedScores], dict[str, str]]:
    """The scores of runs by strata, named by their folders, and digests of the runs. A run with errors ends the command."""
    expected = inputs.expected_offline(None) if task is None else task.expectations(task.tracks[0])
    scheme = Scheme(
        triggers=task.triggers if task else frozenset(), hierarchy=task.hierarchy if task else Hierarchy(), ignore=known.ignored
    )
    scored: list[NamedScores] = []
    digests: dict[str, str] = {}
    for path in runs:
        gold, run = inputs.read_both(test, path, expected)
        name = _name(path, {each for each, _ in scored})
        scored.append((name, score_run(found, known, gold.documents, run.documents, scheme)))
        digests[f"digest-run-{name}"] = digest_documents(run.digests)
    return scored, digests


def _name(path: Path, taken: set[str]) -> str:
    name = path.resolve().name.partition(".")[0] or str(path)
    return name if name not in taken else str(path)


def known_of(
    splits: Mapping[str, Mapping[str, Document]], ignored: frozenset[str], triggers: frozenset[str] = frozenset()
) -> Known:
    """Train and dev."""
    documents = [each for name, documents in splits.items() if name != "test" for each in documents.values()]
    return Known(documents=documents, ignored=ignored, triggers=triggers)


def tell_runs(scored: Sequence[NamedScores], group: str | None, format_: str, report: str) -> str:
    """The report of the data set with the tables of the runs below it; in JSON, with all their scores beside it.

    Raises:
        click.BadParameter: the group is no label.
    """
    try:
        tables = [(each, stability(scored, each)) for each in paper_tables(scored, group)]
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--group") from bad
    if format_ == "json":
        value: dict[str, Any] = json.loads(report)
        value["runs"] = [{"run": name, "scores": [each.to_json() for each in scores]} for name, scores in scored]
        value["tables"] = [layout.to_json(table, ranks) for table, ranks in tables]
        return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    if format_ == "table":
        blocks = [f"{layout.as_text(table)}{layout.stability_as_text(ranks)}" for table, ranks in tables]
    else:
        blocks = [layout.FORMATS[format_](table) for table, _ in tables]
    return "\n".join([report, *blocks])
