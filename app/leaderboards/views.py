"""The public leaderboard, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request

from app import web
from app.attachments import attachment
from app.csv_text import as_csv
from app.errors import ForbiddenError
from app.leaderboards.asked import asked_board, certainty_beside
from app.leaderboards.changes import changes_of
from app.leaderboards.criteria import SideBySide, all_criteria
from app.leaderboards.services import Board, choose, public_board
from app.runs.services import ToldScore
from app.shared_tasks.models import Task
from app.shared_tasks.services import definition_of
from evaluator.report import escape_formula
from evaluator.report_side_by_side import overall_side_by_side_csv, overall_side_by_side_latex
from evaluator.task import Disclosure

pages = APIBlueprint("leaderboards", __name__, enable_openapi=False)


@pages.get("/tasks/<slug>/leaderboard")
def leaderboard(slug: str) -> Any:
    """The published runs of a phase."""
    task, board = web.task(), asked_board(public_board)
    return render_template(
        "leaderboard.html", task=task, definition=definition_of(task), board=board, certainty=certainty_beside(board)
    )


@pages.get("/tasks/<slug>/leaderboard.csv")
def leaderboard_csv(slug: str) -> Response:
    """The same as CSV, figures as they are told."""
    board = asked_board(public_board)
    choice = board.choice
    name = f"{slug}-{choice.phase.slug}-{choice.track}-{choice.annotations}-{choice.span}-{choice.labels}.csv".replace(":", "-")
    return attachment(_as_csv(board), name)


@pages.get("/tasks/<slug>/leaderboard/criteria")
def criteria(slug: str) -> Any:
    """The published runs under every criterion."""
    task = web.task()
    return render_template("criteria.html", task=task, definition=definition_of(task), found=_criteria(task))


@pages.get("/tasks/<slug>/leaderboard/criteria.csv")
def criteria_csv(slug: str) -> Response:
    """The same as CSV, figures as they are told."""
    found = _criteria(web.task())
    return _attached(overall_side_by_side_csv(_named(found, escape_formula)), found, "csv")


@pages.get("/tasks/<slug>/leaderboard/criteria.tex")
def criteria_latex(slug: str) -> Response:
    """The same in LaTeX, to four decimals, where that many are told."""
    found = _criteria(web.task())
    if found.board.told is not Disclosure.FULL:
        raise ForbiddenError("A table for a paper is made when all phases on these documents have closed.")
    return _attached(overall_side_by_side_latex(_named(found, str)), found, "tex")


def _criteria(task: Task) -> SideBySide:
    definition = definition_of(task)
    return all_criteria(web.session(), web.reader(), choose(definition, task.phases, request.args.to_dict()), definition)


def _named(found: SideBySide, name: Callable[[str], str]) -> list[tuple[str, list[ToldScore]]]:
    return [(name(f"{line.entry.team}, {line.entry.run.name}"), [each for each in line.scores if each]) for line in found.lines]


def _attached(content: str, found: SideBySide, suffix: str) -> Response:
    choice = found.board.choice
    return attachment(
        content, f"{choice.phase.task.slug}-{choice.phase.slug}-{choice.track}-{choice.annotations}-criteria.{suffix}"
    )


@pages.get("/tasks/<slug>/changes")
def changes(slug: str) -> Any:
    """Corrections of gold, and the published runs that moved by them."""
    task = web.task()
    found = changes_of(web.session(), web.reader(), task)
    return render_template("changes.html", task=task, definition=definition_of(task), changes=found)


def _as_csv(board: Board) -> str:
    names = ("tp", "fp", "fn", "precision", "recall", "f1")
    lines: list[Sequence[object]] = [
        (
            "rank",
            "team",
            "run",
            "run_id",
            "late",
            "official",
            "annotations",
            "span",
            "labels",
            *names,
            "runs_scored",
            "submitted_at",
        )
    ]
    for each in board.entries:
        figures = [None if each.score is None else getattr(each.score, name) for name in names]
        about = (each.rank, each.team, each.run.name, each.run.id, int(each.run.late), int(each.official))
        when = each.run.submitted_at.isoformat()
        lines.append(
            (*about, board.choice.annotations, board.choice.span, board.choice.labels, *figures, each.scored_runs, when)
        )
    return as_csv(lines)
