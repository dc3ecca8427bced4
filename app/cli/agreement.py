"""`assay agreement A B [C …]`: how far annotators of the same documents agree."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from app.version import VERSION
from brat.corpus import Corpus, read_corpus
from evaluator.analysis.agreement import find_agreement
from evaluator.analysis.agreement_tables import report_agreement
from evaluator.plain_tables import FORMATS, as_text
from evaluator.references import trigger_labels
from evaluator.signature import digest_documents

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("annotated", type=_PATH, nargs=-1, required=True)
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle: which labels are those of triggers."
)
@click.option("--rows", type=click.IntRange(min=0), default=20, show_default=True, help="Of disagreements; 0 for all of them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def agreement(annotated: tuple[Path, ...], *, task: Path | None, rows: int, format_: str) -> None:
    """Say how far the annotators of ANNOTATED agree: folders or archives of the same documents, one an annotator.

    F1 with each as reference, Cohen's kappa of every two, Krippendorff's alpha of all, for entities, triggers and relations;
    and what they do not agree on. A document that one of them lacks is empty there.
    """
    if len(annotated) < 2:
        raise click.UsageError("two annotators or more are needed: name a folder or an archive of each")
    read = {_name(path, annotated): _read(path) for path in annotated}
    if len(read) < len(annotated):
        raise click.UsageError("the same annotator is named twice")
    known = inputs.read_task(task).triggers if task is not None else frozenset[str]()
    triggers = frozenset[str]().union(*(trigger_labels(each.documents, known) for each in read.values()))
    found = find_agreement({name: each.documents for name, each in read.items()}, triggers)
    signature = {"assay": VERSION, **{f"digest-{name}": digest_documents(each.digests) for name, each in read.items()}}
    report = report_agreement(found, signature)
    click.echo(as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report), nl=False)


def _read(path: Path) -> Corpus:
    found = read_corpus(inputs.read_files(path))
    inputs.stop_on_errors(found.problems)
    if not found.documents:
        inputs.no_documents(path)
    return found


def _name(path: Path, paths: tuple[Path, ...]) -> str:
    """What an annotator is called: as their folder, or by the whole path where two are called so."""
    names = [each.resolve().name for each in paths]
    return path.resolve().name if names.count(path.resolve().name) == 1 else str(path)
