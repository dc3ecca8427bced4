"""What an organiser says of documents: the attributes of each, one of which is its source."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.models import User
from app.clock import now
from app.errors import InvalidError
from app.shared_tasks import audit
from app.shared_tasks.models import MetadataVersion, Task
from app.shared_tasks.services import definition_of, texts_of
from app.storage import Storage
from brat.corpus import decode
from brat.problems import Problem, RefusedInput
from evaluator.fairness.census import Census, CensusError, Sex, parse_census
from evaluator.fairness.lexicon import LexiconError, parse_lexicon
from evaluator.fairness.name_errors import Target
from evaluator.metadata import Metadata, MetadataError, parse_metadata

SOURCE = "source"
"""The attribute that is the source of documents where nobody says which one is."""
_MOST_VALUES, _MOST_TOLD, _LONGEST_ID = 50, 20, 200
Rows = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class TaskMetadata:
    """The attributes of the documents of a task.

    Attributes:
        stored: digest of the file they are kept in.
        source: the attribute that is the source of documents; empty where none is.
        splits: of each split, the attributes of each document that has any.
        lexicon: the category of entity strings, which are folded; empty where nobody gave any.
    """

    stored: str
    source: str
    splits: Mapping[str, Rows]
    lexicon: Mapping[str, str]

    def sources(self, split: str, documents: Collection[str]) -> dict[str, str | None]:
        """The source of each document of a split, None where it is not known."""
        rows = self.splits.get(split, {})
        return {id_: rows.get(id_, {}).get(self.source) for id_ in documents}

    def attributes(self, splits: Collection[str]) -> dict[str, dict[str, str]]:
        """The attributes whose distribution over splits can be compared: of each, its value for every document that has one.

        The source is none of them, nor is what has one value in each split, as its name, or more than fifty, as a title.
        """
        found: dict[str, dict[str, str]] = {}
        told_apart = set()
        for split in splits:
            for name, values in self._columns(split).items():
                found.setdefault(name, {}).update(values)
                if len(set(values.values())) > 1:
                    told_apart.add(name)
        return {
            name: values
            for name, values in found.items()
            if name != self.source and name in told_apart and len(set(values.values())) <= _MOST_VALUES
        }

    def groups(self, split: str, most: int = _MOST_VALUES) -> dict[str, dict[str, str]]:
        """The attributes that part the documents of a split into two to so many groups, with the value of each that has one."""
        return {name: values for name, values in self._columns(split).items() if 1 < len(set(values.values())) <= most}

    def _columns(self, split: str) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for id_, row in self.splits.get(split, {}).items():
            for name, value in row.items():
                found.setdefault(name, {})[id_] = value
        return found


@dataclass(frozen=True, slots=True)
class Given:
    """Attributes of documents as somebody gives them.

    Attributes:
        origin: what they were read from, for messages.
        attributes: their names.
        splits: of each split of the task, the attributes of each document that has any.
        others: how many rows there were of documents that are in no split.
    """

    origin: str
    attributes: tuple[str, ...]
    splits: Mapping[str, Rows]
    others: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A version of metadata that was made; of each split how many documents have attributes, and how many there are."""

    version: MetadataVersion
    documents: Mapping[str, tuple[int, int]]
    others: int

    def in_words(self) -> str:
        """Which documents have attributes, and which is their source."""
        told = ", ".join(f"{split} {known:,} of {all_:,}" for split, (known, all_) in self.documents.items())
        source = f"{self.version.source} is their source" if self.version.source else "none of them is a source"
        rows = "1 row" if self.others == 1 else f"{self.others:,} rows"
        more = f" Left out: {rows} of other documents." if self.others else ""
        return f"Documents with attributes: {told}; {source}.{more}"


def parse_bytes(data: bytes, file: str) -> Metadata:
    """Metadata from what is in a file.

    Raises:
        InvalidError: it cannot be read; the message says where.
    """
    try:
        return parse_metadata(_text(data, file, "file"), file)
    except MetadataError as bad:
        raise InvalidError(str(bad), field="file") from bad


def rows_for(storage: Storage, task: Task, metadata: Metadata) -> Given:
    """The rows of a file that are of documents of a task; a row counts for every split that has its document.

    Raises:
        InvalidError: there is none.
    """
    splits = {split.name: sorted(texts_of(storage, split)) for split in task.splits}
    rows = {name: {id_: metadata.rows[id_] for id_ in ids if id_ in metadata.rows} for name, ids in splits.items()}
    if not any(rows.values()):
        found = f"; the first row is of {next(iter(metadata.rows))}" if metadata.rows else "; there is no row"
        known = next((ids[0] for ids in splits.values() if ids), "")
        found = found[:_LONGEST_ID]
        raise InvalidError(f"{metadata.file}: no row is of a document of this task, such as {known}{found}.", field="file")
    others = len(metadata.rows.keys() - {id_ for each in rows.values() for id_ in each})
    return Given(metadata.file, metadata.attributes, rows, others)


