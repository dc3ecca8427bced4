"""Pages of tasks: the list, a task, its documents, and the organiser's page."""

from __future__ import annotations

from collections import Counter
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, request, url_for
from flask_login import login_required

from app import web
from app.access import may_download_gold, may_download_texts
from app.accounts.models import Team
from app.accounts.services import team_of
from app.errors import ForbiddenError
from app.forms import EmptyForm
from app.leaderboards.services import all_runs_board, choose
from app.runs.services import runs_of_task
from app.shared_tasks import services
from app.shared_tasks.models import Split, Task

pages = APIBlueprint("shared_tasks", __name__, enable_openapi=False)


@pages.get("/")
def index() -> Any:
    """All tasks."""
    tasks = services.all_tasks(web.session())
    return render_template("index.html", tasks=[(each, services.definition_of(each)) for each in tasks])


@pages.get("/tasks/<slug>")
def task(slug: str) -> Any:
    """A task for everyone."""
    session = web.session()
    found = services.find_task(session, slug)
    return render_template(
        "task.html",
        task=found,
        definition=services.definition_of(found),
        team=team_of(session, web.person(), found),
        downloads=[(split, *_downloads(found, split)) for split in found.splits],
    )


def _downloads(task: Task, split: Split) -> tuple[bool, bool]:
    reader = web.reader()
    public = services.definition_of(task).gold_public
    return may_download_texts(reader, split, task.phases), may_download_gold(reader, split, task.phases, gold_public=public)


@pages.get("/tasks/<slug>/splits/<name>/texts.zip")
@login_required
def texts(slug: str, name: str) -> Response:
    """The texts of a split."""
    return documents(slug, name, "texts")


@pages.get("/tasks/<slug>/splits/<name>/gold.zip")
@login_required
def gold(slug: str, name: str) -> Response:
    """The annotations of train and dev. Those of a blind split have no address."""
    return documents(slug, name, "gold")


def documents(slug: str, name: str, kind: str) -> Response:
    """An archive of texts or of public gold, for page and API alike.

    Raises:
        NotFoundError: no such task or split.
        ForbiddenError: the reader may not have it.
    """
    found = services.find_task(web.session(), slug)
    split = services.find_split(found, name)
    texts_allowed, gold_allowed = _downloads(found, split)
    if kind == "gold" and gold_allowed:
        digest = split.gold
    elif kind == "texts" and texts_allowed:
        digest = split.texts
    else:
        raise ForbiddenError("These documents are not released.")
    answer = Response(web.context().storage.get(digest), mimetype="application/zip")
    answer.headers.set("Content-Disposition", "attachment", filename=f"{found.slug}-{split.name}-{kind}.zip")
    return answer


def _organised(slug: str) -> Task:
    found = services.find_task(web.session(), slug)
    if not web.reader().is_organiser(found.id):
        raise ForbiddenError("This page is for the organisers of the task.")
    return found


@pages.get("/tasks/<slug>/organise")
@login_required
def organise(slug: str) -> Any:
    """Teams, all runs and phases, for organisers."""
    session = web.session()
    found = _organised(slug)
    definition = services.definition_of(found)
    runs = runs_of_task(session, found.id)
    teams = session.query(Team).filter(Team.task_id == found.id).order_by(Team.name).all()
    return render_template(
        "organise.html",
        task=found,
        definition=definition,
        teams=teams,
        runs=runs,
        runs_by_team=Counter(each.team_id for each in runs),
        board=all_runs_board(session, web.reader(), choose(definition, found.phases, request.args.to_dict())),
        button=EmptyForm(),
    )


@pages.post("/tasks/<slug>/phases/<phase>/<action>")
@login_required
def turn_phase(slug: str, phase: str, action: str) -> Any:
    """Open or close a phase."""
    session = web.session()
    found = services.find_phase(_organised(slug), phase)
    if action == "open":
        services.open_phase(session, found)
    elif action == "close":
        services.close_phase(session, found)
    else:
        raise ForbiddenError("A phase can be opened or closed.")
    session.commit()
    flash(f"{found.title} is {found.state.value}.")
    return redirect(url_for("shared_tasks.organise", slug=slug))
