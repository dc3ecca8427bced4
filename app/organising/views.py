"""The organiser's pages. The guard lets organisers of the task in, and nobody else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, g, redirect, render_template, url_for
from sqlalchemy.orm import Session

from app import web
from app.accounts import teams
from app.accounts.models import Organiser, Team
from app.accounts.services import request_reset
from app.analysis.leakage_pages import splits_to_compare
from app.attachments import attachment
from app.clock import now
from app.errors import ForbiddenError, NotFoundError
from app.forms import EmptyForm, flash_secret
from app.leaderboards.asked import asked_board, certainty_beside
from app.leaderboards.services import all_runs_board
from app.organising import services
from app.organising.forms import DatesForm, OptionsForm, TextForm
from app.organising.gold_views import gold_progress
from app.runs.services import runs_of_task
from app.shared_tasks import audit
from app.shared_tasks import services as shared_tasks
from app.shared_tasks import terms as data_terms
from app.shared_tasks.models import Task
from app.shared_tasks.phases import TOLD, WORDS
from app.timeline import timeline
from evaluator.task import Disclosure

pages = APIBlueprint("organise", __name__, url_prefix="/tasks/<slug>/organise", enable_openapi=False)


def _task() -> Task:
    return web.task()


def _log(action: str, subject: str, detail: str = "") -> None:
    audit.record(web.session(), web.signed_in(), _task(), action, subject, detail)


def _back(message: str) -> Any:
    web.session().commit()
    flash(message)
    return redirect(url_for("organise.overview", slug=_task().slug))


@pages.get("")
def overview(slug: str) -> Any:
    """Teams, all runs, phases and switches."""
    session, task = web.session(), _task()
    definition = shared_tasks.definition_of(task)
    runs, found = runs_of_task(session, task.id), teams.teams_of_task(session, task)
    terms = data_terms.current_terms(session, task)
    board = asked_board(all_runs_board)
    return render_template(
        "organise.html",
        task=task,
        definition=definition,
        teams=found,
        organiser_invitations=services.organiser_invitations(session, task),
        organisers=session.query(Organiser).filter(Organiser.task_id == task.id).all(),
        runs_by_team=Counter(each.team_id for each in runs),
        in_flight=services.runs_in_flight(runs),
        problems=services.problems_met_most(runs),
        board=board,
        certainty=certainty_beside(board),
        options=OptionsForm(
            data={"anonymous": task.anonymous, "approves_teams": task.approves_teams, "archived": bool(task.archived_at)}
        ),
        dates=DatesForm(formdata=None),
        releases=WORDS,
        tells=TOLD,
        tells_blind={key: words for key, words in TOLD.items() if key is not Disclosure.FULL},
        terms=terms,
        terms_form=TextForm(formdata=None, data={"text": terms.text if terms else ""}),
        acceptances=data_terms.acceptances(session, task),
        timeline=timeline(task.phases, now()),
        quotas_used=services.quotas_used(session, task, found),
        gold=gold_progress(session, task),
        compared=splits_to_compare(task),
        announcements=shared_tasks.announcements_of(session, task),
        announcement_form=TextForm(formdata=None),
        button=EmptyForm(),
    )


@pages.post("/options")
def set_options(slug: str) -> Any:
    """Turn the switches of the task."""
    task, form = _task(), OptionsForm()
    task.anonymous, task.approves_teams = form.anonymous.data, form.approves_teams.data
    shared_tasks.archive(web.session(), task, archived=form.archived.data)
    _log("options", task.slug, f"anonymous={task.anonymous} approves_teams={task.approves_teams} archived={form.archived.data}")
    return _back("The switches are set.")


@pages.post("/terms")
def set_terms(slug: str) -> Any:
    """Make a new version of the data terms."""
    made = data_terms.set_terms(web.session(), _task(), TextForm().text.data or "")
    _log("terms", f"version {made.version}", made.text)
    return _back(f"Version {made.version} of the terms holds; everybody is asked again.")


@pages.post("/announcements")
def announce(slug: str) -> Any:
    """Tell everyone something."""
    text = TextForm().text.data or ""
    shared_tasks.announce(web.session(), _task(), text)
    _log("announcement", _task().slug, text)
    return _back("The announcement is on the task's page.")


@pages.post("/teams/<int(max=2147483647):team_id>/approve")
def approve(slug: str, team_id: int) -> Any:
    """Let a team upload."""
    team = _team(team_id)
    teams.approve(web.session(), team)
    _log("team approved", team.name)
    return _back(f"{team.name} may upload.")


@pages.post("/teams/<int(max=2147483647):team_id>/members/<int(max=2147483647):user_id>/reset")
def reset_link(slug: str, team_id: int, user_id: int) -> Any:
    """A link with which a member of a team can set a new password; for those whose mail does not arrive."""
    member = next((each.user for each in _team(team_id).members if each.user_id == user_id), None)
    if member is None:
        raise NotFoundError("There is no such member.")
    if member.is_admin or web.session().query(Organiser).filter(Organiser.user_id == member.id).first():
        raise ForbiddenError("The password of an organiser is reset from the server's terminal.")
    link = web.link("accounts.reset", secret=request_reset(web.session(), member))
    _log("reset link", member.email)
    flash_secret(f"Give this link to {member.name}. It is shown only now, and holds for two hours:", link)
    return _back(f"The link for {member.name} is made.")


@pages.post("/organisers")
def invite_organiser(slug: str) -> Any:
    """A link that lets a person run the task too."""
    secret = services.invite_organiser(web.session(), _task())
    link = web.link("organisers.become", secret=secret)
    _log("organiser invited", _task().slug)
    flash_secret(
        "Give this link to the person who shall run the task with you. It is shown only now, and holds for 14 days:", link
    )
    return _back("The invitation is made.")


@pages.post("/organisers/invitations/<int(max=2147483647):invitation_id>/revoke")
def revoke_organiser_invitation(slug: str, invitation_id: int) -> Any:
    """End an invitation of an organiser."""
    services.revoke_organiser_invitation(web.session(), _task(), invitation_id)
    _log("organiser invitation revoked", str(invitation_id))
    return _back("The link does not work any more.")


@pages.post("/organisers/<int(max=2147483647):user_id>/remove")
def remove_organiser(slug: str, user_id: int) -> Any:
    """Let a person run the task no more."""
    email = services.remove_organiser(web.session(), _task(), user_id)
    _log("organiser removed", email)
    web.session().commit()
    flash(f"{email} does not run this task any more.")
    return redirect(url_for("shared_tasks.task", slug=slug))


@pages.post("/dry-run")
def dry_run(slug: str) -> Any:
    """Found the organiser's own team for trying the task; nobody else sees it."""
    if teams.team_of(web.session(), web.signed_in(), _task()) is not None:
        return redirect(url_for("teams.team", slug=slug))
    team = teams.found_dry_run(web.session(), web.signed_in(), _task())
    _log("dry run", team.name)
    web.session().commit()
    return redirect(url_for("teams.team", slug=slug))


