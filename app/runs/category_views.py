"""What a run misses of each category of entities, by group: as a page and as files (Tables 6 and 7, Figure 1 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apiflask import APIBlueprint
from flask import Response, render_template, request

from app import web
from app.access import What, name_of, owns_run
from app.analysis.bases import basis_of
from app.analysis.categories import StoredCategories, unpack_categories
from app.analysis.groups import stored_files
from app.attachments import attachment
from app.errors import InvalidError
from app.pictures.bars import Bar, group_bars
from app.runs.models import Run
from app.runs.services import find_told_run
from app.shared_tasks.services import definition_of
from app.version import VERSION
from evaluator.fairness.categories import Comparison, compare_groups
from evaluator.fairness.category_tables import report_categories
from evaluator.plain_tables import FORMATS, Report

pages = APIBlueprint("categories", __name__, enable_openapi=False)
_FORMATS = {"csv": "csv", "tex": "latex", "json": "json"}
_FIRST_PAIR = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """What the request asks for, what else there is, and the figures."""

    attribute: str
    attributes: tuple[str, ...]
    criteria: tuple[tuple[str, str], ...]
    stored: StoredCategories
    comparison: Comparison | None
    report: Report


def _shown(run: Run) -> Shown | None:
    """None where nothing is known that makes groups, or where it has not been found yet."""
    files = stored_files(web.session(), [run]).get(run.id)
    found = unpack_categories(web.context().storage.get(files.categories)) if files and files.categories else []
    if not found:
        return None
    attributes = tuple(dict.fromkeys(each.attribute for each in found))
    criteria = tuple(dict.fromkeys((each.span, each.labels) for each in found))
    attribute = _pick("attribute", attributes)
    span, labels = _pick("span", [span for span, _ in criteria]), _pick("labels", [labels for _, labels in criteria])
    chosen = next((each for each in found if (each.attribute, each.span, each.labels) == (attribute, span, labels)), None)
    if chosen is None:
        raise InvalidError(f"{span} spans with {labels} labels are no criterion of this task.", field="labels")
    counts = chosen.counts()
    groups = _pair(chosen.groups)
    comparison = compare_groups(counts, *groups) if groups else None
    basis = basis_of(web.session(), run.phase.split)  # of gold, of attributes and of the lexicon, as they are now
    signature = {"assay": VERSION, "run": run.id, "criterion": f"{span}-{labels}", "by": attribute, "digest-basis": basis}
    return Shown(attribute, attributes, criteria, chosen, comparison, report_categories(counts, comparison, signature))


def _pick(name: str, values: Sequence[str]) -> str:
    value = request.args.get(name) or values[0]
    if value not in values:
        raise InvalidError(f"{value} is not one of {', '.join(values)}.", field=name)
    return value


def _pair(groups: Sequence[str]) -> tuple[str, str] | None:
    """The two groups that are compared: those asked for, else the first two."""
    asked = request.args.get("first"), request.args.get("second")
    first, second = asked if all(asked) else (groups[:_FIRST_PAIR] if len(groups) >= _FIRST_PAIR else (None, None))
    if first is None or second is None:
        return None
    if first == second or not {first, second} <= set(groups):
        raise InvalidError(f"Two of {', '.join(groups)} can be compared.", field="first")
    return first, second


@pages.get("/runs/<run_id>/categories")
def page(run_id: str) -> Any:
    """The tables, and the ratio of each category as bars."""
    found = find_told_run(web.session(), web.reader(), run_id, What.PER_STRATUM)
    shown = _shown(found)
    return render_template(
        "categories.html",
        run=found,
        task=found.task,
        definition=definition_of(found.task),
        team_name=name_of(web.reader(), found.team, found.task),
        mine=owns_run(web.reader(), found),
        shown=shown,
        picture=_picture(shown.comparison) if shown and shown.comparison else None,
    )


def _picture(comparison: Comparison) -> Any:
    """Figure 1: to the right where the first group misses more, to the left where the second does."""
    bars = [Bar(each.category, each.ratio) for each in comparison.ratios if each.ratio is not None]
    told = f"right: {comparison.first} has more false negatives, left: {comparison.second}"
    return group_bars(bars, f"Larger over smaller number of false negatives, minus 1; {told}", "ratio") if bars else None


@pages.get("/runs/<run_id>/categories.<any(csv, tex, json):format_>")
def export(run_id: str, format_: str) -> Response:
    """The same as a file."""
    found = find_told_run(web.session(), web.reader(), run_id, What.PER_STRATUM)
    shown = _shown(found)
    if shown is None:
        raise InvalidError("Nothing is known of these documents that makes groups, or it has not been found yet.")
    content = FORMATS[_FORMATS[format_]](shown.report)
    return attachment(content, f"{found.task.slug}-{found.id}-{shown.attribute}-categories.{format_}")
