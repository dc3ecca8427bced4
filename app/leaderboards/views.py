"""The public leaderboard, as a page and as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request

from app import web
from app.leaderboards.services import Board, choose, public_board
from app.shared_tasks.services import definition_of, find_task

pages = APIBlueprint("leaderboards", __name__, enable_openapi=False)


@pages.get("/tasks/<slug>/leaderboard")
def leaderboard(slug: str) -> Any:
    """The published runs of a phase."""
    task = find_task(web.session(), slug)
    definition = definition_of(task)
    board = public_board(web.session(), web.reader(), choose(definition, task.phases, request.args.to_dict()))
    return render_template("leaderboard.html", task=task, definition=definition, board=board)


@pages.get("/tasks/<slug>/leaderboard.csv")
def leaderboard_csv(slug: str) -> Response:
    """The same as CSV, figures as they are told."""
    task = find_task(web.session(), slug)
    choice = choose(definition_of(task), task.phases, request.args.to_dict())
    board = public_board(web.session(), web.reader(), choice)
    answer = Response(_as_csv(board), mimetype="text/csv")
    name = f"{slug}-{choice.phase.slug}-{choice.track}-{choice.span}-{choice.labels}.csv".replace(":", "-")
    answer.headers.set("Content-Disposition", "attachment", filename=name)
    return answer


def _as_csv(board: Board) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = ("tp", "fp", "fn", "precision", "recall", "f1")
    writer.writerow(["rank", "team", "run", "run_id", "span", "labels", *names, "runs_scored", "submitted_at"])
    for each in board.entries:
        figures = [None if each.score is None else getattr(each.score, name) for name in names]
        words = [_harmless(each.run.team.name), _harmless(each.run.name), each.run.id, board.choice.span, board.choice.labels]
        writer.writerow([each.rank, *words, *figures, each.scored_runs, each.run.submitted_at.isoformat()])
    return buffer.getvalue()


def _harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text
