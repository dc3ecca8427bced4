"""The organiser's pages on what the splits of a task share."""

from __future__ import annotations

import json
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, request, url_for

from app import web
from app.analysis import leakage_pages as shown
from app.analysis.bases import roles_of
from app.analysis.jobs import retry_failed
from app.analysis.metadata import (
    current_version,
    metadata_of,
    parse_bytes,
    parse_lexicon_bytes,
    rows_for,
    set_census,
    set_lexicon,
    set_metadata,
)
from app.analysis.reports import Progress, progress_of
from app.attachments import attachment
from app.errors import ConflictError, InvalidError
from app.forms import EmptyForm
from app.shared_tasks.models import Split
from app.shared_tasks.services import definition_of
from evaluator.leakage.report import report_leakage
from evaluator.leakage.tables import tables_of
from evaluator.plain_tables import FORMATS

pages = APIBlueprint("leakage", __name__, url_prefix="/tasks/<slug>/organise/leakage", enable_openapi=False)
_FORMATS = {"csv": "csv", "tex": "latex", "json": "json"}
_ROWS = 10


def _split() -> Split:
    return shown.find_compared(web.task(), request.args.get("split", ""))


def _progress(split: Split) -> Progress:
    return progress_of(web.session(), web.context().storage, split)


@pages.get("")
def report(slug: str) -> Any:
    """What a split shares with train and dev."""
    task = web.task()
    if not shown.splits_to_compare(task) and not request.args.get("split"):
        known = current_version(web.session(), task)
        return render_template(
            "leakage_none.html", task=task, definition=definition_of(task), split=None, metadata=known, button=EmptyForm()
        )
    split = _split()
    progress = _progress(split)
    found = progress.finding.found if progress.finding else None
    return render_template(
        "leakage.html",
        task=task,
        definition=definition_of(task),
        split=split,
        splits=shown.splits_to_compare(task),
        roles=roles_of(split),
        progress=progress,
        found=found,
        tables={each.key: each for each in tables_of(found)} if found else {},
        rows=_ROWS,
        nearest=shown.nearest_first(found) if found else [],
        copies=shown.across_first(found) if found else [],
        copied=shown.copied_tests(found) if found else (),
        phase=next((each for each in task.phases if each.split_id == split.id and each.tracks), None),
        source_picture=shown.source_picture(found) if found else None,
        similarity_picture=shown.similarity_picture(found) if found else None,
        metadata=current_version(web.session(), task),
        button=EmptyForm(),
    )


@pages.get("/report.<any(csv, tex, json):format_>")
def export(slug: str, format_: str) -> Response:
    """The same, whole, as a file."""
    split = _split()
    finding = _progress(split).finding
    if finding is None:
        raise ConflictError(f"What {split.name} shares with train has not been found yet.")
    content = FORMATS[_FORMATS[format_]](report_leakage(finding.found, finding.signature))
    return attachment(content, f"{slug}-{split.name}-leakage.{format_}")


@pages.get("/pair")
def pair(slug: str) -> Any:
    """Two documents side by side, with what they share marked."""
    split, asked = _split(), request.args
    finding = _progress(split).finding
    wanted = [(asked.get("of", ""), asked.get("document", "")), (asked.get("with", ""), asked.get("other", ""))]
    found = shown.pair_of(web.context().storage, split, finding.found if finding else None, wanted)
    return render_template("leakage_pair.html", task=web.task(), split=split, roles=roles_of(split), pair=found)


@pages.post("/metadata")
def metadata(slug: str) -> Any:
    """Give the documents of a task other attributes."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise InvalidError("Choose a file: columns separated by tabs, or JSON.", field="file")
    storage, source = web.context().storage, request.form.get("source", "").strip()
    read = parse_bytes(file.read(), file.filename)  # before anything is asked of the database, which others want to write
    given = rows_for(storage, web.task(), read)
    kept = set_metadata(web.session(), storage, web.task(), given, source, web.signed_in())
    web.session().commit()
    flash(f"{kept.in_words()} What follows from that is being found anew.")
    return _back()


@pages.get("/metadata.json")
def metadata_file(slug: str) -> Response:
    """The attributes that documents have now, by split and document."""
    known = metadata_of(web.session(), web.context().storage, web.task())
    if known is None:
        raise ConflictError("Nothing is known of the documents of this task yet.")
    return attachment(json.dumps(known.splits, ensure_ascii=False, indent=1), f"{slug}-metadata.json")


@pages.post("/lexicon")
def lexicon(slug: str) -> Any:
    """Give entity strings other categories."""
    file = request.files.get("lexicon")
    if file is None or not file.filename:
        raise InvalidError("Choose a file: lines of a string, a tab and its category.", field="lexicon")
    strings = parse_lexicon_bytes(file.read(), file.filename)
    set_lexicon(web.session(), web.context().storage, web.task(), strings, web.signed_in())
    web.session().commit()
    flash(f"Categories of {len(strings):,} strings are known. What runs miss of each is being found anew.")
    return _back()


@pages.post("/census")
def census(slug: str) -> Any:
    """Say how many people have a name."""
    file = request.files.get("census")
    if file is None or not file.filename:
        raise InvalidError("Choose a file: lines of year,sex,name,count, or the official names.zip.", field="census")
    data, name = file.read(), file.filename
    found = set_census(web.session(), web.context().storage, web.task(), data, name, web.signed_in())
    web.session().commit()
    years = len(found.years)
    flash(f"Names of {years:,} {'year' if years == 1 else 'years'} are known. What runs make of names is being found anew.")
    return _back()


@pages.post("/retry")
def retry(slug: str) -> Any:
    """Try again what could not be found, of splits and of runs."""
    count = retry_failed(web.session(), web.task())
    web.session().commit()
    flash(f"{count:,} {'thing is' if count == 1 else 'things are'} tried again.")
    return _back()


def _back() -> Any:
    return redirect(url_for("leakage.report", slug=web.task().slug, split=request.args.get("split") or None))
