"""Pages of teams and invitations."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import flash, redirect, render_template, request, url_for

from app import web
from app.accounts import teams
from app.accounts.forms import NameForm
from app.accounts.models import Team
from app.errors import DomainError, ForbiddenError
from app.forms import EmptyForm, flash_secret, tell_field
from app.leaderboards.services import choose, team_board
from app.runs.services import runs_of_team
from app.shared_tasks import audit
from app.shared_tasks.models import Task
from app.shared_tasks.services import definition_of

pages = APIBlueprint("teams", __name__, enable_openapi=False)


@pages.route("/tasks/<slug>/team/new", methods=["GET", "POST"])
def new_team(slug: str) -> Any:
    """Found a team."""
    session, task, form = web.session(), web.task(), NameForm()
    if web.reader().is_organiser(task.id):
        flash("You run this task. To try it, make a team for a dry run below.")
        return redirect(url_for("organise.overview", slug=slug))
    if teams.team_of(session, web.signed_in(), task) is not None:
        return redirect(url_for("teams.team", slug=slug))
    if form.validate_on_submit():
        try:
            team = teams.found_team(session, web.signed_in(), task, form.name.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            audit.record(session, web.signed_in(), task, "team founded", team.name)
            session.commit()
            wait = "" if team.approved_at else " It can upload when the organisers have approved it."
            flash(f"You founded {team.name}.{wait}")
            return redirect(url_for("teams.team", slug=slug))
    return render_template("team_new.html", task=task, form=form)


@pages.get("/tasks/<slug>/team")
def team(slug: str) -> Any:
    """The team's page: its private leaderboard, its runs, its members."""
    return _team_page()


def _own_team() -> Team:
    found = teams.team_of(web.session(), web.signed_in(), web.task())
    if found is None:
        raise ForbiddenError("Found a team first.")
    return found


@pages.post("/tasks/<slug>/team/invitation")
def invite(slug: str) -> Any:
    """Make an invitation link, shown once."""
    secret = teams.invite(web.session(), _own_team())
    web.session().commit()
    link = web.link("teams.join", secret=secret)
    flash_secret("Send this link to those who should join. It is shown only now, and holds for 14 days:", link)
    return redirect(url_for("teams.team", slug=slug))


@pages.post("/tasks/<slug>/team/invitation/<int(max=2147483647):invitation_id>/revoke")
def revoke_invitation(slug: str, invitation_id: int) -> Any:
    """End an invitation."""
    teams.revoke_invitation(web.session(), _own_team(), invitation_id)
    web.session().commit()
    flash("The link does not work any more.")
    return redirect(url_for("teams.team", slug=slug))


@pages.post("/tasks/<slug>/team/rename")
def rename(slug: str) -> Any:
    """Give the team another name."""
    session, form, own = web.session(), NameForm(), _own_team()
    if form.validate_on_submit():
        before = own.name
        try:
            teams.rename(session, own, form.name.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            audit.record(session, web.signed_in(), web.task(), "team renamed", own.name, f"before: {before}")
            session.commit()
            flash(f"Your team is called {own.name}.")
            return redirect(url_for("teams.team", slug=slug))
    return _team_page(name=form)


@pages.post("/tasks/<slug>/team/captain/<int(max=2147483647):user_id>")
def hand_over(slug: str, user_id: int) -> Any:
    """Make another member the captain."""
    session, own = web.session(), _own_team()
    teams.hand_over(session, own, user_id)
    audit.record(session, web.signed_in(), web.task(), "captain changed", own.name)
    session.commit()
    flash("Your team has another captain.")
    return redirect(url_for("teams.team", slug=slug))


@pages.post("/tasks/<slug>/team/leave")
def leave(slug: str) -> Any:
    """Leave the team; its runs stay."""
    session, own = web.session(), _own_team()
    teams.leave_team(session, web.signed_in(), own)
    audit.record(session, web.signed_in(), web.task(), "team left", own.name)
    session.commit()
    flash(f"You are not in {own.name} any more.")
    return redirect(url_for("shared_tasks.task", slug=slug))


def _team_page(name: NameForm | None = None) -> Any:
    session, task = web.session(), web.task()
    own = teams.team_of(session, web.signed_in(), task)
    if own is None:
        return redirect(url_for("teams.new_team", slug=task.slug))
    definition = definition_of(task)
    return render_template(
        "team.html",
        task=task,
        team=own,
        definition=definition,
        board=team_board(session, web.reader(), choose(definition, task.phases, request.args.to_dict()), own),
        runs=runs_of_team(session, own),
        invitations=teams.invitations_of(session, own),
        is_captain=own.id in web.reader().captain_of,
        name=name or NameForm(formdata=None, data={"name": own.name}),
        button=EmptyForm(),
    )


@pages.route("/invitations/<secret>", methods=["GET", "POST"])
def join(secret: str) -> Any:
    """Join the team of an invitation link."""
    session, user = web.session(), web.signed_in()
    found = teams.invitation(session, secret).team
    task = session.get_one(Task, found.task_id)
    form, own = EmptyForm(), teams.team_of(session, user, task)
    if own is not None and own.id == found.id:
        return redirect(url_for("teams.team", slug=task.slug))
    if form.validate_on_submit():
        teams.accept_invitation(session, user, secret)
        audit.record(session, user, task, "team joined", found.name)
        session.commit()
        flash(f"You are a member of {found.name}.")
        return redirect(url_for("teams.team", slug=task.slug))
    return render_template("join.html", team=found, task=task, form=form, own=own, runs_task=web.reader().is_organiser(task.id))
