"""`assay user`: make accounts and reset passwords from the server's terminal."""

from __future__ import annotations

import secrets

import click

from app.accounts import services
from app.cli import server


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
    """Give a person a new password and print it once."""
    password = secrets.token_urlsafe(12)
    with server.worker().database.session(write=True) as session:
        services.set_password(session, services.find_user(session, email), password)
        session.commit()
    click.echo(f"{email}: password {password}")
