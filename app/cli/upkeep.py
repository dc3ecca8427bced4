"""`assay backup`, `assay restore` and `assay doctor`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from app import upkeep
from app.cli import server


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@server.told
def backup(target: Path) -> None:
    """Write everything the server keeps into TARGET, a tar.gz; the server may go on working."""
    try:
        files = upkeep.backup(server.worker().settings, target)
    except OSError as bad:
        raise click.ClickException(f"{target} cannot be written: {bad.strerror}") from bad
    click.echo(f"{target}: the database and {files:,} files. It holds gold and the secret key: keep it safe.")


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@server.told
def restore(source: Path) -> None:
    """Unpack a backup into the data folder, which must be empty."""
    os.umask(0o077)
    data = Path(os.environ.get("ASSAY_DATA", "var")).resolve()
    files = upkeep.restore(source, data)
    click.echo(f"{data}: the database and {files:,} files. Run `assay migrate`, then `assay doctor`.")


@click.command()
@server.told
def doctor() -> None:
    """Look at settings, database and files; exit status 1 if something is wrong."""
    findings = list(upkeep.examine(server.settings()))
    for each in findings:
        detail = f" ({each.detail})" if each.detail else ""
        click.echo(f"{'✓' if each.good else '✗'} {each.subject}{detail}")
    if not all(each.good for each in findings):
        raise SystemExit(1)
