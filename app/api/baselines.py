"""Baselines by the API, for organisers."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint, Schema
from apiflask.fields import Boolean, Dict, Integer, Raw, String
from apiflask.validators import OneOf, Range
from flask import url_for

from app import web
from app.api import schemas
from app.baseline_runs import services
from app.baseline_runs.models import Baseline, Device
from app.baseline_runs.services import Wish
from app.errors import InvalidError
from app.shared_tasks.services import find_phase

api = APIBlueprint("api_baselines", __name__, url_prefix="/api/v1", tag="v1")
_ERRORS = schemas.errors(401, 403, 404, 409, 422)
_MOST_MINUTES = 10_080


class BaselineIn(Schema):
    """What is to be trained, and for which runs."""

    phase = String(required=True)
    track = String(required=True)
    method = String(required=True, metadata={"description": "A method, or two in a row: crf+cooccurrence."})
    settings = Dict(keys=String(), values=Raw(), load_default=dict, metadata={"description": "Texts, numbers, true or false."})
    queue = String(
        load_default="", validate=OneOf(["", *Device]), metadata={"description": "cpu or gpu; empty: as the method is."}
    )
    minutes = Integer(load_default=60, strict=True, validate=Range(1, _MOST_MINUTES))
    publish = Boolean(load_default=True)


class BaselineOut(Schema):
    """A baseline: how far it is, and what became of it."""

    id = Integer(required=True)
    task = String(required=True)
    phase = String(required=True)
    track = String(required=True)
    method = String(required=True)
    settings = Dict(keys=String(), values=String(), required=True)
    queue = String(required=True)
    minutes = Integer(required=True)
    state = String(required=True)
    done = Integer(required=True)
    total = Integer(required=True)
    unit = String(required=True)
    log = String(required=True)
    note = String(required=True)
    signature = String(required=True)
    run = String(required=True, allow_none=True)
    made_at = String(required=True)


@api.get("/tasks/<slug>/baselines")
@api.output(BaselineOut(many=True))
@api.doc(responses=_ERRORS, security="token")
def list_baselines(slug: str) -> Any:
    """All baselines of a task, the newest first; for its organisers."""
    return [_json(each) for each in services.baselines_of(web.session(), web.task())]


@api.post("/tasks/<slug>/baselines")
@api.input(BaselineIn, arg_name="wanted")
@api.output(BaselineOut, status_code=202)
@api.doc(responses=_ERRORS, security="token")
def post_baseline(slug: str, wanted: dict[str, Any]) -> Any:
    """Have a baseline trained and entered as the team Baseline. Follow it at GET /tasks/{task}/baselines/{id}."""
    task = web.task()
    wish = Wish(
        track=wanted["track"],
        recipe=wanted["method"].strip(),
        settings={key: plain(value) for key, value in wanted["settings"].items()},
        device=Device(wanted["queue"]) if wanted["queue"] else None,
        minutes=wanted["minutes"],
        publish=wanted["publish"],
    )
    row = services.start(web.session(), task, find_phase(task, wanted["phase"]), wish, web.signed_in())
    web.session().commit()
    return _json(row), 202, {"Location": url_for("api_baselines.get_baseline", slug=slug, number=row.id)}


@api.get("/tasks/<slug>/baselines/<int:number>")
@api.output(BaselineOut)
@api.doc(responses=_ERRORS, security="token")
def get_baseline(slug: str, number: int) -> Any:
    """A baseline; for the organisers of its task."""
    return _json(services.find_baseline(web.session(), web.task(), number))


@api.post("/tasks/<slug>/baselines/<int:number>/stop")
@api.output(BaselineOut)
@api.doc(responses=_ERRORS, security="token")
def stop_baseline(slug: str, number: int) -> Any:
    """Have a baseline end."""
    row = services.find_baseline(web.session(), web.task(), number)
    services.stop(web.session(), row, web.signed_in())
    web.session().commit()
    return _json(row)


def plain(value: object) -> str:
    """A setting as text.

    Raises:
        InvalidError: it is a list, an object, or nothing.
    """
    if not isinstance(value, str | int | float):
        raise InvalidError("Settings are texts, numbers, true or false.", field="settings")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(row: Baseline) -> dict[str, Any]:
    return {
        "id": row.id,
        "task": row.task.slug,
        "phase": row.phase.slug,
        "track": row.track,
        "method": row.recipe,
        "settings": row.settings,
        "queue": row.device.value,
        "minutes": row.seconds // 60,
        "state": row.shown_state.value,
        "done": row.done,
        "total": row.total,
        "unit": row.unit,
        "log": row.log,
        "note": row.note,
        "signature": row.signature,
        "run": row.run_id,
        "made_at": row.made_at.isoformat(),
    }
