"""`assay statistics CORPUS …`: what the splits of a corpus hold, and whether they are alike."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from app.cli.metadata import column_of, read_hosted, read_table
from app.version import VERSION
from evaluator.analysis.corpus_statistics import describe_corpus
from evaluator.analysis.statistics_tables import report_statistics
from evaluator.plain_tables import FORMATS, as_text
from evaluator.references import trigger_labels

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("splits", type=_PATH, nargs=-1, required=True)
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle: which labels are those of triggers."
)
@click.option("--metadata", type=_PATH, help="TSV or JSON with a row a document.")
@click.option("--by", "columns", multiple=True, metavar="COLUMN", help="Its attribute to compare over splits; may be repeated.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def statistics(
    splits: tuple[Path, ...], *, task: Path | None, metadata: Path | None, columns: tuple[str, ...], format_: str
) -> None:
    """Say what SPLITS hold, folders or archives of .txt and .ann, one a split: documents, sentences, words, annotations.

    Of several it says whether labels, and attributes of documents, are distributed alike (ChEMU 2020, Tables 1, 3, 4).
    """
    if columns and metadata is None:
        raise click.UsageError("--by names a column of the file given with --metadata")
    names = [each.resolve().name for each in splits]
    if len(set(names)) < len(names):
        names = [str(each) for each in splits]
    if len(set(names)) < len(names):
        raise click.UsageError("the same split is named twice")
    hosted = {name: read_hosted(path) for name, path in zip(names, splits, strict=True)}
    known = inputs.read_task(task).triggers if task is not None else frozenset[str]()
    documents = {name: each.corpus.documents for name, each in hosted.items()}
    triggers = frozenset[str]().union(*(trigger_labels(each, known) for each in documents.values()))
    attributes = {}
    if metadata is not None:
        table = read_table(metadata)
        attributes = {column: column_of(table, column) for column in columns or table.attributes}
    signature = {"assay": VERSION}
    for name, each in hosted.items():
        signature |= {f"digest-{name}-{kind}": digest for kind, digest in each.digests.items()}
    report = report_statistics(describe_corpus(documents, triggers, attributes), signature)
    click.echo(as_text(report, None) if format_ == "table" else FORMATS[format_](report), nl=False)
