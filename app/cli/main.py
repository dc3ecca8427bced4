"""The `assay` command. A subcommand's module is imported only when it is asked for, so that `assay score` starts fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from brat.problems import RefusedInput

_COMMANDS = {
    "agreement": "app.cli.agreement:agreement",
    "backup": "app.cli.upkeep:backup",
    "baseline": "app.cli.baseline:baseline",
    "categories": "app.cli.categories:categories",
    "check": "app.cli.check:check",
    "compare": "app.cli.compare:compare",
    "confusion": "app.cli.confusion:confusion",
    "convert": "app.cli.convert:convert",
    "demo": "app.cli.demo:demo",
    "difficulty": "app.cli.difficulty:difficulty",
    "doctor": "app.cli.upkeep:doctor",
    "faults": "app.cli.faults:faults",
    "groups": "app.cli.groups:groups",
    "leakage": "app.cli.leakage:leakage",
    "migrate": "app.cli.migrate:migrate",
    "names": "app.cli.names:names",
    "restore": "app.cli.upkeep:restore",
    "score": "app.cli.score:score",
    "serve": "app.cli.serve:serve",
    "split": "app.cli.split:split",
    "statistics": "app.cli.statistics:statistics",
    "task": "app.cli.task:task",
    "templates": "app.cli.templates:templates",
    "user": "app.cli.user:user",
    "worker": "app.cli.serve:worker",
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a file that turns out to be damaged while it is read is told as one line."""
        try:
            return super().invoke(ctx)
        except RefusedInput as refused:
            click.echo(str(refused.problem), err=True)
            raise SystemExit(1) from None


@click.command(cls=_Lazy)
@click.version_option(package_name="assay")
def main() -> None:
    """Assay: shared tasks in information extraction, checked, scored and explained."""
