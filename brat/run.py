"""A run against what a task asks of it: documents, labels and kinds of annotation. Gold is never looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from brat.conf import RelationType, Types
from brat.corpus import Corpus, Reading
from brat.given import Entity, GivenEntities
from brat.habits import Habits, check_shape
from brat.model import Annotation, Document, Equiv, Event, Relation, TextBound
from brat.problems import Problem, ProblemList, Severity, problem, quoted
from brat.roles import Structure, resting_on, targets_of, tell_not_asked, tell_unknown

_MOST_UNKNOWN_LABELS = 200
_VARIED = re.compile(r"\.(?:txt|ann|xml|json|tsv)$|(?<!\d)0+(?=\d)|[\W_]+")
_FEW_ANNOTATIONS = 5_000
_ON_OTHERS = frozenset({"Relation", "Event"})


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a task asks of a run.

    Attributes:
        labels: the labels that are known, None where any is welcome.
        ignored_labels: labels that the track does not ask for; annotations with them are dropped with a warning.
        kinds: the kinds of annotation asked for, by class name of `brat.model`.
        missing_as_empty: whether a document that is missing counts as empty.
        raised: codes of warnings that this task treats as errors.
        relations: what each relation may hold between (`Configuration.relation_types`), None where any is welcome.
        events: the roles of each event and what may play them (`Configuration.event_roles`), None where any is welcome.
        given: the entities that the track gives, by document id, None where they are not known.
        given_labels: the labels of the entities that are given.
    """

    labels: frozenset[str] | None = None
    ignored_labels: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset({"TextBound"})
    missing_as_empty: bool = False
    raised: frozenset[str] = frozenset()
    relations: Mapping[str, tuple[RelationType, ...]] | None = None
    events: Mapping[str, Mapping[str, Types]] | None = None
    given: Mapping[str, frozenset[Entity]] | None = None
    given_labels: frozenset[str] = frozenset()


def check_run(run: Corpus, texts: Mapping[str, str | None], expected: Expectations) -> Corpus:
    """What is missing, extra, unknown or not asked for in a run.

    Args:
        run: a corpus read with `read_corpus(files, texts)`.
        texts: the hosted text of every document of the split, by id; None where it is not known.
        expected: what the track asks for.

    Returns:
        A corpus with exactly the documents of `texts`, in sorted order, without what is not asked for, and all problems,
        those found while reading included. When any is an error, the documents must not be scored.
    """
    problems = ProblemList(list(run.problems), Counter(run.counts))
    reading = Reading(iter(run.documents.items()), problems, run.paths, run.extra, run.format)
    documents = {each.id: each for each in _checked(reading, texts, expected)}
    return replace(run, documents=documents, problems=_told(problems, expected), counts=problems.counts)


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a run that was read document by document; `annotated` is how many have annotations asked for."""

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    annotated: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether everything was read. What is missing cannot be corrected, and a correction without it would lose it."""
        return "too-many-annotations" not in self.counts


def survey_run(
    reading: Reading, texts: Mapping[str, str | None], expected: Expectations, habits: Habits | None = None
) -> Survey:
    """The problems of a run, as `check_run` finds them, without keeping its documents.

    `habits` may have counted spans that are left out of `reading`, and may go on counting while it is read.
    """
    annotated = sum(bool(each.annotations) for each in _checked(reading, texts, expected, habits))
    return Survey(_told(reading.problems, expected), reading.problems.counts, annotated)


def _told(problems: ProblemList, expected: Expectations) -> tuple[Problem, ...]:
    raised = [replace(each, severity=Severity.ERROR) if each.code in expected.raised else each for each in problems.kept]
    return tuple(sorted(raised, key=lambda each: (each.file, each.line, each.column)))


def _checked(
    run: Reading, texts: Mapping[str, str | None], expected: Expectations, habits: Habits | None = None
) -> Iterator[Document]:
    """Every document of the split as far as it is asked for, in sorted order; then the problems of the run as a whole."""
    problems, missing, unknown = run.problems, list[str](), set[str]()
    habits = habits or Habits()
    structure, given = _structure(expected), _given(expected)
    following = next(run.documents, None)
    for id_ in sorted(texts):
        if following is None or following[0] != id_:
            missing.append(id_)
            yield Document(id_, (), texts[id_])
            continue
        sent, file = following[1], run.paths.get(id_, f"{id_}.ann")
        asked = _as_asked(sent, file, expected, problems)
        habits.add(asked)
        if structure is not None:
            structure.add(sent, asked, file, problems)
        if given is not None:
            given.add(asked, file, problems)
        if len(unknown) <= _MOST_UNKNOWN_LABELS:
            unknown.update(_unknown_labels(asked, expected))
        yield asked
        following = next(run.documents, None)
    problems.extend(_whole_run_problems(run, texts, missing, expected))
    if len(unknown) > _MOST_UNKNOWN_LABELS:
        found = f"more than {_MOST_UNKNOWN_LABELS} that are unknown"
        problems.append(problem("too-many-labels", "", found=found, expected=f"at most {_MOST_UNKNOWN_LABELS}"))
    problems.extend(habits.problems())
    if structure is not None and len(missing) < len(texts):
        problems.extend(structure.problems())
    if given is not None:
        problems.extend(given.problems())


