"""`assay task metadata`, and what `assay task add` is told of documents: attributes, and their sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from app.analysis.metadata import (
    SOURCE,
    Given,
    Rows,
    parse_lexicon_bytes,
    rows_for,
    set_census,
    set_lexicon,
    set_metadata,
)
from app.cli import inputs, server
from app.cli.metadata import Hosted, SourceChoice, read_table
from app.shared_tasks.models import Task
from app.shared_tasks.services import find_task
from app.storage import Storage
from evaluator.metadata import Metadata

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def metadata_options(command: _Command) -> _Command:
    """The options of `assay task add` that say what is known of documents."""
    for option in (
        click.option("--source-folders", is_flag=True, help="A document's source is the folder that its file is in."),
        click.option("--source-pattern", metavar="REGEX", help="A document's source is the first group of this in its id."),
        click.option("--source", metavar="COLUMN", help="Which column is the source. [default: source, if there is one]"),
        click.option("--metadata", type=_FILE, help="TSV or JSON with a row a document: its source, and other attributes."),
    ):
        command = option(command)
    return command


def check_choice(metadata: Path | None, source: str | None, choice: SourceChoice) -> None:
    """See that the options go together.

    Raises:
        click.UsageError: they do not.
    """
    if source is not None and metadata is None:
        raise click.UsageError("--source names a column of the file given with --metadata")
    if source is not None and choice.given:
        raise click.UsageError("--source, --source-pattern and --source-folders exclude one another")


def given_for(
    storage: Storage, task: Task, hosted: Mapping[str, Hosted], metadata: Metadata | None, choice: SourceChoice
) -> Given | None:
    """The attributes of a task's documents, their sources among them where a pattern or folders say which; None for nothing.

    Raises:
        InvalidError: no row is of a document of the task.
        click.UsageError: the file says what the source is, too.
    """
    given = rows_for(storage, task, metadata) if metadata is not None else None
    if not choice.given:
        return given
    if given is not None and SOURCE in given.attributes:
        raise click.UsageError(f"{given.origin} has a column called {SOURCE} already")
    rows: dict[str, Rows] = {}
    for name, each in hosted.items():
        own = given.splits.get(name, {}) if given is not None else {}
        sources = choice.sources(each)
        rows[name] = {id_: {**own.get(id_, {}), SOURCE: sources[id_]} for id_ in sources} | {
            id_: row for id_, row in own.items() if id_ not in sources
        }
    before, others = (given.attributes, given.others) if given is not None else ((), 0)
    return Given("the names of documents", (SOURCE, *before), rows, others)


@click.command()
@click.argument("slug")
@click.argument("file", metavar="[FILE]", type=_FILE, required=False)
@click.option("--source", metavar="COLUMN", default="", help="Which column is the source. [default: source, if there is one]")
@click.option("--lexicon", type=_FILE, help="Categories of entity strings, for what runs miss: lines of string<TAB>category.")
@click.option("--census", type=_FILE, help="How many people have a name, for a task about names: year,sex,name,count.")
@server.told
def metadata(slug: str, file: Path | None, source: str, lexicon: Path | None, census: Path | None) -> None:
    """Give the documents of the task SLUG the attributes in FILE, instead of those they have.

    FILE is a table with tabs between columns, or JSON, with a row a document. What follows from it, the leakage of the data set
    and the scores by stratum and group of all runs, is found anew by the server, for closed phases too.
    """
    if file is None and lexicon is None and census is None:
        raise click.UsageError("Give a file of attributes, --lexicon or --census.")
    worker = server.worker()
    read = read_table(file) if file is not None else None
    strings = parse_lexicon_bytes(inputs.read_bytes(lexicon), str(lexicon)) if lexicon is not None else None
    told: list[str] = []
    with worker.database.session(write=True) as session:
        task = find_task(session, slug)
        if read is not None:
            told.append(set_metadata(session, worker.storage, task, rows_for(worker.storage, task, read), source).in_words())
        if strings is not None:
            set_lexicon(session, worker.storage, task, strings)
            told.append(f"Categories of {len(strings):,} strings are known.")
        if census is not None:
            known = set_census(session, worker.storage, task, inputs.read_bytes(census), str(census))
            told.append(f"How many people have a name is known of the years {known.years[0]} to {known.years[-1]}.")
        session.commit()
    click.echo("\n".join(told))
