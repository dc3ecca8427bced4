"""The public leaderboard, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request

from app import web
from app.csv_text import as_csv
from app.leaderboards.services import Board, choose, public_board
from app.shared_tasks.services import definition_of

pages = APIBlueprint("leaderboards", __name__, enable_openapi=False)


@pages.get("/tasks/<slug>/leaderboard")
def leaderboard(slug: str) -> Any:
    """The published runs of a phase."""
    task = web.task()
    definition = definition_of(task)
    board = public_board(web.session(), web.reader(), choose(definition, task.phases, request.args.to_dict()))
    return render_template("leaderboard.html", task=task, definition=definition, board=board)


@pages.get("/tasks/<slug>/leaderboard.csv")
def leaderboard_csv(slug: str) -> Response:
    """The same as CSV, figures as they are told."""
    task = web.task()
    choice = choose(definition_of(task), task.phases, request.args.to_dict())
    board = public_board(web.session(), web.reader(), choice)
    answer = Response(_as_csv(board), mimetype="text/csv")
    name = f"{slug}-{choice.phase.slug}-{choice.track}-{choice.span}-{choice.labels}.csv".replace(":", "-")
    answer.headers.set("Content-Disposition", "attachment", filename=name)
    return answer


def _as_csv(board: Board) -> str:
    names = ("tp", "fp", "fn", "precision", "recall", "f1")
    lines: list[Sequence[object]] = [
        ("rank", "team", "run", "run_id", "late", "official", "span", "labels", *names, "runs_scored", "submitted_at")
    ]
    for each in board.entries:
        figures = [None if each.score is None else getattr(each.score, name) for name in names]
        about = (each.rank, each.team, each.run.name, each.run.id, int(each.run.late), int(each.official))
        when = each.run.submitted_at.isoformat()
        lines.append((*about, board.choice.span, board.choice.labels, *figures, each.scored_runs, when))
    return as_csv(lines)
