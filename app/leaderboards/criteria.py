"""A board with every criterion of the task side by side, as the papers print their tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from app.access import Reader
from app.leaderboards.services import Board, Choice, Entry, public_board
from app.runs.services import ToldScore
from evaluator.criteria import Criterion
from evaluator.task import TaskDefinition


@dataclass(frozen=True, slots=True)
class Line:
    """A run in the order of the board, and its overall score under each criterion."""

    entry: Entry
    scores: tuple[ToldScore | None, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The board that gives the order, the criteria from left to right, and the lines."""

    board: Board
    criteria: tuple[Criterion, ...]
    lines: tuple[Line, ...]


def all_criteria(session: Session, reader: Reader, choice: Choice, definition: TaskDefinition) -> SideBySide:
    """The published runs of a board under every criterion; the rank is that of the criterion chosen."""
    criteria = tuple(sorted(definition.criteria, key=lambda each: definition.criteria.index(_first(each, definition))))
    choices = [replace(choice, span=each.span_name, labels=each.labels.value) for each in criteria]
    boards = [public_board(session, reader, each) for each in choices]
    board = boards[choices.index(choice)]
    scores = [{entry.run.id: entry.score for entry in each.entries} for each in boards]
    lines = (Line(entry, tuple(each.get(entry.run.id) for each in scores)) for entry in board.entries)
    return SideBySide(board, criteria, tuple(lines))


def _first(criterion: Criterion, definition: TaskDefinition) -> Criterion:
    """The first criterion with the same spans: label rules of one span rule stand side by side."""
    return next(each for each in definition.criteria if each.span_name == criterion.span_name)
