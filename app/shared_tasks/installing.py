"""Installing a task: its bundle, its corpora, its phases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import now
from app.errors import ConflictError, InvalidError
from app.shared_tasks.models import GoldState, GoldVersion, Phase, Split, Task
from app.storage import Storage
from brat.corpus import Corpus, read_corpus
from brat.files import Files, pack_zip
from brat.problems import Problem, ProblemList, count_by_code, has_errors, problem
from brat.roles import Structure
from brat.write import write
from evaluator.scheme import lacking
from evaluator.signature import digest_documents
from evaluator.task import PUBLIC_SPLITS, TaskDefinition
from evaluator.task_file import parse_task
from evaluator.toml_table import TaskError


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
    problems += _structure_problems(corpus, definition)
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


def _structure_problems(corpus: Corpus, definition: TaskDefinition) -> Sequence[Problem]:
    """Relations and events that annotation.conf does not know, or not between such annotations; runs are warned of them too."""
    conf, found = definition.configuration, ProblemList()
    structure = Structure(conf.relation_types() if conf.relations else None, conf.event_roles() if conf.events else None)
    for id_, document in corpus.documents.items():
        structure.add(document, document, corpus.paths.get(id_, f"{id_}.ann"), found)
    return found.kept


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
    splits = {name: _store_split(session, storage, task, name, corpus) for name, corpus in corpora.items()}
    for position, phase in enumerate(definition.phases):
        session.add(
            Phase(
                task_id=task.id,
                split_id=splits[phase.split].id,
                slug=phase.id,
                title=phase.title,
                position=position,
                tracks=phase.tracks,
                releases=phase.releases,
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


def _store_split(session: Session, storage: Storage, task: Task, name: str, corpus: Corpus) -> Split:
    first = version_of(storage, corpus)
    first.number, first.state, first.switched_at = 1, GoldState.CURRENT, first.made_at
    split = Split(
        task_id=task.id,
        name=name,
        blind=name not in PUBLIC_SPLITS,
        documents=len(corpus.documents),
        texts=storage.put(
            pack_zip((f"{id_}.txt", (each.text or "").encode()) for id_, each in sorted(corpus.documents.items()))
        ),
        gold=first.stored,
        gold_digest=first.digest,
        label_counts=first.label_counts,
        versions=[first],
    )
    session.add(split)
    session.flush()
    return split


def lacking_layers(definition: TaskDefinition, corpora: Mapping[str, Corpus]) -> Iterator[str]:
    """What a track asks for on a split whose gold has none of it, in words."""
    for name, corpus in corpora.items():
        taken = {track for phase in definition.phases if phase.split == name for track in phase.tracks}
        for track in (each for each in definition.tracks if each.id in taken):
            for layer in lacking(corpus.documents, definition, track):
                yield f"{name}: {track.id} asks for {layer.value}, and the gold has none"


def version_of(storage: Storage, corpus: Corpus) -> GoldVersion:
    """The annotations of a corpus, stored, as a version of gold; without number and state."""
    stored = pack_zip((f"{id_}.ann", write(each).encode()) for id_, each in sorted(corpus.documents.items()))
    labels = Counter(bound.label for each in corpus.documents.values() for bound in each.text_bounds)
    return GoldVersion(
        stored=storage.put(stored),
        digest=digest_documents(corpus.digests),
        label_counts=json.dumps(labels),
        reason="",
        made_at=now(),
    )
