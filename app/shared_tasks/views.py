"""Pages of tasks for everyone: the list, a task, its terms and its documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apiflask import APIBlueprint
from flask import Response, flash, redirect, render_template, url_for
from sqlalchemy.orm import Session

from app import web
from app.access import may_download_gold, may_download_start, may_download_texts, may_see_task
from app.accounts.teams import team_of
from app.attachments import attachment
from app.clock import now
from app.errors import ConflictError, ForbiddenError, NotFoundError
from app.forms import EmptyForm
from app.guide import guide_text
from app.shared_tasks import audit, services
from app.shared_tasks import terms as data_terms
from app.shared_tasks.models import Split, Task
from app.shared_tasks.phases import WORDS, told_words
from app.shared_tasks.releases import starting_run
from app.timeline import timeline
from brat.files import pack_zip
from evaluator.task import Track

pages = APIBlueprint("shared_tasks", __name__, enable_openapi=False)


@pages.get("/")
def index() -> Any:
    """All tasks that the reader may see."""
    tasks = [each for each in services.all_tasks(web.session()) if may_see_task(web.reader(), each)]
    return render_template("index.html", tasks=[(each, services.definition_of(each)) for each in tasks])


@pages.get("/tasks/<slug>")
def task(slug: str) -> Any:
    """A task for everyone."""
    session, found = web.session(), web.task()
    return render_template(
        "task.html",
        task=found,
        definition=services.definition_of(found),
        team=team_of(session, web.person(), found),
        downloads=[(split, *_downloads(found, split)) for split in found.splits],
        starts=_starts(found),
        releases=WORDS,
        told_words=told_words,
        label_counts=services.label_counts(found),
        terms=data_terms.current_terms(session, found),
        accepted=data_terms.has_accepted(session, web.person(), found),
        timeline=timeline(found.phases, now()),
        announcements=services.announcements_of(session, found),
        button=EmptyForm(),
    )


def _starts(found: Task) -> dict[str, list[Track]]:
    """The tracks whose run to fill in the reader may download, by phase."""
    tracks = services.definition_of(found).tracks
    return {phase.slug: [each for each in tracks if may_download_start(web.reader(), phase, each)] for phase in found.phases}


def _downloads(task: Task, split: Split) -> tuple[bool, bool]:
    reader = web.reader()
    public = services.definition_of(task).gold_public
    return may_download_texts(reader, split, task.phases), may_download_gold(reader, split, task.phases, gold_public=public)


@pages.get("/guide")
def guide() -> Any:
    """The guide for teams."""
    return render_template("guide.html", title="Guide for teams", text=guide_text("teams"))


@pages.get("/guide/problems")
def problems() -> Any:
    """Every code of a problem, with an example and what helps."""
    return render_template("guide.html", title="Problems and what helps", text=guide_text("problems"))


@pages.get("/tasks/<slug>/bundle.zip")
def bundle(slug: str) -> Response:
    """The task's definition, for checking and scoring offline; it holds nothing of its documents."""
    found = web.task()
    members = (("task.toml", found.toml), ("annotation.conf", found.conf), ("README.md", found.readme))
    return attachment(pack_zip((f"{found.slug}/{name}", text.encode()) for name, text in members), f"{found.slug}-bundle.zip")


@pages.post("/tasks/<slug>/terms/<int(max=2147483647):version>")
def terms(slug: str, version: int) -> Any:
    """Accept a version of the data terms."""
    session = web.session()
    data_terms.accept(session, web.signed_in(), web.task(), version)
    session.commit()
    flash("You have accepted the terms. You can download now.")
    return redirect(url_for("shared_tasks.task", slug=slug))


@pages.get("/tasks/<slug>/splits/<name>/texts.zip")
def texts(slug: str, name: str) -> Any:
    """The texts of a split."""
    return _unless_terms(lambda: documents(name, "texts"))


@pages.get("/tasks/<slug>/splits/<name>/gold.zip")
def gold(slug: str, name: str) -> Any:
    """The annotations of train and dev. Those of a blind split have no address."""
    return _unless_terms(lambda: documents(name, "gold"))


@pages.get("/tasks/<slug>/phases/<phase>/tracks/<track>/start.zip")
def start(slug: str, phase: str, track: str) -> Any:
    """A run of a track to fill in."""
    return _unless_terms(lambda: starting_archive(phase, track))


def _unless_terms(download: Callable[[], Response]) -> Any:
    try:
        return download()
    except ConflictError as bad:  # terms to be accepted first
        flash(bad.message)
        return redirect(url_for("shared_tasks.task", slug=web.task().slug, _anchor="terms"))


def documents(name: str, kind: str) -> Response:
    """An archive of texts or of public gold, for page and API alike.

    Raises:
        NotFoundError: no such split.
        ForbiddenError: the reader may not have it.
        ConflictError: the terms have to be accepted first.
    """
    session, found = web.session(), web.task()
    split = services.find_split(found, name)
    texts_allowed, gold_allowed = _downloads(found, split)
    if kind == "gold" and gold_allowed:
        digest = split.gold
    elif kind == "texts" and texts_allowed:
        digest = split.texts
    else:
        raise ForbiddenError("These documents are not released.")
    _ask_for_terms(session, found)
    if kind == "gold":
        _log_download(found, "gold downloaded", split.name)
    return attachment(web.context().storage.get(digest), f"{found.slug}-{split.name}-{kind}.zip")


def starting_archive(phase: str, track: str) -> Response:
    """The run of a track to fill in, for page and API alike.

    Raises:
        NotFoundError: no such phase or track, or its phase has not begun.
        ConflictError: the terms have to be accepted first.
    """
    session, found = web.session(), web.task()
    where = services.find_phase(found, phase)
    wanted = services.definition_of(found).track(track)
    if wanted is None or not may_download_start(web.reader(), where, wanted):
        raise NotFoundError(f"There is nothing to download for {track} in {where.title}, or not yet.")
    _ask_for_terms(session, found)
    if wanted.gives_entities and where.split.blind:
        _log_download(found, "entities downloaded", f"{where.slug}, {track}")
    content = starting_run(web.context().storage, where.split, wanted)
    return attachment(content, f"{found.slug}-{where.slug}-{track}.zip")


def _ask_for_terms(session: Session, found: Task) -> None:
    if not web.reader().is_organiser(found.id) and not data_terms.has_accepted(session, web.person(), found):
        raise ConflictError("Accept the data terms on the task's page before you download.", field="terms")


def _log_download(found: Task, action: str, subject: str) -> None:
    with web.context().database.session(write=True) as writing:
        audit.record(writing, web.person(), found, action, subject)
        writing.commit()
