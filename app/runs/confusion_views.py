"""Which labels a run confuses: the matrix as a page and as CSV."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request

from app import web
from app.access import name_of, owns_run
from app.attachments import attachment
from app.csv_text import as_csv
from app.runs.matrices import Matrix, matrix_of
from app.runs.models import Run
from app.runs.services import find_run
from app.shared_tasks.services import definition_of

pages = APIBlueprint("confusion", __name__, enable_openapi=False)


def matrix(run: Run) -> Matrix:
    """The matrix that the request asks for."""
    return matrix_of(web.session(), web.context().storage, web.reader(), web.person(), run, request.args.get("kind", ""))


@pages.get("/runs/<run_id>/confusion")
def page(run_id: str) -> Any:
    """The matrix, with examples where they may be shown; `gold` and `run` narrow them to a cell."""
    found = find_run(web.session(), web.reader(), run_id)
    shown, cell = matrix(found), (request.args.get("gold"), request.args.get("run"))
    cells = list(shown.cells())
    return render_template(
        "confusion.html",
        run=found,
        task=found.task,
        definition=definition_of(found.task),
        team_name=name_of(web.reader(), found.team, found.task),
        mine=owns_run(web.reader(), found),
        matrix=shown,
        linked={key for key, _ in cells},
        cell=cell if any(cell) else None,
        cells=[(key, some) for key, some in cells if not any(cell) or key == cell],
    )


@pages.get("/runs/<run_id>/confusion.csv")
def table_csv(run_id: str) -> Response:
    """The matrix: a line a gold label, a column a label of the run."""
    found = find_run(web.session(), web.reader(), run_id)
    shown = matrix(found)
    labels = shown.confusion.labels
    lines = [("gold \\ run", *labels), *((label, *row) for label, row in zip(labels, shown.confusion.counts, strict=True))]
    return attachment(as_csv(lines), f"{found.task.slug}-{found.id}-{shown.kind}-confusion.csv")
