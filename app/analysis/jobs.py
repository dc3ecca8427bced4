"""What has to be found of splits and runs, as work in the background (`app.runs.claims`): what splits share, then every run."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.analysis.bases import basis_of, roles_of
from app.analysis.gold_report_jobs import report_on_gold
from app.analysis.metadata import metadata_of
from app.analysis.reports import Finding, pack
from app.analysis.run_jobs import Bench, stratify_next
from app.errors import ConflictError
from app.runs.claims import Claim, claim_next, finishing, working
from app.runs.leases import Worker
from app.runs.models import JobState, LeakageReport, Run, Scoring, Stratification
from app.shared_tasks.models import Phase, Split, Task
from app.shared_tasks.services import corpus_of, definition_of
from app.version import VERSION
from evaluator.leakage.leakage import Options, find_leakage
from evaluator.signature import SCORER_VERSION, digest_documents, digest_texts


def analyse(worker: Worker, stopped: Callable[[], bool]) -> None:
    """Find what has not been found yet, of runs and of splits, until nothing is left or until told to stop."""
    bench = Bench(worker)
    while not stopped():
        found = (
            stratify_next(worker, bench) or report_on_gold(worker) or _report_next(worker)
        )  # a run's figures take seconds, a report can take minutes
        if not found and not enlist(worker):
            return


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
    if roles_of(split) is not None:
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


def _report_next(worker: Worker) -> bool:
    """Find what one split shares; returns whether there was one."""
    claim = claim_next(worker, LeakageReport)
    if claim is None:
        return False
    with working(worker, LeakageReport, claim):
        stored = worker.storage.put(pack(_find(worker, claim)))
        with finishing(worker, LeakageReport, claim) as (_, row):
            row.stored = stored
    return True


def _find(worker: Worker, claim: Claim) -> Finding:
    with worker.database.session(write=False) as session:
        split = session.get_one(LeakageReport, claim.id).split
        roles = roles_of(split)
        assert roles is not None, "BUG: a split without train was enlisted"  # noqa: S101
        corpora = {role: corpus_of(worker.storage, each) for role, each in roles.items()}
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
