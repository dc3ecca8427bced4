"""`assay difficulty GOLD RUN RUN …`: which instances are hard for all, and what runs say of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from app.cli import inputs
from app.version import VERSION
from brat.corpus import Corpus, read_corpus
from evaluator.analysis.difficulty import find_difficulty
from evaluator.analysis.difficulty_tables import report_difficulty
from evaluator.analysis.information import of_hardness
from evaluator.leakage.mentions import mentions
from evaluator.plain_tables import FORMATS, as_text
from evaluator.signature import digest_documents, digest_texts

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("gold", type=_PATH)
@click.argument("runs", type=_PATH, nargs=-1, required=True)
@click.option("--train", type=_PATH, help="Documents that runs learned from: how often an instance was seen there.")
@click.option("--only", multiple=True, metavar="LABEL", help="These labels only; may be repeated.")
@click.option("--rows", type=click.IntRange(min=0), default=20, show_default=True, help="Of long tables; 0 for all of them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def difficulty(
    gold: Path, runs: tuple[Path, ...], *, train: Path | None, only: tuple[str, ...], rows: int, format_: str
) -> None:
    """Say how many of RUNS get each annotation of GOLD right, which are hard for all, and what runs say instead.

    Each is a folder or an archive. Easiness is the share of runs, under exact spans and fine labels; hard is at most a tenth.
    """
    wanted = read_corpus(inputs.read_files(gold))
    inputs.stop_on_errors(wanted.problems)
    if not wanted.documents:
        inputs.no_documents(gold)
    texts = {id_: each.text for id_, each in wanted.documents.items()}
    read = {str(path): _read(path, texts) for path in runs}
    seen = None
    if train is not None:
        learned = read_corpus(inputs.read_files(train))
        inputs.stop_on_errors(learned.problems)
        seen = Counter(each.string for document in learned.documents.values() for each in mentions(document))
    found = find_difficulty(wanted.documents, {name: each.documents for name, each in read.items()}, frozenset(only))
    signature = {
        "assay": VERSION,
        "only": sorted(only),
        "digest-gold": digest_documents(wanted.digests),
        "digest-texts": digest_texts(wanted.texts),
        **{f"digest-run-{i}": digest_documents(each.digests) for i, each in enumerate(read.values(), 1)},
    }
    report = report_difficulty(found, of_hardness(found, wanted.documents, seen), seen, signature)
    click.echo(as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report), nl=False)


def _read(path: Path, texts: dict[str, str | None]) -> Corpus:
    found = read_corpus(inputs.read_files(path), texts)
    inputs.stop_on_errors(found.problems)
    return found
