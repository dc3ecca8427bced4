"""`assay templates report CORPUS RUN`: figures by gender, decade and template, and the names that are taken for chemicals."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from app.cli.metadata import read_table
from app.version import VERSION
from evaluator.columnar.adding import Sums
from evaluator.columnar.reading import BothSides, Wishes
from evaluator.criteria import Criterion, parse_span
from evaluator.fairness.name_lists import ListError, parse_names
from evaluator.fairness.names_as_chemicals import NamesAsChemicals, about_documents, parse_numbered_templates
from evaluator.fairness.template_report import outcomes, report_templates, tagged_names
from evaluator.plain_tables import FORMATS, as_text
from evaluator.scoring import Scheme
from evaluator.signature import digest_documents
from evaluator.tables import Ints, Tables

_FOLDER = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("corpus", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("run", type=_FOLDER)
@click.option("--span", default="exact", show_default=True, help="exact, relaxed or approximate:T.")
@click.option("--rows", type=click.IntRange(min=0), default=20, show_default=True, help="Of the lists of names; 0 for all.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def report(corpus: Path, run: Path, *, span: str, rows: int, format_: str) -> None:
    """Say what RUN made of CORPUS, a folder that `assay templates` wrote.

    A false positive whose span overlaps the name in its sentence is a name tagged as a chemical.
    """
    try:
        rule, threshold = parse_span(span)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--span") from bad
    criterion = Criterion(rule, threshold=threshold)
    files = inputs.read_files(corpus), inputs.read_files(run)
    both = BothSides(*files)
    if not both.documents:
        inputs.no_documents(corpus)
    try:
        about = about_documents(
            both.documents,
            read_table(corpus / "metadata.tsv"),
            parse_numbered_templates(inputs.read_text(corpus / "templates.tsv"), str(corpus / "templates.tsv")),
            parse_names(inputs.read_text(corpus / "names.tsv"), str(corpus / "names.tsv")),
        )
        sums, names = Sums(both.documents, [criterion], Scheme()), NamesAsChemicals(both.documents, about, str(corpus))

        def take(tables: Tables, place: Ints) -> None:
            names.take(sums.take(tables, place))

        read = both.read(Wishes(expected=inputs.expected_offline(None), texts=True), take)
    except ListError as bad:
        inputs.fail(str(bad))
    inputs.stop_on_errors_of_both((corpus, read.gold), (run, read.run))
    signature = {
        "assay": VERSION,
        "documents": len(both.documents),
        "criteria": criterion.name,
        "digest-gold": digest_documents(read.gold.digests),
        "digest-run": digest_documents(read.run.digests),
        "digest-texts": digest_documents(read.texts),
    }
    found = report_templates(
        outcomes(about, sums.documents[0], names.counts), tagged_names(about, names.counts), criterion, signature
    )
    click.echo(as_text(found, rows or None) if format_ == "table" else FORMATS[format_](found), nl=False)
