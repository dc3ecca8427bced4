"""What a run makes of people's names, as a page and as files."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template

from app import web
from app.access import What, name_of, owns_run
from app.analysis.bases import basis_of
from app.analysis.groups import stored_files
from app.analysis.names import StoredNames, unpack_names
from app.attachments import attachment
from app.errors import InvalidError
from app.pictures.names import rate_curves
from app.runs.models import Run
from app.runs.services import find_told_run
from app.shared_tasks.services import definition_of
from app.version import VERSION
from evaluator.plain_tables import FORMATS, Report

pages = APIBlueprint("names", __name__, enable_openapi=False)
_FORMATS = {"csv": "csv", "tex": "latex", "json": "json"}
_NOT_YET = "This task is not about names, or what the run makes of them has not been found yet."


def _stored(run: Run) -> StoredNames | None:
    files = stored_files(web.session(), [run]).get(run.id)
    return unpack_names(web.context().storage.get(files.names)) if files and files.names else None


@pages.get("/runs/<run_id>/names")
def page(run_id: str) -> Any:
    """Curves over the years, the rates, and the names in error."""
    found = find_told_run(web.session(), web.reader(), run_id, What.PER_STRATUM)
    stored = _stored(found)
    return render_template(
        "names.html",
        run=found,
        task=found.task,
        definition=definition_of(found.task),
        team_name=name_of(web.reader(), found.team, found.task),
        mine=owns_run(web.reader(), found),
        stored=stored,
        pictures=[rate_curves([(found.name, stored)], error) for error in stored.errors] if stored else [],
        not_yet=_NOT_YET,
    )


@pages.get("/runs/<run_id>/names.<any(csv, tex, json):format_>")
def export(run_id: str, format_: str) -> Response:
    """The same as a file."""
    found = find_told_run(web.session(), web.reader(), run_id, What.PER_STRATUM)
    stored = _stored(found)
    if stored is None or stored.value is None:
        raise InvalidError(stored.why_not if stored else _NOT_YET)
    signature = {"assay": VERSION, "run": found.id, "digest-basis": basis_of(web.session(), found.phase.split)}
    report = Report(tables=stored.tables, value=stored.value, signature=signature)
    return attachment(FORMATS[_FORMATS[format_]](report), f"{found.task.slug}-{found.id}-names.{format_}")