def _team(team_id: int) -> Team:
    team = web.session().get(Team, team_id)
    if team is None or team.task_id != _task().id:
        raise NotFoundError("There is no such team.")
    return team


@pages.get("/audit")
def audit_log(slug: str) -> Any:
    """What organisers did."""
    return render_template("audit.html", task=_task(), entries=audit.entries(web.session(), _task()))


@pages.post("/export/scores.csv")
def scores_csv(slug: str) -> Response:
    """All scores of all runs."""
    return _export("scores.csv", services.scores_csv)


@pages.post("/export/runs.zip")
def runs_zip(slug: str) -> Response:
    """All uploads."""
    storage = web.context().storage
    return _export("runs.zip", lambda session, task: services.runs_zip(storage, runs_of_task(session, task.id)))


@pages.post("/export/participants.csv")
def participants_csv(slug: str) -> Response:
    """Who takes part."""
    return _export("participants.csv", lambda session, task: services.participants_csv(teams.teams_of_task(session, task)))


@pages.post("/export/acceptances.csv")
def acceptances_csv(slug: str) -> Response:
    """Who accepted which version of the terms."""
    return _export("acceptances.csv", lambda session, task: services.acceptances_csv(data_terms.acceptances(session, task)))


@pages.post("/export/audit.csv")
def audit_csv(slug: str) -> Response:
    """The whole audit log."""
    return _export("audit.csv", lambda session, task: services.audit_csv(audit.entries(session, task, most=None)))


def _export(name: str, build: Callable[[Session, Task], str | bytes]) -> Response:
    """Build an export with a session that only reads, so that nobody waits for it, and then log it."""
    with web.context().database.session(write=False) as reading:
        content = build(reading, reading.get_one(Task, g.task_id))
    _log("export", name)
    answer = attachment(content, f"{_task().slug}-{name}")
    web.session().commit()
    return answer
