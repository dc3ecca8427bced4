"""What happens before any view: who asks is found out, and `app.rules` is asked whether they may."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Flask, Response, flash, g, redirect, request, url_for

from app import access, web
from app.accounts.models import Team
from app.accounts.services import user_of_token
from app.accounts.teams import team_of
from app.clock import now
from app.errors import DomainError, ForbiddenError, NotFoundError
from app.rules import RULES, Rule
from app.runs.models import Run
from app.runs.quotas import quota_of
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Task
from app.shared_tasks.services import find_task

_API = "/api/"
_PUBLIC_FILES = frozenset({"static"})
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS"})


class UnauthorizedError(DomainError):
    """No token, or one that does not work."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"


def attach(app: Flask) -> None:
    """Register the guard, and the header that tells a team what it has left."""
    app.before_request(_admit)
    app.after_request(_tell_quota)


def _admit() -> Any:
    g.began = now()  # the header of the request has been read, its body has not
    if request.endpoint is None or request.endpoint in _PUBLIC_FILES:
        return None
    if request.method not in _WITHOUT_BODY:
        len(request.form)  # reads the whole body, however slowly it comes, before the database is asked for anything
    rule = RULES.get(request.endpoint)
    if rule is None:
        raise ForbiddenError("This address has no rule yet who may call it.")
    refused = _ask(rule)
    web.end_session()
    g.admitted = True
    return refused


def _ask(rule: Rule) -> Any:
    """None if the reader may go on, else what they are answered."""
    if request.path.startswith(_API):
        _identify_by_token()
    reader, arguments = web.reader(), request.view_args or {}
    run = web.session().get(Run, arguments["run_id"]) if "run_id" in arguments else None
    task = run.task if run is not None else _task(arguments.get("slug"))
    g.task_id = task.id if task is not None else None
    team = team_of(web.session(), web.person(), task) if task is not None else None
    if access.allows(rule, reader, task_id=g.task_id, team_id=team.id if team else None, run=run):
        return None
    if "run_id" in arguments and (run is None or not access.may_see_run(reader, run)):
        if reader.user_id is None and rule is not Rule.RUN_READER:
            return _ask_to_sign_in()
        raise NotFoundError("There is no such run, or it is not published.")
    if reader.user_id is None:
        return _ask_to_sign_in()
    raise ForbiddenError(f"This is for {rule.value}.")


def _task(slug: str | None) -> Task | None:
    if slug is None:
        return None
    task = find_task(web.session(), slug)
    if not access.may_see_task(web.reader(), task):
        raise NotFoundError(f"There is no task {slug}.")
    return task


def _identify_by_token() -> None:
    """Who asks, by `Authorization: Bearer TOKEN`; without the header a visitor. Cookies do not count in the API."""
    g.person_id = None
    header = request.headers.get("Authorization", "")
    if header:
        kind, _, secret = header.partition(" ")
        user = user_of_token(web.session(), secret.strip()) if kind.lower() == "bearer" else None
        if user is None:
            raise UnauthorizedError("The token is not known, has expired or was revoked.")
        g.person_id = user.id


def _ask_to_sign_in() -> Any:
    if request.path.startswith(_API):
        raise UnauthorizedError("Send a token: Authorization: Bearer TOKEN. Make one on your account page.")
    flash("Sign in to go on.")
    back = request.full_path.rstrip("?") if request.method == "GET" else None
    return redirect(url_for("accounts.sign_in", next=back))


def own_team() -> Team | None:
    """The reader's team in the task of the request."""
    task = web.task_or_none()
    return team_of(web.session(), web.person(), task) if task is not None else None


def quotas() -> list[tuple[str, str, str]]:
    """(phase, track, what is left) of the reader's team in the task of the request, for the phases that are open."""
    task, team = web.task_or_none(), own_team()
    if task is None or team is None:
        return []
    return [
        (phase.title if len(phase.tracks) == 1 else f"{phase.title}, {track}", f"{phase.slug}/{track}", str(quota))
        for phase in task.phases
        if phase.state is PhaseState.OPEN
        for track in phase.tracks
        for quota in [quota_of(web.session(), team, phase, track)]
    ]


def _tell_quota(response: Response) -> Response:
    if request.path.startswith(_API) and response.status_code < HTTPStatus.BAD_REQUEST:
        left = ", ".join(f"{key}={text}" for _, key, text in quotas())
        if left:
            response.headers["X-Assay-Runs-Left"] = left
    return response
