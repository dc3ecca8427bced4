"""Pages of runs: upload, a run, publish, withdraw, download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, request, url_for
from flask_login import login_required

from app import web
from app.access import may_see_upload, owns_run
from app.accounts.services import team_of
from app.errors import DomainError, ForbiddenError
from app.forms import EmptyForm, tell_field
from app.runs import services
from app.runs.forms import UploadForm
from app.runs.models import Run
from app.runs.services import ToldScore, Upload
from app.shared_tasks.models import Phase, PhaseState, Task
from app.shared_tasks.services import definition_of, find_phase, find_task
from evaluator.task import TaskDefinition

pages = APIBlueprint("runs", __name__, enable_openapi=False)


@pages.route("/tasks/<slug>/upload", methods=["GET", "POST"])
@login_required
def upload(slug: str) -> Any:
    """Upload a run."""
    session = web.session()
    task = find_task(session, slug)
    if team_of(session, web.signed_in(), task) is None:
        flash("Found a team before you upload a run, or join one with an invitation link.")
        return redirect(url_for("accounts.new_team", slug=slug))
    form = _upload_form(task)
    if form.validate_on_submit():
        try:
            run = take(task, phase=form.phase.data, track=form.track.data, name=form.name.data or "")
        except DomainError as bad:
            tell_field(form, bad)
        else:
            return redirect(url_for("runs.run", run_id=run.id))
    return render_template("upload.html", task=task, form=form)


def _upload_form(task: Task) -> UploadForm:
    definition = definition_of(task)
    form = UploadForm(data={"phase": request.args.get("phase")})
    form.phase.choices = [(each.slug, each.title) for each in task.phases if each.state is PhaseState.OPEN]
    form.track.choices = [(each.id, each.title) for each in definition.tracks]
    return form


def take(task: Task, *, phase: str, track: str, name: str) -> Run:
    """Take the file of the request as a run: commit, then enqueue.

    Raises:
        ForbiddenError: the person has no team.
        DomainError: see `services.submit`.
    """
    session, context, user = web.session(), web.context(), web.signed_in()
    team = team_of(session, user, task)
    if team is None:
        raise ForbiddenError("Found or join a team of this task first.")
    found: Phase = find_phase(task, phase)
    file = request.files.get("file")
    sent = Upload(track=track, name=name, file_name=(file and file.filename) or "", data=file.read() if file else b"")
    run = services.submit(session, context.storage, user, team, found, sent)
    session.commit()
    context.queue.send(run.id)
    return run


@pages.get("/runs/<run_id>")
def run(run_id: str) -> Any:
    """A run: its state, its problems, its scores as far as they are told."""
    session, reader = web.session(), web.reader()
    found = services.find_run(session, reader, run_id)
    scoring = services.scoring_of(session, found)
    level, scores = services.told_scores(reader, found, scoring)
    problems = services.problems_of(found) if may_see_upload(reader, found) else []
    criterion = _criterion(scores)
    definition = definition_of(found.task)
    by_label = _in_order_of_task([each for each in scores if (each.row.span, each.row.labels) == criterion], definition)
    return render_template(
        "run.html",
        run=found,
        task=found.task,
        definition=definition,
        told=level,
        scoring=scoring,
        overall=[each for each in scores if each.row.label == "all"],
        by_label=by_label,
        depths={each.row.label: len(definition.hierarchy.ancestors(each.row.label)) for each in by_label},
        criterion=criterion,
        problems=problems,
        problem_counts=services.problem_counts_of(found) if problems else {},
        mine=owns_run(reader, found),
        sees_upload=may_see_upload(reader, found),
        button=EmptyForm(),
    )


def _criterion(scores: Sequence[ToldScore]) -> tuple[str, str] | None:
    """The criterion whose labels are shown: that of the address, else the primary one."""
    known = list(dict.fromkeys((each.row.span, each.row.labels) for each in scores))
    wanted = (request.args.get("span", ""), request.args.get("labels", ""))
    return wanted if wanted in known else next(iter(known), None)


def _in_order_of_task(scores: list[ToldScore], definition: TaskDefinition) -> list[ToldScore]:
    """`all`, then the labels as annotation.conf lists them, then those it does not know."""
    place = {label: number for number, label in enumerate(["all", *definition.hierarchy.parents])}
    return sorted(scores, key=lambda each: (place.get(each.row.label, len(place)), each.row.label))


@pages.post("/runs/<run_id>/publish")
@login_required
def publish(run_id: str) -> Any:
    """Show a run on the public board."""
    session, reader = web.session(), web.reader()
    services.publish(session, reader, services.find_run(session, reader, run_id))
    session.commit()
    flash("The run is on the public leaderboard.")
    return redirect(url_for("runs.run", run_id=run_id))


@pages.post("/runs/<run_id>/withdraw")
@login_required
def withdraw(run_id: str) -> Any:
    """Take a run back from the public board."""
    session, reader = web.session(), web.reader()
    services.withdraw(session, reader, services.find_run(session, reader, run_id))
    session.commit()
    flash("The run is not on the public leaderboard any more.")
    return redirect(url_for("runs.run", run_id=run_id))


@pages.get("/runs/<run_id>/file")
@login_required
def file(run_id: str) -> Response:
    """The file as it was uploaded."""
    return uploaded_file(run_id)


def uploaded_file(run_id: str) -> Response:
    """The file of a run, for page and API alike.

    Raises:
        ForbiddenError: it is another team's.
    """
    found = services.find_run(web.session(), web.reader(), run_id)
    if not may_see_upload(web.reader(), found):
        raise ForbiddenError("Only its team can download a run.")
    answer = Response(web.context().storage.get(found.upload), mimetype="application/octet-stream")
    answer.headers.set("Content-Disposition", "attachment", filename=found.file_name)
    return answer
