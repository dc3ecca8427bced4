"""The runs of a board by what they make of people's names, for tasks that are about these (METHODS, sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.bases import basis_of
from app.analysis.groups import stored_files
from app.analysis.names import StoredNames, unpack_names
from app.errors import ForbiddenError, NotFoundError
from app.leaderboards.services import Board
from app.leaderboards.strata import NOT_YET, distinct_names, states_of, waits
from app.runs.models import Run, RunState
from app.shared_tasks.services import definition_of
from app.storage import Storage
from evaluator.fairness.census import Sex


@dataclass(frozen=True, slots=True)
class NameLine:
    """A run, and what it makes of names."""

    name: str
    run: Run
    stored: StoredNames

    def rate(self, sex: str, error: int, *, weighted: bool) -> float | None:
        """A rate over all years."""
        found = self.stored.of(sex)
        return found.rate(error, weighted=weighted) if found else None

    def difference(self, error: int, *, weighted: bool) -> float | None:
        """Female minus male."""
        female, male = (self.rate(sex.value, error, weighted=weighted) for sex in (Sex.FEMALE, Sex.MALE))
        return None if female is None or male is None else female - male


@dataclass(frozen=True, slots=True)
class NameBoard:
    """The runs of a board.

    Attributes:
        board: with all its runs.
        target: what taggers look for, `person` or `chemical`.
        lines: the runs that the reader may know this of, in the order of the board.
        why_not: why there is nothing of some run, in words.
        waiting: how many runs have no figures yet, or some from before something changed.
    """

    board: Board
    target: str
    lines: tuple[NameLine, ...]
    why_not: tuple[str, ...]
    waiting: int


def by_names(session: Session, storage: Storage, reader: Reader, board: Board) -> NameBoard:
    """The runs of a board by what they make of names.

    Raises:
        ForbiddenError: the reader may not know it of any run of the phase, or not yet.
        NotFoundError: the task is not about names.
    """
    rule = definition_of(board.choice.phase.task).names
    if rule is None:
        raise NotFoundError("This task is not about names.")
    if What.PER_STRATUM not in TELLS[board.told]:
        raise ForbiddenError(NOT_YET)
    told = [
        each for each in board.entries if each.run.state is RunState.SCORED and may_be_told(reader, each.run, What.PER_STRATUM)
    ]
    files = stored_files(session, [each.run for each in told])
    states, basis = states_of(session, [each.run for each in told]), basis_of(session, board.choice.phase.split)
    names = dict(zip((each.run.id for each in told), distinct_names(told), strict=True))
    runs = {each.run.id: each.run for each in told}
    found = {id_: unpack_names(storage.get(files[id_].names)) for id_ in names if id_ in files and files[id_].names}
    return NameBoard(
        board=board,
        target=rule.target.value,
        lines=tuple(NameLine(names[id_], runs[id_], stored) for id_, stored in found.items() if not stored.why_not),
        why_not=tuple(dict.fromkeys(stored.why_not for stored in found.values() if stored.why_not)),
        waiting=sum(waits(states.get(each.run.id), basis) for each in told),
    )


def csv_lines(found: NameBoard) -> Iterator[tuple[object, ...]]:
    """A line a run, sex and year; `all` for all years together."""
    yield ("run", "run_id", "sex", "year", "error", "share_of", "rate")
    for line in found.lines:
        for each in line.stored.rates:
            year = "all" if each.year is None else each.year
            for rate in each.rates:
                weight = "frequency" if rate.weighted else "names"
                yield (line.name, line.run.id, each.sex, year, f"Type-{rate.error}", weight, rate.value)
