"""Pages of runs: upload, a run, publish, withdraw, nominate, describe, download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, request, url_for

from app import web
from app.access import What, may_be_told, may_see_upload, name_of, owns_run
from app.accounts.teams import team_of
from app.analysis.groups import comparisons_of
from app.attachments import attachment
from app.errors import DomainError, ForbiddenError, NotFoundError
from app.forms import EmptyForm, tell_field
from app.guard import own_team
from app.runs import services
from app.runs.again import Resubmission, corrected_name, offers, submit_again, submitted_from
from app.runs.checking import changes_of, explanations_of
from app.runs.forms import DescribeForm, SubmitForm, UploadForm
from app.runs.intake import SameRunError, Wish, check_may_send, receive, take_run, why_not_late
from app.runs.label_table import LabelTable, label_table
from app.runs.matrices import has_matrix
from app.runs.models import Run
from app.runs.strata_table import strata_table
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase, Task
from app.shared_tasks.services import definition_of, find_phase
from brat.problems import Problem
from evaluator.strata.differences import GroupComparison

_log = structlog.get_logger()
pages = APIBlueprint("runs", __name__, enable_openapi=False)


@pages.route("/tasks/<slug>/upload", methods=["GET", "POST"])
def upload(slug: str) -> Any:
    """Upload a run."""
    task = web.task()
    if team_of(web.session(), web.signed_in(), task) is None:
        if web.reader().is_organiser(task.id):
            return redirect(url_for("teams.new_team", slug=slug))
        flash("Found a team before you upload a run, or join one with an invitation link.")
        return redirect(url_for("teams.new_team", slug=slug))
    form, ask_again = _upload_form(task), False
    if form.validate_on_submit():
        try:
            wish = Wish(track=form.track.data, name=form.name.data or "", again=form.again.data, trial=bool(form.trial.data))
            run = take(form.phase.data, wish)
        except DomainError as bad:
            tell_field(form, bad)
            ask_again = isinstance(bad, SameRunError)
        else:
            return redirect(url_for("runs.run", run_id=run.id))
    team = team_of(web.session(), web.signed_in(), task)
    trials = services.trials_of(web.session(), team) if team else []
    tracks = {each.slug: list(each.tracks) for each in task.phases}
    return render_template("upload.html", task=task, form=form, ask_again=ask_again, trials=trials, tracks=tracks)


def _upload_form(task: Task) -> UploadForm:
    definition = definition_of(task)
    form = UploadForm(data={"phase": request.args.get("phase"), "track": request.args.get("track")})
    phases = sorted(
        (each for each in task.phases if each.tracks and each.state is not PhaseState.UPCOMING),
        key=lambda each: each.state is PhaseState.CLOSED,
    )
    form.phase.choices = [(each.slug, _phase_words(each)) for each in phases]
    taken = {track for each in phases for track in each.tracks}
    form.track.choices = [(each.id, each.title) for each in definition.tracks if each.id in taken]
    return form


def _phase_words(phase: Phase) -> str:
    if phase.state is not PhaseState.CLOSED:
        return phase.title
    late = any(not why_not_late(phase, track) for track in phase.tracks)
    return f"{phase.title} (closed: {'late runs are scored and not ranked' if late else 'files are checked only'})"


def take(phase: str, wish: Wish) -> Run:
    """Take the file of the request as a run: commit, then enqueue.

    Raises:
        ForbiddenError: the person has no team.
        DomainError: see `take_run`.
    """
    context, file = web.context(), request.files.get("file")
    with context.database.session(write=False) as reading:  # what is sure to be refused is not stored
        check_may_send(reading, web.signed_in().id, web.task().id, phase, wish)
    web.end_session()  # hashing and storing take time, in which nobody should wait for the database
    data, file_name = file.read() if file else b"", (file and file.filename) or ""
    received = receive(context.storage, context.settings.archive, file_name, data, began=web.began())
    session, user, task = web.session(), web.signed_in(), web.task()
    team = team_of(session, user, task)
    if team is None:
        raise ForbiddenError("Found or join a team of this task first.")
    return _send(take_run(session, user=user, team=team, phase=find_phase(task, phase), received=received, wish=wish))


def _send(run: Run) -> Run:
    web.session().commit()
    try:
        web.context().queue.send(run.id)
    except Exception:  # the run is taken, and the sweep will send it
        _log.exception("message not sent", run=run.id)
    return run


def take_again(run_id: str, wanted: Resubmission) -> Run:
    """Take what a run is about once more; for page and API alike.

    Raises:
        DomainError: see `submit_again`.
    """
    context, session = web.context(), web.session()
    found = services.find_run(session, web.reader(), run_id)
    limits = context.settings.archive
    return _send(submit_again(session, context.storage, limits, user=web.signed_in(), run=found, wanted=wanted))


@pages.get("/runs/<run_id>")
def run(run_id: str) -> Any:
    """A run: its state, its problems, its scores as far as they are told."""
    session, reader = web.session(), web.reader()
    found = services.find_run(session, reader, run_id)
    scoring = services.scoring_of(session, found)
    level, scores = services.told_scores(session, reader, found, scoring)
    mine, sees_upload = owns_run(reader, found), may_see_upload(reader, found)
    problems = services.problems_of(found) if sees_upload else []
    definition = definition_of(found.task)
    by_label = label_table(scores, definition, found.track, request.args)
    return render_template(
        "run.html",
        run=found,
        task=found.task,
        team_name=name_of(reader, found.team, found.task),
        definition=definition,
        told=level,
        shown=services.shown_state(level, found),
        history=services.shown_history(level, found),
        scoring=scoring,
        overall=[each for each in scores if each.row.label == "all"],
        by_label=by_label,
        by_stratum=strata_table(by_label, scores, services.told_strata(session, reader, found, scoring, labels=False)),
        by_group=_by_group(found, by_label),
        has_matrix=has_matrix(reader, found, scoring),
        problems_by_code=_by_code(problems),
        problem_counts=services.problem_counts_of(found) if problems else {},
        explanations=explanations_of(found) if sees_upload else [],
        changes=changes_of(found) if sees_upload else [],
        offers=offers(found) if mine else (False, False),
        again="again" in request.args,
        submitted=submitted_from(session, found) if mine else [],
        mine=mine,
        sees_upload=sees_upload,
        official=found.id in services.official_runs(session, found.phase, found.track),
        may_nominate=mine and services.may_nominate(found) and found.nominated_at is None,
        describe=DescribeForm(formdata=None, data={"name": found.name, "description": found.description}),
        button=EmptyForm(),
    )


def _by_group(run: Run, shown: LabelTable | None) -> list[GroupComparison]:
    """Differences between groups, of what the table by label shows under its first rule for labels."""
    if shown is None or not may_be_told(web.reader(), run, What.PER_STRATUM):
        return []
    return comparisons_of(web.session(), web.context().storage, run, (shown.annotations, shown.span, shown.rules[0]))


def _by_code(problems: Sequence[Problem]) -> dict[str, list[Problem]]:
    """The problems of each code, those that keep a run from being scored first."""
    grouped: dict[str, list[Problem]] = {}
    for each in problems:
        grouped.setdefault(each.code, []).append(each)
    return grouped


def _changed(run_id: str, message: str) -> Any:
    web.session().commit()
    flash(message)
    return redirect(url_for("runs.run", run_id=run_id))


@pages.post("/runs/<run_id>/publish")
def publish(run_id: str) -> Any:
    """Show a run on the public board."""
    services.publish(web.session(), web.reader(), services.find_run(web.session(), web.reader(), run_id))
    hidden = own_team() is not None and bool(getattr(own_team(), "hidden", False))
    return _changed(
        run_id, "Of a dry run, nobody but the organisers sees this." if hidden else "The run is on the public leaderboard."
    )


@pages.post("/runs/<run_id>/withdraw")
def withdraw(run_id: str) -> Any:
    """Take a run back from the public board."""
    services.withdraw(web.session(), web.reader(), services.find_run(web.session(), web.reader(), run_id))
    return _changed(run_id, "The run is not on the public leaderboard any more.")


@pages.post("/runs/<run_id>/nominate")
def nominate(run_id: str) -> Any:
    """Make the run the team's official one."""
    services.nominate(web.session(), services.find_run(web.session(), web.reader(), run_id))
    return _changed(run_id, "This is the official run of your team now.")


