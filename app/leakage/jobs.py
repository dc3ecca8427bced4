"""Finding what splits share, and the scores by stratum of every run, as work in the background (`app.runs.claims`).

A run is not matched again: its pairs are those that were stored when it was scored. So a stratification that comes later, by
new metadata or a new version of Assay, is there for runs of closed phases too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy import ColumnElement, delete, exists, or_, select
from sqlalchemy.orm import Session

from app.errors import ConflictError
from app.leakage.bases import basis_of, roles_of
from app.leakage.metadata import metadata_of
from app.leakage.reports import Finding, pack, unpack
from app.runs.claims import Claim, claim_next, finishing, give_back
from app.runs.leases import LostClaimError, Worker, heartbeat
from app.runs.models import JobState, LeakageReport, Run, ScoreRow, Scoring, Stratification
from app.runs.scoring import gold_that_holds, read_sides, score_rows, unpack_matchings
from app.shared_tasks.models import Phase, Split, Task
from app.shared_tasks.services import definition_of, gold_of, texts_of
from app.version import VERSION
from brat.corpus import Corpus
from evaluator.leakage.leakage import TEST, Leakage, Options, find_leakage
from evaluator.leakage.runs import Known, stratifications
from evaluator.scheme import scheme_of
from evaluator.scores import ALL, Score
from evaluator.signature import SCORER_VERSION, digest_documents, digest_texts
from evaluator.strata.tallying import score_strata
from evaluator.tables import build_tables

_log = structlog.get_logger()


def analyse(worker: Worker, stopped: Callable[[], bool]) -> None:
    """Find what has not been found yet, of splits and then of runs, until nothing is left or until told to stop."""
    enlist(worker)
    while not stopped() and _report_next(worker):
        pass
    enlist(worker)  # the strata of runs follow from the reports
    bench = _Bench(worker)
    while not stopped() and _stratify_next(worker, bench):
        pass


def enlist(worker: Worker) -> int:
    """Write down what has to be found, or found anew since what it depends on has changed; returns how much."""
    with worker.database.session(write=False) as session:
        due = any(_due(session, split) for split in session.scalars(select(Split)))
    if not due:
        return 0
    added = 0
    with worker.database.session(write=True) as session:
        for split in session.scalars(select(Split)).all():
            for row, basis in _due(session, split):
                row.basis = basis
                row.restart()
                session.add(row)
                added += 1
        session.commit()
    return added


def _due(session: Session, split: Split) -> list[tuple[LeakageReport | Stratification, str]]:
    """The rows of a split and its runs that are to be made, or to be done again, each with its new basis."""
    basis = basis_of(session, split)
    if basis is None:
        return []
    report = session.scalar(select(LeakageReport).where(LeakageReport.split_id == split.id))
    if report is None or report.basis != basis:
        return [(report or LeakageReport(split_id=split.id), basis)]
    if report.state is not JobState.DONE:
        return []
    wanted = (
        select(Scoring.id, Stratification)
        .join(Run, Run.id == Scoring.run_id)
        .join(Phase, Phase.id == Run.phase_id)
        .outerjoin(Stratification, Stratification.scoring_id == Scoring.id)
        .where(Phase.split_id == split.id, Scoring.gold_digest == split.gold_digest, Scoring.scorer == SCORER_VERSION)
        .where(or_(Stratification.id.is_(None), Stratification.basis != basis))
        .order_by(Scoring.id)
    )
    rows: dict[int, Stratification | None] = {scoring_id: row for scoring_id, row in session.execute(wanted)}  # noqa: C416
    return [(row if row is not None else Stratification(scoring_id=scoring_id), basis) for scoring_id, row in rows.items()]


def _is_due() -> ColumnElement[bool]:
    """Strata that follow from a report that is there, of scores that hold."""
    return (
        exists()
        .where(Scoring.id == Stratification.scoring_id, Run.id == Scoring.run_id, Phase.id == Run.phase_id)
        .where(Split.id == Phase.split_id, Split.gold_digest == Scoring.gold_digest)
        .where(LeakageReport.split_id == Split.id, LeakageReport.basis == Stratification.basis)
        .where(LeakageReport.state == JobState.DONE)
    )


def _report_next(worker: Worker) -> bool:
    """Find what one split shares; returns whether there was one."""
    claim = claim_next(worker, LeakageReport)
    if claim is None:
        return False
    log = _log.bind(report=claim.id)
    try:
        with heartbeat(worker, claim.id, claim.owner, LeakageReport):
            stored = worker.storage.put(pack(_find(worker, claim)))
            with finishing(worker, LeakageReport, claim) as (_, row):
                row.stored = stored
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("looking for leakage failed")
        give_back(worker, LeakageReport, claim, bad)
    return True


def _find(worker: Worker, claim: Claim) -> Finding:
    with worker.database.session(write=False) as session:
        split = session.get_one(LeakageReport, claim.id).split
        roles = _roles(split)
        corpora = {role: _corpus(worker, each) for role, each in roles.items()}
        triggers = definition_of(split.task).triggers
        metadata = metadata_of(session, worker.storage, split.task)
    documents = {role: corpus.documents for role, corpus in corpora.items()}
    sources, attributes = None, {}
    if metadata is not None:
        attributes = metadata.attributes([each.name for each in roles.values()])
        if metadata.source:
            sources = {role: metadata.sources(each.name, documents[role]) for role, each in roles.items()}
    found = find_leakage(documents, sources, attributes, Options(ignored=triggers))
    signature = {"assay": VERSION, "task": split.task.slug, "split": split.name, **found.options}
    for role, corpus in corpora.items():
        signature[f"digest-{role}-annotations"] = digest_documents(corpus.digests)
        signature[f"digest-{role}-texts"] = digest_texts(corpus.texts)
    if metadata is not None:
        signature["digest-metadata"] = metadata.stored
    return Finding(found, signature)


def _roles(split: Split) -> dict[str, Split]:
    roles = roles_of(split)
    assert roles is not None, "BUG: a split without train was enlisted"  # noqa: S101
    return roles


def _corpus(worker: Worker, split: Split) -> Corpus:
    return gold_of(worker.storage, split.gold, texts_of(worker.storage, split))


@dataclass(slots=True)
class _Bench:
    """What the strata of runs follow from, kept from one run to the next as long as it is the same."""

    worker: Worker
    basis: str = ""
    loaded: tuple[Leakage, Known] | None = None

    def of(self, session: Session, split: Split, basis: str) -> tuple[Leakage, Known]:
        """What a split was found to share, and the documents of train and dev."""
        if self.loaded is None or self.basis != basis:
            report = session.scalars(select(LeakageReport).where(LeakageReport.split_id == split.id)).one()
            if report.basis != basis or report.state is not JobState.DONE:
                raise LostClaimError  # it changed a moment ago, and the row will be enlisted anew
            found = unpack(self.worker.storage.get(report.stored)).found
            before = [_corpus(self.worker, each) for role, each in _roles(split).items() if role != TEST]
            known = [document for corpus in before for document in corpus.documents.values()]
            self.loaded = found, Known(documents=known, ignored=definition_of(split.task).triggers)
            self.basis = basis
        return self.loaded


def _stratify_next(worker: Worker, bench: _Bench) -> bool:
    """Score one run by stratum; returns whether there was one."""
    claim = claim_next(worker, Stratification, _is_due())
    if claim is None:
        return False
    log = _log.bind(stratification=claim.id)
    try:
        with heartbeat(worker, claim.id, claim.owner, Stratification):
            scores = _stratify(worker, bench, claim)
            with finishing(worker, Stratification, claim) as (session, row):
                of_scoring = ScoreRow.scoring_id == row.scoring_id
                session.execute(delete(ScoreRow).where(of_scoring, ScoreRow.stratification != ALL))
                session.add_all(score_rows(row.scoring, scores))
    except LostClaimError:
        log.warning("claim lost")
    except Exception as bad:
        log.exception("scoring by stratum failed")
        give_back(worker, Stratification, claim, bad)
    return True


def _stratify(worker: Worker, bench: _Bench, claim: Claim) -> list[Score]:
    with worker.database.session(write=False) as session:
        row = session.get_one(Stratification, claim.id)
        scoring, split = row.scoring, row.scoring.run.phase.split
        found, known = bench.of(session, split, row.basis)
        gold, run_id, packed = gold_that_holds(split), scoring.run_id, worker.storage.get(scoring.matchings)
    sides = read_sides(worker, run_id, gold)
    tables = build_tables(sides.gold, sides.run.documents)
    matchings = unpack_matchings(packed, sides.definition.criteria)
    strata = stratifications(found, known, tables)
    scheme = scheme_of(sides.definition, sides.track)
    return list(score_strata(sides.gold, sides.run.documents, tables, matchings, strata, scheme))


def retry_failed(session: Session, task: Task) -> int:
    """Have tried again what could not be found of a task's splits and runs; the caller commits. Returns how much that is.

    Raises:
        ConflictError: there is nothing.
    """
    reports = select(LeakageReport).join(Split, Split.id == LeakageReport.split_id).where(Split.task_id == task.id)
    runs = (
        select(Stratification)
        .join(Scoring, Scoring.id == Stratification.scoring_id)
        .join(Run, Run.id == Scoring.run_id)
        .where(Run.task_id == task.id)
    )
    failed: list[LeakageReport | Stratification] = [
        *session.scalars(reports.where(LeakageReport.state == JobState.FAILED)),
        *session.scalars(runs.where(Stratification.state == JobState.FAILED)),
    ]
    if not failed:
        raise ConflictError("Nothing failed.")
    for each in failed:
        each.restart()
    session.flush()
    return len(failed)
