"""The runs of a board by stratum: what is left of each score where nothing leaks (ChEMU 2020, Tables 12 to 14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import not_, select
from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.bases import basis_of
from app.errors import ForbiddenError, InvalidError
from app.leaderboards.services import Board, Choice, Entry
from app.runs.models import JobState, Run, RunState, ScoreRow, Scoring, Stratification
from evaluator.leakage.runs import NamedScores, paper_tables, stability, strata_named
from evaluator.scores import ALL, Counts, MatchingRule, Score
from evaluator.signature import SCORER_VERSION
from evaluator.strata.changes import RunChanges, Selection, changes, strata_of
from evaluator.strata.ranking import RankStability
from evaluator.strata.tables import ChangeTable

STILL = "Figures of {:,} runs are still being found. A file of part of them would be wrong; try again in a moment."
NOT_YET = "Scores by stratum are told when every phase on these documents has closed."


@dataclass(frozen=True, slots=True)
class StrataPart:
    """One stratification.

    Attributes:
        name: as in the records.
        strata: those that are not empty, in order.
        sizes: [strata] gold annotations in each.
        runs: each run's counts, in the order of the board.
        table: their changes in the paper's layout.
        ranks: whether the runs that are ranked rank alike on the whole and on each stratum.
    """

    name: str
    strata: tuple[str, ...]
    sizes: tuple[int, ...]
    runs: tuple[RunChanges, ...]
    table: ChangeTable
    ranks: tuple[RankStability, ...]


@dataclass(frozen=True, slots=True)
class StrataBoard:
    """The runs of a board that the reader may know this of.

    Attributes:
        board: with all its runs.
        group: the label, or group of labels, of the columns with a star; empty for none.
        groups: what there is to choose.
        shown: the runs in the tables, with the names that they have there.
        parts: one for each stratification.
        waiting: runs whose scores by stratum are not there yet, or are from before something changed.
        failed: those that could not be scored by stratum, each with the reason.
        provenance: what the figures depend on, in short.
        hidden: how many runs are not shown, since their scores by stratum are never told: late ones on a blind split.
    """

    board: Board
    group: str
    groups: tuple[str, ...]
    shown: tuple[tuple[str, Run], ...]
    parts: tuple[StrataPart, ...]
    waiting: tuple[Run, ...]
    failed: tuple[tuple[Run, str], ...]
    provenance: Mapping[str, str]
    hidden: int


def by_stratum(session: Session, reader: Reader, board: Board, group: str = "") -> StrataBoard:
    """The runs of a board by stratum.

    Args:
        session: to read with.
        reader: who asks.
        board: which runs, under which criterion.
        group: a label or a group of labels, such as `COMPOUND`.

    Raises:
        ForbiddenError: the reader may not know it of any run of the phase, or not yet.
        InvalidError: there is no such label.
    """
    if What.PER_STRATUM not in TELLS[board.told]:
        raise ForbiddenError(NOT_YET)
    scored = [each for each in board.entries if each.run.state is RunState.SCORED]
    told = [each for each in scored if may_be_told(reader, each.run, What.PER_STRATUM)]
    states = states_of(session, [each.run for each in told])
    scores = _scores(session, board.choice, [each.run for each in told])
    done = [each for each in told if any(one.stratification != ALL for one in scores[each.run.id])]
    groups = tuple(sorted({one.label for each in done for one in scores[each.run.id]} - {ALL}))
    if group and group not in groups:
        raise InvalidError(f"{group} is none of the labels here; there are: {', '.join(groups) or 'none'}.", field="group")
    named = [(name, scores[each.run.id]) for name, each in zip(distinct_names(done), done, strict=True)]
    ranked = [one for one, each in zip(named, done, strict=True) if each.rank is not None]
    selection = Selection(
        stratification="", span=board.choice.span, labels=board.choice.labels, annotations=board.choice.annotations
    )
    tables = paper_tables(named, group or None, selection) if named else []
    basis = basis_of(session, board.choice.phase.split)
    failed = [(each.run, states[each.run.id].note) for each in told if has_failed(states.get(each.run.id))]
    return StrataBoard(
        board=board,
        group=group,
        groups=groups,
        shown=tuple((name, each.run) for (name, _), each in zip(named, done, strict=True)),
        parts=tuple(_part(named, ranked, table) for table in tables),
        waiting=tuple(each.run for each in told if waits(states.get(each.run.id), basis)),
        failed=tuple(failed),
        provenance=_provenance(board.choice, basis),
        hidden=len(scored) - len(told),
    )


def _provenance(choice: Choice, basis: str) -> dict[str, str]:
    """The same basis means the same documents, annotations and attributes."""
    split, criterion = choice.phase.split, f"{choice.annotations}, {choice.span} spans, {choice.labels} labels"
    return {
        "task": split.task.slug,
        "phase": choice.phase.slug,
        "track": choice.track,
        "split": split.name,
        "criterion": criterion,
        "gold": split.gold_digest[:12],
        "basis": basis[:12],
    }


def waits(row: Stratification | None, basis: str) -> bool:
    """Whether the strata of a run are still to come, or to be found anew."""
    return row is None or row.basis != basis or row.state is JobState.WAITING


def has_failed(row: Stratification | None) -> bool:
    """Whether the strata of a run could not be found."""
    return row is not None and row.state is JobState.FAILED


def _mark(run: Run) -> str:
    """What is said of a run that is not ranked."""
    return " (dry run)" if run.team.hidden else " *" if run.late else ""


def distinct_names(entries: Sequence[Entry]) -> list[str]:
    """What the runs are called in tables: team and run, with a star for a late one, and their ids where that is not enough."""
    plain = [f"{each.team}, {each.run.name}{_mark(each.run)}" for each in entries]
    often = Counter(plain)
    return [name if often[name] == 1 else f"{name} ({each.run.id[:6]})" for name, each in zip(plain, entries, strict=True)]


def states_of(session: Session, runs: Sequence[Run]) -> dict[str, Stratification]:
    """How far the strata of each run are, of the scores that hold."""
    if not runs:
        return {}
    wanted = (
        select(Scoring.run_id, Stratification)
        .join(Stratification, Stratification.scoring_id == Scoring.id)
        .where(Scoring.run_id.in_([each.id for each in runs]), Scoring.scorer == SCORER_VERSION)
        .where(Scoring.gold_digest == runs[0].phase.split.gold_digest)
    )
    return {run_id: row for run_id, row in session.execute(wanted)}  # noqa: C416 - rows are not tuples to mypy


def _scores(session: Session, choice: Choice, runs: Sequence[Run]) -> dict[str, list[Score]]:
    """All records under the criterion of a board, on the whole split and on its strata, by run."""
    found: dict[str, list[Score]] = {each.id: [] for each in runs}
    wanted = (
        select(Scoring.run_id, ScoreRow.stratification, ScoreRow.stratum, ScoreRow.label, ScoreRow.tp, ScoreRow.fp, ScoreRow.fn)
        .join(Scoring, Scoring.id == ScoreRow.scoring_id)
        .where(Scoring.run_id.in_(list(found)), Scoring.scorer == SCORER_VERSION)
        .where(Scoring.gold_digest == choice.phase.split.gold_digest)
        .where(ScoreRow.annotations == choice.annotations, ScoreRow.span == choice.span, ScoreRow.labels == choice.labels)
        .where(ScoreRow.matching == MatchingRule.EXACT_FIRST.value)
        .where(not_(ScoreRow.stratification.startswith("group:")))  # which have a page of their own
        .order_by(ScoreRow.id)
    )
    for run_id, stratification, stratum, label, *counts in session.execute(wanted):
        found[run_id].append(
            Score(
                span=choice.span,
                labels=choice.labels,
                label=label,
                counts=Counts(*counts),
                annotations=choice.annotations,
                stratification=stratification,
                stratum=stratum,
            )
        )
    return found


def _part(named: Sequence[NamedScores], ranked: Sequence[NamedScores], table: ChangeTable) -> StrataPart:
    name = table.selection.stratification
    found = changes(named, table.selection)
    strata = strata_of(found, strata_named(name))
    sizes = tuple(max((run.gold(each) for run in found), default=0) for each in strata)
    return StrataPart(name, strata, sizes, found, table, tuple(stability(ranked, table)))