def _structure(expected: Expectations) -> Structure | None:
    relations = expected.relations if "Relation" in expected.kinds else None
    events = expected.events if "Event" in expected.kinds else None
    return None if relations is None and events is None else Structure(relations, events)


def _given(expected: Expectations) -> GivenEntities | None:
    return None if expected.given is None else GivenEntities(expected.given, expected.given_labels)


def _whole_run_problems(
    run: Reading, texts: Mapping[str, str | None], missing: Sequence[str], expected: Expectations
) -> Iterator[Problem]:
    if texts and len(missing) == len(texts):
        message = "no file belongs to a document of this split"
        found = f"{run.extra[0]} and {len(run.extra) - 1:,} more" if len(run.extra) > 1 else ", ".join(run.extra)
        yield problem("no-annotations", "", message=message, found=found, expected=f"files such as {min(texts)}.ann")
    elif not expected.missing_as_empty:
        expectation = "a file for every document, empty if need be"
        yield from (problem("missing-document", f"{id_}.ann", expected=expectation) for id_ in missing)
    twins = {_plain(id_): id_ for id_ in missing}
    for path in run.extra:
        twin = twins.get(_plain(path.rpartition("/")[2].rpartition(".")[0]))
        yield problem("extra-document", path, hint=f"ignored; did you mean {twin}?" if twin else "ignored")


def _plain(name: str) -> str:
    """A document's name without what converters change: case, separators, leading zeros, a second suffix."""
    return _VARIED.sub("", name.casefold())


def _as_asked(document: Document, file: str, expected: Expectations, problems: ProblemList) -> Document:
    kept: list[Annotation] = []
    most = most_annotations(len(document.text or ""))
    pieces = sum(len(each.fragments) if isinstance(each, TextBound) else 1 for each in document.annotations)
    if pieces > most:
        found = f"{pieces:,} annotations and fragments"
        problems.append(problem("too-many-annotations", file, found=found, expected=f"at most {most:,} in this document"))
    lost: Mapping[str, str] = {}
    if expected.ignored_labels and not expected.kinds.isdisjoint(_ON_OTHERS):
        lost = resting_on(document, expected.ignored_labels)
    for each in document.annotations:
        kind = type(each).__name__
        if kind not in expected.kinds:
            if not problems.only_counts("kind-not-asked"):
                found = f"{kind} {quoted(each.label)}"
                problems.append(problem("kind-not-asked", file, each.line, 1, found=found, hint="ignored"))
        elif each.label in expected.ignored_labels:
            if not problems.only_counts("label-not-asked"):
                found, column = quoted(each.label), len(_id(each)) + 2
                problems.append(problem("label-not-asked", file, each.line, column, found=found, hint="ignored"))
        elif lost and isinstance(each, Relation | Event) and not lost.keys().isdisjoint(targets_of(each)):
            tell_not_asked(each, lost, file, problems)
        else:
            if expected.labels is not None and isinstance(each, TextBound) and each.label not in expected.labels:
                tell_unknown(each, expected.labels, file, problems)
            kept.append(each)
    asked = Document(document.id, tuple(kept), document.text)
    problems.extend(check_shape(asked, file))
    return asked


def most_annotations(length: int) -> int:
    """How many annotations and fragments a text of so many code points may have."""
    return max(_FEW_ANNOTATIONS, 4 * length)


def asked_of(document: Document, expected: Expectations) -> Document:
    """What of a document is asked for: gold is cut by the same rule as a run, so that gold against gold is all right."""
    return _as_asked(document, "", expected, ProblemList())


def _unknown_labels(document: Document, expected: Expectations) -> Iterator[str]:
    if expected.labels is not None:
        yield from {each.label for each in document.text_bounds} - expected.labels
    if expected.relations is not None:
        yield from {each.label for each in document.annotations if isinstance(each, Relation)} - expected.relations.keys()
    if expected.events is not None:
        yield from {each.label for each in document.annotations if isinstance(each, Event)} - expected.events.keys()


def _id(annotation: Annotation) -> str:
    return "*" if isinstance(annotation, Equiv) else annotation.id
