"""Checking and scoring a run: at least once tried, at most once written.

The row is the truth. A worker claims it with a lease in one conditional UPDATE, a heartbeat extends the lease, and the
results are written in one transaction that checks that the worker still has the claim. A sweep sends what nobody has.
"""

from __future__ import annotations

import io
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

import numpy as np
import structlog
from sqlalchemy import CursorResult, or_, select, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db import Database
from app.runs.checking import Checked, Upload, check_upload, keep_findings
from app.runs.models import Run, RunState, ScoreRow, Scoring
from app.runs.quotas import refund
from app.runs.services import enter
from app.settings import Settings
from app.shared_tasks.services import definition_of, gold_of, texts_of
from app.storage import Storage
from app.version import VERSION
from brat.corpus import Corpus
from evaluator.scores import MatchingRule
from evaluator.scoring import Scored, score
from evaluator.signature import SCORER_VERSION, Signature, digest_documents, digest_texts, digest_value

_log = structlog.get_logger()


class Stage(StrEnum):
    """What a worker does.

    Checking never touches gold. How long scoring takes depends on gold, and would otherwise show in how soon the next upload
    is checked, or the next run scored: so runs of phases that tell nothing are scored by a worker that does nothing else.
    """

    CHECK = "check"
    SCORE = "score"
    SCORE_QUIETLY = "score-quietly"


_OPEN_STATES = (RunState.RECEIVED, RunState.QUEUED, RunState.SCORING)
EVERYTHING = frozenset(Stage)


@dataclass(frozen=True, slots=True)
class Worker:
    """What the work needs."""

    settings: Settings
    database: Database
    storage: Storage


class _LostClaim(Exception):
    """Another worker has the run now; nothing of ours may be written."""


def process_run(worker: Worker, run_id: str, stages: frozenset[Stage] = EVERYTHING) -> Stage | None:
    """Check a run and score it, as far as this worker does, unless somebody else is at it or it is done.

    Safe to call again at any time.

    Returns:
        The stage that the run now waits for, if this worker does not do it.
    """
    owner = f"{socket.gethostname()}:{secrets.token_hex(8)}"
    if not _claim(worker, run_id, owner, stages):
        return None
    log = _log.bind(run=run_id)
    try:
        with _heartbeat(worker, run_id, owner):
            checked = _check(worker, run_id, owner)
            if checked is None:
                return None
            with _holding(worker, run_id, owner) as (_, run):
                due = _stage_of(run)
                if due not in stages:
                    run.owner, run.lease_until, run.attempts = None, None, 0
                    return due
            _score(worker, run_id, owner, checked)
    except _LostClaim:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("run failed")
        _give_back(worker, run_id, owner, type(bad).__name__)
    return None


def runs_to_send(worker: Worker, stages: frozenset[Stage] = EVERYTHING) -> list[str]:
    """Ids of runs that are not done and that no live worker has."""
    with worker.database.session(write=False) as session:
        free = or_(Run.lease_until.is_(None), Run.lease_until < now())
        waiting = session.scalars(select(Run).where(Run.state.in_(_OPEN_STATES), free).order_by(Run.submitted_at))
        return [run.id for run in waiting if _stage_of(run) in stages and not _rests(worker, run)]


def _stage_of(run: Run) -> Stage:
    if run.state is RunState.RECEIVED:
        return Stage.CHECK
    return Stage.SCORE_QUIETLY if run.phase.keeps_quiet else Stage.SCORE


def _rests(worker: Worker, run: Run) -> bool:
    """Whether a run could not be scored and its phase tells nothing yet.

    That scoring fails may depend on gold: memory, for one. Such a run stays as it is, accepted, and fails, with its try given
    back, when the phase is over.
    """
    return run.attempts >= worker.settings.attempts and _stage_of(run) is Stage.SCORE_QUIETLY


def _claim(worker: Worker, run_id: str, owner: str, stages: frozenset[Stage]) -> bool:
    lease = now() + timedelta(seconds=worker.settings.lease_seconds)
    free = or_(Run.lease_until.is_(None), Run.lease_until < now())
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id)
        if run is None or run.state not in _OPEN_STATES or _stage_of(run) not in stages or _rests(worker, run):
            return False
        if run.attempts >= worker.settings.attempts and (not run.lease_until or run.lease_until < now()):
            _fail(session, run, f"given up after {run.attempts} attempts")
            session.commit()
            return False
        claimed = session.execute(
            update(Run)
            .where(Run.id == run_id, Run.state == run.state, free)
            .values(owner=owner, lease_until=lease, attempts=Run.attempts + 1)
        )
        session.commit()
        return isinstance(claimed, CursorResult) and claimed.rowcount == 1


