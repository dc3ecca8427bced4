"""`assay task`: install tasks, list them, open and close their phases."""

from __future__ import annotations

from pathlib import Path

import click

from app.accounts.services import find_user
from app.analysis.metadata import set_metadata
from app.cli import inputs, server
from app.cli.gold import gold
from app.cli.metadata import Hosted, SourceChoice, read_table
from app.cli.task_metadata import check_choice, given_for, metadata, metadata_options
from app.runs.intake import reconsider
from app.shared_tasks import audit, installing, phases, services
from app.shared_tasks.deadlines import in_words, parse_moment
from app.shared_tasks.installing import BadCorpusError, Bundle
from brat.corpus import Corpus
from evaluator.leakage.copies import copied_documents


@click.group()
def task() -> None:
    """Install and steer shared tasks."""


task.add_command(gold)
task.add_command(metadata)


@task.command()
@click.argument("bundle", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--test", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive; its gold stays blind.")
@click.option("--train", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive.")
@click.option("--dev", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive.")
@click.option("--split", "others", multiple=True, metavar="NAME=PATH", help="A further blind split; may be repeated.")
@metadata_options
@click.option("--organiser", "organisers", multiple=True, metavar="EMAIL", help="Who runs the task; may be repeated.")
@server.told
def add(  # noqa: PLR0913 - one parameter an option
    *,
    bundle: Path,
    test: Path | None,
    train: Path | None,
    dev: Path | None,
    others: tuple[str, ...],
    metadata: Path | None,
    source: str | None,
    source_pattern: str | None,
    source_folders: bool,
    organisers: tuple[str, ...],
) -> None:
    """Install the task in BUNDLE with the documents of its splits."""
    choice = SourceChoice(pattern=source_pattern, folders=source_folders)
    check_choice(metadata, source, choice)
    worker = server.worker()
    about = read_table(metadata) if metadata else None
    text = read_bundle(bundle)
    definition = installing.parse_bundle(text)
    paths = {name: path for name, path in (("train", train), ("dev", dev), ("test", test)) if path is not None}
    for each in others:
        name, equals, place = each.partition("=")
        if not equals or not Path(place).exists():
            raise click.BadParameter(f"{each}: expected NAME=PATH with a path that exists", param_hint="--split")
        paths[name] = Path(place)
    hosted: dict[str, Hosted] = {}
    for name, path in paths.items():
        click.echo(f"Reading {name} from {path} …", err=True)
        files = inputs.read_files(path)
        try:
            hosted[name] = Hosted(installing.read_gold(files, definition), files)
        except BadCorpusError as bad:
            inputs.stop(bad.problems)
        inputs.tell(hosted[name].corpus.problems)
    corpora: dict[str, Corpus] = {name: each.corpus for name, each in hosted.items()}
    for each in installing.lacking_layers(definition, corpora):
        click.echo(f"warning: {each}", err=True)
    for each in copied_documents({name: corpus.texts for name, corpus in corpora.items()}):
        click.echo(f"warning: {each}; `assay leakage` says which", err=True)
    with worker.database.session(write=True) as session:
        users = [find_user(session, each) for each in organisers]
        added = installing.add_task(session, worker.storage, text, corpora)
        for user in users:
            services.add_organiser(session, added, user)
        audit.record(session, None, added, "task installed", definition.id, f"organisers: {', '.join(organisers) or 'none'}")
        given = given_for(worker.storage, added, hosted, about, choice)
        kept = set_metadata(session, worker.storage, added, given, source or "") if given else None
        session.commit()
    counts = ", ".join(f"{name} {len(corpus.documents):,}" for name, corpus in corpora.items())
    click.echo(f"Installed {definition.id} ({definition.title}): {counts} documents.")
    if kept:
        click.echo(kept.in_words())
    if not organisers:
        click.echo(f"Nobody runs it yet: assay task organiser {definition.id} EMAIL")


def read_bundle(folder: Path) -> Bundle:
    """The files of a bundle; README.md may be missing."""
    inputs.read_task(folder)
    readme = folder / "README.md"
    return Bundle(
        toml=(folder / "task.toml").read_text("utf-8"),
        conf=(folder / "annotation.conf").read_text("utf-8"),
        readme=readme.read_text("utf-8") if readme.is_file() else "",
    )


@task.command("list")
@server.told
def list_() -> None:
    """List the installed tasks and their phases."""
    with server.worker().database.session(write=False) as session:
        for each in services.all_tasks(session):
            click.echo(f"{each.slug}: {each.title}")
            for phase in each.phases:
                size = f"{phase.split.documents:,} documents of {phase.split.name}"
                click.echo(f"  {phase.slug}: {phase.title}, {phase.state.value}, {size}")


@task.command()
@click.argument("slug")
@click.argument("email")
@server.told
def organiser(slug: str, email: str) -> None:
    """Let the person with EMAIL run the task SLUG."""
    with server.worker().database.session(write=True) as session:
        task = services.find_task(session, slug)
        services.add_organiser(session, task, find_user(session, email))
        audit.record(session, None, task, "organiser added", email)
        session.commit()
    click.echo(f"{email} runs {slug}.")


@task.command()
@click.argument("slug")
@click.argument("phase")
@click.argument("action", type=click.Choice(["open", "close"]))
@server.told
def phase(slug: str, phase: str, action: str) -> None:
    """Open or close a phase of a task."""
    with server.worker().database.session(write=True) as session:
        found = services.find_phase(services.find_task(session, slug), phase)
        if action == "open":
            phases.open_phase(session, found)
        else:
            phases.close_phase(session, found)
        audit.record(session, None, found.task, f"phase {action}", found.slug)
        session.commit()
        click.echo(f"{found.title} is {found.state.value}.")


@task.command()
@click.argument("slug")
@click.argument("phase")
@click.option("--opens", help='Such as "2026-11-30 23:59" (UTC) or "2026-11-30 23:59 AoE"; as it is if not given.')
@click.option("--closes", help="As above.")
@click.option("--reason", required=True, help="Announced to everyone.")
@server.told
def dates(slug: str, phase: str, opens: str | None, closes: str | None, reason: str) -> None:
    """Set when a phase of a task takes runs."""
    try:
        moments = [parse_moment(each) if each else None for each in (opens, closes)]
    except ValueError as bad:
        raise click.BadParameter(str(bad)) from bad
    with server.worker().database.session(write=True) as session:
        found = services.find_phase(services.find_task(session, slug), phase)
        phases.set_dates(session, found, moments[0] or found.opens_at, moments[1] or found.closes_at)
        end = in_words(found.closes_at) if found.closes_at else "when it is closed"
        services.announce(session, found.task, f"**{found.title}** now ends {end}. {reason}")
        reconsider(session, found)
        audit.record(session, None, found.task, "phase dates", found.slug, f"{found.opens_at} to {found.closes_at}. {reason}")
        session.commit()
        click.echo(f"{found.title} is {found.state.value} and ends {end}.")
