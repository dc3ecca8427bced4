"""A run against what a task asks of it: documents, labels and kinds of annotation. Gold is never looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from brat.corpus import Corpus
from brat.model import Document, TextBound
from brat.problems import Problem, Severity, problem, quoted

_MOST_UNKNOWN_LABELS = 200
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
    problems = list(run.problems)
    documents: dict[str, Document] = {}
    missing: list[Problem] = []
    for id_ in sorted(texts):
        document = run.documents.get(id_)
        if document is None:
            missing.append(problem("missing-document", f"{id_}.ann", expected="a file for every document, empty if need be"))
            documents[id_] = Document(id_, (), texts[id_])
        else:
            documents[id_] = _as_asked(document, run.paths.get(id_, f"{id_}.ann"), expected, problems)
    if texts and len(missing) == len(texts):
        message = "no file belongs to a document of this split"
        found = f"{run.extra[0]} and {len(run.extra) - 1:,} more" if len(run.extra) > 1 else ", ".join(run.extra)
        problems.append(problem("no-annotations", "", message=message, found=found, expected=f"files such as {min(texts)}.ann"))
    elif not expected.missing_as_empty:
        problems += missing
    problems += [problem("extra-document", path, hint="ignored") for path in run.extra]
    labels = {bound.label for each in documents.values() for bound in each.text_bounds}
    if expected.labels is not None and len(labels - expected.labels) > _MOST_UNKNOWN_LABELS:
        found = f"{len(labels - expected.labels):,} that are unknown"
        problems.append(problem("too-many-labels", "", found=found, expected=f"at most {_MOST_UNKNOWN_LABELS}"))
    raised = [replace(each, severity=Severity.ERROR) if each.code in expected.raised else each for each in problems]
    raised.sort(key=lambda each: (each.file, each.line, each.column))
    return replace(run, documents=documents, problems=tuple(raised))


def _as_asked(document: Document, file: str, expected: Expectations, problems: list[Problem]) -> Document:
    kept = []
    most = max(_FEW_ANNOTATIONS, 4 * len(document.text or ""))
    pieces = sum(len(each.fragments) if isinstance(each, TextBound) else 1 for each in document.annotations)
    if pieces > most:
        found = f"{pieces:,} annotations and fragments"
        problems.append(problem("too-many-annotations", file, found=found, expected=f"at most {most:,} in this document"))
    for each in document.annotations:
        kind = type(each).__name__
        if kind not in expected.kinds or each.label in expected.ignored_labels:
            problems.append(problem("kind-not-asked", file, each.line, 1, found=f"{kind} {quoted(each.label)}", hint="ignored"))
            continue
        if expected.labels is not None and isinstance(each, TextBound) and each.label not in expected.labels:
            column = len(each.id) + 2
            known = ", ".join(sorted(expected.labels))
            problems.append(
                problem("unknown-label", file, each.line, column, found=quoted(each.label), expected=f"one of {known}")
            )
        kept.append(each)
    return Document(document.id, tuple(kept), document.text)