@contextmanager
def _heartbeat(worker: Worker, run_id: str, owner: str) -> Iterator[None]:
    done = threading.Event()

    def beat() -> None:
        while not done.wait(worker.settings.lease_seconds / 3):
            lease = now() + timedelta(seconds=worker.settings.lease_seconds)
            with worker.database.session(write=True) as session:
                session.execute(update(Run).where(Run.id == run_id, Run.owner == owner).values(lease_until=lease))
                session.commit()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def _holding(worker: Worker, run_id: str, owner: str) -> Iterator[tuple[Session, Run]]:
    """A transaction in which the run is still ours; commits at the end."""
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id, with_for_update=True)
        if run is None or run.owner != owner:
            raise _LostClaim
        yield session, run
        session.commit()


def _check(worker: Worker, run_id: str, owner: str) -> Corpus | None:
    """Read and check the upload; None when there is nothing to score. Gold is not touched."""
    with worker.database.session(write=False) as session:
        run = session.get_one(Run, run_id)
        definition, split = definition_of(run.task), run.phase.split
        track = definition.track(run.track)
        assert track is not None, "BUG: a run of a track that the task does not have"  # noqa: S101
        upload = Upload(
            data=worker.storage.get(run.upload),
            file_name=run.file_name,
            limits=worker.settings.archive,
            texts=texts_of(worker.storage, split),
            expected=definition.expectations(track),
        )
        first = run.state is RunState.RECEIVED
    checked = check_upload(upload, explain=first)
    with _holding(worker, run_id, owner) as (session, run):
        if first:
            keep_findings(session, worker.storage, run, checked)
        end = _end_of_check(run, checked)
        if end is not None:
            refund(session, run, end.value)
            run.owner, run.lease_until = None, None
            enter(session, run, end)
        elif run.state is RunState.RECEIVED:
            enter(session, run, RunState.CHECKED)
            enter(session, run, RunState.QUEUED)
    return None if end is not None else checked.corpus


def _end_of_check(run: Run, checked: Checked) -> RunState | None:
    """The state in which a run stays that is not to be scored."""
    if checked.is_refused:
        return RunState.REJECTED
    if run.trial:
        return RunState.TRIED
    return RunState.HELD if checked.is_off and not run.anyway else None


def _score(worker: Worker, run_id: str, owner: str, checked: Corpus) -> None:
    with _holding(worker, run_id, owner) as (session, run):
        enter(session, run, RunState.SCORING)
        definition, split = definition_of(run.task), run.phase.split
        session.refresh(split)
    texts = {id_: each.text or "" for id_, each in checked.documents.items()}
    gold = gold_of(worker.storage, split, texts)
    scored = score(gold.documents, checked.documents, definition.criteria, definition.hierarchy)
    signature = Signature(
        assay=VERSION,
        task=definition.id,
        task_version=definition.version,
        split=split.name,
        documents=len(gold.documents),
        criteria=tuple(each.name for each in definition.criteria),
        matching=MatchingRule.EXACT_FIRST.value,
        gold=split.gold_digest,
        run=digest_documents({id_: checked.digests[id_] for id_ in checked.documents if id_ in checked.digests}),
        texts=digest_texts(texts),
        hierarchy=digest_value(dict(definition.hierarchy.parents)),
    )
    matchings = worker.storage.put(_pack_matchings(scored))
    with _holding(worker, run_id, owner) as (session, run):
        _write(session, run, scored, signature, matchings)
        run.owner, run.lease_until = None, None
        enter(session, run, RunState.SCORED)


def _write(session: Session, run: Run, scored: Scored, signature: Signature, matchings: str) -> None:
    scoring = Scoring(
        run_id=run.id,
        gold_digest=signature.gold,
        scorer=SCORER_VERSION,
        signature=str(signature),
        matchings=matchings,
        created_at=now(),
    )
    session.add(scoring)
    session.flush()
    session.add_all(
        ScoreRow(
            scoring_id=scoring.id,
            annotations=each.annotations,
            span=each.span,
            labels=each.labels,
            matching=each.matching,
            stratification=each.stratification,
            stratum=each.stratum,
            label=each.label,
            tp=each.counts.tp,
            fp=each.counts.fp,
            fn=each.counts.fn,
        )
        for each in scored.scores
    )


def _pack_matchings(scored: Scored) -> bytes:
    """The pairs under every criterion, as rows of the tables that `build_tables` makes of the same documents."""
    arrays = {}
    for each in scored.matchings:
        arrays[f"{each.criterion.name}/gold"] = each.gold.astype(np.uint32)
        arrays[f"{each.criterion.name}/run"] = each.run.astype(np.uint32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _give_back(worker: Worker, run_id: str, owner: str, reason: str) -> None:
    """After a fault of ours: another attempt at once, or, when there have been enough, failed."""
    with worker.database.session(write=True) as session:
        run = session.get(Run, run_id)
        if run is None or run.owner != owner:
            return
        run.owner, run.lease_until = None, None
        if run.attempts >= worker.settings.attempts and not _rests(worker, run):
            _fail(session, run, f"an error of ours ({reason}); the organisers can see it in the log")
        session.commit()


def _fail(session: Session, run: Run, note: str) -> None:
    refund(session, run, "a failure of ours")
    enter(session, run, RunState.FAILED, note)
