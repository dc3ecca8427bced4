"""`assay user`: make accounts and reset passwords from the server's terminal."""

from __future__ import annotations

import secrets

import click

from app.accounts import services
from app.cli import server
from app.shared_tasks import audit


@click.group()
def user() -> None:
    """Make accounts and reset passwords."""


@user.command()
@click.argument("email")
@click.option("--name", required=True)
@server.told
def add(email: str, name: str) -> None:
    """Make an account and print its password once."""
    password = secrets.token_urlsafe(12)
    with server.worker().database.session(write=True) as session:
        services.register(session, email=email, name=name, password=password)
        session.commit()
    click.echo(f"{email}: password {password}")


@user.command()
@click.argument("email")
@server.told
def reset(email: str) -> None:
    """Make a link with which a person can set a new password within two hours."""
    worker = server.worker()
    with worker.database.session(write=True) as session:
        secret = services.request_reset(session, services.find_user(session, email))
        session.commit()
    click.echo(f"{worker.settings.url}/reset/{secret}")


@user.command()
@click.argument("email")
@click.option("--no", "revoke", is_flag=True, help="Take the right away.")
@server.told
def admin(email: str, revoke: bool) -> None:
    """Make a person an administrator, who runs every task in which they do not take part."""
    with server.worker().database.session(write=True) as session:
        services.find_user(session, email).is_admin = not revoke
        audit.record(session, None, None, "administrator removed" if revoke else "administrator made", email)
        session.commit()
    click.echo(f"{email} is {'no administrator any more' if revoke else 'an administrator'}.")
