"""`assay groups CORPUS`: the groups of documents by what their authors say of themselves."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from app.cli.metadata import read_column, tell_unknown
from app.version import VERSION
from evaluator.fairness.self_identification import GENDER, as_metadata, find_authors
from evaluator.fairness.self_identification_patterns import PATTERNS
from evaluator.fairness.self_identification_tables import report_authors
from evaluator.metadata import as_tsv
from evaluator.plain_tables import FORMATS, as_text
from evaluator.signature import digest_texts, digest_value


@click.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write gender and age of each document as TSV.")
@click.option("--force", is_flag=True, help="With --out: write over a file.")
@click.option("--bands", metavar="AGES", help="The ages at which age bands begin, such as 18,30,45,60.")
@click.option("--given", metavar="FILE:COLUMN", help="Compare with the gender that this metadata gives.")
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Of long tables; 0 for all of them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def groups(
    *, corpus: Path, out: Path | None, force: bool, bands: str | None, given: str | None, rows: int, format_: str
) -> None:
    """Find out who wrote the posts of CORPUS: what authors say of their own gender and age, as in `I [25 M]` or `My (23F)`.

    Documents that contradict themselves, or say nothing, are in no group, and are counted. The file of --out is what
    `--metadata` of other commands takes. docs/self-identification.md says what is found.
    """
    edges = _read_bands(bands)
    if out is not None and out.exists() and not force:
        inputs.fail(f"{out}: is there already; --force writes over it")
    texts = inputs.read_texts(corpus)
    known = None if given is None else read_column(given, GENDER)[1]
    authors = find_authors(texts)
    metadata = as_metadata(authors, edges)
    if known is not None:
        tell_unknown("given gender", {id_: known[id_] for id_ in texts if id_ in known}, len(texts))
    if out is not None:
        try:
            out.write_text(as_tsv(metadata), "utf-8", newline="\n")
        except (OSError, ValueError) as bad:
            inputs.fail(f"{out}: cannot be written: {bad.strerror if isinstance(bad, OSError) else bad}")
    signature = {
        "assay": VERSION,
        "patterns": digest_value([each.expression.pattern for each in PATTERNS])[:12],
        "bands": [str(each) for each in edges],
        "digest-texts": digest_texts(texts),
        "digest-given": "" if known is None else digest_value(known),
    }
    report = report_authors(authors, signature, edges, known)
    click.echo(as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report), nl=False)


def _read_bands(given: str | None) -> tuple[int, ...]:
    try:
        edges = tuple(int(each) for each in given.split(",")) if given else ()
        as_metadata({}, edges)
    except ValueError as bad:
        expected = "expected ages that ascend, such as 18,30,45,60"
        raise click.BadParameter(f"{given}: {expected}", param_hint="--bands") from bad
    return edges
