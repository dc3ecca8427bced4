"""Everything that can be wrong with an input, as values with stable codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Severity(StrEnum):
    """An error keeps a run from being scored, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


_LONGEST_PART = 300
MOST_KEPT = 1_000
"""How many problems of one code are kept."""

ERRORS = MappingProxyType(
    {
        "archive-unreadable": "the upload is not a readable zip, tar.gz or .ann file",
        "archive-unsafe-path": "a member's path leaves the archive",
        "archive-link": "a member is a link or a special file",
        "archive-encrypted": "a member is encrypted",
        "archive-too-many-members": "the archive holds too many members",
        "archive-too-large": "the archive unpacks to too many bytes",
        "archive-ratio": "the archive is compressed suspiciously well",
        "archive-bad-name": "a member has a name that cannot be used",
        "archive-nested": "an archive lies inside the archive",
        "archive-method": "a member is compressed by a method that is not taken",
        "archive-overlap": "members of the archive share their bytes",
        "archive-contradiction": "the archive contradicts itself",
        "archive-name-collision": "two names differ in case, or in how their accents are composed, only",
        "archive-empty": "the archive holds no file",
        "archive-kind": "the upload is packed in a way that is not taken",
        "archive-html": "the upload is a web page",
        "no-annotations": "there is no annotation file",
        "not-utf8": "the file is not UTF-8",
        "unreadable-line": "a line is not BRAT standoff",
        "duplicate-id": "an id is used twice",
        "duplicate-document": "two files annotate the same document",
        "span-outside-text": "a span lies outside the text",
        "span-reversed": "a span ends before it starts",
        "missing-document": "a document is missing",
        "too-many-annotations": "there are more annotations than the text can have",
        "too-many-labels": "there are far more labels than the task has",
        "unaligned-token": "a token is not where it should be in the text",
        "unmatched-documents": "documents without ids cannot be matched to the texts",
        "unsafe-id": "a document's id cannot be the name of a file",
        "unsafe-xml": "the XML declares entities or is nested too deeply",
        "no-given": "no entity of the run is one of those that were given",
        "conf-unreadable-line": "a line of annotation.conf cannot be read",
    }
)
WARNINGS = MappingProxyType(
    {
        "byte-order-mark": "the file starts with a byte order mark",
        "text-mismatch": "the text column differs from the document",
        "text-missing": "the text column is missing",
        "overlapping-fragments": "fragments of one annotation overlap",
        "unknown-label": "a label is not one of the task's",
        "extra-document": "a document is not part of the corpus",
        "duplicate-annotation": "an annotation is repeated",
        "kind-not-asked": "an annotation is of a kind that is not asked for",
        "label-not-asked": "a label is not one that the track asks for",
        "argument-not-asked": "an argument has a label that the track does not ask for",
        "argument-type": "an argument is of a type that does not fit",
        "unknown-role": "a role is not one that the event has",
        "no-relations": "the track asks for relations, and the run has none",
        "no-events": "the track asks for events, and the run has none",
        "not-given": "an entity is not one of those that were given",
        "long-span": "a span covers most of the document",
        "many-fragments": "an annotation has dozens of fragments",
        "cut-words": "unusually many spans begin or end inside a word",
        "crossed-sentences": "unusually many spans go on beyond the end of a sentence",
        "many-empty": "unusually many documents have no annotations",
        "read-as": "the upload is not BRAT standoff",
        "undefined-reference": "an annotation refers to an id that is not there",
        "trigger-label": "an event and its trigger have different labels",
        "ignored-file": "a file is neither text nor annotation",
        "missing-text": "an annotation file has no text beside it",
        "unknown-document": "a document is not one of the texts",
        "not-held": "the format cannot hold this",
        "odd-tag": "a tag does not fit the one before it",
        "odd-label": "a label is not one word",
        "conf-odd": "annotation.conf has something unusual",
    }
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where. `line` and `column` count from 1; 0 means the file as a whole."""

    code: str
    severity: Severity
    file: str
    line: int
    column: int
    message: str
    found: str = ""
    expected: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = ":".join([self.file or "the run", *(str(n) for n in (self.line, self.column) if n)])
        parts = [f"{place}: {self.severity} [{self.code}] {self.message}"]
        if self.found:
            parts.append(f"found {self.found}")
        if self.expected:
            parts.append(f"expected {self.expected}")
        if self.hint:
            parts.append(self.hint)
        return "; ".join(parts)


def problem(
    code: str,
    file: str,
    line: int = 0,
    column: int = 0,
    *,
    message: str = "",
    found: str = "",
    expected: str = "",
    hint: str = "",
) -> Problem:
    """A problem with the severity and, unless another is given, the message that belong to its code."""
    if code in ERRORS:
        severity, default = Severity.ERROR, ERRORS[code]
    else:
        severity, default = Severity.WARNING, WARNINGS[code]
    return Problem(code, severity, _cut(file), line, column, message or default, _cut(found), _cut(expected), hint)


def _cut(text: str) -> str:
    """No message repeats an input that is long on purpose."""
    return text if len(text) <= _LONGEST_PART else text[: _LONGEST_PART - 1] + "…"


@dataclass(slots=True)
class ProblemList:
    """Problems as they are met: all of them counted, of each code the first ones kept, so that no input fills the memory."""

    kept: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def append(self, one: Problem) -> None:
        """Count a problem, and keep it unless there are many like it."""
        self.counts[one.code] += 1
        if self.counts[one.code] <= MOST_KEPT:
            self.kept.append(one)

    def only_counts(self, code: str) -> bool:
        """Count another problem where there are many of its code already; False where it is to be put into words."""
        if self.counts[code] < MOST_KEPT:
            return False
        self.counts[code] += 1
        return True

    def extend(self, many: Iterable[Problem]) -> None:
        """Several problems."""
        for each in many:
            self.append(each)


def has_errors(problems: Iterable[Problem]) -> bool:
    """Whether any of the problems keeps a run from being scored."""
    return any(each.severity is Severity.ERROR for each in problems)


def count_by_code(problems: Iterable[Problem]) -> dict[str, int]:
    """How many problems there are of each code, the most frequent first."""
    return dict(Counter(each.code for each in problems).most_common())


def quoted(text: str, limit: int = 60) -> str:
    """Text for a message: quoted, control characters escaped, cut when long."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return '"' + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + '"'


class RefusedInput(Exception):
    """An input that cannot be read at all; carries the problem that says why."""

    def __init__(self, why: Problem) -> None:
        super().__init__(str(why))
        self.problem = why
