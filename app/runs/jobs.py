"""Checking and scoring a run: at least once tried, at most once written (`app.runs.leases`)."""

from __future__ import annotations

import io
import secrets
import socket

import numpy as np
import structlog
from sqlalchemy.orm import Session

from app.clock import now
from app.runs.checking import Checked, Upload, check_upload, keep_findings, read_upload
from app.runs.leases import EVERYTHING, LostClaimError, Stage, Worker, claim, give_back, heartbeat, holding, stage_of
from app.runs.models import Run, RunState, ScoreRow, Scoring
from app.runs.quotas import refund
from app.runs.services import enter
from app.shared_tasks.services import definition_of, gold_of, texts_of
from app.version import VERSION
from evaluator.scores import MatchingRule
from evaluator.scoring import Scored, score
from evaluator.signature import SCORER_VERSION, Signature, digest_documents, digest_texts, digest_value

_log = structlog.get_logger()


def process_run(worker: Worker, run_id: str, stages: frozenset[Stage] = EVERYTHING) -> Stage | None:
    """Check a run and score it, as far as this worker does, unless somebody else is at it or it is done.

    Safe to call again at any time.

    Returns:
        The stage that the run now waits for, if this worker does not do it.
    """
    owner = f"{socket.gethostname()}:{secrets.token_hex(8)}"
    if not claim(worker, run_id, owner, stages):
        return None
    log = _log.bind(run=run_id)
    try:
        with heartbeat(worker, run_id, owner):
            if not _check(worker, run_id, owner):
                return None
            with holding(worker, run_id, owner) as (_, run):
                due = stage_of(run)
                if due not in stages:
                    run.owner, run.lease_until, run.attempts = None, None, 0
                    return due
            _score(worker, run_id, owner)
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("run failed")
        give_back(worker, run_id, owner, bad)
    return None


def _check(worker: Worker, run_id: str, owner: str) -> bool:
    """Check the upload, unless that is done; returns whether it is to be scored. Gold is not touched."""
    with worker.database.session(write=False) as session:
        if session.get_one(Run, run_id).state is not RunState.RECEIVED:
            return True
    checked = check_upload(_upload(worker, run_id))
    with holding(worker, run_id, owner) as (session, run):
        keep_findings(session, worker.storage, run, checked)
        end = _end_of_check(run, checked)
        if end is not None:
            refund(session, run, end.value)
            run.owner, run.lease_until = None, None
            enter(session, run, end)
        else:
            enter(session, run, RunState.CHECKED)
            enter(session, run, RunState.QUEUED)
    return end is None


def _upload(worker: Worker, run_id: str) -> Upload:
    with worker.database.session(write=False) as session:
        run = session.get_one(Run, run_id)
        definition = definition_of(run.task)
        track = definition.track(run.track)
        assert track is not None, "BUG: a run of a track that the task does not have"  # noqa: S101
        return Upload(
            data=worker.storage.get(run.upload),
            file_name=run.file_name,
            limits=worker.settings.archive,
            texts=texts_of(worker.storage, run.phase.split),
            expected=definition.expectations(track),
        )


def _end_of_check(run: Run, checked: Checked) -> RunState | None:
    """The state in which a run stays that is not to be scored."""
    if checked.is_refused:
        return RunState.REJECTED
    if run.trial:
        return RunState.TRIED
    return RunState.HELD if checked.is_off and not run.anyway else None


def _score(worker: Worker, run_id: str, owner: str) -> None:
    with holding(worker, run_id, owner) as (session, run):
        enter(session, run, RunState.SCORING)
        definition, split = definition_of(run.task), run.phase.split
        session.refresh(split)
    checked = read_upload(_upload(worker, run_id))
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
    with holding(worker, run_id, owner) as (session, run):
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
