"""`assay faults GOLD [RUN …]`: annotations of gold that may be wrong, to be read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli import inputs
from app.version import VERSION
from brat.corpus import read_corpus
from evaluator.analysis.difficulty import find_difficulty
from evaluator.analysis.gold_faults import find_faults
from evaluator.plain_tables import FORMATS, Report, Table, as_text
from evaluator.references import trigger_labels
from evaluator.signature import digest_documents, digest_texts

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("gold", type=_PATH)
@click.argument("runs", type=_PATH, nargs=-1)
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle: which labels are those of triggers."
)
@click.option("--rows", type=click.IntRange(min=0), default=30, show_default=True, help="Of candidates; 0 for all of them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def faults(gold: Path, runs: tuple[Path, ...], *, task: Path | None, rows: int, format_: str) -> None:
    """Say where the annotations of GOLD may be wrong: where they say otherwise than elsewhere, or than most of RUNS.

    Each is a folder or an archive. Candidates are ranked; a person has to read them.
    """
    wanted = read_corpus(inputs.read_files(gold))
    inputs.stop_on_errors(wanted.problems)
    if not wanted.documents:
        inputs.no_documents(gold)
    texts = {id_: each.text for id_, each in wanted.documents.items()}
    read = {}
    for path in runs:
        found = read_corpus(inputs.read_files(path), texts)
        inputs.stop_on_errors(found.problems)
        read[str(path)] = found
    known = inputs.read_task(task).triggers if task is not None else frozenset[str]()
    triggers = trigger_labels(wanted.documents, known)
    entities = frozenset(each.label for one in wanted.documents.values() for each in one.text_bounds) - triggers
    documents = {name: each.documents for name, each in read.items()}
    over_runs = find_difficulty(wanted.documents, documents, entities) if read and entities else None
    candidates = find_faults(wanted.documents, triggers, over_runs)
    table = Table(
        key="faults",
        title="What may be wrong in gold, the likeliest first",
        heads=("document", "place", "text", "gold", "why", "instead", "support", "score"),
        rows=tuple(
            (
                each.document, ";".join(f"{a} {b}" for a, b in each.fragments), each.text, each.label, each.kind.value,
                each.instead, each.support, each.score,
            )
            for each in candidates
        ),
        long=True,
    )  # fmt: skip
    signature = {
        "assay": VERSION,
        "digest-gold": digest_documents(wanted.digests),
        "digest-texts": digest_texts(wanted.texts),
        **{f"digest-run-{i}": digest_documents(each.digests) for i, each in enumerate(read.values(), 1)},
    }
    value = {"candidates": [{**asdict(each), "kind": each.kind.value} for each in candidates]}
    report = Report(tables=(table,), value=value, signature=signature)
    click.echo(as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report), nl=False)
