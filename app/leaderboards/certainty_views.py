"""How certain a board is, as a page and as CSV: of published runs for everybody, of all for organisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template

from app import web
from app.attachments import attachment
from app.csv_text import as_csv
from app.leaderboards.asked import Boards, asked_board
from app.leaderboards.certainty import CertainBoard, certain_board
from app.leaderboards.services import all_runs_board, public_board
from app.pictures.bars import Bar, group_bars
from app.shared_tasks.services import definition_of
from evaluator.resampling import METRICS

pages = APIBlueprint("certainty", __name__, url_prefix="/tasks/<slug>", enable_openapi=False)
_MOST_BARS = 20


@pages.get("/leaderboard/certainty")
def page(slug: str) -> Any:
    """How certain the board of published runs is."""
    return _page(public_board, "certainty.page", "certainty.export")


@pages.get("/leaderboard/certainty.csv")
def export(slug: str) -> Response:
    """The same as a file."""
    return _export(public_board)


@pages.get("/organise/certainty")
def all_page(slug: str) -> Any:
    """How certain the board of all runs is."""
    return _page(all_runs_board, "certainty.all_page", "certainty.all_export")


@pages.get("/organise/certainty.csv")
def all_export(slug: str) -> Response:
    """The same as a file."""
    return _export(all_runs_board)


def _board(boards: Boards) -> CertainBoard:
    return certain_board(web.session(), web.context().storage, web.reader(), asked_board(boards))


def _page(boards: Boards, endpoint: str, file_endpoint: str) -> Any:
    found, task = _board(boards), web.task()
    return render_template(
        "certainty.html",
        task=task,
        definition=definition_of(task),
        found=found,
        board=found.board,
        endpoint=endpoint,
        file_endpoint=file_endpoint,
        picture=_picture(found),
    )


def _picture(found: CertainBoard) -> Any:
    if found.certainty is None:
        return None
    metric = found.certainty.metric
    bars = []
    for each in found.certainty.runs[:_MOST_BARS]:
        interval = each.intervals[metric]
        bounds = (None, None) if interval is None else (interval.low, interval.high)
        bars.append(Bar(each.run, getattr(each.counts, metric), *bounds))
    words = metric.replace("f1", "F1")
    return group_bars(bars, f"{words} of each run, with the interval of 95 % of the draws", words)


def _export(boards: Boards) -> Response:
    found = _board(boards)
    choice = found.board.choice
    return attachment(as_csv(_lines(found)), f"{web.task().slug}-{choice.phase.slug}-{choice.track}-certainty.csv")


def _lines(found: CertainBoard) -> Iterator[Sequence[object]]:
    """A line a run and metric, then a line a pair."""
    yield (
        "run",
        "other",
        "metric",
        "value",
        "low",
        "high",
        "rank",
        "rank_low",
        "rank_high",
        "first",
        "band",
        "chance",
        "adjusted",
    )
    if found.certainty is None:
        return
    for run in found.certainty.runs:
        places = (None, None) if run.ranks is None else (run.ranks.low, run.ranks.high)
        for metric in METRICS:
            interval = run.intervals[metric]
            bounds = (None, None) if interval is None else (interval.low, interval.high)
            value = getattr(run.counts, metric)
            yield (run.run, None, metric, value, *bounds, run.rank, *places, run.first, run.band, None, None)
    for pair in found.certainty.pairs:
        bounds = (None, None) if pair.interval is None else (pair.interval.low, pair.interval.high)
        empty = (None,) * 5
        yield (pair.first, pair.second, found.certainty.metric, pair.difference, *bounds, *empty, pair.chance, pair.adjusted)
