"""Looking at the gold of a split, as work in the background: it reads gold and runs, and may take a minute."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.analysis.gold_reports import Doubt, StoredReport, pack_report
from app.runs.claims import Claim, claim_next, finishing, working
from app.runs.leases import Worker
from app.runs.models import GoldReport, Run, RunState
from app.shared_tasks.models import Phase, Split
from app.shared_tasks.services import corpus_of, definition_of
from app.storage import Storage
from brat.corpus import read_corpus
from brat.files import read_bytes
from brat.model import Document
from evaluator.analysis.corpus_statistics import describe_corpus
from evaluator.analysis.difficulty import find_difficulty
from evaluator.analysis.difficulty_tables import report_difficulty
from evaluator.analysis.gold_faults import Candidate, find_faults
from evaluator.analysis.information import of_hardness
from evaluator.analysis.statistics_tables import report_statistics
from evaluator.plain_tables import Table
from evaluator.task import Layer

_CONTEXT = 60
_MOST_DOUBTS = 500
_MOST_ROWS = 100


def report_on_gold(worker: Worker) -> bool:
    """Look at the gold of one split that somebody asked about; returns whether there was one."""
    claim = claim_next(worker, GoldReport)
    if claim is None:
        return False
    with working(worker, GoldReport, claim):
        stored = worker.storage.put(pack_report(_find(worker, claim)))
        with finishing(worker, GoldReport, claim) as (_, row):
            row.stored = stored
    return True


def _find(worker: Worker, claim: Claim) -> StoredReport:
    with worker.database.session(write=False) as session:
        split = session.get_one(GoldReport, claim.id).split
        definition = definition_of(split.task)
        corpora = {each.name: corpus_of(worker.storage, each).documents for each in split.task.splits}
        gold, digest = corpora[split.name], split.gold_digest
        runs = _runs(session, worker.storage, split, gold)
    statistics = report_statistics(describe_corpus(corpora, definition.triggers), {})
    over_runs = find_difficulty(gold, runs, definition.entity_labels) if runs else None
    doubts = [_doubt(each, gold) for each in find_faults(gold, definition.triggers, over_runs)[:_MOST_DOUBTS]]
    value = {"statistics": statistics.value, "doubts": [_plain(each) for each in doubts]}
    difficulty: tuple[Table, ...] = ()
    if over_runs is not None:
        told = report_difficulty(over_runs, of_hardness(over_runs, gold), None, {})
        difficulty = tuple(each.first(_MOST_ROWS) for each in told.tables)
        value["difficulty"] = told.value
    return StoredReport(digest, tuple(runs), statistics.tables, difficulty, tuple(doubts), value)


def _runs(session: Session, storage: Storage, split: Split, gold: Mapping[str, Document]) -> dict[str, dict[str, Document]]:
    """The newest scored run of each team in a track that asks for entities; late runs and dry runs are not asked."""
    tracks = [each.id for each in definition_of(split.task).tracks if Layer.ENTITIES in each.asks]
    wanted = (
        select(Run)
        .join(Phase, Phase.id == Run.phase_id)
        .where(Phase.split_id == split.id, Run.state == RunState.SCORED, Run.late.is_(False), Run.track.in_(tracks))
        .order_by(Run.submitted_at)
    )
    newest = {each.team_id: each for each in session.scalars(wanted) if not each.team.hidden}
    texts = {id_: each.text for id_, each in gold.items()}
    return {
        f"{each.team.name}, {each.name}": dict(
            read_corpus(read_bytes(storage.get(each.upload), each.file_name), texts).documents
        )
        for each in newest.values()
    }


def _doubt(each: Candidate, gold: Mapping[str, Document]) -> Doubt:
    text = gold[each.document].text or ""
    start, end = each.fragments[0][0], each.fragments[-1][1]
    return Doubt(
        document=each.document,
        place=";".join(f"{a} {b}" for a, b in each.fragments),
        before=" ".join(text[max(0, start - _CONTEXT) : start].split()),
        text=" ".join(text[start:end].split()),
        behind=" ".join(text[end : end + _CONTEXT].split()),
        said=each.label,
        why=each.kind.value,
        instead=each.instead,
        support=each.support,
        score=each.score,
    )


def _plain(each: Doubt) -> dict[str, object]:
    return {name: getattr(each, name) for name in Doubt.__slots__}