@pages.post("/runs/<run_id>/describe")
def describe(run_id: str) -> Any:
    """Give the run another name and description."""
    form, found = DescribeForm(), services.find_run(web.session(), web.reader(), run_id)
    services.describe(web.session(), found, name=form.name.data or "", description=form.description.data or "")
    return _changed(run_id, "Name and description are changed.")


@pages.get("/runs/<run_id>/file")
def file(run_id: str) -> Response:
    """The file as it was uploaded."""
    return uploaded_file(run_id)


@pages.get("/runs/<run_id>/corrected")
def corrected(run_id: str) -> Response:
    """The run as it would be with its offsets put right."""
    return corrected_file(run_id)


def corrected_file(run_id: str) -> Response:
    """The corrected run, for page and API alike.

    Raises:
        NotFoundError: there is none.
    """
    found = services.find_run(web.session(), web.reader(), run_id)
    if not found.corrected:
        raise NotFoundError("Nothing in this run could be corrected.")
    return attachment(web.context().storage.get(found.corrected), corrected_name(found))


@pages.post("/runs/<run_id>/submit")
def submit(run_id: str) -> Any:
    """Submit a trial, a held run, or the correction of either."""
    form = SubmitForm()
    wanted = Resubmission(corrected=bool(form.corrected.data), again=bool(form.again.data))
    try:
        sent = take_again(run_id, wanted)
    except DomainError as bad:
        flash(bad.message)
        again = 1 if isinstance(bad, SameRunError) else None
        return redirect(url_for("runs.run", run_id=run_id, again=again))
    return redirect(url_for("runs.run", run_id=sent.id))


def uploaded_file(run_id: str) -> Response:
    """The file of a run, for page and API alike."""
    found = services.find_run(web.session(), web.reader(), run_id)
    return attachment(web.context().storage.get(found.upload), found.file_name, plain=True)
