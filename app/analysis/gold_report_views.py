"""How good is the gold of a split? A page for organisers, who say what is right and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, request, url_for

from app import web
from app.analysis.gold_reports import VERDICTS, StoredReport, ask_for_report, marks_of, report_of
from app.analysis.gold_reports import mark as mark_place
from app.attachments import attachment
from app.csv_text import as_csv
from app.errors import ConflictError, NotFoundError
from app.forms import EmptyForm
from app.shared_tasks.models import Split
from app.shared_tasks.services import find_split
from app.version import VERSION
from evaluator.plain_tables import FORMATS, Report

pages = APIBlueprint("gold_report", __name__, url_prefix="/tasks/<slug>/organise/gold-report", enable_openapi=False)
_FORMATS = {"csv": "csv", "tex": "latex", "json": "json"}
_SHOWN = 60
_ROWS = 20


def _split() -> Split:
    task, name = web.task(), request.args.get("split", "")
    return find_split(task, name) if name else min(task.splits, key=lambda each: (not each.blind, each.id))


@pages.get("")
def page(slug: str) -> Any:
    """What was found, and a button to look again."""
    split, task = _split(), web.task()
    row, found = report_of(web.session(), web.context().storage, split)
    return render_template(
        "gold_report.html",
        task=task,
        split=split,
        row=row,
        found=found,
        is_current=found is not None and found.gold == split.gold_digest,
        marks=marks_of(web.session(), split),
        verdicts=VERDICTS,
        shown=_SHOWN,
        rows=_ROWS,
        button=EmptyForm(),
    )


@pages.post("/ask")
def ask(slug: str) -> Any:
    """Have it looked at."""
    split = _split()
    ask_for_report(web.session(), split, web.signed_in())
    web.session().commit()
    flash(f"The gold of {split.name} is being looked at. Reload the page in a moment.")
    return redirect(url_for("gold_report.page", slug=slug, split=split.name))


def _found(split: Split) -> StoredReport:
    _, found = report_of(web.session(), web.context().storage, split)
    if found is None:
        raise ConflictError("The gold of this split has not been looked at yet.")
    return found


@pages.post("/mark")
def mark(slug: str) -> Any:
    """Say whether gold is right in a place."""
    split, form = _split(), request.form
    place = form.get("document", ""), form.get("place", "")
    doubts = {(each.document, each.place): (number, each) for number, each in enumerate(_found(split).doubts, 1)}
    if place not in doubts:
        raise NotFoundError("There is no such place among the doubtful ones.")
    number, doubt = doubts[place]
    mark_place(web.session(), split, doubt, form.get("verdict", ""), web.signed_in())
    web.session().commit()
    return redirect(url_for("gold_report.page", slug=slug, split=split.name) + f"#doubt-{number}")


@pages.get("/report.<any(csv, tex, json):format_>")
def export(slug: str, format_: str) -> Response:
    """Everything that was found, as a file."""
    split = _split()
    found = _found(split)
    signature = {"assay": VERSION, "task": slug, "split": split.name, "digest-gold": found.gold, "runs": list(found.runs)}
    report = Report(tables=(*found.statistics, *found.difficulty), value=found.value, signature=signature)
    return attachment(FORMATS[_FORMATS[format_]](report), f"{slug}-{split.name}-gold.{format_}")


@pages.get("/marks.csv")
def marks(slug: str) -> Response:
    """What organisers said, as a file."""
    return attachment(as_csv(_lines(_split())), f"{slug}-{_split().name}-gold-marks.csv")


def _lines(split: Split) -> Iterator[Sequence[object]]:
    yield ("document", "place", "verdict", "gold", "instead", "marked_at")
    for each in marks_of(web.session(), split).values():
        yield (each.document, each.place, each.verdict, each.said, each.instead, each.marked_at.isoformat())
