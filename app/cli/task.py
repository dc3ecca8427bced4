"""`assay task`: install tasks, list them, open and close their phases."""

from __future__ import annotations

from pathlib import Path

import click

from app.accounts.services import find_user
from app.cli import inputs, server
from app.shared_tasks import services
from app.shared_tasks.services import BadCorpusError, Bundle
from brat.corpus import Corpus


@click.group()
def task() -> None:
    """Install and steer shared tasks."""


@task.command()
@click.argument("bundle", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--test", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive; its gold stays blind.")
@click.option("--train", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive.")
@click.option("--dev", type=click.Path(exists=True, path_type=Path), help="BRAT folder or archive.")
@click.option("--split", "others", multiple=True, metavar="NAME=PATH", help="A further blind split; may be repeated.")
@click.option("--organiser", "organisers", multiple=True, metavar="EMAIL", help="Who runs the task; may be repeated.")
@server.told
def add(
    *,
    bundle: Path,
    test: Path | None,
    train: Path | None,
    dev: Path | None,
    others: tuple[str, ...],
    organisers: tuple[str, ...],
) -> None:
    """Install the task in BUNDLE with the documents of its splits."""
    worker = server.worker()
    text = read_bundle(bundle)
    definition = services.parse_bundle(text)
    paths = {name: path for name, path in (("train", train), ("dev", dev), ("test", test)) if path is not None}
    for each in others:
        name, equals, place = each.partition("=")
        if not equals or not Path(place).exists():
            raise click.BadParameter(f"{each}: expected NAME=PATH with a path that exists", param_hint="--split")
        paths[name] = Path(place)
    corpora: dict[str, Corpus] = {}
    for name, path in paths.items():
        click.echo(f"Reading {name} from {path} …", err=True)
        try:
            corpora[name] = services.read_gold(inputs.read_files(path), definition)
        except BadCorpusError as bad:
            inputs.stop(bad.problems)
        inputs.tell(corpora[name].problems)
    with worker.database.session(write=True) as session:
        users = [find_user(session, each) for each in organisers]
        added = services.add_task(session, worker.storage, text, corpora)
        for user in users:
            services.add_organiser(session, added, user)
        session.commit()
    counts = ", ".join(f"{name} {len(corpus.documents):,}" for name, corpus in corpora.items())
    click.echo(f"Installed {definition.id} ({definition.title}): {counts} documents.")
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
        services.add_organiser(session, services.find_task(session, slug), find_user(session, email))
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
            services.open_phase(session, found)
        else:
            services.close_phase(session, found)
        session.commit()
        click.echo(f"{found.title} is {found.state.value}.")
