"""`assay serve` and `assay worker`: the web server and the worker, together or apart."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from types import FrameType

import click

from app.cli import server
from app.parents import die_with_parent

_THREADS = 32
_STAGES = ("check", "score", "score-quietly")
_WORKERS = {f"worker that {each}s": ("--stage", each) for each in _STAGES} | {"trainer": ("--queue", "all")}
_LOOK_SECONDS = 0.5
_STOP_SECONDS = 10


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
@server.told
def serve(host: str, port: int) -> None:
    """Serve pages and API, and work on runs, until Ctrl-C."""
    server.worker()  # complains of settings and schema before anything starts
    check_port(host, port)
    run_until_stopped(host, port)


@click.command()
@click.option("--stage", type=click.Choice([*_STAGES, "all"]), default="all", show_default=True)
@click.option("--queue", type=click.Choice(["cpu", "gpu", "all"]), help="Train baselines instead: those for such machines.")
@server.told
def worker(stage: str, queue: str | None) -> None:
    """Check and score runs until told to stop, or train baselines; `assay serve` starts all of these by itself."""
    if queue is not None:
        _train(queue)
        return
    from app.jobs import work  # noqa: PLC0415
    from app.logs import configure  # noqa: PLC0415
    from app.runs.leases import EVERYTHING, Stage  # noqa: PLC0415

    configure()
    work(server.worker(), EVERYTHING if stage == "all" else frozenset({Stage(stage)}))


def _train(queue: str) -> None:
    """Train baselines until told to stop."""
    import threading  # noqa: PLC0415

    from app.baseline_runs.jobs import train_all  # noqa: PLC0415
    from app.baseline_runs.models import Device  # noqa: PLC0415
    from app.logs import configure  # noqa: PLC0415

    configure()
    stopped = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: stopped.set())
    train_all(server.worker(), frozenset(Device) if queue == "all" else frozenset({Device(queue)}), stopped)


def check_port(host: str, port: int) -> None:
    """Fail with a clear message when the port is taken.

    Raises:
        click.ClickException: it is.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as bad:
            raise click.ClickException(
                f"Port {port} on {host} is not free ({bad.strerror}). "
                f"Stop what uses it, or choose another: --port {port + 1}, or make run PORT={port + 1}"
            ) from bad


def start(host: str, port: int) -> list[subprocess.Popen[bytes]]:
    """The web server, a worker for each stage, and one for baselines, as processes in groups of their own."""
    return [_start_web(host, port), *(_start_worker(options) for options in _WORKERS.values())]


def _start_web(host: str, port: int) -> subprocess.Popen[bytes]:
    # One process with threads: the embedded queue's and the rate limiter's memory are this process's.
    options = [f"--bind={host}:{port}", "--workers=1", f"--threads={_THREADS}", "--timeout=120", "--log-level=warning"]
    return subprocess.Popen(  # noqa: S603 - a fixed command
        [sys.executable, "-m", "gunicorn", *options, "app.wsgi:app"],
        env=os.environ | {"ASSAY_HTTPS": _https(), "ASSAY_URL": os.environ.get("ASSAY_URL", f"http://{host}:{port}")},
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - no thread runs here
    )


def _https() -> str:
    """Offered on this machine only, a server without a proxy is reached by plain HTTP."""
    return os.environ.get("ASSAY_HTTPS", "0")


def _start_worker(options: tuple[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - a fixed command
        [sys.executable, "-m", "app.cli", "worker", *options],
        start_new_session=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509 - no thread runs here
    )


def run_until_stopped(host: str, port: int, started: list[subprocess.Popen[bytes]] | None = None) -> None:
    """Keep web server and workers running; a worker that dies is started again."""
    processes = started or start(host, port)
    stopping = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    click.echo(f"Serving on http://{host}:{port} (Ctrl-C stops)")
    while not stopping and processes[0].poll() is None:
        for place, (name, options) in enumerate(_WORKERS.items(), 1):
            if processes[place].poll() is not None:
                click.echo(f"The {name} stopped; starting it again.", err=True)
                processes[place] = _start_worker(options)
        time.sleep(_LOOK_SECONDS)
    fallen = processes[0].poll() is not None
    stop_all(processes)
    if fallen:
        raise click.ClickException("The web server stopped by itself; see its messages above.")
    click.echo("Stopped.")


def stop_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """End the processes: politely, then not."""
    for each in processes:
        if each.poll() is None:
            each.terminate()
    for each in processes:
        try:
            each.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()
