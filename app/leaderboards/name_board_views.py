"""Runs by what they make of names, as pages and as CSV: the published ones for everybody, all of them for organisers."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template

from app import web
from app.attachments import attachment
from app.csv_text import as_csv
from app.errors import ConflictError
from app.leaderboards.asked import Boards, asked_board
from app.leaderboards.names import NameBoard, by_names, csv_lines
from app.leaderboards.services import all_runs_board, public_board
from app.leaderboards.strata import STILL
from app.pictures.names import rate_curves
from app.shared_tasks.services import definition_of

pages = APIBlueprint("name_boards", __name__, url_prefix="/tasks/<slug>", enable_openapi=False)
_MOST_DRAWN = 6


@pages.get("/leaderboard/names")
def page(slug: str) -> Any:
    """The published runs of a board."""
    return _page(public_board, "name_boards.page", "name_boards.export")


@pages.get("/leaderboard/names.csv")
def export(slug: str) -> Response:
    """The same as a file."""
    return _export(public_board)


@pages.get("/organise/names")
def all_page(slug: str) -> Any:
    """All runs of a board."""
    return _page(all_runs_board, "name_boards.all_page", "name_boards.all_export")


@pages.get("/organise/names.csv")
def all_export(slug: str) -> Response:
    """The same as a file."""
    return _export(all_runs_board)


def _board(boards: Boards) -> NameBoard:
    return by_names(web.session(), web.context().storage, web.reader(), asked_board(boards))


def _page(boards: Boards, endpoint: str, file_endpoint: str) -> Any:
    found, task = _board(boards), web.task()
    drawn = [(line.name, line.stored) for line in found.lines[:_MOST_DRAWN]]
    errors = found.lines[0].stored.errors if found.lines else ()
    return render_template(
        "name_board.html",
        task=task,
        definition=definition_of(task),
        found=found,
        board=found.board,
        errors=errors,
        pictures=[rate_curves(drawn, error) for error in errors],
        endpoint=endpoint,
        file_endpoint=file_endpoint,
    )


def _export(boards: Boards) -> Response:
    found = _board(boards)
    if found.waiting:
        raise ConflictError(STILL.format(found.waiting))
    choice = found.board.choice
    return attachment(as_csv(csv_lines(found)), f"{web.task().slug}-{choice.phase.slug}-{choice.track}-names.csv")
