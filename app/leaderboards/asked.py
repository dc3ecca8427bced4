"""The board that a request asks for, of published runs or of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from flask import request
from sqlalchemy.orm import Session

from app import web
from app.access import Reader
from app.leaderboards.certainty import ShownCertainty, shown_certainty
from app.leaderboards.services import Board, Choice, choose
from app.shared_tasks.services import definition_of

Boards: TypeAlias = Callable[[Session, Reader, Choice], Board]
"""`public_board` or `all_runs_board` (`app.leaderboards.services`)."""


def asked_board(boards: Boards, wanted: Mapping[str, str] | None = None) -> Board:
    """The board of the request's task, under what is wanted; by default what the address says.

    Raises:
        app.errors.DomainError: there is no such board, or not for this reader.
    """
    task = web.task()
    asked = dict(request.args.to_dict() if wanted is None else wanted)
    return boards(web.session(), web.reader(), choose(definition_of(task), task.phases, asked))


def certainty_beside(board: Board) -> ShownCertainty | None:
    """How certain a board is, for its own page; None also where the address says to hide it."""
    if request.args.get("certainty") == "hide":
        return None
    return shown_certainty(web.session(), web.context().storage, web.reader(), board)
