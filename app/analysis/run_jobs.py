"""Scoring a run by stratum and group, as work in the background.

It is not matched again: its pairs are those that were stored when it was scored. So a stratification that comes later, by new
metadata or a new version of Assay, is there for runs of closed phases too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, exists, not_, or_, select
from sqlalchemy.orm import Session

from app.analysis.bases import basis_of, roles_of
from app.analysis.categories import count_all, pack_categories
from app.analysis.groups import compare_all, pack_comparisons, pack_counts
from app.analysis.metadata import census_of, metadata_of
from app.analysis.names import find_names, pack_names
from app.analysis.reports import unpack
from app.runs.claims import Claim, claim_next, finishing, working
from app.runs.leases import LostClaimError, Worker
from app.runs.models import JobState, LeakageReport, Run, ScoreRow, Scoring, Stratification
from app.runs.scoring import gold_that_holds, read_sides, score_rows, unpack_matchings
from app.shared_tasks.models import Phase, Split
from app.shared_tasks.services import corpus_of, definition_of
from evaluator.document_counts import count_documents
from evaluator.fairness.census import Census
from evaluator.leakage.leakage import TEST, Leakage
from evaluator.leakage.runs import Known, stratifications
from evaluator.scheme import scheme_of
from evaluator.scores import ALL, Score
from evaluator.strata.groups import by_group
from evaluator.strata.tallying import score_strata
from evaluator.tables import build_tables


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the strata of the runs on a split follow from.

    Attributes:
        leakage: what the split shares, and the documents of train and dev; None where there is no train.
        groups: of each attribute that makes groups, its value for every document that has one.
        lexicon: the category of entity strings, which are folded.
        rows: all attributes of the documents.
        census: how many people have a name, where the task is about names and it is known.
    """

    leakage: tuple[Leakage, Known] | None
    groups: Mapping[str, Mapping[str, str]]
    lexicon: Mapping[str, str]
    rows: Mapping[str, Mapping[str, str]]
    census: Census | None


@dataclass(slots=True)
class Bench:
    """What was loaded for the last run, kept as long as the next one needs the same."""

    worker: Worker
    basis: str = ""
    loaded: _Ground | None = None

    def of(self, session: Session, split: Split, basis: str) -> _Ground:
        """What strata of runs on a split follow from, whose basis this is."""
        if self.loaded is None or self.basis != basis:
            metadata = metadata_of(session, self.worker.storage, split.task)
            groups, lexicon = (metadata.groups(split.name), metadata.lexicon) if metadata is not None else ({}, {})
            rows = metadata.splits.get(split.name, {}) if metadata is not None else {}
            census = census_of(session, self.worker.storage, split.task)
            self.loaded = _Ground(self._leakage(session, split), groups, lexicon, rows, census)
            self.basis = basis
        return self.loaded

    def _leakage(self, session: Session, split: Split) -> tuple[Leakage, Known] | None:
        roles, storage = roles_of(split), self.worker.storage
        if roles is None:
            return None
        report = session.scalars(select(LeakageReport).where(LeakageReport.split_id == split.id)).one()
        before = [corpus_of(storage, each) for role, each in roles.items() if role != TEST]
        known = [document for corpus in before for document in corpus.documents.values()]
        found = unpack(storage.get(report.stored)).found
        triggers = definition_of(split.task).triggers
        return found, Known(documents=known, ignored=triggers, triggers=triggers)


@dataclass(frozen=True, slots=True)
class _Found:
    """What came out; all but the scores is stored already, by digest."""

    scores: list[Score]
    counts: str
    comparisons: str
    categories: str
    names: str


def stratify_next(worker: Worker, bench: Bench) -> bool:
    """Score one run by stratum and group; returns whether there was one."""
    claim = claim_next(worker, Stratification, _is_due())
    if claim is None:
        return False
    with working(worker, Stratification, claim):
        found = _stratify(worker, bench, claim)
        with finishing(worker, Stratification, claim) as (session, row):
            of_scoring = ScoreRow.scoring_id == row.scoring_id
            session.execute(delete(ScoreRow).where(of_scoring, ScoreRow.stratification != ALL))
            session.add_all(score_rows(row.scoring, found.scores))
            row.counts, row.comparisons, row.categories = found.counts, found.comparisons, found.categories
            row.names = found.names
    return True


def _is_due() -> ColumnElement[bool]:
    """Of scores that hold, and where the split has a report of what it shares, that one is there and of the same basis."""
    of_split = LeakageReport.split_id == Split.id
    ready = exists().where(of_split, LeakageReport.basis == Stratification.basis, LeakageReport.state == JobState.DONE)
    return (
        exists()
        .where(Scoring.id == Stratification.scoring_id, Run.id == Scoring.run_id, Phase.id == Run.phase_id)
        .where(Split.id == Phase.split_id, Split.gold_digest == Scoring.gold_digest)
        .where(or_(ready, not_(exists().where(of_split))))
    )


def _stratify(worker: Worker, bench: Bench, claim: Claim) -> _Found:
    with worker.database.session(write=False) as session:
        row = session.get_one(Stratification, claim.id)
        scoring, split = row.scoring, row.scoring.run.phase.split
        if basis_of(session, split) != row.basis:
            raise LostClaimError  # it has changed a moment ago, and the row will be enlisted anew
        ground = bench.of(session, split, row.basis)
        gold, run_id, packed = gold_that_holds(split), scoring.run_id, worker.storage.get(scoring.matchings)
    sides = read_sides(worker, run_id, gold)
    run = sides.run.documents
    tables = build_tables(sides.gold, run)
    matchings = unpack_matchings(packed, sides.definition.criteria)
    strata = stratifications(*ground.leakage, tables) if ground.leakage is not None else []
    strata += [by_group(name, values, tables) for name, values in ground.groups.items()]
    scheme = scheme_of(sides.definition, sides.track)
    counts = list(count_documents(sides.gold, run, tables, matchings, scheme))
    missed = count_all(ground.groups, sides.gold, tables, matchings, scheme, lexicon=ground.lexicon)
    rule = sides.definition.names
    names = find_names(rule, ground.rows, (sides.gold, run), tables, census=ground.census) if rule else None
    return _Found(
        scores=list(score_strata(sides.gold, run, tables, matchings, strata, scheme)),
        counts=worker.storage.put(pack_counts(tables.documents, counts)),
        comparisons=worker.storage.put(pack_comparisons(compare_all(ground.groups, tables.documents, counts))),
        categories=worker.storage.put(pack_categories(list(missed))),
        names=worker.storage.put(pack_names(names)) if names else "",
    )
