"""The endpoints. They call the same services as the pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for

from app import web
from app.access import may_download_gold, may_download_start, may_download_texts, may_see_task, may_see_upload, name_of
from app.accounts.teams import team_of
from app.api import schemas
from app.errors import ForbiddenError, InvalidError
from app.guard import UnauthorizedError
from app.leaderboards.services import Board, choose, public_board, team_board
from app.runs import services as runs
from app.runs.again import Resubmission
from app.runs.checking import explanations_of
from app.runs.intake import Wish
from app.runs.matrices import matrix_of
from app.runs.models import Run
from app.runs.views import corrected_file, take, take_again, uploaded_file
from app.shared_tasks.models import Split, Task
from app.shared_tasks.services import all_tasks, definition_of
from app.shared_tasks.views import documents, starting_archive
from evaluator.task import Disclosure

api = APIBlueprint("api", __name__, url_prefix="/api/v1", tag="v1")
_ERRORS = schemas.errors(401, 403, 404, 409, 413, 422)


@api.get("/tasks")
@api.output(schemas.TaskOut(many=True))
def list_tasks() -> Any:
    """All tasks."""
    return [_task_json(each) for each in all_tasks(web.session()) if may_see_task(web.reader(), each)]


@api.get("/tasks/<slug>")
@api.output(schemas.TaskDetailOut)
@api.doc(responses=_ERRORS)
def get_task(slug: str) -> Any:
    """A task: labels, tracks, phases, and where its documents are."""
    task = web.task()
    definition = definition_of(task)
    return _task_json(task) | {
        "labels": dict(definition.labels),
        "relations": dict(definition.relations),
        "tracks": [
            {"id": each.id, "title": each.title, "given": each.given, "asks": each.asks, "ranks_by": each.primary}
            for each in definition.tracks
        ],
        "phases": [
            {
                "id": each.slug,
                "title": each.title,
                "split": each.split.name,
                "state": each.state,
                "opens_at": each.opens_at.isoformat() if each.opens_at else None,
                "closes_at": each.closes_at.isoformat() if each.closes_at else None,
                "quota": each.quota,
                "tells": each.tells,
                "tracks": each.tracks,
                "releases": each.releases,
                "starts": {
                    track.id: url_for("api.get_start", slug=task.slug, phase=each.slug, track=track.id)
                    for track in definition.tracks
                    if may_download_start(web.reader(), each, track)
                },
            }
            for each in task.phases
        ],
        "splits": [_split_json(task, each) for each in task.splits],
    }


def _task_json(task: Task) -> dict[str, Any]:
    definition = definition_of(task)
    return {"id": task.slug, "title": task.title, "version": definition.version, "summary": definition.summary}


def _split_json(task: Task, split: Split) -> dict[str, Any]:
    def address(kind: str) -> str:
        return url_for(f"api.get_{kind}", slug=task.slug, name=split.name)

    public = definition_of(task).gold_public
    return {
        "name": split.name,
        "documents": split.documents,
        "blind": split.blind,
        "texts": address("texts") if may_download_texts(web.reader(), split, task.phases) else None,
        "gold": address("gold") if may_download_gold(web.reader(), split, task.phases, gold_public=public) else None,
    }


@api.get("/tasks/<slug>/splits/<name>/texts.zip")
@api.doc(responses=_ERRORS, security="token")
def get_texts(slug: str, name: str) -> Response:
    """The texts of a split, as a zip of .txt files."""
    return documents(name, "texts")


@api.get("/tasks/<slug>/splits/<name>/gold.zip")
@api.doc(responses=_ERRORS, security="token")
def get_gold(slug: str, name: str) -> Response:
    """The annotations of train or dev, as a zip of .ann files."""
    return documents(name, "gold")


@api.get("/tasks/<slug>/phases/<phase>/tracks/<track>/start.zip")
@api.doc(responses=_ERRORS, security="token")
def get_start(slug: str, phase: str, track: str) -> Response:
    """A run of a track to fill in, as a zip: each text, and beside it an .ann with what the track gives."""
    return starting_archive(phase, track)


@api.post("/tasks/<slug>/runs")
@api.input(schemas.RunIn, location="form_and_files", arg_name="sent")
@api.output(schemas.RunOut, status_code=202)
@api.doc(responses=_ERRORS, security="token")
def post_run(slug: str, sent: dict[str, Any]) -> Any:
    """Upload a run: a zip, a tar.gz or a single .ann file. Follow it at GET /runs/{id}."""
    wish = {key: sent[key] for key in ("track", "name", "again", "trial", "anyway")}
    run = take(sent["phase"], Wish(**wish))
    return _run_json(run), 202, {"Location": url_for("api.get_run", run_id=run.id)}


@api.get("/runs/<run_id>")
@api.output(schemas.RunOut)
@api.doc(responses=_ERRORS)
def get_run(run_id: str) -> Any:
    """A run: state, problems, and the scores that the reader may see."""
    return _run_json(runs.find_run(web.session(), web.reader(), run_id))


@api.get("/runs/<run_id>/confusion")
@api.input(schemas.ConfusionIn, location="query", arg_name="wanted")
@api.output(schemas.ConfusionOut)
@api.doc(responses=_ERRORS)
def get_confusion(run_id: str, wanted: dict[str, str]) -> Any:
    """The confusion matrix of a run, where it is told; examples where gold is public."""
    found = runs.find_run(web.session(), web.reader(), run_id)
    matrix = matrix_of(web.session(), web.context().storage, web.reader(), web.person(), found, wanted["kind"])
    return {"kind": matrix.kind, "kinds": matrix.kinds, **matrix.confusion.to_json()}


@api.get("/runs/<run_id>/file")
@api.doc(responses=_ERRORS, security="token")
def get_run_file(run_id: str) -> Response:
    """The file as it was uploaded; for its team."""
    return uploaded_file(run_id)


@api.get("/runs/<run_id>/corrected.zip")
@api.doc(responses=_ERRORS, security="token")
def get_corrected(run_id: str) -> Response:
    """The run with its offsets put right, where a diagnosis says how; for its team."""
    return corrected_file(run_id)


@api.post("/runs/<run_id>/submit")
@api.input(schemas.SubmitIn, location="json", arg_name="wanted")
@api.output(schemas.RunOut, status_code=202)
@api.doc(responses=_ERRORS, security="token")
def submit(run_id: str, wanted: dict[str, bool]) -> Any:
    """Submit a trial or a held run, or the corrected run of either."""
    run = take_again(run_id, Resubmission(**wanted))
    return _run_json(run), 202, {"Location": url_for("api.get_run", run_id=run.id)}


@api.post("/runs/<run_id>/publish")
@api.output(schemas.RunOut)
@api.doc(responses=_ERRORS, security="token")
def publish(run_id: str) -> Any:
    """Show a scored run on the public leaderboard."""
    session = web.session()
    run = runs.find_run(session, web.reader(), run_id)
    runs.publish(session, web.reader(), run)
    session.commit()
    return _run_json(run)


@api.post("/runs/<run_id>/withdraw")
@api.output(schemas.RunOut)
@api.doc(responses=_ERRORS, security="token")
def withdraw(run_id: str) -> Any:
    """Take a run back from the public leaderboard."""
    session = web.session()
    run = runs.find_run(session, web.reader(), run_id)
    runs.withdraw(session, web.reader(), run)
    session.commit()
    return _run_json(run)


def _run_json(run: Run) -> dict[str, Any]:
    reader = web.reader()
    scoring = runs.scoring_of(web.session(), run)
    level, scores = runs.told_scores(web.session(), reader, run, scoring)
    mine = may_see_upload(reader, run)
    return {
        "id": run.id,
        "task": run.task.slug,
        "phase": run.phase.slug,
        "track": run.track,
        "team": name_of(reader, run.team, run.task),
        "baseline": run.team.baseline,
        "name": run.name,
        "state": runs.shown_state(level, run),
        "submitted_at": run.submitted_at.isoformat(),
        "published": run.published_at is not None,
        "late": run.late,
        "description": run.description,
        "told": level,
        "problems": [asdict(each) for each in runs.problems_of(run)] if mine else [],
        "problem_counts": runs.problem_counts_of(run) if mine else {},
        "diagnosis": [asdict(each) for each in explanations_of(run)] if mine else [],
        "corrected": url_for("api.get_corrected", run_id=run.id) if mine and run.corrected else None,
        "trial": run.trial,
        "signature": scoring.signature if scoring and scores and level is Disclosure.FULL else None,
        "scores": [each.to_json() for each in scores],
        "history": [{"state": e.state, "at": e.at.isoformat(), "note": e.note} for e in runs.shown_history(level, run)]
        if mine
        else [],
    }


@api.get("/tasks/<slug>/leaderboard")
@api.input(schemas.BoardIn, location="query", arg_name="wanted")
@api.output(schemas.BoardOut)
@api.doc(responses=_ERRORS)
def get_leaderboard(slug: str, wanted: dict[str, str]) -> Any:
    """The published runs of a phase and track, or all runs of your own team."""
    session, reader = web.session(), web.reader()
    task = web.task()
    kind = wanted.pop("board")
    choice = choose(definition_of(task), task.phases, wanted)
    match kind:
        case "public":
            board = public_board(session, reader, choice)
        case "team":
            if reader.user_id is None:
                raise UnauthorizedError("Send a token: Authorization: Bearer TOKEN.")
            team = team_of(session, web.person(), task)
            if team is None:
                raise ForbiddenError("You have no team in this task.")
            board = team_board(session, reader, choice, team)
        case _:
            raise InvalidError("board is public or team.", field="board")
    return _board_json(task, board)


def _board_json(task: Task, board: Board) -> dict[str, Any]:
    return {
        "task": task.slug,
        "phase": board.choice.phase.slug,
        "track": board.choice.track,
        "annotations": board.choice.annotations,
        "span": board.choice.span,
        "labels": board.choice.labels,
        "figure": board.figure,
        "told": board.told,
        "entries": [
            {
                "rank": each.rank,
                "team": each.team,
                "baseline": each.run.team.baseline,
                "run": each.run.id,
                "name": each.run.name,
                "state": each.state,
                "late": each.run.late,
                "official": each.official,
                "scored_runs": each.scored_runs,
                "score": each.score.to_json() if each.score else None,
            }
            for each in board.entries
        ],
    }
