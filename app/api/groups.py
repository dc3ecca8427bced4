"""Runs by group in the API: of the published runs of a board, and of one run."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint, Schema
from apiflask.fields import Float, Integer, List, Nested, String

from app import web
from app.access import What
from app.analysis.groups import comparisons_of
from app.api import schemas
from app.leaderboards.group_views import group_board
from app.leaderboards.groups import primary_choice
from app.leaderboards.services import public_board
from app.runs import services as runs
from app.shared_tasks.services import definition_of
from evaluator.resampling import METRICS
from evaluator.strata.differences import Difference, GroupComparison, GroupFigures

api = APIBlueprint("api_groups", __name__, url_prefix="/api/v1", tag="v1")
_ERRORS = schemas.errors(401, 403, 404, 422)


class GroupsIn(schemas.ChoiceIn):
    """Which board, and which attribute; the first there is where it is not said."""

    attribute = String(load_default="")
    order = String(load_default="", metadata={"description": "worst: by the F1 of the worst group"})


class FigureOut(Schema):
    """A metric, and the interval of 95 % of the draws of documents."""

    metric = String(required=True)
    value = Float(required=True, allow_none=True)
    low = Float(required=True, allow_none=True)
    high = Float(required=True, allow_none=True)


class GroupOut(Schema):
    """A group; `unknown` are the documents without the attribute, which have no interval."""

    group = String(required=True)
    documents = Integer(required=True)
    tp = Integer(required=True)
    fp = Integer(required=True)
    fn = Integer(required=True)
    figures = List(Nested(FigureOut), required=True)


class DifferenceOut(FigureOut):
    """A metric of the first group minus that of the second; `chance` is how often random groups differ as much."""

    first = String(required=True)
    second = String(required=True)
    chance = Float(required=True, allow_none=True)


class ComparisonOut(Schema):
    """A run by the groups of an attribute."""

    attribute = String(required=True)
    groups = List(Nested(GroupOut), required=True)
    differences = List(Nested(DifferenceOut), required=True)


class LineOut(ComparisonOut):
    """A run of a board, with its rank on the whole split and by its worst group."""

    run = String(required=True)
    name = String(required=True)
    rank = Integer(required=True, allow_none=True)
    worst_rank = Integer(required=True, allow_none=True)


class GroupBoardOut(Schema):
    """The published runs of a board by group."""

    task = String(required=True)
    phase = String(required=True)
    track = String(required=True)
    attribute = String(required=True)
    attributes = List(String(), required=True)
    waiting = Integer(required=True)
    runs = List(Nested(LineOut), required=True)


class RunGroupsOut(Schema):
    """A run by the groups of every attribute, under the primary criterion."""

    run = String(required=True)
    comparisons = List(Nested(ComparisonOut), required=True)


@api.get("/tasks/<slug>/groups")
@api.input(GroupsIn, location="query", arg_name="wanted")
@api.output(GroupBoardOut)
@api.doc(responses=_ERRORS)
def get_board(slug: str, wanted: dict[str, str]) -> Any:
    """The published runs of a phase and track by group."""
    found = group_board(public_board, wanted)
    return {
        "task": slug,
        "phase": found.board.choice.phase.slug,
        "track": found.board.choice.track,
        "attribute": found.attribute,
        "attributes": found.attributes,
        "waiting": found.waiting,
        "runs": [
            {
                "run": each.run.id,
                "name": each.name,
                "rank": each.rank,
                "worst_rank": each.worst_rank,
                **_comparison(each.comparison),
            }
            for each in found.lines
        ],
    }


@api.get("/runs/<run_id>/groups")
@api.output(RunGroupsOut)
@api.doc(responses=_ERRORS)
def get_run(run_id: str) -> Any:
    """A run by group, under the criterion that boards rank by."""
    session, reader = web.session(), web.reader()
    run = runs.find_told_run(session, reader, run_id, What.PER_STRATUM)
    found = comparisons_of(session, web.context().storage, run, primary_choice(definition_of(run.task), run.track))
    return {"run": run.id, "comparisons": [_comparison(each) for each in found]}


def _comparison(found: GroupComparison) -> dict[str, Any]:
    return {
        "attribute": found.attribute,
        "groups": [_group(each) for each in (*found.groups, found.unknown)],
        "differences": [_difference(each) for each in found.differences],
    }


def _group(group: GroupFigures) -> dict[str, Any]:
    counts = group.counts
    figures = []
    for metric in METRICS:
        interval = group.intervals[metric]
        figures.append(
            {
                "metric": metric,
                "value": getattr(counts, metric),
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
            }
        )
    return {
        "group": group.group,
        "documents": group.documents,
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "figures": figures,
    }


def _difference(each: Difference) -> dict[str, Any]:
    return {
        "first": each.first,
        "second": each.second,
        "metric": each.metric,
        "value": each.value,
        "low": each.interval.low if each.interval else None,
        "high": each.interval.high if each.interval else None,
        "chance": each.chance,
    }
