"""Finding tasks, their phases and splits, reading their documents, and telling everyone something."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import Organiser, User
from app.clock import now
from app.errors import InvalidError, NotFoundError
from app.shared_tasks.models import Announcement, Phase, Split, Task
from app.storage import Storage
from brat.corpus import Corpus, read_corpus
from brat.files import read_bytes
from evaluator.task import TaskDefinition
from evaluator.task_file import parse_task


def definition_of(task: Task) -> TaskDefinition:
    """The definition of an installed task."""
    return parse_task(task.toml, task.conf)


def label_counts(task: Task) -> dict[str, dict[str, int]]:
    """How often each label occurs in each split whose gold is public: split to label to count."""
    return {split.name: json.loads(split.label_counts) for split in task.splits if not split.blind}


def add_organiser(session: Session, task: Task, user: User) -> None:
    """Let a person run the task; again changes nothing."""
    known = select(Organiser.id).where(Organiser.task_id == task.id, Organiser.user_id == user.id)
    if session.scalar(known) is None:
        session.add(Organiser(task_id=task.id, user_id=user.id, added_at=now()))
        session.flush()


def all_tasks(session: Session) -> list[Task]:
    """Every task, archived ones too, the newest first."""
    return list(session.scalars(select(Task).order_by(Task.id.desc())))


def find_task(session: Session, slug: str) -> Task:
    """The task of that id.

    Raises:
        NotFoundError: there is none.
    """
    task = session.scalar(select(Task).where(Task.slug == slug))
    if task is None:
        raise NotFoundError(f"There is no task {slug}.")
    return task


def find_phase(task: Task, slug: str) -> Phase:
    """The phase of that id.

    Raises:
        NotFoundError: the task has none.
    """
    phase = next((each for each in task.phases if each.slug == slug), None)
    if phase is None:
        known = ", ".join(each.slug for each in task.phases)
        raise NotFoundError(f"{task.slug} has no phase {slug}; it has {known}.", field="phase")
    return phase


def find_split(task: Task, name: str) -> Split:
    """The split of that name.

    Raises:
        NotFoundError: the task has none.
    """
    split = next((each for each in task.splits if each.name == name), None)
    if split is None:
        raise NotFoundError(f"{task.slug} has no split {name}.")
    return split


def texts_of(storage: Storage, split: Split) -> dict[str, str]:
    """The hosted text of every document, by id."""
    files = read_bytes(storage.get(split.texts), "texts.zip")
    return {name.removesuffix(".txt"): data.decode() for name, data in files.items()}


def gold_of(storage: Storage, stored: str, texts: Mapping[str, str]) -> Corpus:
    """The documents of a version of gold, with their texts. Nothing of it may reach a reader of a blind split."""
    return read_corpus(read_bytes(storage.get(stored), "gold.zip"), texts)


def corpus_of(storage: Storage, split: Split) -> Corpus:
    """The documents of a split with their texts and the annotations that hold. As with `gold_of`."""
    return gold_of(storage, split.gold, texts_of(storage, split))


def archive(session: Session, task: Task, *, archived: bool) -> None:
    """Put a task away, or take it out again."""
    task.archived_at = (task.archived_at or now()) if archived else None
    session.flush()


def announce(session: Session, task: Task, text: str) -> None:
    """Tell everyone something, in Markdown.

    Raises:
        InvalidError: there is nothing in it.
    """
    text = text.strip()
    if not text:
        raise InvalidError("Write something.", field="text")
    session.add(Announcement(task_id=task.id, text=text, made_at=now()))
    session.flush()


def announcements_of(session: Session, task: Task) -> list[Announcement]:
    """All announcements, newest first."""
    return list(session.scalars(select(Announcement).where(Announcement.task_id == task.id).order_by(Announcement.id.desc())))
