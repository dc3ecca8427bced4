"""The organiser's pages of baselines: start one, watch it, stop it."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import flash, redirect, render_template, request, url_for

from app import web
from app.baseline_runs import services
from app.baseline_runs.models import Baseline, Device
from app.baseline_runs.services import Wish
from app.errors import DomainError, InvalidError
from app.forms import EmptyForm
from app.shared_tasks.services import definition_of, find_phase
from baselines.methods import METHODS, module_of
from baselines.settings import described

pages = APIBlueprint("baselines", __name__, url_prefix="/tasks/<slug>/organise/baselines", enable_openapi=False)


@pages.get("")
def overview(slug: str) -> Any:
    """All baselines of the task, and a form to start one."""
    return _overview({}, None)


def _overview(filled: dict[str, str], bad: DomainError | None) -> Any:
    task = web.task()
    methods = [(each, described(module_of(each).Settings)) for each in METHODS.values()]
    page = render_template(
        "baselines.html",
        task=task,
        definition=definition_of(task),
        baselines=services.baselines_of(web.session(), task),
        methods=methods,
        devices=list(Device),
        filled=filled,
        bad=bad,
        button=EmptyForm(),
    )
    return (page, bad.status) if bad is not None else page


@pages.post("")
def start(slug: str) -> Any:
    """Have a baseline trained."""
    task, form = web.task(), request.form.to_dict()
    try:
        phase = find_phase(task, form.get("phase", ""))
        wish = Wish(
            track=form.get("track", ""),
            recipe=form.get("method", "").strip(),
            settings=parse_lines(form.get("settings", "")),
            device=Device(form["device"]) if form.get("device") in list(Device) else None,
            minutes=_whole(form.get("minutes", "")),
            publish="publish" in form,
        )
        row = services.start(web.session(), task, phase, wish, web.signed_in())
    except DomainError as bad:
        return _overview(form, bad)
    web.session().commit()
    return redirect(url_for("baselines.page", slug=slug, number=row.id))


def parse_lines(text: str) -> dict[str, str]:
    """Settings from lines `key=value`.

    Raises:
        InvalidError: a line is none, or a setting is there twice.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, equals, value = (each.strip() for each in line.partition("="))
        if not line.strip():
            continue
        if not equals or not key or key in found:
            raise InvalidError(
                f"Line {number} of the settings: a new key=value is expected, not {line.strip()!r}.", field="settings"
            )
        found[key] = value
    return found


def _whole(text: str) -> int:
    if not text.strip().isascii() or not text.strip().isdigit() or len(text.strip()) > 6:
        raise InvalidError("A whole number of minutes is expected.", field="minutes")
    return int(text)


def _row(number: int) -> Baseline:
    return services.find_baseline(web.session(), web.task(), number)


@pages.get("/<int:number>")
def page(slug: str, number: int) -> Any:
    """How far a baseline is, what it told, and what became of it."""
    return render_template("baseline.html", task=web.task(), row=_row(number), button=EmptyForm())


@pages.get("/<int:number>/progress")
def progress(slug: str, number: int) -> Any:
    """The same for the page's script, which asks again and again."""
    row = _row(number)
    return {
        "state": row.shown_state.value,
        "done": row.done,
        "total": row.total,
        "unit": row.unit,
        "log": row.log,
        "final": row.shown_state.final,
    }


@pages.post("/<int:number>/stop")
def stop(slug: str, number: int) -> Any:
    """Have it end."""
    row = _row(number)
    services.stop(web.session(), row, web.signed_in())
    web.session().commit()
    flash(f"{row.recipe} is being stopped." if row.owner else f"{row.recipe} is stopped.")
    return redirect(url_for("baselines.page", slug=slug, number=number))
