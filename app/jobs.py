"""The queue: it carries ids of runs, nothing else, and only after the row is committed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

import structlog
from huey import Huey, SqliteHuey

from app.analysis.jobs import analyse
from app.runs.again import forget_trials
from app.runs.jobs import process_run
from app.runs.leases import Stage, Worker, runs_to_send
from app.runs.rescoring import rescore
from app.settings import Settings

_log = structlog.get_logger()
_SWEEP_SECONDS = 2.0
_TIDY_SECONDS = 3600.0
_FINISH_SECONDS = 5.0
_RESEND_SECONDS = 20.0  # a run that waits its turn has its message in the queue already


class Queue(Protocol):
    """Somewhere to send the id of a run that is ready to be processed."""

    def send(self, run_id: str) -> None:
        """Have the run processed soon."""


class HueyQueue:
    """Huey's embedded queue, in a file of its own; one name for each stage."""

    def __init__(self, settings: Settings, stage: Stage = Stage.CHECK, process: Callable[[str], None] | None = None) -> None:
        self.huey: Huey = SqliteHuey(f"assay-{stage.value}", filename=str(settings.queue_file), results=False, fsync=True)
        self._task = self.huey.task(name="process_run")(process or _not_a_worker)

    def send(self, run_id: str) -> None:
        """Have a worker process the run. If the message is lost, the sweep sends another."""
        self._task(run_id)


def _not_a_worker(run_id: str) -> None:
    raise RuntimeError(f"BUG: {run_id} processed outside a worker")


def work(worker: Worker, stages: frozenset[Stage]) -> None:
    """Process runs until told to stop (SIGINT, SIGTERM).

    A worker of all stages takes a run from its check to its scores; one that only checks passes it on.
    """
    first = next(each for each in Stage if each in stages)
    queues = {stage: HueyQueue(worker.settings, stage) for stage in Stage}

    def process(run_id: str) -> None:
        due = process_run(worker, run_id, stages)
        if due is not None:
            queues[due].send(run_id)

    queue = HueyQueue(worker.settings, first, process)
    stopped = threading.Event()
    threads = [threading.Thread(target=_sweep, args=(worker, stages, queue, stopped), daemon=True)]
    if Stage.SCORE_QUIETLY in stages:
        threads.append(threading.Thread(target=_analyse, args=(worker, stopped), daemon=True))
    for each in threads:
        each.start()
    consumer = queue.huey.create_consumer(workers=1, worker_type="thread", periodic=False, initial_delay=0.05, max_delay=0.5)
    try:
        consumer.run()
    finally:
        stopped.set()
        for each in threads:
            each.join(_FINISH_SECONDS)  # so that what it is at is finished, and not left to its lease


def _sweep(worker: Worker, stages: frozenset[Stage], queue: Queue, stopped: threading.Event) -> None:
    sent: dict[str, float] = {}
    tidied = 0.0
    while not stopped.wait(_SWEEP_SECONDS):
        try:
            waiting = runs_to_send(worker, stages)
            due = [run_id for run_id in waiting if time.monotonic() - sent.get(run_id, -_RESEND_SECONDS) >= _RESEND_SECONDS]
            sent = {run_id: at for run_id, at in sent.items() if run_id in waiting} | dict.fromkeys(due, time.monotonic())
            for run_id in due:
                queue.send(run_id)
            if Stage.SCORE_QUIETLY in stages:
                _rescore(worker, stopped)
            if Stage.CHECK in stages and time.monotonic() - tidied >= _TIDY_SECONDS:
                tidied = time.monotonic()
                forget_trials(worker.database, worker.storage)
        except Exception:
            _log.exception("sweep failed")


def _rescore(worker: Worker, stopped: threading.Event) -> None:
    """Score runs against a version of gold that waits, until none is left, or it is time to look for other runs again.

    How long that takes depends on gold, so it is done by the worker that nobody can see from outside.
    """
    until = time.monotonic() + _RESEND_SECONDS
    rescore(worker, lambda: stopped.is_set() or time.monotonic() > until)


def _analyse(worker: Worker, stopped: threading.Event) -> None:
    """Find what splits share and score runs by stratum; it depends on gold, so it is the work of the same worker."""
    while not stopped.wait(_SWEEP_SECONDS):
        try:
            analyse(worker, stopped.is_set)
        except Exception:
            _log.exception("analysing failed")
