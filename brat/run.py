"""A run against what a task asks of it: documents, labels and kinds of annotation. Gold is never looked at."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from brat.corpus import Corpus, Reading
from brat.habits import Habits, check_shape
from brat.model import Annotation, Document, Equiv, TextBound
from brat.problems import Problem, ProblemList, Severity, problem, quoted

_MOST_UNKNOWN_LABELS = 200
_LONGEST_LABEL = 200
_VARIED = re.compile(r"\.(?:txt|ann|xml|json|tsv)$|(?<!\d)0+(?=\d)|[\W_]+")
_FEW_ANNOTATIONS = 5_000


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a task asks of a run.

    Attributes:
        labels: the labels that are known, None where any is welcome.
        ignored_labels: labels that the track does not ask for; annotations with them are dropped with a warning.
        kinds: the kinds of annotation asked for, by class name of `brat.model`.
        missing_as_empty: whether a document that is missing counts as empty.
        raised: codes of warnings that this task treats as errors.
    """

    labels: frozenset[str] | None = None
    ignored_labels: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset({"TextBound"})
    missing_as_empty: bool = False
    raised: frozenset[str] = frozenset()


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


def survey_run(reading: Reading, texts: Mapping[str, str | None], expected: Expectations) -> Survey:
    """The problems of a run, as `check_run` finds them, without keeping its documents."""
    annotated = sum(bool(each.annotations) for each in _checked(reading, texts, expected))
    return Survey(_told(reading.problems, expected), reading.problems.counts, annotated)


def _told(problems: ProblemList, expected: Expectations) -> tuple[Problem, ...]:
    raised = [replace(each, severity=Severity.ERROR) if each.code in expected.raised else each for each in problems.kept]
    return tuple(sorted(raised, key=lambda each: (each.file, each.line, each.column)))


def _checked(run: Reading, texts: Mapping[str, str | None], expected: Expectations) -> Iterator[Document]:
    """Every document of the split as far as it is asked for, in sorted order; then the problems of the run as a whole."""
    problems, missing, habits, unknown = run.problems, list[str](), Habits(), set[str]()
    following = next(run.documents, None)
    for id_ in sorted(texts):
        if following is None or following[0] != id_:
            missing.append(id_)
            yield Document(id_, (), texts[id_])
            continue
        asked = _as_asked(following[1], run.paths.get(id_, f"{id_}.ann"), expected, problems)
        habits.add(asked)
        if expected.labels is not None and len(unknown) <= _MOST_UNKNOWN_LABELS:
            unknown |= {each.label for each in asked.text_bounds} - expected.labels
        yield asked
        following = next(run.documents, None)
    problems.extend(_whole_run_problems(run, texts, missing, expected))
    if len(unknown) > _MOST_UNKNOWN_LABELS:
        found = f"more than {_MOST_UNKNOWN_LABELS} that are unknown"
        problems.append(problem("too-many-labels", "", found=found, expected=f"at most {_MOST_UNKNOWN_LABELS}"))
    problems.extend(habits.problems())


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


def _nearest_label(label: str, labels: Collection[str]) -> str:
    """A hint with the label that was probably meant."""
    if len(label) > _LONGEST_LABEL or len(labels) > _MOST_UNKNOWN_LABELS:
        return ""
    plain = {each.casefold(): each for each in labels}
    near = get_close_matches(label.casefold(), plain, 1, 0.7)
    return f"did you mean {plain[near[0]]}?" if near else ""


def _as_asked(document: Document, file: str, expected: Expectations, problems: ProblemList) -> Document:
    kept: list[Annotation] = []
    most = max(_FEW_ANNOTATIONS, 4 * len(document.text or ""))
    pieces = sum(len(each.fragments) if isinstance(each, TextBound) else 1 for each in document.annotations)
    if pieces > most:
        found = f"{pieces:,} annotations and fragments"
        problems.append(problem("too-many-annotations", file, found=found, expected=f"at most {most:,} in this document"))
    hints: dict[str, str] = {}
    for each in document.annotations:
        kind = type(each).__name__
        if kind not in expected.kinds:
            problems.append(problem("kind-not-asked", file, each.line, 1, found=f"{kind} {quoted(each.label)}", hint="ignored"))
            continue
        if each.label in expected.ignored_labels:
            problems.append(
                problem("label-not-asked", file, each.line, len(_id(each)) + 2, found=quoted(each.label), hint="ignored")
            )
            continue
        if expected.labels is not None and isinstance(each, TextBound) and each.label not in expected.labels:
            if problems.is_full("unknown-label"):
                problems.counts["unknown-label"] += 1
                kept.append(each)
                continue
            if each.label not in hints:
                hints[each.label] = _nearest_label(each.label, expected.labels)
            problems.append(
                problem(
                    "unknown-label",
                    file,
                    each.line,
                    len(each.id) + 2,
                    found=quoted(each.label),
                    expected=f"one of {', '.join(sorted(expected.labels))}",
                    hint=hints[each.label],
                )
            )
        kept.append(each)
    asked = Document(document.id, tuple(kept), document.text)
    problems.extend(check_shape(asked, file))
    return asked


def _id(annotation: Annotation) -> str:
    return "*" if isinstance(annotation, Equiv) else annotation.id
