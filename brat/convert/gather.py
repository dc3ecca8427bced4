"""What every reader needs: which files to read, their lines, and documents under construction with what is wrong in them.

An upload is hostile: lines are handed out one at a time, numbers are bounded before they become numbers, ids become file
names only when they are safe as such, and no code fills memory with problems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from brat.convert.draft import Budget, Draft, TooMuch
from brat.corpus import decode
from brat.files import Files
from brat.model import Document
from brat.problems import ERRORS, MOST_KEPT, Problem, ProblemList, RefusedInput, problem, quoted

_LONGEST_ID = 200
_MOST_ERRORS = 10_000
_ENOUGH = "so much is wrong that the rest was not read"
_NO_DATA = frozenset({"md", "conf", "toml", "pdf", "ann", "a1", "a2", "dtd"})
_LINE_END = re.compile(r"\r\n?|\n")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\\\ud800-\udfff]|^.:|^/|/$|//|(?:^|/)\.")


@dataclass(slots=True)
class Gathered:
    """Everything that was read so far.

    Attributes:
        texts: the hosted texts by document id; empty where there are none, so that any id is welcome.
        documents: what was finished.
        paths: the file that each document came from.
    """

    texts: Mapping[str, str | None]
    documents: dict[str, Document] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    _problems: ProblemList = field(default_factory=ProblemList)
    _errors: int = 0
    _unknown: set[str] = field(default_factory=set)
    _budget: Budget = field(default_factory=Budget)

    def report(self, code: str, file: str, line: int = 0, column: int = 0, **words: str) -> None:
        """Note a problem; of each code only so many are kept, and the rest counted.

        Raises:
            TooMuch: there are more errors than anybody would read.
        """
        self._problems.append(problem(code, file, line, column, **words))
        self._errors += code in ERRORS
        if code in ERRORS and self._errors == _MOST_ERRORS:
            expected = f"at most {_MOST_ERRORS:,} errors"
            self._problems.append(problem("too-many-annotations", file, line, 1, message=_ENOUGH, expected=expected))
            raise TooMuch

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was found wrong, in the order it was met, and how much of it is not listed."""
        found = list(self._problems.kept)
        for code, count in self._problems.counts.items():
            if count > MOST_KEPT:
                found.append(problem(code, "", message=f"{count - MOST_KEPT:,} more of this kind are not listed"))
        if self.all_unknown:
            example = quoted(min(self._unknown))
            message = "nothing belongs to a document of this split"
            found.append(
                problem("no-annotations", "", message=message, found=example, expected=f"ids such as {min(self.texts)}")
            )
        return tuple(found)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many problems there are of each code."""
        return self._problems.counts + Counter({"no-annotations": int(self.all_unknown)})

    @property
    def all_unknown(self) -> bool:
        """Whether there were documents, and none of them is hosted."""
        return bool(self._unknown) and not self.documents

    def content(self, files: Files, path: str) -> str | None:
        """A file as text without its byte order mark, None with a problem where it is damaged or not UTF-8."""
        try:
            text = decode(files[path], path, self._problems)
        except RefusedInput as refused:
            self._problems.append(refused.problem)
            return None
        if text is not None and text.startswith("\ufeff"):
            self.report("byte-order-mark", path, 1, 1, hint="it was skipped")
            return text[1:]
        return text

    def draft(self, id_: str, path: str, line: int, text: str | None) -> Draft | None:
        """A document to put annotations into.

        Args:
            id_: as the file has it.
            path: the file.
            line: where the document begins in it.
            text: what the file says the text is, None where it carries none; the hosted text goes before it.

        Returns:
            None, with a problem, when the id is not hosted, is used already, or could not be a file's name.
        """
        if self.texts and id_ not in self.texts:
            if id_ not in self._unknown:
                self._unknown.add(id_)
                self.report("unknown-document", path, line, 1, found=quoted(id_), hint="ignored")
            return None
        if id_ not in self.texts and not safe_id(id_):
            self.report("unsafe-id", path, line, 1, found=quoted(id_), expected="an id that can be a file's name")
            return None
        if id_ in self.documents:
            where = self.paths[id_]
            self.report("duplicate-document", path, line, 1, found=f"{quoted(id_)} in {where} too", expected="each id once")
            return None
        hosted = self.texts.get(id_)
        if hosted is not None and text is not None and hosted.rstrip() != text.rstrip():
            self._differs(path, line, text, hosted)
        return Draft(id_, path, line, text if hosted is None else hosted, self.report, self._budget)

    def _differs(self, path: str, line: int, text: str, hosted: str) -> None:
        at = next((i for i, (a, b) in enumerate(zip(text, hosted, strict=False)) if a != b), min(len(text), len(hosted)))
        found, expected = (quoted(each[at : at + 30]) for each in (text, hosted))
        message = f"the text differs from the hosted text from character {at:,} on"
        self.report("text-mismatch", path, line, 1, message=message, found=found, expected=expected)

    def finish(self, draft: Draft) -> None:
        """Keep a document that is complete."""
        self.documents[draft.id] = draft.document()
        self.paths[draft.id] = draft.path

    def chosen(self, files: Files, strong: frozenset[str], weak: frozenset[str] = frozenset()) -> list[str]:
        """The files of a format, sorted: those whose names say so; if none does those that could be; if none could all."""
        by_suffix: dict[str, list[str]] = {}
        for path in sorted(files):
            name = path.rpartition("/")[2].lower()
            by_suffix.setdefault(name.rpartition(".")[2] if "." in name else "", []).append(path)
        for suffixes in (strong, weak, by_suffix.keys() - _NO_DATA):
            found = sorted(path for suffix in suffixes for path in by_suffix.get(suffix, ()))
            if found:
                for suffix in sorted(by_suffix.keys() - suffixes - _NO_DATA - {"txt"}):
                    for path in by_suffix[suffix]:
                        self.report("ignored-file", path)
                return found
        self.report("no-annotations", "", message="there is no file of this format")
        return []

    def document_id(self, path: str) -> str:
        """The id that a file's name stands for: its path without suffix if that is hosted, else its base name without."""
        stem = path.rpartition(".")[0] or path
        return stem if stem in self.texts else stem.rpartition("/")[2]


def read_files(
    files: Files,
    texts: Mapping[str, str | None],
    read_file: Callable[[str, str, Gathered], None],
    strong: frozenset[str],
    weak: frozenset[str] = frozenset(),
) -> Gathered:
    """What a reader of single files makes of those of its format, until there is too much.

    Args:
        files, texts: as for `brat.convert.formats.read`.
        read_file: given the content of a file, its path, and where to put what is found.
        strong, weak: suffixes, as for `Gathered.chosen`.
    """
    gathered = Gathered(texts)
    try:
        for path in gathered.chosen(files, strong, weak):
            content = gathered.content(files, path)
            if content is not None:
                read_file(content, path, gathered)
    except TooMuch:
        pass  # told already
    return gathered


def safe_id(id_: str) -> bool:
    """Whether an id can be the name of a file inside a folder, whatever the system."""
    return 0 < len(id_.encode("utf-8", "replace")) <= _LONGEST_ID and _UNSAFE.search(id_) is None


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without their ends, numbered from 1, one at a time; a last end begins no further line."""
    number = start = 0
    for number, end in enumerate(_LINE_END.finditer(text), 1):
        yield number, text[start : end.start()]
        start = end.end()
    if start < len(text):
        yield number + 1, text[start:]
