"""The runs of a board by group: whether a score is the same for everyone (METHODS, section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.bases import basis_of
from app.analysis.groups import Compared, stored_files, unpack_comparisons
from app.errors import ForbiddenError, InvalidError
from app.leaderboards.services import Board, Choice, Entry, rank
from app.leaderboards.strata import NOT_YET, distinct_names, has_failed, states_of, waits
from app.runs.models import Run, RunState
from app.storage import Storage
from evaluator.scores import Counts
from evaluator.strata.differences import Difference, GroupComparison, GroupFigures
from evaluator.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class GroupLine:
    """A run: its ranks on the whole split and by the F1 of its worst group, and its groups; no rank without a figure."""

    name: str
    team: str
    run: Run
    whole: Counts
    rank: int | None
    worst_rank: int | None
    comparison: GroupComparison

    def of(self, group: str) -> GroupFigures | None:
        """The figures of a group."""
        return next((each for each in self.comparison.groups if each.group == group), None)

    def difference(self, first: str, second: str, metric: str = "f1") -> Difference | None:
        """The difference of two groups in a metric."""
        found = (
            each for each in self.comparison.differences if (each.first, each.second, each.metric) == (first, second, metric)
        )
        return next(found, None)


@dataclass(frozen=True, slots=True)
class Family:
    """The unweighted mean over some runs: F1 on the whole split, of each group, of each difference; None where one lacks it."""

    name: str
    runs: int
    whole: float | None
    groups: tuple[float | None, ...]
    differences: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class GroupBoard:
    """The runs of a board by the groups of an attribute.

    Attributes:
        board: with all its runs.
        attribute: its name; empty where there is none.
        attributes: what there is to choose.
        groups: of the attribute, in order.
        sizes: [groups] documents in each.
        unknown: documents without the attribute.
        pairs: what the differences are of.
        lines: the runs that the reader may know this of, in the order asked for.
        families: means over the runs of each team with several, and over all.
        failed: how many runs could not be scored by group; their figures are from before, if they have any.
        waiting: how many runs have no figures by group yet, or some from before something changed.
    """

    board: Board
    attribute: str
    attributes: tuple[str, ...]
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    unknown: int
    pairs: tuple[tuple[str, str], ...]
    lines: tuple[GroupLine, ...]
    families: tuple[Family, ...]
    waiting: int
    failed: int


def by_groups(
    session: Session, storage: Storage, reader: Reader, board: Board, attribute: str = "", *, worst_first: bool = False
) -> GroupBoard:
    """The runs of a board by group.

    Args:
        session, storage: to read with.
        reader: who asks.
        board: which runs, under which criterion.
        attribute: of documents; empty: the first there is.
        worst_first: whether runs stand in the order of their worst group.

    Raises:
        ForbiddenError: the reader may not know it of any run of the phase, or not yet.
        InvalidError: there is no such attribute.
    """
    if What.PER_STRATUM not in TELLS[board.told]:
        raise ForbiddenError(NOT_YET)
    told = [
        each for each in board.entries if each.run.state is RunState.SCORED and may_be_told(reader, each.run, What.PER_STRATUM)
    ]
    stored = stored_files(session, [each.run for each in told])
    states, basis = states_of(session, [each.run for each in told]), basis_of(session, board.choice.phase.split)
    done = [each for each in told if each.run.id in stored]
    compared = {
        run_id: _of_choice(unpack_comparisons(storage.get(each.comparisons)), board.choice) for run_id, each in stored.items()
    }
    attributes = tuple(dict.fromkeys(name for found in compared.values() for name in found))
    waiting = sum(waits(states.get(each.run.id), basis) for each in told)
    if attribute and attribute not in attributes and not waiting:
        known = ", ".join(attributes) or "none"
        raise InvalidError(
            f"{attribute} is no attribute of documents here that makes groups; there are: {known}.", field="attribute"
        )
    chosen = attribute or next(iter(attributes), "")
    here = [(each, compared[each.run.id][chosen]) for each in done if chosen in compared[each.run.id]]
    lines = _lines(here, worst_first=worst_first)
    first = lines[0].comparison if lines else None
    pairs = tuple(dict.fromkeys((each.first, each.second) for each in first.differences)) if first else ()
    groups = first.groups if first else ()
    return GroupBoard(
        board=board,
        attribute=chosen,
        attributes=attributes,
        groups=tuple(each.group for each in groups),
        sizes=tuple(each.documents for each in groups),
        unknown=first.unknown.documents if first else 0,
        pairs=pairs,
        lines=tuple(lines),
        families=tuple(_families(lines, [each.group for each in groups], pairs)),
        waiting=waiting,
        failed=sum(has_failed(states.get(each.run.id)) for each in told),
    )


def primary_choice(definition: TaskDefinition, track_id: str) -> tuple[str, str, str]:
    """The annotations, spans and labels that boards of a track rank by."""
    track, criterion = definition.track(track_id), definition.criteria[0]
    assert track is not None, "BUG: a run of a track that the task does not have"  # noqa: S101
    return track.primary.value, criterion.span_name, criterion.labels.value


def _of_choice(compared: Sequence[Compared], choice: Choice) -> dict[str, GroupComparison]:
    wanted = choice.annotations, choice.span, choice.labels
    return {
        each.comparison.attribute: each.comparison for each in compared if (each.annotations, each.span, each.labels) == wanted
    }


def _lines(here: Sequence[tuple[Entry, GroupComparison]], *, worst_first: bool) -> list[GroupLine]:
    worst = [None if found.worst is None else found.worst.counts.f1 for _, found in here]
    worst_ranks = rank(
        [None if entry.run.late or entry.run.team.hidden else each for (entry, _), each in zip(here, worst, strict=True)]
    )
    lines = [
        GroupLine(name, entry.team, entry.run, _whole(found), entry.rank, worst_rank, found)
        for name, (entry, found), worst_rank in zip(distinct_names([each for each, _ in here]), here, worst_ranks, strict=True)
    ]
    if worst_first:
        lines.sort(key=lambda each: (each.worst_rank is None, each.worst_rank or 0))
    return lines


def _whole(found: GroupComparison) -> Counts:
    return sum((each.counts for each in found.groups), found.unknown.counts)


def _families(lines: Sequence[GroupLine], groups: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Iterator[Family]:
    ranked = [each for each in lines if each.rank is not None]  # late and dry runs are in no mean
    by_team: dict[int, list[GroupLine]] = {}
    for each in ranked:
        by_team.setdefault(each.run.team_id, []).append(each)
    several = [(f"mean of {found[0].team}", found) for found in by_team.values() if len(found) > 1] if len(by_team) > 1 else []
    for name, members in [*several, ("mean of all", ranked)]:
        if len(members) > 1:
            of_groups = (
                tuple(found.counts.f1 if found else None for found in (each.of(group) for each in members)) for group in groups
            )
            of_pairs = (
                tuple(found.value if found else None for found in (each.difference(*pair) for each in members))
                for pair in pairs
            )
            yield Family(
                name=name,
                runs=len(members),
                whole=_mean([each.whole.f1 for each in members]),
                groups=tuple(_mean(each) for each in of_groups),
                differences=tuple(_mean(each) for each in of_pairs),
            )


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [each for each in values if each is not None]
    return fmean(defined) if defined and len(defined) == len(values) else None
