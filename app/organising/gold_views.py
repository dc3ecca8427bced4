"""Versions of gold on the organiser's page: how far the scoring is, and what to do about runs that could not be scored."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import flash, redirect, url_for
from sqlalchemy.orm import Session

from app import web
from app.runs import gold_versions
from app.runs.gold_versions import Progress
from app.shared_tasks.models import Split, Task
from app.shared_tasks.services import find_split

pages = APIBlueprint("gold", __name__, url_prefix="/tasks/<slug>/organise/gold/<name>", enable_openapi=False)


def gold_progress(session: Session, task: Task) -> list[tuple[Split, Progress | None]]:
    """The splits of a task, each with how far the version is whose runs are, or can be, scored again."""
    opened = ((split, gold_versions.open_version(split)) for split in task.splits)
    return [(split, gold_versions.progress_of(session, version) if version else None) for split, version in opened]


def _split(name: str) -> Split:
    return find_split(web.task(), name)


def _back(message: str) -> Any:
    web.session().commit()
    flash(message)
    return redirect(url_for("organise.overview", slug=web.task().slug, _anchor="gold"))


@pages.post("/retry")
def retry(slug: str, name: str) -> Any:
    """Have the runs that could not be scored tried again."""
    count = gold_versions.retry_failed(web.session(), _split(name), web.signed_in())
    return _back(f"{count:,} {'run is' if count == 1 else 'runs are'} tried again.")


@pages.post("/switch")
def switch(slug: str, name: str) -> Any:
    """Let the version that waits hold, without the runs that could not be scored."""
    version = gold_versions.switch_without_failed(web.session(), _split(name), web.signed_in())
    return _back(f"Version {version.number} of the gold of {name} holds now.")


@pages.post("/drop")
def drop(slug: str, name: str) -> Any:
    """Give up the version that waits."""
    version = gold_versions.drop_version(web.session(), _split(name), web.signed_in())
    return _back(f"Version {version.number} of the gold of {name} is dropped. Nothing has changed on any board.")
