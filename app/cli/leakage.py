"""`assay leakage`: what the splits of a corpus share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from app.cli import inputs
from app.cli.leakage_runs import known_of, score_runs, tell_runs
from app.cli.metadata import Hosted, SourceChoice, copy_options, read_column, read_hosted, source_options, tell_unknown
from app.version import VERSION
from evaluator.leakage.approximate import Sketch
from evaluator.leakage.copies import Nearness
from evaluator.leakage.leakage import Options, find_leakage
from evaluator.leakage.nearest import Effort, Progress
from evaluator.leakage.report import report_leakage
from evaluator.leakage.runs import NamedScores
from evaluator.leakage.vectors import Vectors, Weights
from evaluator.plain_tables import FORMATS, as_text
from evaluator.signature import digest_value

_FOLDER = click.Path(exists=True, path_type=Path)


@click.command()
@click.option("--train", type=_FOLDER, required=True, help="Training documents, .txt with .ann beside them.")
@click.option("--dev", type=_FOLDER, help="Development documents.")
@click.option("--test", type=_FOLDER, required=True, help="Test documents.")
@source_options
@click.option("--run", "runs", type=_FOLDER, multiple=True, help="A run on --test: its scores by strata; may be repeated.")
@click.option("--group", metavar="LABEL", help="With --run: a label or group for the columns with a star, such as COMPOUND.")
@click.option("--attribute", "attributes", multiple=True, metavar="FILE:COLUMN", help="Compare its distribution; repeatable.")
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle: its triggers are no entities."
)
@click.option("--ignore", multiple=True, metavar="LABEL", help="This label is none of entities; may be repeated.")
@click.option("--vectors", type=click.Choice([each.value for each in Weights]), default="binary", show_default=True)
@click.option("--keep-case", is_flag=True, help="Do not lower-case the words of the vectors.")
@copy_options
@click.option("--approximate", is_flag=True, help="Find nearest documents by MinHash: for more pairs than can be compared.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, help="Processes. [default: one a core]")
@click.option(
    "--memory", type=click.IntRange(min=1), default=256, show_default=True, metavar="MIB", help="For products of vectors."
)
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Of long tables; 0 for all of them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def leakage(  # noqa: PLR0913 - one parameter an option
    *,
    train: Path,
    dev: Path | None,
    test: Path,
    source_file: str | None,
    source_pattern: str | None,
    source_folders: bool,
    runs: tuple[Path, ...],
    group: str | None,
    attributes: tuple[str, ...],
    task: Path | None,
    ignore: tuple[str, ...],
    vectors: str,
    keep_case: bool,
    words: int,
    threshold: float,
    approximate: bool,
    jobs: int,
    memory: int,
    rows: int,
    format_: str,
) -> None:
    """Say what the splits of a corpus share, before anyone submits a run.

    Sources in more than one split, the nearest training document of each test document, near and exact copies, entity
    strings that were seen in training and how sure it is of them, and how alike the splits are. docs/leakage.md says what
    each number means.
    """
    choice = SourceChoice(file=source_file, pattern=source_pattern, folders=source_folders)
    columns = dict(read_column(each) for each in attributes)
    if group is not None and not runs:
        raise click.UsageError("--group goes with --run")
    definition = inputs.read_task(task) if task else None
    triggers = definition.triggers if definition else ()
    options = Options(
        vectors=Vectors(weights=Weights(vectors), lower=not keep_case),
        nearness=Nearness(words=words, threshold=threshold),
        ignored=frozenset((*triggers, *ignore)),
        sketch=Sketch() if approximate else None,
        effort=Effort(memory_mib=memory, jobs=jobs),
    )
    paths = {"train": train, "dev": dev, "test": test}
    splits = {name: read_hosted(path) for name, path in paths.items() if path is not None}
    sources = _sources(choice, splits)
    documents = {name: hosted.corpus.documents for name, hosted in splits.items()}
    found = find_leakage(
        documents,
        sources,
        columns,
        options,
        _progress() if sys.stderr.isatty() else None,
    )
    signature = _signature(splits, sources, columns, found.options)
    scored: list[NamedScores] = []
    if runs:
        scored, digests = score_runs(found, known_of(documents, options.ignored, frozenset(triggers)), test, runs, definition)
        signature |= digests
    report = report_leakage(found, signature)
    told = as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report)
    click.echo(tell_runs(scored, group, format_, told) if scored else told, nl=False)


def _sources(choice: SourceChoice, splits: dict[str, Hosted]) -> dict[str, dict[str, str | None]] | None:
    if not choice.given:
        return None
    found: dict[str, dict[str, str | None]] = {}
    known: dict[str, str] = {}
    for name, hosted in splits.items():
        own = choice.sources(hosted)
        found[name] = {id_: own.get(id_) for id_ in hosted.corpus.documents}
        known.update({f"{name}/{id_}": source for id_, source in own.items()})
    tell_unknown("source", known, sum(len(each) for each in found.values()))
    return found


def _signature(splits: dict[str, Hosted], sources: object, columns: object, options: Any) -> dict[str, Any]:
    digests = {f"digest-{name}-{kind}": value for name, each in splits.items() for kind, value in each.digests.items()}
    beside = {"digest-sources": digest_value(sources) if sources else "", "digest-attributes": digest_value(columns)}
    return {"assay": VERSION, **options, **digests, **{key: value for key, value in beside.items() if value}}


def _progress() -> Progress:
    """A line on standard error that says how far the search is."""
    last = -1

    def tell(done: int, total: int) -> None:
        nonlocal last
        percent = 100 * done // total if total else 100
        if percent != last:
            last = percent
            click.echo(f"\rcomparing documents: {percent} %", err=True, nl=percent == 100)

    return tell
