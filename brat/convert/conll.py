"""CoNLL: a token a line, its tag last, a blank line after a sentence (`brat.convert.tags` reads the schemes).

Columns are separated by tabs, or by blanks where a line has no tab. Two neighbouring columns of whole numbers that are the
token's offsets are used as such. A file is a document, named for the file, unless `# id = X` or `-DOCSTART- X` lines begin
documents; after `-DOCSTART-` lines without an id, the documents are those of the hosted texts in sorted order, if there
are as many. Tokens are found in the hosted text (`brat.convert.align`); where there is none, a text is made of them.

Held, when written: spans that do not overlap, of one fragment, that begin and end with something other than white space.
A file a document, with the columns token, start, end and tag, in IOB2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from brat.convert import conll_write
from brat.convert.align import Hosted, Made
from brat.convert.draft import TooMuch, number
from brat.convert.gather import Gathered, numbered_lines
from brat.convert.tags import Scheme, Spans, split_tag
from brat.files import Files
from brat.model import Document, Fragment
from brat.problems import Problem, quoted

SUFFIXES = frozenset({"conll", "iob", "iob1", "iob2", "bio", "bioes", "iobes", "bilou", "conll03", "conll2003"})
_ID = re.compile(r"# ?(?:new)?(?:doc(?:ument)?)?[ _-]?id ?(?:[=:] ?| )([^\t]+)$")
_NO_ID = frozenset({"-X-", "-", "_", "O", "-DOCSTART-"})
_SURVEYED = 200
_MESSAGE = "a line is not a token with its tag"


@dataclass(slots=True)
class _Surveyed:
    """What a first look at a file tells: where the offsets are, and how many documents have no id."""

    content: str
    offsets: int | None
    unnamed: int


@dataclass(slots=True)
class _Block:
    """A document of a file: its id, None where it has none, and its lines from the first one on."""

    id: str | None
    line: int
    rows: list[tuple[int, str]] = field(default_factory=list)


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """Every document of the files."""
    gathered = Gathered(texts)
    scheme = Scheme()
    surveyed: dict[str, _Surveyed] = {}
    for path in gathered.chosen(files, SUFFIXES, frozenset({"tsv", "tab", "txt", ""})):
        content = gathered.content(files, path)
        if content is not None:
            surveyed[path] = _survey(content, scheme)
    # The one document of a file is named for it.
    unnamed = sum(each.unnamed for each in surveyed.values() if each.unnamed > 1)
    if texts and unnamed and unnamed != len(texts):
        first = next(path for path, each in surveyed.items() if each.unnamed > 1)
        found, expected = f"{unnamed:,} documents without ids", f"{len(texts):,}, as many as there are texts"
        gathered.report("unmatched-documents", first, found=found, expected=expected)
        return gathered
    ids = iter(sorted(texts))
    try:
        for path, survey in surveyed.items():
            for count, block in enumerate(_blocks(survey.content), 1):
                id_ = block.id
                if id_ is None:
                    stem = gathered.document_id(path)
                    id_ = stem if survey.unnamed == 1 else next(ids, f"{stem}-{count}")
                _read_block(gathered, block, id_, path, survey.offsets, scheme)
    except TooMuch:
        pass
    return gathered


def _cells(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def _blocks(content: str) -> Iterator[_Block]:
    """The documents of a file. What stands before the first sign of one is one, if there is a token in it."""
    block = _Block(None, 1)
    marked = has_tokens = False
    for line_number, line in numbered_lines(content):
        id_, begins = _heading(line)
        if begins and id_ is not None and marked and block.id is None and not has_tokens:
            block.id = id_  # the comment after -DOCSTART- names it
        elif begins:
            if has_tokens or marked:
                yield block
            block, marked, has_tokens = _Block(id_, line_number), True, False
        elif not _is_comment(line):
            if line.strip() or (block.rows and block.rows[-1][1].strip()):  # blank lines in a row are one
                block.rows.append((line_number, line))
            has_tokens = has_tokens or not (not line or line.isspace())
    if has_tokens or marked:
        yield block


def _heading(line: str) -> tuple[str | None, bool]:
    """Whether a line begins a document, and the id that it gives."""
    if line.startswith("-DOCSTART-"):
        words = [each for each in line.split() if each not in _NO_ID]
        return " ".join(words).strip("()") or None, True
    named = _ID.match(line) if line.startswith("#") else None
    if named is None or ("=" not in line and split_tag(named[1]) is not None):
        return None, False  # the token "#id" with its tag
    return named[1].strip(), True


def _is_comment(line: str) -> bool:
    if not line.startswith("#"):
        return False
    cells = _cells(line)
    return split_tag(cells[-1]) is None or ("\t" not in line and len(cells) > 2 and cells[2] == "=")


def _survey(content: str, scheme: Scheme) -> _Surveyed:
    sample: list[list[str]] = []
    unnamed = 0
    for block in _blocks(content):
        unnamed += block.id is None
        for _, line in block.rows:
            if not line or line.isspace():
                scheme.see(None)
                continue
            cells = _cells(line)
            if len(sample) < _SURVEYED:
                sample.append(cells)
            scheme.see(split_tag(cells[-1].strip()))
        scheme.see(None)
    return _Surveyed(content, _offset_column(sample), unnamed)


def _offset_column(sample: list[list[str]]) -> int | None:
    """The first of two neighbouring columns that are the offsets of nearly every token, None if none are."""
    width = min((len(each) for each in sample), default=0)
    for column in range(1, min(width - 2, 20)):
        pairs = [(number(each[column]), number(each[column + 1]), each[0]) for each in sample]
        right = sum(1 for start, end, token in pairs if start is not None and end is not None and end - start == len(token))
        if right * 2 > len(sample):
            return column
    return None


def _read_block(gathered: Gathered, block: _Block, id_: str, path: str, offsets: int | None, scheme: Scheme) -> None:
    if gathered.texts and id_ not in gathered.texts:
        gathered.draft(id_, path, block.line, None)  # tells that it is not known
        return
    hosted = gathered.texts.get(id_)
    text = Made() if hosted is None else Hosted(hosted)
    spans = Spans(scheme)
    places: list[Fragment] = []
    lines: list[int] = []
    for line, row in block.rows:
        if not row or row.isspace():
            text.end_sentence()
            _odd(gathered, path, line, spans.end_sentence())
            continue
        cells = _cells(row)
        tag = split_tag(cells[-1].strip()) if len(cells) > 1 else None
        place = None
        if offsets is not None and len(cells) > offsets + 2:
            start, end = number(cells[offsets]), number(cells[offsets + 1])
            place = None if start is None or end is None else (start, end)
        if tag is None or not cells[0] or (offsets is not None and place is None):
            expected = "a token and a tag such as O, B-X or I-X" if offsets is None else "a token, its start and end, and a tag"
            gathered.report("unreadable-line", path, line, 1, message=_MESSAGE, found=quoted(row), expected=expected)
            continue
        found = text.place(cells[0], place)
        if found is None:
            here = quoted(text.here(place, len(cells[0])))
            gathered.report(
                "unaligned-token", path, line, 1, found=quoted(cells[0]), expected=f"what the text has there, {here}"
            )
            continue
        places.append(found)
        lines.append(line)
        _odd(gathered, path, line, spans.add(len(places) - 1, *tag))
    _odd(gathered, path, block.rows[-1][0] if block.rows else block.line, spans.end_sentence())
    draft = gathered.draft(id_, path, block.line, text.whole())
    if draft is not None:
        for label, first, last in spans.found:
            draft.entity(label, [(places[first][0], places[last][1])], None, lines[first], 1)
        gathered.finish(draft)


def _odd(gathered: Gathered, path: str, line: int, what: str) -> None:
    if what:
        gathered.report("odd-tag", path, line, 1, found=what, hint="read as one entity's end and another's start")


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """A file a document, as `brat.convert.conll_write` describes."""
    return conll_write.write(documents)
