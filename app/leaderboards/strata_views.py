"""Runs by stratum, as pages and as files: the published ones for everybody, all of them for organisers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request
from markupsafe import Markup

from app import web
from app.attachments import attachment
from app.csv_text import as_csv
from app.errors import ConflictError, InvalidError
from app.leaderboards.asked import Boards, asked_board
from app.leaderboards.services import all_runs_board, public_board
from app.leaderboards.strata import STILL, StrataBoard, StrataPart, by_stratum
from app.pictures.scatter import RunPoint, leak_scatter
from app.pictures.strata import RunLine, strata_lines
from app.shared_tasks.services import definition_of
from evaluator.leakage.runs import clean_and_easy
from evaluator.report import printable
from evaluator.strata import layout

pages = APIBlueprint("strata", __name__, url_prefix="/tasks/<slug>", enable_openapi=False)


@pages.get("/leaderboard/strata")
def page(slug: str) -> Any:
    """The published runs of a board by stratum."""
    return _page(public_board, "strata.page", "strata.export")


@pages.get("/leaderboard/strata.<any(csv, tex, json):format_>")
def export(slug: str, format_: str) -> Response:
    """The same as a file."""
    return _export(public_board, format_)


@pages.get("/organise/strata")
def all_page(slug: str) -> Any:
    """All runs of a board by stratum."""
    return _page(all_runs_board, "strata.all_page", "strata.all_export")


@pages.get("/organise/strata.<any(csv, tex, json):format_>")
def all_export(slug: str, format_: str) -> Response:
    """The same as a file."""
    return _export(all_runs_board, format_)


def strata_board(boards: Boards) -> StrataBoard:
    """What the request asks for."""
    return by_stratum(web.session(), web.reader(), asked_board(boards), request.args.get("group", ""))


def _page(boards: Boards, endpoint: str, file_endpoint: str) -> Any:
    found = strata_board(boards)
    task = web.task()
    return render_template(
        "strata.html",
        task=task,
        definition=definition_of(task),
        found=found,
        board=found.board,
        endpoint=endpoint,
        file_endpoint=file_endpoint,
        pictures={each.name: list(_pictures(each)) for each in found.parts},
    )


def _pictures(part: StrataPart) -> Iterator[Markup]:
    lines = [RunLine(run.run, run.whole.f1, tuple(run.change(each).f1 for each in part.strata)) for run in part.runs]
    yield strata_lines(lines, part.strata, f"F1 by {part.name}")
    ends = clean_and_easy(part.name, part.strata)
    if ends is not None:
        clean, easy = ends
        points = [RunPoint(run.run, run.change(easy).f1, run.change(clean).f1) for run in part.runs]
        yield leak_scatter(points, easy, clean, f"F1 on {easy} against {clean}")


def _export(boards: Boards, format_: str) -> Response:
    found, table = strata_board(boards), request.args.get("table", "")
    if found.waiting:
        raise ConflictError(STILL.format(len(found.waiting)))
    if table and table not in {each.name for each in found.parts}:
        known = ", ".join(each.name for each in found.parts) or "none"
        raise InvalidError(f"{table} is none of the tables here; there are: {known}.", field="table")
    parts = [each for each in found.parts if table in ("", each.name)]
    choice = found.board.choice
    name = "-".join(filter(None, (web.task().slug, choice.phase.slug, choice.track, table or "strata")))
    return attachment(_content(found, parts, format_, one=bool(table)), f"{name}.{format_}")


def _content(found: StrataBoard, parts: Sequence[StrataPart], format_: str, *, one: bool) -> str:
    if format_ == "json":
        tables = [layout.to_json(each.table, each.ranks) for each in parts]
        runs = [{"run": name, "id": run.id} for name, run in found.shown]
        return json.dumps({"of": found.provenance, "runs": runs, "tables": tables}, ensure_ascii=False, indent=1)
    if format_ == "tex":
        told = ", ".join(f"{name} {value}" for name, value in found.provenance.items())
        return "\n".join([f"% {printable(told)}", *(layout.as_latex(each.table) for each in parts)])
    return as_csv(layout.as_lines(parts[0].table) if one else _counts(parts))


def _counts(parts: Sequence[StrataPart]) -> Iterator[Sequence[object]]:
    """A line a run and stratum, with its counts."""
    yield ("stratification", "stratum", "run", "tp", "fp", "fn", "precision", "recall", "f1", "f1_on_all", "delta")
    for part in parts:
        for stratum in part.strata:
            for run in part.runs:
                change = run.change(stratum)
                counts = change.part
                figures = (counts.precision, counts.recall, counts.f1, change.whole.f1, change.delta)
                yield (part.name, stratum, run.run, counts.tp, counts.fp, counts.fn, *figures)
