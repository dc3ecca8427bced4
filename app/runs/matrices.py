"""Confusion matrices of a run, as far as a reader may know them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.access import Reader, What, may_be_told
from app.accounts.models import User
from app.errors import ConflictError, ForbiddenError, InvalidError
from app.runs.models import Run, Scoring
from app.runs.services import scoring_of
from app.shared_tasks.terms import has_accepted
from app.storage import Storage
from evaluator.analysis.confusion import Confusion, Example


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix of one kind of annotations, the kinds that there are, and whether its examples may be shown."""

    kind: str
    kinds: tuple[str, ...]
    confusion: Confusion
    shows_examples: bool

    def cells(self) -> Iterator[tuple[tuple[str, str], list[Example]]]:
        """The examples of every cell that has some, in the order of the matrix."""
        grouped: dict[tuple[str, str], list[Example]] = {}
        for each in self.confusion.examples:
            grouped.setdefault((each.gold_label, each.run_label), []).append(each)
        yield from grouped.items()


def has_matrix(reader: Reader, run: Run, scoring: Scoring | None) -> bool:
    """Whether there is a matrix among a run's scores that the reader may see."""
    return scoring is not None and bool(scoring.confusion) and may_be_told(reader, run, What.CONFUSION)


def matrix_of(session: Session, storage: Storage, reader: Reader, person: User | None, run: Run, kind: str = "") -> Matrix:
    """The confusion matrix of a run for one kind of annotations; the first there is if none is named.

    Examples are gold: they are for those who may download it and have accepted the terms, and for organisers.

    Raises:
        ForbiddenError: the reader may not know it, or not yet.
        ConflictError: the run has none.
        InvalidError: there is no such kind.
    """
    if not may_be_told(reader, run, What.CONFUSION):
        raise ForbiddenError("Which labels are confused is told when every phase on these documents has closed.")
    scoring = scoring_of(session, run)
    if scoring is None or not scoring.confusion:
        raise ConflictError("There is no confusion matrix of this run.")
    found = json.loads(storage.get(scoring.confusion))
    chosen = kind or next(iter(found))
    if chosen not in found:
        raise InvalidError(f"{chosen} is not one of {', '.join(found)}.", field="kind")
    accepted = reader.is_organiser(run.task_id) or has_accepted(session, person, run.task)
    shows = may_be_told(reader, run, What.GOLD) and accepted
    confusion = Confusion.from_json(found[chosen]).without_empty()
    return Matrix(chosen, tuple(found), confusion if shows else replace(confusion, examples=()), shows)
