"""Corrections of gold in the API: what changed, and who moved."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint, Schema
from apiflask.fields import Boolean, Float, Integer, List, Nested, String

from app import web
from app.api import schemas
from app.leaderboards.changes import Change, Move, MovedBoard, Place, changes_of

api = APIBlueprint("api_changes", __name__, url_prefix="/api/v1", tag="v1")
_ERRORS = schemas.errors(401, 404)


class PlaceOut(Schema):
    """Where a run stood, as far as the reader may know."""

    rank = Integer(required=True, allow_none=True)
    figure = Float(required=True, allow_none=True)


class MoveOut(Schema):
    """A published run whose rank or figure changed; a place is null where the run was not scored against that gold."""

    run = String(required=True)
    name = String(required=True)
    team = String(required=True)
    late = Boolean(required=True)
    before = Nested(PlaceOut, required=True, allow_none=True)
    after = Nested(PlaceOut, required=True, allow_none=True)


class MovedBoardOut(Schema):
    """A board under the primary criterion."""

    phase = String(required=True)
    track = String(required=True)
    annotations = String(required=True)
    span = String(required=True)
    labels = String(required=True)
    figure = String(required=True)
    told = String(required=True)
    moves = List(Nested(MoveOut), required=True)


class ChangeOut(Schema):
    """A version of gold that replaced another."""

    split = String(required=True)
    version = Integer(required=True)
    at = String(required=True)
    reason = String(required=True)
    runs = Integer(required=True, metadata={"description": "How many runs were scored again."})
    boards = List(Nested(MovedBoardOut), required=True)


class ChangesOut(Schema):
    """Every correction of gold in a task, the newest first."""

    task = String(required=True)
    changes = List(Nested(ChangeOut), required=True)


@api.get("/tasks/<slug>/changes")
@api.output(ChangesOut)
@api.doc(responses=_ERRORS)
def get_changes(slug: str) -> Any:
    """Corrections of gold, and the published runs that moved by them."""
    return {"task": slug, "changes": [_change(each) for each in changes_of(web.session(), web.reader(), web.task())]}


def _change(change: Change) -> dict[str, Any]:
    return {
        "split": change.split.name,
        "version": change.version,
        "at": change.at.isoformat(),
        "reason": change.reason,
        "runs": change.runs,
        "boards": [_board(each) for each in change.boards],
    }


def _board(board: MovedBoard) -> dict[str, Any]:
    return {
        "phase": board.phase.slug,
        "track": board.track.id,
        "annotations": board.track.primary,
        "span": board.span,
        "labels": board.labels,
        "figure": board.figure,
        "told": board.told,
        "moves": [_move(each) for each in board.moves],
    }


def _move(move: Move) -> dict[str, Any]:
    return {
        "run": move.run.id,
        "name": move.run.name,
        "team": move.team,
        "late": move.run.late,
        "before": _place(move.before),
        "after": _place(move.after),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"rank": place.rank, "figure": place.figure}
