"""Runs by group, as pages and as files: the published ones for everybody, all of them for organisers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request
from markupsafe import Markup

from app import web
from app.attachments import attachment
from app.csv_text import as_csv
from app.errors import ConflictError
from app.leaderboards.asked import Boards, asked_board
from app.leaderboards.group_curves import GroupCurves, curves_over, points_of
from app.leaderboards.group_table import as_latex
from app.leaderboards.groups import GroupBoard, by_groups
from app.leaderboards.services import all_runs_board, public_board
from app.leaderboards.strata import STILL
from app.pictures.bars import Bar, group_bars
from app.pictures.curves import Curve, year_curves
from app.shared_tasks.services import definition_of
from evaluator.resampling import METRICS
from evaluator.strata.differences import Difference, GroupFigures

pages = APIBlueprint("groups", __name__, url_prefix="/tasks/<slug>", enable_openapi=False)
_MOST_BARS, _MOST_GROUPS = 4, 12


@pages.get("/leaderboard/groups")
def page(slug: str) -> Any:
    """The published runs of a board by group."""
    return _page(public_board, "groups.page", "groups.export")


@pages.get("/leaderboard/groups.<any(csv, tex):format_>")
def export(slug: str, format_: str) -> Response:
    """The same as a file."""
    return _export(public_board, format_)


@pages.get("/organise/groups")
def all_page(slug: str) -> Any:
    """All runs of a board by group."""
    return _page(all_runs_board, "groups.all_page", "groups.all_export")


@pages.get("/organise/groups.<any(csv, tex):format_>")
def all_export(slug: str, format_: str) -> Response:
    """The same as a file."""
    return _export(all_runs_board, format_)


def group_board(boards: Boards, wanted: dict[str, str]) -> GroupBoard:
    """What the request asks for."""
    storage, board = web.context().storage, asked_board(boards, wanted)
    worst_first = wanted.get("order") == "worst"
    attribute = wanted.get("attribute", "")
    return by_groups(web.session(), storage, web.reader(), board, attribute, worst_first=worst_first)


def _page(boards: Boards, endpoint: str, file_endpoint: str) -> Any:
    wanted = request.args.to_dict()
    found, task = group_board(boards, wanted), web.task()
    over = curves_over(web.session(), web.context().storage, found, wanted.get("over", ""))
    return render_template(
        "groups.html",
        task=task,
        definition=definition_of(task),
        found=found,
        pictures=list(_pictures(found)),
        over=over,
        over_picture=_curves(over) if over else None,
        board=found.board,
        worst_first=wanted.get("order") == "worst",
        endpoint=endpoint,
        file_endpoint=file_endpoint,
    )


def _pictures(found: GroupBoard) -> Iterator[tuple[str, Markup]]:
    """Bars of the first runs, or, where groups are points in time, a curve of each."""
    points = points_of(found.groups)
    if points:
        f1 = [{each.group: each.counts.f1 for each in line.comparison.groups} for line in found.lines]
        curves = [
            Curve(line.name, "", tuple(values.get(str(each)) for each in points))
            for line, values in zip(found.lines, f1, strict=True)
        ]
        yield f"F1 by {found.attribute}", year_curves(curves, points, f"F1 by {found.attribute}", "F1")
        return
    for line in found.lines[:_MOST_BARS] if len(found.groups) <= _MOST_GROUPS else ():
        bars = [_bar(each) for each in line.comparison.groups]
        yield line.name, group_bars(bars, f"F1 of {line.name} by {found.attribute}")


def _bar(group: GroupFigures) -> Bar:
    interval = group.intervals["f1"]
    bounds = (None, None) if interval is None else (interval.low, interval.high)
    return Bar(group.group, group.counts.f1, *bounds)


def _curves(over: GroupCurves) -> Markup:
    curves = [Curve(each.run, each.group, each.values) for each in over.curves]
    return year_curves(curves, over.points, f"F1 over {over.over}", "F1")


def _export(boards: Boards, format_: str) -> Response:
    found = group_board(boards, request.args.to_dict())
    if found.waiting:
        raise ConflictError(STILL.format(found.waiting))
    choice = found.board.choice
    name = "-".join(filter(None, (web.task().slug, choice.phase.slug, choice.track, found.attribute or "groups")))
    return attachment(as_csv(_lines(found)) if format_ == "csv" else as_latex(found), f"{name}.{format_}")


def _lines(found: GroupBoard) -> Iterator[Sequence[object]]:
    """A line a run, group or difference, and metric; unrounded."""
    yield ("run", "run_id", "attribute", "group", "metric", "documents", "tp", "fp", "fn", "value", "low", "high", "chance")
    for line in found.lines:
        for group in (*line.comparison.groups, line.comparison.unknown):
            for metric in METRICS:
                yield (line.name, line.run.id, found.attribute, group.group, *_of_group(group, metric))
        for each in line.comparison.differences:
            yield (
                line.name,
                line.run.id,
                found.attribute,
                each.sign,
                each.metric,
                None,
                None,
                None,
                None,
                *_of_difference(each),
            )


def _of_group(group: GroupFigures, metric: str) -> Sequence[object]:
    counts, interval = group.counts, group.intervals[metric]
    bounds = (None, None) if interval is None else (interval.low, interval.high)
    return (metric, group.documents, counts.tp, counts.fp, counts.fn, getattr(counts, metric), *bounds, None)


def _of_difference(each: Difference) -> Sequence[object]:
    bounds = (None, None) if each.interval is None else (each.interval.low, each.interval.high)
    return (each.value, *bounds, each.chance)
