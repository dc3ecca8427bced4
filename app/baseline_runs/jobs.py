"""The worker of baselines: it has each trained by a process of its own, tells how far that is, and ends it where it must."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import structlog
from sqlalchemy import select

from app.baseline_runs.models import Baseline, Device
from app.baseline_runs.services import enter_run
from app.baseline_runs.training import ERROR, LOG, PROGRESS, REFUSED, RUN, SIGNATURE
from app.clock import now
from app.runs.claims import Claim, claim_next, finishing, working
from app.runs.intake import digest_content
from app.runs.leases import LostClaimError, Worker
from app.runs.models import JobState

_log = structlog.get_logger()
_FOLDER = "baselines"
"""Of the data folder: what is kept while a baseline is trained."""
_LOOK_SECONDS = 0.3
_TELL_SECONDS = 1.0
_PATIENCE_SECONDS = 5.0
_LONGEST_LOG = 20_000
_WAIT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Clock:
    """When it would have begun had it trained without a pause, and how many seconds it may take: only training counts."""

    began: float
    seconds: int

    @property
    def spent(self) -> float:
        """The seconds that it has trained."""
        return time.monotonic() - self.began


class _EndedError(Exception):
    """Training ended for a reason that another attempt would not change; the message is told."""


class _PausedError(Exception):
    """The worker stops; the baseline goes on with another one."""


@dataclass(frozen=True, slots=True)
class _State:
    """What the row says while the process works."""

    stop: bool
    lost: bool


def train_all(worker: Worker, devices: frozenset[Device], stopped: threading.Event) -> None:
    """Take baselines until told to stop."""
    while not stopped.is_set():
        try:
            if not train_next(worker, devices, stopped):
                tidy(worker)
                stopped.wait(_WAIT_SECONDS)
        except Exception:
            _log.exception("training failed")
            stopped.wait(_WAIT_SECONDS)


def train_next(worker: Worker, devices: frozenset[Device], stopped: threading.Event | None = None) -> bool:
    """Train one baseline that waits; returns whether there was one."""
    claim = claim_next(worker, Baseline, Baseline.device.in_(devices))
    if claim is None:
        return False
    folder = worker.settings.data / _FOLDER / str(claim.id)
    with working(worker, Baseline, claim):
        try:
            _train(worker, claim, folder, stopped or threading.Event())
        except _EndedError as ended:
            _end(worker, claim, str(ended))
        except _PausedError:
            _pause(worker, claim)
            return True
        except Exception:
            _tell(worker, claim, folder)
            raise
        shutil.rmtree(folder, ignore_errors=True)
    return True


def tidy(worker: Worker) -> None:
    """Remove what baselines left that have ended, or are gone."""
    folders = {each.name: each for each in (worker.settings.data / _FOLDER).glob("*") if each.name.isdecimal()}
    if not folders:
        return
    with worker.database.session(write=False) as session:
        rows = session.scalars(select(Baseline).where(Baseline.id.in_([int(name) for name in folders])))
        going = {str(row.id) for row in rows if not row.shown_state.final}
    for name in folders.keys() - going:
        shutil.rmtree(folders[name], ignore_errors=True)


def _train(worker: Worker, claim: Claim, folder: Path, stopped: threading.Event) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with worker.database.session(write=True) as session:
        row = session.get_one(Baseline, claim.id)
        row.began_at = row.began_at or now()
        spent, seconds, attempt = row.spent, row.seconds, row.attempts
        session.commit()
    with (folder / LOG).open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {'Begins' if attempt == 1 else f'Attempt {attempt}'}.\n")
    with (folder / "errors.txt").open("wb") as errors:
        process = _begin(worker, folder, claim.id, errors)
        try:
            status = _watch(worker, claim, folder, process, _Clock(time.monotonic() - spent, seconds), stopped)
        finally:
            _kill(process)
    _tell(worker, claim, folder)
    if status == REFUSED:
        raise _EndedError((folder / ERROR).read_text(encoding="utf-8"))
    if status != 0:
        _log.error(
            "training died", id=claim.id, status=status, errors=(folder / "errors.txt").read_text(errors="replace")[-4000:]
        )
        raise RuntimeError(f"training ended with status {status}")
    data = (folder / RUN).read_bytes()
    stored = worker.storage.put(data)
    with finishing(worker, Baseline, claim) as (session, done):
        done.ended_at, done.signature = now(), (folder / SIGNATURE).read_text(encoding="utf-8")
        enter_run(session, done, stored, digest_content(data, RUN, worker.settings.archive))


def _begin(worker: Worker, folder: Path, number: int, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """The process that trains, with the settings of this worker."""
    settings = worker.settings
    environment = os.environ | {
        "ASSAY_DATA": str(settings.data),
        "ASSAY_DATABASE_URL": settings.database_url,
        "ASSAY_STORAGE_URL": settings.storage_url,
        "ASSAY_SECRET_KEY": settings.secret_key,
    }
    command = [sys.executable, "-m", "app.baseline_runs.training", str(folder), str(number)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment)  # noqa: S603 - a fixed command


def _watch(
    worker: Worker, claim: Claim, folder: Path, process: subprocess.Popen[bytes], clock: _Clock, stopped: threading.Event
) -> int:
    """Wait for the end of the process, and tell how far it is; returns its exit status.

    Raises:
        _EndedError: an organiser stops it, or it takes too long.
        _PausedError: the worker shall stop.
        LostClaimError: another worker has it.
    """
    told = 0.0
    while process.poll() is None:
        if stopped.is_set():
            raise _PausedError
        if clock.spent > clock.seconds:
            _tell(worker, claim, folder)
            raise _EndedError("it took longer than it may")
        if time.monotonic() - told >= _TELL_SECONDS:
            told = time.monotonic()
            state = _tell(worker, claim, folder, int(clock.spent))
            if state.lost:
                raise LostClaimError
            if state.stop:
                raise _EndedError("stopped by an organiser")
        time.sleep(_LOOK_SECONDS)
    return process.returncode


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tell(worker: Worker, claim: Claim, folder: Path, spent: int | None = None) -> _State:
    """Write to the row how far the process is and what it has spent, and read what it says."""
    try:
        progress = json.loads((folder / PROGRESS).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        progress = {}
    log = folder / LOG
    lines = log.read_text(encoding="utf-8")[-_LONGEST_LOG:] if log.exists() else ""
    with worker.database.session(write=True) as session:
        row = session.get(Baseline, claim.id)
        if row is None or row.owner != claim.owner:
            return _State(stop=False, lost=True)
        row.done, row.total = progress.get("done", row.done), progress.get("total", row.total)
        row.unit, row.log = progress.get("unit", row.unit), lines
        row.spent = row.spent if spent is None else spent
        stop = row.stop
        session.commit()
    return _State(stop=stop, lost=False)


def _end(worker: Worker, claim: Claim, note: str) -> None:
    """The baseline has failed, and why; it is not tried again."""
    with worker.database.session(write=True) as session:
        row = session.get(Baseline, claim.id)
        if row is not None and row.owner == claim.owner:
            row.state, row.owner, row.lease_until, row.ended_at, row.note = JobState.FAILED, None, None, now(), note[:200]
            session.commit()


def _pause(worker: Worker, claim: Claim) -> None:
    """Let another worker have it at once; this was no attempt."""
    with worker.database.session(write=True) as session:
        row = session.get(Baseline, claim.id)
        if row is not None and row.owner == claim.owner:
            row.owner, row.lease_until, row.attempts = None, None, row.attempts - 1
            session.commit()
