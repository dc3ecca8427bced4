"""`assay templates`: synthetic sentences about people and chemicals, and what a run made of them."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TypeVar

import click

from app.cli import inputs
from app.cli.templates_report import report
from evaluator.fairness.census import CensusError, read_census
from evaluator.fairness.name_lists import (
    HEAD,
    TOP,
    ListError,
    PopularNames,
    own_text,
    parse_names,
    popular_names,
    write_names_table,
)
from evaluator.fairness.sentences import (
    COLUMNS,
    Design,
    names_used,
    parse_chemicals,
    parse_templates,
    write_sentences,
)

_FILE = click.Path(exists=True, path_type=Path)
_DECADES = re.compile(r"(\d{3}0)(?:-(\d{3}0))?")
_T = TypeVar("_T")
_BLOCK = 256


@click.group(invoke_without_command=True)
@click.option(
    "--names", "names_file", type=_FILE, help="The Social Security names.zip, year,sex,name,count (.csv, .xz), or our TSV."
)
@click.option("--chemicals", "chemicals_file", type=_FILE, help="A chemical a line; after a tab brand or generic.")
@click.option("--templates", "templates_file", type=_FILE, help="A sentence a line with [NAME] and [CHEMICAL].")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="The folder that is written; it must be empty.")
@click.option("--top", type=click.IntRange(min=1), default=TOP, show_default=True, help="Names for each decade and gender.")
@click.option("--decades", "decades_given", multiple=True, metavar="YEAR[-YEAR]", help="1880, or 1950-2010; may be repeated.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="N sentences, spread evenly.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the sample.")
@click.pass_context
def templates(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    *,
    names_file: Path | None,
    chemicals_file: Path | None,
    templates_file: Path | None,
    out: Path | None,
    top: int,
    decades_given: tuple[str, ...],
    sample: int | None,
    seed: int,
) -> None:
    """Write sentences that differ in a name only, as a BRAT corpus with gold and metadata.

    One document for each gender, decade, template and name, a line for each chemical. Names, chemicals and templates that are
    not given are Assay's own. docs/templates.md says more.
    """
    if context.invoked_subcommand is not None:
        return
    if out is None:
        raise click.UsageError("--out says where to write")
    popular = _read_names(names_file) if names_file else parse_names(own_text("names.tsv"))
    try:
        design = Design(
            templates=_parse(parse_templates, templates_file, "templates.txt"),
            chemicals=_parse(parse_chemicals, chemicals_file, "chemicals.tsv"),
            names=popular,
            top=top,
            decades=_decades(decades_given) or popular.decades,
            sample=sample,
            seed=seed,
        )
    except ListError as bad:
        inputs.fail(str(bad))
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--sample") from bad
    try:
        documents, sentences = _write(design, out)
    except OSError as bad:
        inputs.fail(f"{out}: cannot be written: {bad.strerror}")
    fewer = f", which are all there are: --sample asks for {sample:,}" if sample is not None and sentences < sample else ""
    click.echo(f"{out}: {documents:,} documents, {sentences:,} sentences{fewer}")


templates.add_command(report)


def _write(design: Design, out: Path) -> tuple[int, int]:
    """The corpus; a block of documents is held at a time."""
    out.mkdir(parents=True, exist_ok=True)
    if next(out.iterdir(), None) is not None:
        inputs.fail(f"{out}: not empty: nothing of another corpus may stand beside this one")
    documents = sentences = 0
    written = write_sentences(design)
    with (out / "metadata.tsv").open("w", encoding="utf-8", newline="\n") as metadata:
        metadata.write("\t".join(COLUMNS) + "\n")
        while block := list(islice(written, _BLOCK)):
            for each in block:
                stem = f"{out}/{each.id}"
                for suffix, content in ((".txt", each.text), (".ann", each.annotations)):
                    with open(stem + suffix, "wb") as file:  # noqa: PTH123 - half the time of a Path, 56,000 times
                        file.write(content.encode())
                sentences += each.text.count("\n")
            metadata.writelines("\t".join(each.row) + "\n" for each in block)
            documents += len(block)
    lists = {
        "templates.tsv": "template\tsentence\n" + "".join(f"{i}\t{each}\n" for i, each in enumerate(design.templates, 1)),
        "chemicals.tsv": "chemical\tkind\n" + "".join(f"{each.name}\t{each.kind}\n" for each in design.chemicals),
        "names.tsv": write_names_table(PopularNames(names_used(design))),
    }
    for name, text in lists.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    return documents, sentences


def _parse(parse: Callable[[str, str], _T], path: Path | None, own: str) -> _T:
    return parse(own_text(own), own) if path is None else parse(inputs.read_text(path), str(path))


def _read_names(path: Path) -> PopularNames:
    """Names from our own table, which is told by its head, or from the census."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(len(BOM_UTF8) + len(HEAD))
            if start.removeprefix(BOM_UTF8).startswith(HEAD.encode()):
                return parse_names(inputs.read_text(path), str(path))
        return popular_names(read_census(path), top=10**9)
    except (CensusError, ListError) as bad:
        inputs.fail(str(bad))


def _decades(given: tuple[str, ...]) -> tuple[int, ...]:
    found: set[int] = set()
    for each in given:
        named = _DECADES.fullmatch(each)
        if named is None or int(named[2] or named[1]) < int(named[1]):
            raise click.BadParameter(
                f"{each} is not a decade, such as 1880, nor decades, such as 1950-2010", param_hint="--decades"
            )
        found.update(range(int(named[1]), int(named[2] or named[1]) + 1, 10))
    return tuple(sorted(found))