def set_metadata(session: Session, storage: Storage, task: Task, given: Given, source: str, actor: User | None = None) -> Kept:
    """Make these the attributes of a task's documents, instead of those there were.

    What follows from them is found anew by the server: its basis is another (`app.analysis.bases`).

    Args:
        session: a session to write with; the caller commits.
        storage: where they are kept.
        task: whose documents they are of.
        given: the attributes.
        source: the attribute that is the source; empty: `source`, if there is such a one.
        actor: who does it; None for the server's terminal.

    Raises:
        InvalidError: there is no such attribute.
    """
    if source and source not in given.attributes:
        known = ", ".join(given.attributes[:_MOST_TOLD]) + (" …" if given.attributes[_MOST_TOLD:] else "") or "none"
        raise InvalidError(f"{given.origin}: no column is called {source}; there are: {known}.", field="source")
    version = _next_version(
        session,
        task,
        stored=storage.put(json.dumps(given.splits, ensure_ascii=False).encode()),
        source=source or (SOURCE if SOURCE in given.attributes else ""),
    )
    sizes = {split.name: (len(given.splits.get(split.name, {})), split.documents) for split in task.splits}
    kept = Kept(version, sizes, given.others)
    audit.record(session, actor, task, "metadata", f"version {version.number}", kept.in_words())
    session.flush()
    return kept


def set_lexicon(
    session: Session, storage: Storage, task: Task, lexicon: Mapping[str, str], actor: User | None = None
) -> MetadataVersion:
    """Make these the categories of entity strings, instead of those there were; attributes stay.

    Args:
        session: a session to write with; the caller commits.
        storage: where they are kept.
        task: whose gold they are looked up for.
        lexicon: category by folded string (`evaluator.fairness.lexicon`).
        actor: who does it; None for the server's terminal.

    Raises:
        InvalidError: there is none.
    """
    if not lexicon:
        raise InvalidError("There is no string in the lexicon.", field="lexicon")
    digest = storage.put(json.dumps(dict(lexicon), ensure_ascii=False).encode())
    version = _next_version(session, task, stored=_stored(session, storage, task), lexicon=digest)
    told = f"{len(lexicon):,} strings in {len(set(lexicon.values())):,} categories"
    audit.record(session, actor, task, "lexicon", f"version {version.number}", told)
    session.flush()
    return version


def set_census(session: Session, storage: Storage, task: Task, data: bytes, file: str, actor: User | None = None) -> Census:
    """Make this what is known of how many people have a name, for a task about names; attributes stay.

    Args:
        session: a session to write with; the caller commits.
        storage: where it is kept.
        task: whose documents are about names.
        data, file: as `evaluator.fairness.census.parse_census` takes it.
        actor: who does it; None for the server's terminal.

    Raises:
        InvalidError: it cannot be read, lacks a year that documents are about, or the task is not about names.
    """
    rule = definition_of(task).names
    if rule is None or rule.target is not Target.PERSON:
        why = (
            "needs none, the names that it is about are Assay's own" if rule else "is not about names: no [names] in task.toml"
        )
        raise InvalidError(f"{task.slug} {why}.", field="census")
    try:
        census = parse_census(data, file)
        for year, sex in sorted(_asked(metadata_of(session, storage, task))):
            census.names(year, sex)
    except (CensusError, RefusedInput) as bad:
        raise InvalidError(str(bad), field="census") from bad
    version = _next_version(session, task, stored=_stored(session, storage, task), census=storage.put(data))
    told = f"{len(census.rows.counts):,} names of {len(census.years):,} years"
    audit.record(session, actor, task, "census", f"version {version.number}", told)
    session.flush()
    return census


def _asked(metadata: TaskMetadata | None) -> set[tuple[int, Sex]]:
    """The years and sexes that documents are about."""
    rows = [row for split in (metadata.splits.values() if metadata else ()) for row in split.values()]
    pairs = {(row.get("year", ""), row.get("sex", "")) for row in rows}
    return {(int(year), Sex(sex)) for year, sex in pairs if year.isdecimal() and sex in list(Sex)}


def census_of(session: Session, storage: Storage, task: Task) -> Census | None:
    """How many people have a name, where somebody has given it."""
    version = current_version(session, task)
    return parse_census(storage.get(version.census), "names") if version is not None and version.census else None


def _stored(session: Session, storage: Storage, task: Task) -> str:
    """Digest of the attributes there are."""
    last = current_version(session, task)
    return storage.put(b"{}") if last is None else last.stored


def _next_version(session: Session, task: Task, **changed: str) -> MetadataVersion:
    """A version that differs from the last one in what is given; in the session already."""
    last = current_version(session, task)
    before = {} if last is None else {name: getattr(last, name) for name in ("stored", "source", "lexicon", "census")}
    number = 1 if last is None else last.number + 1
    version = MetadataVersion(task_id=task.id, number=number, made_at=now(), **{**before, **changed})
    session.add(version)
    return version


def parse_lexicon_bytes(data: bytes, file: str) -> dict[str, str]:
    """Categories from what is in a file.

    Raises:
        InvalidError: it cannot be read; the message says where.
    """
    try:
        return parse_lexicon(_text(data, file, "lexicon"), file)
    except LexiconError as bad:
        raise InvalidError(str(bad), field="lexicon") from bad


def _text(data: bytes, file: str, field: str) -> str:
    problems: list[Problem] = []
    text = decode(data, file, problems)
    if text is None:
        raise InvalidError(str(problems[0]), field=field)
    return text


def current_version(session: Session, task: Task) -> MetadataVersion | None:
    """The version that holds, if there is one."""
    wanted = select(MetadataVersion).where(MetadataVersion.task_id == task.id)
    return session.scalar(wanted.order_by(MetadataVersion.number.desc()).limit(1))


def metadata_of(session: Session, storage: Storage, task: Task) -> TaskMetadata | None:
    """What is known of the documents of a task; None where nothing is."""
    version = current_version(session, task)
    if version is None:
        return None
    lexicon = json.loads(storage.get(version.lexicon)) if version.lexicon else {}
    return TaskMetadata(version.stored, version.source, json.loads(storage.get(version.stored)), lexicon)
