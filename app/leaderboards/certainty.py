"""How certain a board is: intervals of its runs, and which of them can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.groups import stored_files, unpack_counts
from app.errors import ForbiddenError
from app.leaderboards.services import Board
from app.leaderboards.strata import distinct_names
from app.runs.models import Run, RunState
from app.storage import Storage
from evaluator.uncertainty.boards import BoardCertainty, certainty_of

_NOT_YET = "How certain a board is, is told when every phase on these documents has closed."


@dataclass(frozen=True, slots=True)
class CertainBoard:
    """The ranked runs of a board that the reader may know this of.

    Attributes:
        board: with all its runs.
        certainty: of those that are ranked; None where there is none.
        runs: by the name they have there.
        waiting: how many runs have no counts of documents yet.
    """

    board: Board
    certainty: BoardCertainty | None
    runs: dict[str, Run]
    waiting: int


def certain_board(session: Session, storage: Storage, reader: Reader, board: Board) -> CertainBoard:
    """How certain a board is. Late and dry runs, which are not ranked, are not looked at.

    Raises:
        ForbiddenError: the reader may not know it of this phase, or not yet.
    """
    if What.PER_DOCUMENT not in TELLS[board.told]:
        raise ForbiddenError(_NOT_YET)
    ranked = [
        each
        for each in board.entries
        if each.run.state is RunState.SCORED and each.rank is not None and may_be_told(reader, each.run, What.PER_DOCUMENT)
    ]
    files = stored_files(session, [each.run for each in ranked])
    done = [each for each in ranked if each.run.id in files]
    names, choice = tuple(distinct_names(done)), board.choice
    found = None
    if done:
        kind = choice.annotations, f"{choice.span}-{choice.labels}"
        digests = tuple(files[each.run.id].counts for each in done)
        found = _certainty(storage, digests, kind, names, board.figure.value)
    return CertainBoard(board, found, dict(zip(names, (each.run for each in done), strict=True)), len(ranked) - len(done))


@lru_cache(maxsize=64)  # files are named by what is in them, so what was found of them holds
def _certainty(
    storage: Storage, digests: tuple[str, ...], kind: tuple[str, str], names: tuple[str, ...], metric: str
) -> BoardCertainty:
    return certainty_of(names, np.stack([unpack_counts(storage.get(each), *kind)[1] for each in digests]), metric)
