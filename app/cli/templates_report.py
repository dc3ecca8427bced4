from __future__ import annotations
import click
@click.command()
def report() -> None:
    """x."""
