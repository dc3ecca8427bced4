"""Pages of accounts, teams and invitations."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from apiflask import APIBlueprint
from flask import flash, redirect, render_template, request, url_for
from flask_login import login_required, login_user, logout_user

from app import web
from app.accounts import services
from app.accounts.forms import NameForm, RegisterForm, SignInForm
from app.accounts.models import Team
from app.errors import DomainError, ForbiddenError
from app.forms import EmptyForm, tell_field
from app.leaderboards.services import choose, team_board
from app.runs.services import runs_of_team
from app.shared_tasks.models import Task
from app.shared_tasks.services import definition_of, find_task

pages = APIBlueprint("accounts", __name__, enable_openapi=False)


def _next_page() -> str:
    """Where to go after signing in: a path of this server, never another host."""
    target = request.args.get("next", "")
    parts = urlsplit(target)
    safe = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if safe else url_for("shared_tasks.index")


@pages.route("/register", methods=["GET", "POST"])
def register() -> Any:
    """Make an account."""
    form = RegisterForm()
    if form.validate_on_submit():
        session = web.session()
        try:
            user = services.register(session, email=form.email.data, name=form.name.data, password=form.password.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            login_user(user)
            flash(f"Welcome, {user.name}.")
            return redirect(_next_page())
    return render_template("register.html", form=form)


@pages.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> Any:
    """Sign in."""
    form = SignInForm()
    if form.validate_on_submit():
        user = services.authenticate(web.session(), email=form.email.data, password=form.password.data)
        if user is not None:
            login_user(user)
            return redirect(_next_page())
        form.form_errors.append("Address and password do not belong together.")
    return render_template("sign_in.html", form=form)


@pages.post("/sign-out")
def sign_out() -> Any:
    """Sign out."""
    logout_user()
    return redirect(url_for("shared_tasks.index"))


@pages.get("/account")
@login_required
def account() -> Any:
    """Tokens and teams of the person."""
    return _account_page(NameForm(), None)


@pages.post("/account/tokens")
@login_required
def new_token() -> Any:
    """Make a token; the page that answers is the only one that ever shows it."""
    form = NameForm()
    secret = None
    if form.validate_on_submit():
        session = web.session()
        try:
            secret = services.issue_token(session, web.signed_in(), form.name.data)
            session.commit()
        except DomainError as bad:
            tell_field(form, bad)
    return _account_page(form, secret)


@pages.post("/account/tokens/<int:token_id>/revoke")
@login_required
def revoke_token(token_id: int) -> Any:
    """End a token."""
    session = web.session()
    services.revoke_token(session, web.signed_in(), token_id)
    session.commit()
    flash("The token does not work any more.")
    return redirect(url_for("accounts.account"))


def _account_page(form: NameForm, secret: str | None) -> str:
    session, user = web.session(), web.signed_in()
    teams = [session.get_one(Team, each) for each in sorted(web.reader().teams)]
    tasks = {each.task_id: session.get_one(Task, each.task_id) for each in teams}
    tokens = services.tokens_of(session, user)
    return render_template(
        "account.html", form=form, secret=secret, tokens=tokens, teams=teams, tasks=tasks, button=EmptyForm()
    )


@pages.route("/tasks/<slug>/team/new", methods=["GET", "POST"])
@login_required
def new_team(slug: str) -> Any:
    """Found a team."""
    session = web.session()
    task = find_task(session, slug)
    form = NameForm()
    if form.validate_on_submit():
        try:
            team = services.found_team(session, web.signed_in(), task, form.name.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            flash(f"You founded {team.name}.")
            return redirect(url_for("accounts.team", slug=slug))
    return render_template("team_new.html", task=task, form=form)


@pages.get("/tasks/<slug>/team")
@login_required
def team(slug: str) -> Any:
    """The team's page: its private leaderboard, its runs, its members."""
    return _team_page(slug, None)


@pages.post("/tasks/<slug>/team/invitation")
@login_required
def invite(slug: str) -> Any:
    """Make an invitation link, shown once."""
    session = web.session()
    task = find_task(session, slug)
    own = services.team_of(session, web.signed_in(), task)
    if own is None:
        raise ForbiddenError("Found a team first.")
    secret = services.invite(session, own)
    session.commit()
    return _team_page(slug, url_for("accounts.join", secret=secret, _external=True))


def _team_page(slug: str, link: str | None) -> Any:
    session = web.session()
    task = find_task(session, slug)
    own = services.team_of(session, web.signed_in(), task)
    if own is None:
        return redirect(url_for("accounts.new_team", slug=slug))
    definition = definition_of(task)
    choice = choose(definition, task.phases, request.args.to_dict())
    return render_template(
        "team.html",
        task=task,
        team=own,
        definition=definition,
        board=team_board(session, web.reader(), choice, own),
        runs=runs_of_team(session, own),
        link=link,
        button=EmptyForm(),
    )


@pages.route("/invitations/<secret>", methods=["GET", "POST"])
@login_required
def join(secret: str) -> Any:
    """Join the team of an invitation link."""
    session = web.session()
    found = services.invitation(session, secret).team
    task = session.get_one(Task, found.task_id)
    form = EmptyForm()
    if form.validate_on_submit():
        services.accept_invitation(session, web.signed_in(), secret)
        session.commit()
        flash(f"You are a member of {found.name}.")
        return redirect(url_for("accounts.team", slug=task.slug))
    return render_template("join.html", team=found, task=task, form=form)
