"""Versions of gold: installing one, who has to be scored against it, and the moment when it holds.

A version waits until every scored run of its split has been scored against it; then boards switch in one transaction. Until
then nothing of the new scores is shown: everything that shows scores asks for those of `Split.gold_digest`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.access import released
from app.accounts.models import User
from app.clock import now
from app.errors import ConflictError, InvalidError
from app.runs.models import JobState, Rescoring, Run, RunState, Scoring
from app.shared_tasks import audit
from app.shared_tasks.installing import BadCorpusError, version_of
from app.shared_tasks.models import GoldState, GoldVersion, Phase, Split
from app.shared_tasks.releases import given_spans
from app.shared_tasks.services import announce, definition_of, texts_of
from app.storage import Storage
from brat.corpus import Corpus
from brat.problems import Problem, Severity, problem, quoted
from evaluator.release import entities_only, spans_of
from evaluator.signature import SCORER_VERSION
from evaluator.task import Release

_LONGEST_REASON = 1_000
_SNIPPET = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the scoring of runs against a version is."""

    version: GoldVersion
    done: int
    waiting: int
    failed: tuple[Rescoring, ...]

    @property
    def runs(self) -> int:
        """All runs that have to be scored."""
        return self.done + self.waiting + len(self.failed)


def install_version(
    session: Session, storage: Storage, split: Split, corpus: Corpus, reason: str, actor: User | None = None
) -> GoldVersion:
    """Install the annotations of a corpus as the next version of a split's gold. With no run to score it holds at once.

    Args:
        session: a session to write with; the caller commits.
        storage: where gold is kept.
        split: whose gold it is.
        corpus: the same documents with other annotations, from `read_gold`.
        reason: told to everyone when the version holds.
        actor: who does it; None for the server's terminal.

    Raises:
        InvalidError: no reason, or one beyond all measure.
        BadCorpusError: the documents or their texts are not those of the split.
        ConflictError: nothing would change, or another version waits.
    """
    session.get(Split, split.id, with_for_update=True)  # on SQLite the writing session has the lock already
    reason = reason.strip()
    if not reason or len(reason) > _LONGEST_REASON:
        raise InvalidError(f"Say why in 1 to {_LONGEST_REASON:,} characters; it is told to everyone.", field="reason")
    waiting = waiting_version(split)
    if waiting is not None:
        raise ConflictError(f"Version {waiting.number} of the gold of {split.name} waits already. Drop it first.")
    differences = list(_differences(texts_of(storage, split), corpus))
    if differences:
        raise BadCorpusError(
            f"The documents are not those of {split.name}; only annotations can be corrected, never texts.", differences
        )
    version = version_of(storage, corpus)
    if version.digest == split.gold_digest or version.stored == split.gold:
        raise ConflictError(f"These are the annotations of {split.name} that hold now. Nothing was changed.")
    version.given_changed = _gives_others(storage, split, corpus)
    version.number = 1 + max((each.number for each in split.versions), default=0)
    version.state, version.reason = GoldState.WAITING, reason
    split.versions.append(version)
    session.flush()
    enlist(session, version)
    audit.record(session, actor, split.task, "gold installed", _subject(version), reason)
    switch_if_complete(session, version)
    return version


def _gives_others(storage: Storage, split: Split, corpus: Corpus) -> bool:
    """Whether entities that teams have been given are others in these annotations."""
    if not split.blind or released(split, split.task.phases) in (None, Release.TEXT):
        return False
    labels = definition_of(split.task).entity_labels
    return given_spans(storage, split) != {id_: spans_of(entities_only(each, labels)) for id_, each in corpus.documents.items()}


def _differences(texts: dict[str, str], corpus: Corpus) -> Iterator[Problem]:
    """Where documents are not those of a split: missing ones, others, and the first character of each that differs."""
    for id_ in sorted(texts.keys() - corpus.documents.keys()):
        yield problem("missing-document", f"{id_}.ann", expected="every document of the split, with its text")
    for id_ in sorted(corpus.documents.keys() - texts.keys()):
        extra = problem("extra-document", corpus.paths.get(id_, f"{id_}.ann"), expected="the documents of the split only")
        yield replace(extra, severity=Severity.ERROR)
    for id_ in sorted(texts.keys() & corpus.documents.keys()):
        before, after = texts[id_], corpus.documents[id_].text or ""
        if before != after:
            yield _first_difference(before, after, corpus.paths.get(id_, id_).rpartition(".")[0] + ".txt")


def _first_difference(before: str, after: str, file: str) -> Problem:
    pairs = enumerate(zip(before, after, strict=False))
    same = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    line_start = before.rfind("\n", 0, same) + 1
    told = problem(
        "text-mismatch",
        file,
        before.count("\n", 0, same) + 1,
        same - line_start + 1,
        message=f"the text differs from that of the split from character {same:,} on",
        found=_snippet(after, same),
        expected=_snippet(before, same),
    )
    return replace(told, severity=Severity.ERROR)


def _snippet(text: str, start: int) -> str:
    return quoted(text[start : start + _SNIPPET]) if start < len(text) else "the end of the text"


def _subject(version: GoldVersion) -> str:
    return f"{version.split.name}, version {version.number}"


def waiting_version(split: Split) -> GoldVersion | None:
    """The version that waits, if there is one."""
    return next((each for each in split.versions if each.state is GoldState.WAITING), None)


def open_version(split: Split) -> GoldVersion | None:
    """The version whose runs are, or can be, scored again: the one that waits, else the one that holds."""
    holds = (each for each in split.versions if each.state is GoldState.CURRENT)
    return waiting_version(split) or next(holds, None)


