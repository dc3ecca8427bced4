"""Scores by stratum in the API: of the published runs of a board, and of one run."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint, Schema
from apiflask.fields import Dict, Integer, List, Nested, String

from app import web
from app.access import What
from app.api import schemas
from app.leaderboards.asked import asked_board
from app.leaderboards.services import public_board
from app.leaderboards.strata import StrataPart, by_stratum
from app.runs import services as runs
from evaluator.strata import layout

api = APIBlueprint("api_strata", __name__, url_prefix="/api/v1", tag="v1")
_ERRORS = schemas.errors(401, 403, 404, 422)


class StrataIn(schemas.ChoiceIn):
    """Which board, and the columns with a star."""

    group = String(load_default="", metadata={"description": "A label or group of labels for the columns with a star."})


class StratumOut(Schema):
    """A stratum, and how many gold annotations are in it."""

    name = String(required=True)
    gold = Integer(required=True)


class ColumnOut(Schema):
    """A column of a table: its key in the rows, its head, and what its figures are."""

    key = String(required=True)
    name = String(required=True)
    kind = String(required=True)


class StratificationOut(Schema):
    """The runs by one stratification, in the layout of the tables of ChEMU 2020, and their ranks on every stratum."""

    stratification = String(required=True)
    strata = List(Nested(StratumOut), required=True)
    title = String(required=True)
    selection = Dict(keys=String(), values=String(), required=True)
    columns = List(Nested(ColumnOut), required=True)
    rows = List(Dict(), required=True)
    notes = List(String(), required=True)
    rankings = List(Dict(), required=True)


class NamedRunOut(Schema):
    """A run, and what it is called in the tables."""

    run = String(required=True)
    id = String(required=True)


class StrataOut(Schema):
    """The published runs of a board by stratum; equal values under `of` mean equal figures."""

    of = Dict(keys=String(), values=String(), required=True)
    runs = List(Nested(NamedRunOut), required=True)
    task = String(required=True)
    phase = String(required=True)
    track = String(required=True)
    waiting = List(String(), required=True, metadata={"description": "Runs whose scores by stratum are not there yet."})
    tables = List(Nested(StratificationOut), required=True)


class RunStrataOut(Schema):
    """The scores of a run by stratum; none as long as they are not there yet."""

    run = String(required=True)
    scores = List(Nested(schemas.ScoreOut), required=True)


@api.get("/tasks/<slug>/strata")
@api.input(StrataIn, location="query", arg_name="wanted")
@api.output(StrataOut)
@api.doc(responses=_ERRORS)
def get_board(slug: str, wanted: dict[str, str]) -> Any:
    """The published runs of a phase and track by stratum."""
    board = asked_board(public_board, wanted)
    choice, found = board.choice, by_stratum(web.session(), web.reader(), board, wanted["group"])
    return {
        "task": slug,
        "phase": choice.phase.slug,
        "track": choice.track,
        "of": found.provenance,
        "runs": [{"run": name, "id": run.id} for name, run in found.shown],
        "waiting": [each.id for each in found.waiting],
        "tables": [_part(each) for each in found.parts],
    }


def _part(part: StrataPart) -> dict[str, Any]:
    strata = [{"name": name, "gold": size} for name, size in zip(part.strata, part.sizes, strict=True)]
    return {"stratification": part.name, "strata": strata, **layout.to_json(part.table, part.ranks)}


@api.get("/runs/<run_id>/strata")
@api.output(RunStrataOut)
@api.doc(responses=_ERRORS)
def get_run(run_id: str) -> Any:
    """The scores of a run by stratum, under every criterion and for every label."""
    session, reader = web.session(), web.reader()
    run = runs.find_told_run(session, reader, run_id, What.PER_STRATUM)
    scores = runs.told_strata(session, reader, run, runs.scoring_of(session, run))
    return {"run": run.id, "scores": [each.to_json() for each in scores]}
