"""`assay demo`: a server with something in it, in one command. Doing it again goes on where it stopped."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import httpx
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table

from app.accounts import services as accounts
from app.cli import server
from app.cli.migrate import prepare
from app.cli.serve import check_port, run_until_stopped, start, stop_all
from app.demo import setup
from app.runs.leases import Worker
from app.shared_tasks import phases
from app.shared_tasks import services as shared_tasks
from app.shared_tasks.deadlines import PhaseState
from evaluator.report import figure

_PATIENCE_SECONDS = 120
_UPLOADS = (("dev", "dev", ("ner", "ee", "e2e")), ("test-1", "test", ("ner", "e2e")), ("test-2", "test-2", ("ner",)))
"""Phase, split and tracks."""
_console = Console()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--no-serve", is_flag=True, help="Stop when the leaderboards are printed.")
@server.told
def demo(host: str, port: int, no_serve: bool) -> None:
    """Install the demonstration task, upload runs through the API, print leaderboards, and serve until Ctrl-C."""
    check_port(host, port)
    with _step("Preparing the database"):
        prepare()
        worker = server.worker()
    folder = worker.settings.data / "demo"
    with _step("Writing the demonstration corpus"):
        setup.write_corpus(folder)
    with _step("Installing task and teams"), worker.database.session(write=True) as session:
        made = setup.install(session, worker, folder)
        session.commit()
    _print_credentials(made)
    processes = start(host, port)
    try:
        base = f"http://{host}:{port}"
        with _step("Starting the server"):
            _wait_until_up(base, processes[0])
        _upload_everything(worker, base, folder)
        _print_board(base, "dev", "ner")
        _print_board(base, "dev", "e2e")
        _print_board(base, "test-1", "ner")
    except BaseException:
        stop_all(processes)
        raise
    if no_serve:
        stop_all(processes)
    else:
        run_until_stopped(host, port, processes)


@contextmanager
def _step(text: str) -> Iterator[None]:
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=_console, transient=True) as progress:
        progress.add_task(text)
        yield
    _console.print(f"[green]✓[/] {text}")


def _print_credentials(made: list[setup.Credential]) -> None:
    if not made:
        _console.print("The accounts are there already. A lost password: assay user reset EMAIL")
        return
    table = Table(title="Accounts (shown only now)", title_justify="left")
    for column in ("e-mail", "password", "role"):
        table.add_column(column, no_wrap=column != "role")
    for each in made:
        table.add_row(each.email, each.password, each.role)
    _console.print(table)


def _wait_until_up(base: str, web: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        if web.poll() is not None:
            raise click.ClickException("The web server did not start; see its messages above.")
        try:
            httpx.get(f"{base}/api/v1/tasks").raise_for_status()
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise click.ClickException("The web server does not answer.")


def _upload_everything(worker: Worker, base: str, folder: Path) -> None:
    """Upload, wait for and publish the runs that are not there yet, one phase after the other."""
    tokens = _tokens(worker)
    for phase, split, tracks in _UPLOADS:
        with _step(f"Uploading and scoring runs of {phase}"):
            _turn(worker, phase, PhaseState.OPEN)
            for team, token in tokens.items():
                with httpx.Client(
                    base_url=f"{base}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60
                ) as client:
                    files = {track: folder / "runs" / setup.run_name(setup.TEAMS[team], split, track) for track in tracks}
                    for track, file in files.items():
                        if file.is_file():  # not every system has runs in every track
                            _upload(client, phase, track, file)
            if phase == "test-1":
                _turn(worker, phase, PhaseState.CLOSED)
    _revoke(worker)


def _tokens(worker: Worker) -> dict[str, str]:
    with worker.database.session(write=True) as session:
        captains = setup.captains(session)
        tokens = {team: accounts.issue_token(session, user, "demonstration") for team, user in sorted(captains.items())}
        session.commit()
        return tokens


def _revoke(worker: Worker) -> None:
    with worker.database.session(write=True) as session:
        for user in setup.captains(session).values():
            for token in accounts.tokens_of(session, user):
                if token.name == "demonstration":
                    accounts.revoke_token(session, user, token.id)
        session.commit()


def _turn(worker: Worker, slug: str, state: PhaseState) -> None:
    """Bring a phase to a state, unless it is past it: a phase that was closed stays closed."""
    with worker.database.session(write=True) as session:
        phase = shared_tasks.find_phase(shared_tasks.find_task(session, setup.TASK), slug)
        if phase.state is PhaseState.UPCOMING and state is PhaseState.OPEN:
            phases.open_phase(session, phase)
        elif phase.state is PhaseState.OPEN and state is PhaseState.CLOSED:
            phases.close_phase(session, phase)
        session.commit()


def _upload(client: httpx.Client, phase: str, track: str, file: Path) -> None:
    system = next(each for each in setup.TEAMS.values() if file.name.startswith(each))
    wanted = {"board": "team", "phase": phase, "track": track}
    board = client.get(f"/tasks/{setup.TASK}/leaderboard", params=wanted).raise_for_status().json()
    mine: dict[str, Any] | None = next((each for each in board["entries"] if each["name"] == system), None)
    if mine is None:
        form = {"phase": phase, "track": track, "name": system}
        answer = client.post(f"/tasks/{setup.TASK}/runs", data=form, files={"file": (file.name, file.read_bytes())})
        if answer.status_code == httpx.codes.CONFLICT:
            return  # the phase was closed by hand since
        run_id = answer.raise_for_status().json()["id"]
        _wait_until_done(client, run_id)
        client.post(f"/runs/{run_id}/publish").raise_for_status()
    else:
        _wait_until_done(client, mine["run"])


def _wait_until_done(client: httpx.Client, run_id: str) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        state = client.get(f"/runs/{run_id}").raise_for_status().json()["state"]
        if state in ("scored", "accepted"):
            return
        if state in ("rejected", "failed"):
            raise click.ClickException(f"Run {run_id} is {state}.")
        time.sleep(0.1)
    raise click.ClickException(f"Run {run_id} is not scored after {_PATIENCE_SECONDS} seconds.")


def _scored_board(base: str, wanted: dict[str, str]) -> Any:
    """The board when all of its runs are scored: those of a phase that was quiet were only accepted when it closed."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        board = httpx.get(f"{base}/api/v1/tasks/{setup.TASK}/leaderboard", params=wanted).raise_for_status().json()
        if all(each["score"] for each in board["entries"]) or time.monotonic() > end:
            return board
        time.sleep(0.1)


def _print_board(base: str, phase: str, track: str) -> None:
    board = _scored_board(base, {"phase": phase, "track": track})
    title = f"Leaderboard of {phase}, {track}: {board['annotations']}, {board['span']} spans, {board['labels']} labels"
    table = Table(title=title, title_justify="left")
    for column in ("rank", "team", "run", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column in ("team", "run") else "right", no_wrap=True)
    for each in board["entries"]:
        score = each["score"] or {}
        figures = [figure(score.get(name)) for name in ("precision", "recall", "f1")]
        table.add_row("–" if each["rank"] is None else str(each["rank"]), each["team"], each["name"], *figures)
    _console.print(table)
