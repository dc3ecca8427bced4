"""Installing a task, finding it, handing out its documents, opening and closing its phases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import Organiser, User
from app.clock import now
from app.errors import ConflictError, InvalidError, NotFoundError
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Announcement, Phase, Split, Task
from app.storage import Storage
from brat.corpus import Corpus, read_corpus
from brat.files import Files, pack_zip, read_bytes
from brat.problems import Problem, count_by_code, has_errors, problem
from brat.write import write
from evaluator.signature import digest_documents
from evaluator.task import Split as SplitName
from evaluator.task import TaskDefinition, parse_task
from evaluator.toml_table import TaskError

_PUBLIC_SPLITS = frozenset({SplitName.TRAIN, SplitName.DEV})


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a task's bundle, as text."""

    toml: str
    conf: str
    readme: str


class BadCorpusError(InvalidError):
    """A corpus that cannot be the gold of a split; `problems` says why."""

    code = "bad-corpus"

    def __init__(self, message: str, problems: Iterable[Problem]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def read_gold(files: Files, definition: TaskDefinition) -> Corpus:
    """Documents that can be the gold of a split, with warnings.

    Raises:
        BadCorpusError: an error, no document, or a document without text or annotations.
    """
    corpus = read_corpus(files)
    problems = [*corpus.problems]
    known = frozenset(definition.labels)
    for id_, document in corpus.documents.items():
        for each in document.text_bounds:
            if each.label not in known:
                problems.append(problem("unknown-label", corpus.paths[id_], each.line, len(each.id) + 2, found=each.label))
    textless = (id_ for id_, document in corpus.documents.items() if document.text is None)
    unusable = [problem("missing-text", corpus.paths[id_], expected=f"{id_}.txt beside it") for id_ in textless]
    unannotated = corpus.documents.keys() - corpus.paths.keys()
    unusable += [
        problem("missing-document", f"{id_}.ann", expected="gold annotations, an empty file if there are none")
        for id_ in sorted(unannotated)
    ]
    if not corpus.documents:
        unusable.append(problem("no-annotations", "the corpus", expected=".txt and .ann files"))
    if has_errors(problems) or unusable:
        raise BadCorpusError("The corpus cannot be used as gold.", [*problems, *(p for p in unusable if p not in problems)])
    return replace(corpus, problems=tuple(problems), counts=count_by_code(problems))


def add_task(session: Session, storage: Storage, bundle: Bundle, corpora: Mapping[str, Corpus]) -> Task:
    """Install a task.

    Args:
        session: a session to write with.
        storage: where texts and gold are kept.
        bundle: the text of its files.
        corpora: the documents of each split, from `read_gold`.

    Raises:
        InvalidError: the bundle is not a task, or a phase has no documents.
        ConflictError: the task is installed.
    """
    definition = parse_bundle(bundle)
    if session.scalar(select(Task.id).where(Task.slug == definition.id)) is not None:
        raise ConflictError(f"The task {definition.id} is installed already.")
    lacking = sorted({phase.split for phase in definition.phases} - corpora.keys())
    if lacking:
        raise InvalidError(f"The phases of {definition.id} need documents for: {', '.join(lacking)}.")
    task = Task(
        slug=definition.id,
        title=definition.title,
        toml=bundle.toml,
        conf=bundle.conf,
        readme=bundle.readme,
        created_at=now(),
    )
    session.add(task)
    session.flush()
    splits = {name: _store_split(storage, task, name, corpus) for name, corpus in corpora.items()}
    session.add_all(splits.values())
    session.flush()
    for position, phase in enumerate(definition.phases):
        session.add(
            Phase(
                task_id=task.id,
                split_id=splits[phase.split].id,
                slug=phase.id,
                title=phase.title,
                position=position,
                tells=phase.tells,
                opens_at=phase.opens or (now() if phase.open else None),
                closes_at=phase.closes,
                grace_minutes=phase.grace_minutes,
                quota=phase.quota,
                quota_days=phase.quota_days,
            )
        )
    session.flush()
    session.refresh(task)
    return task


def parse_bundle(bundle: Bundle) -> TaskDefinition:
    """The definition in a bundle.

    Raises:
        InvalidError: it is not a task; the message says where.
    """
    try:
        return parse_task(bundle.toml, bundle.conf)
    except TaskError as bad:
        raise InvalidError(str(bad)) from bad


def definition_of(task: Task) -> TaskDefinition:
    """The definition of an installed task."""
    return parse_task(task.toml, task.conf)


def _store_split(storage: Storage, task: Task, name: str, corpus: Corpus) -> Split:
    texts = pack_zip((f"{id_}.txt", (each.text or "").encode()) for id_, each in sorted(corpus.documents.items()))
    gold = pack_zip((f"{id_}.ann", write(each).encode()) for id_, each in sorted(corpus.documents.items()))
    return Split(
        task_id=task.id,
        name=name,
        blind=name not in _PUBLIC_SPLITS,
        documents=len(corpus.documents),
        texts=storage.put(texts),
        gold=storage.put(gold),
        gold_digest=digest_documents(corpus.digests),
        label_counts=json.dumps(Counter(bound.label for each in corpus.documents.values() for bound in each.text_bounds)),
    )


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


def gold_of(storage: Storage, split: Split, texts: Mapping[str, str]) -> Corpus:
    """The gold documents of a split. For scoring only: nothing of it may reach a reader of a blind split."""
    return read_corpus(read_bytes(storage.get(split.gold), "gold.zip"), texts)


def set_dates(session: Session, phase: Phase, opens_at: datetime | None, closes_at: datetime | None) -> None:
    """Say when a phase takes runs.

    Raises:
        InvalidError: it would end before it begins, or end without having begun.
    """
    if closes_at is not None and (opens_at is None or closes_at <= opens_at):
        raise InvalidError("A phase ends after it has begun.", field="closes")
    if (phase.opens_at, phase.closes_at) != (opens_at, closes_at):
        _restore_grace(phase)
    phase.opens_at, phase.closes_at = opens_at, closes_at
    session.flush()


def open_phase(session: Session, phase: Phase) -> None:
    """Let a phase take runs from now on, also one that had closed; an end that has passed is taken away."""
    if phase.state is PhaseState.UPCOMING:
        phase.opens_at = now()
    if phase.closes_at is not None and phase.closes_at <= now():
        phase.closes_at = None
        _restore_grace(phase)
    session.flush()


def _restore_grace(phase: Phase) -> None:
    """The minutes that the task's definition gives a phase; closing by hand had set them to 0."""
    phase.grace_minutes = next(each.grace_minutes for each in definition_of(phase.task).phases if each.id == phase.slug)


def close_phase(session: Session, phase: Phase) -> None:
    """End a phase now, also for what is just being sent.

    Raises:
        ConflictError: it is not open.
    """
    if phase.state is not PhaseState.OPEN:
        raise ConflictError(f"{phase.title} is not open.")
    phase.closes_at, phase.grace_minutes = now(), 0
    session.flush()


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
