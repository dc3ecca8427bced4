"""What `assay leakage` and `assay split` are told of documents: sources, other attributes, and when they are copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from app.cli import inputs
from brat.corpus import Corpus, read_corpus
from brat.files import Files
from evaluator.leakage.sources import sources_by_folder, sources_by_pattern
from evaluator.metadata import Metadata, MetadataError, parse_metadata
from evaluator.signature import digest_documents, digest_texts

_SOURCE = "source"
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Hosted:
    """A corpus with the files that it was read from."""

    corpus: Corpus
    files: Files

    @property
    def paths(self) -> dict[str, str]:
        """Where each document's files are, without suffix."""
        stems = [path.rpartition(".")[0] for path in self.files]
        named = {stem if stem in self.corpus.documents else stem.rpartition("/")[2]: stem for stem in stems}
        return {id_: stem for id_, stem in named.items() if id_ in self.corpus.documents}

    @property
    def digests(self) -> dict[str, str]:
        """Of annotations and of texts."""
        return {"annotations": digest_documents(self.corpus.digests), "texts": digest_texts(self.corpus.texts)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChoice:
    """Where sources come from: a file, a pattern, folders, or nowhere.

    Raises:
        click.UsageError: more than one of these.
    """

    file: str | None = None
    pattern: str | None = None
    folders: bool = False

    def __post_init__(self) -> None:
        if sum((self.file is not None, self.pattern is not None, self.folders)) > 1:
            raise click.UsageError("--sources, --source-pattern and --source-folders exclude one another")

    @property
    def given(self) -> bool:
        """Whether there is anything to say of sources."""
        return self.file is not None or self.pattern is not None or self.folders

    def sources(self, hosted: Hosted) -> dict[str, str]:
        """The source of each document of a corpus that has one."""
        if self.pattern is not None:
            try:
                return sources_by_pattern(hosted.corpus.documents, self.pattern)
            except ValueError as bad:
                raise click.BadParameter(str(bad), param_hint="--source-pattern") from bad
        if self.folders:
            return sources_by_folder(hosted.paths)
        if self.file is None:
            return {}
        named = read_column(self.file, _SOURCE)[1]
        return {id_: named[id_] for id_ in hosted.corpus.documents if id_ in named}


def source_options(command: _Command) -> _Command:
    """The options that say where sources come from."""
    for option in (
        click.option("--source-folders", is_flag=True, help="A document's source is the folder that its file is in."),
        click.option("--source-pattern", metavar="REGEX", help="A document's source is the first group of this in its id."),
        click.option(
            "--sources",
            "source_file",
            metavar="FILE[:COLUMN]",
            help="TSV or JSON with a row a document; without COLUMN, `source` or the first attribute.",
        ),
    ):
        command = option(command)
    return command


def copy_options(command: _Command) -> _Command:
    """The options that say when documents are copies."""
    for option in (
        click.option(
            "--threshold",
            type=click.FloatRange(0, 1, min_open=True),
            default=0.5,
            show_default=True,
            help="The least Jaccard index of copies.",
        ),
        click.option(
            "--words", type=click.IntRange(min=1), default=5, show_default=True, help="Of the runs that copies share."
        ),
    ):
        command = option(command)
    return command


def read_hosted(path: Path) -> Hosted:
    """The documents below a path, all with their texts; the command ends with status 1 when there are none, or errors."""
    files = inputs.read_files(path)
    corpus = read_corpus({name: data for name, data in files.items() if name.endswith((".txt", ".ann", ".a1", ".a2"))})
    inputs.stop_on_errors(corpus.problems, corpus.counts)
    if not corpus.texts:
        inputs.fail(f"{path}: no document: expected .txt files, with .ann files beside them")
    return Hosted(corpus, files)


def read_column(named: str, default: str | None = None) -> tuple[str, dict[str, str]]:
    """A column of a metadata file, named as FILE:COLUMN; the command ends with status 1 when it cannot be read.

    Args:
        named: what the user gave.
        default: the column where none is named; the first attribute where there is no such column. None: one must be named.

    Returns:
        The name of the column, and its value for each document that has one.
    """
    file, colon, column = named.rpartition(":")
    if not colon or Path(named).is_file():
        file, column = named, ""
    if not column and default is None:
        raise click.BadParameter(f"{named}: name the column, as in {named}:COLUMN", param_hint="--attribute")
    metadata = read_table(Path(file))
    column = column or (default if default in metadata.attributes else next(iter(metadata.attributes), "")) or ""
    return column, column_of(metadata, column)


def column_of(metadata: Metadata, column: str) -> dict[str, str]:
    """The value of an attribute for each document that has one; the command ends with status 1 when there is no such one."""
    try:
        return metadata.column(column)
    except MetadataError as bad:
        inputs.fail(str(bad))


def read_table(path: Path) -> Metadata:
    """What a file says of documents; the command ends with status 1 when it cannot be read."""
    try:
        return parse_metadata(inputs.read_text(path), str(path))
    except MetadataError as bad:
        inputs.fail(str(bad))


def tell_unknown(kind: str, of: Mapping[str, str], documents: int) -> None:
    """Say on standard error how many documents have no value."""
    if len(of) < documents:
        click.echo(f"warning: {documents - len(of):,} of {documents:,} documents have no {kind}", err=True)
