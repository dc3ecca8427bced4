"""`assay task gold`: correct the gold of a split, and see how far the scoring of its runs is."""

from __future__ import annotations

from pathlib import Path

import click
from sqlalchemy.orm import Session

from app.cli import inputs, server
from app.runs import gold_versions
from app.runs.leases import Worker
from app.shared_tasks.installing import BadCorpusError, read_gold
from app.shared_tasks.models import GoldState, Split
from app.shared_tasks.services import definition_of, find_split, find_task


@click.command()
@click.argument("slug")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--split", "name", required=True, metavar="NAME", help="Whose gold it is.")
@click.option("--reason", default="", help="Why it is corrected; told to everyone when boards switch.")
@click.option("--drop", "action", flag_value="drop", help="Give up the version that waits.")
@click.option("--retry", "action", flag_value="retry", help="Try the runs again that could not be scored.")
@click.option("--switch-without-failed", "action", flag_value="switch", help="Switch although some runs have no score then.")
@server.told
def gold(*, slug: str, folder: Path | None, name: str, reason: str, action: str | None) -> None:
    """Correct the gold of a split of the task SLUG by the BRAT folder or archive DIR; without DIR, list its versions.

    All runs on the split are scored again by the server. Boards show the new scores at once, when all are done.
    """
    if folder is not None and action is not None:
        raise click.UsageError("Give either a folder with corrected gold, or --drop, --retry or --switch-without-failed.")
    if folder is None and reason:
        raise click.UsageError("--reason goes with a folder of corrected gold.")
    if folder is not None and not reason.strip():
        raise click.UsageError("--reason is needed: it is told to everyone when boards switch.")
    worker = server.worker()
    if folder is not None:
        _install(worker, slug, name, folder, reason)
    elif action is not None:
        with worker.database.session(write=True) as session:
            told = _act(session, find_split(find_task(session, slug), name), action)
            session.commit()
        click.echo(told)
    else:
        with worker.database.session(write=False) as session:
            _list(session, find_split(find_task(session, slug), name))


def _install(worker: Worker, slug: str, name: str, folder: Path, reason: str) -> None:
    with worker.database.session(write=False) as session:
        definition = definition_of(find_split(find_task(session, slug), name).task)
    click.echo(f"Reading {name} from {folder} …", err=True)
    try:
        corpus = read_gold(inputs.read_files(folder), definition)
        with worker.database.session(write=True) as session:
            split = find_split(find_task(session, slug), name)
            version = gold_versions.install_version(session, worker.storage, split, corpus, reason)
            progress = gold_versions.progress_of(session, version)
            session.commit()
    except BadCorpusError as bad:
        click.echo(bad.message, err=True)
        inputs.stop(bad.problems)
    inputs.tell(corpus.problems)
    if version.state is GoldState.CURRENT:
        click.echo(f"Version {version.number} of the gold of {name} holds now: no run had to be scored.")
        return
    runs = "1 run is" if progress.waiting == 1 else f"{progress.waiting:,} runs are"
    click.echo(
        f"Version {version.number} of the gold of {name} is stored. {runs} scored again by the server; boards switch at once "
        f"when all are done.\nSee how far it is: assay task gold {slug} --split {name}"
    )


def _act(session: Session, split: Split, action: str) -> str:
    if action == "drop":
        version = gold_versions.drop_version(session, split, None)
        return f"Version {version.number} of the gold of {split.name} is dropped. Nothing has changed on any board."
    if action == "retry":
        count = gold_versions.retry_failed(session, split, None)
        return f"{count:,} {'run is' if count == 1 else 'runs are'} tried again by the server."
    version = gold_versions.switch_without_failed(session, split, None)
    return f"Version {version.number} of the gold of {split.name} holds now."


def _list(session: Session, split: Split) -> None:
    opened = gold_versions.open_version(split)
    click.echo(f"Gold of {split.name}:")
    for each in reversed(split.versions):
        dates = f"made {each.made_at:%Y-%m-%d %H:%M} UTC"
        if each.switched_at is not None:
            dates += f", held from {each.switched_at:%Y-%m-%d %H:%M} UTC"
        click.echo(f"  version {each.number}: {each.state.value}, {dates}{f'; {each.reason}' if each.reason else ''}")
        progress = gold_versions.progress_of(session, each) if each is opened else None
        if progress is None or not (progress.waiting or progress.failed or each.state is GoldState.WAITING):
            continue
        click.echo(f"    {progress.done:,} of {progress.runs:,} runs are scored against it")
        for row in progress.failed:
            click.echo(f"    failed: {row.run.name} ({row.run_id}) of {row.run.team.name}: {row.note}")
