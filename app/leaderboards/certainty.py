"""How certain a board is: intervals of its runs, and which of them can be told apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from markupsafe import Markup
from sqlalchemy.orm import Session

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.groups import stored_files, unpack_counts
from app.errors import ForbiddenError
from app.leaderboards.services import Board
from app.leaderboards.strata import distinct_names
from app.pictures.intervals import interval_bar
from app.runs.models import Run, RunState
from app.storage import Storage
from evaluator.uncertainty.boards import BoardCertainty, certainty_of

_MOST_BESIDE = 30
"""Ranked runs: bands ask of every two of them whether they can be told apart."""
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


@dataclass(frozen=True, slots=True)
class RowCertainty:
    """What a row of a board shows of its certainty: its band, and its interval as a bar; none where it is undefined."""

    band: int | None
    bar: Markup | None


@dataclass(frozen=True, slots=True)
class ShownCertainty:
    """The certainty of a board that shows it beside its figures.

    Attributes:
        rows: by run id; late runs and dry runs have none.
        bands: how many runs are in each band, the best first.
    """

    rows: dict[str, RowCertainty]
    bands: tuple[int, ...]


def shown_certainty(session: Session, storage: Storage, reader: Reader, board: Board) -> ShownCertainty | None:
    """The certainty of a board as its own page shows it.

    None where the reader may not know it, where it is not there yet of every ranked run, or where so many runs are ranked that
    it takes more than a moment: then the page about it has it.
    """
    ranked = [each for each in board.entries if each.rank is not None]
    if What.PER_DOCUMENT not in TELLS[board.told] or not 0 < len(ranked) <= _MOST_BESIDE:
        return None
    found = certain_board(session, storage, reader, board)
    if found.certainty is None or found.waiting:
        return None
    metric = found.certainty.metric
    known = [
        (each, value, interval)
        for each in found.certainty.runs
        for value, interval in [(getattr(each.counts, metric), each.intervals[metric])]
    ]
    shown = [(value, interval) for _, value, interval in known if interval is not None and value is not None]
    ends = [end for value, interval in shown for end in (value, interval.low, interval.high)]
    rows: dict[str, RowCertainty] = {}
    for each, value, interval in known:
        bar = None
        if interval is not None and value is not None:
            bar = interval_bar(value, (interval.low, interval.high), (min(ends), max(ends)))
        rows[found.runs[each.run].id] = RowCertainty(each.band, bar)
    bands = Counter(each.band for each, _, _ in known if each.band is not None)
    return ShownCertainty(rows, tuple(bands[band] for band in sorted(bands)))