def progress_of(session: Session, version: GoldVersion) -> Progress:
    """How many runs are scored against a version, and which could not be."""
    rows = session.scalars(select(Rescoring).where(Rescoring.version_id == version.id).order_by(Rescoring.id)).all()
    counts = Counter(each.state for each in rows)
    failed = tuple(each for each in rows if each.state is JobState.FAILED)
    return Progress(version, counts[JobState.DONE], counts[JobState.WAITING], failed)


def enlist(session: Session, version: GoldVersion) -> int:
    """See that every scored run of the split is on the version's list, also one scored meanwhile; returns how many were not.

    A run that has scores against these annotations already, because they held before, is done.
    """
    added = 0
    listed = {each.run_id: each for each in session.scalars(select(Rescoring).where(Rescoring.version_id == version.id))}
    for run_id, scored in _scored_runs(session, version):
        row = listed.get(run_id)
        if row is None:
            state = JobState.DONE if scored else JobState.WAITING
            session.add(Rescoring(version_id=version.id, run_id=run_id, state=state, attempts=0))
            added += 1
        elif row.state is JobState.DONE and not scored:  # by a scorer of another version
            row.state, row.attempts = JobState.WAITING, 0
            added += 1
    session.flush()
    return added


def _scored_runs(session: Session, version: GoldVersion) -> Iterator[tuple[str, bool]]:
    """The scored runs of the split, and whether each has scores against the version."""
    of_version = select(Scoring.run_id).where(Scoring.gold_digest == version.digest, Scoring.scorer == SCORER_VERSION)
    done = set(session.scalars(of_version))
    on_split = select(Run.id).join(Phase, Phase.id == Run.phase_id).where(Phase.split_id == version.split_id)
    for run_id in session.scalars(on_split.where(Run.state == RunState.SCORED).order_by(Run.submitted_at, Run.id)):
        yield run_id, run_id in done


def is_held_up(session: Session, version: GoldVersion) -> bool:
    """Whether there is nothing to do for a version but wait: every scored run is on its list, and not all are done."""
    listed = {each.run_id: each.state for each in session.scalars(select(Rescoring).where(Rescoring.version_id == version.id))}
    ready = all(state is JobState.DONE for state in listed.values())
    known = all(
        scored or listed.get(run_id, JobState.DONE) is not JobState.DONE for run_id, scored in _scored_runs(session, version)
    )
    return known and not ready


def switch_if_complete(session: Session, version: GoldVersion) -> bool:
    """Let a version hold if every scored run of the split has been scored against it; the caller commits.

    Runs that were scored meanwhile are put on its list first, and it is not complete then.
    """
    if version.state is not GoldState.WAITING:
        return False
    enlist(session, version)
    progress = progress_of(session, version)
    if progress.waiting or progress.failed:
        return False
    _switch(session, progress, None, "by the server, as every run had been scored")
    return True


def switch_without_failed(session: Session, split: Split, actor: User | None) -> GoldVersion:
    """Let the version that waits hold although some runs could not be scored against it; they then have no score.

    Raises:
        ConflictError: none waits, or some runs are still to be scored.
    """
    version = _waiting(split)
    enlist(session, version)
    progress = progress_of(session, version)
    if progress.waiting:
        raise ConflictError(f"{progress.waiting:,} of {progress.runs:,} runs are still to be scored. Wait for them.")
    without = ", ".join(each.run_id for each in progress.failed)
    _switch(session, progress, actor, f"without scores of: {without}" if without else "every run had been scored")
    return version


def _switch(session: Session, progress: Progress, actor: User | None, detail: str) -> None:
    version = progress.version
    split = session.get_one(Split, version.split_id, with_for_update=True)
    for each in split.versions:
        if each.state is GoldState.CURRENT:
            each.state = GoldState.REPLACED
    version.state, version.switched_at = GoldState.CURRENT, now()
    split.gold, split.gold_digest, split.label_counts = version.stored, version.digest, version.label_counts
    reason = version.reason if version.reason.endswith((".", "!", "?")) else f"{version.reason}."
    if version.given_changed:
        reason += " Entities that were given have changed: download them again."
    runs = "1 run was scored again." if progress.done == 1 else f"{progress.done:,} runs were scored again."
    link = f"[What changed](/tasks/{split.task.slug}/changes)"
    announce(session, split.task, f"The gold annotations of **{split.name}** were corrected: {reason} {runs} {link}")
    audit.record(session, actor, split.task, "gold switched", _subject(version), detail)
    session.flush()


def drop_version(session: Session, split: Split, actor: User | None) -> GoldVersion:
    """Give up the version that waits; what was scored against it is shown nowhere.

    Raises:
        ConflictError: none waits.
    """
    version = _waiting(split)
    version.state = GoldState.DROPPED
    audit.record(session, actor, split.task, "gold dropped", _subject(version), version.reason)
    return version


def retry_failed(session: Session, split: Split, actor: User | None) -> int:
    """Have the runs that could not be scored tried again, also after the switch; returns how many there are.

    Raises:
        ConflictError: there is none.
    """
    version = open_version(split)
    failed = progress_of(session, version).failed if version is not None else ()
    if version is None or not failed:
        raise ConflictError(f"No run failed to be scored against the gold of {split.name}.")
    for each in failed:
        each.restart()
    audit.record(session, actor, split.task, "gold tried again", _subject(version), f"runs: {len(failed)}")
    return len(failed)


def _waiting(split: Split) -> GoldVersion:
    version = waiting_version(split)
    if version is None:
        raise ConflictError(f"No version of the gold of {split.name} waits.")
    return version
