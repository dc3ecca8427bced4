"""A span a line, tab separated: document, begin, end, type and the text, as the ProfNER and MEDDOCAN servers take them.

A header line may name the columns, in any order and with any of several names; without one they are in the order above.
A line of a document with `-` or nothing in place of begin, end and type says that nothing was found in it. Documents of
the hosted texts without a line are empty. Discontinuous spans, and everything but spans, cannot be held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brat.convert.draft import Draft, TooMuch, number, one_line
from brat.convert.gather import Gathered, numbered_lines
from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Document, TextBound
from brat.problems import Problem, quoted

HEADER = ("tweet_id", "begin", "end", "type", "extraction")
_NAMES = {
    "document": ("tweet_id", "document", "document_id", "doc", "doc_id", "docid", "id", "filename", "file", "name", "pmid"),
    "start": ("begin", "start", "start_span", "start_offset", "off0", "init", "from"),
    "end": ("end", "end_span", "end_offset", "off1", "finish", "to"),
    "label": ("type", "label", "tag", "category", "class", "entity_type"),
    "text": ("extraction", "text", "span", "mention", "string", "term"),
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names}
_NOTHING = frozenset({"", "-"})
_EXPECTED = "document, begin, end and type, separated by tabs"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; `text` is None where none does."""

    document: int = 0
    start: int = 1
    end: int = 2
    label: int = 3
    text: int | None = 4

    @property
    def needed(self) -> int:
        """How many columns a line has at least."""
        return max(self.document, self.start, self.end, self.label) + 1


def header_columns(line: str) -> Columns | None:
    """The columns that a header line names, None where the line is no header."""
    found: dict[str, int] = {}
    for column, name in enumerate(line.split("\t", 50)):
        role = _ROLES.get(name.strip().strip('"').lower())
        if role is not None:
            found.setdefault(role, column)
    if not {"document", "start", "end", "label"} <= found.keys():
        return None
    return Columns(found["document"], found["start"], found["end"], found["label"], found.get("text"))


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """The spans of every document in the files, and an empty document for each hosted text that has no line."""
    gathered = Gathered(texts)
    paths = gathered.chosen(files, frozenset({"tsv", "tab"}), frozenset({"txt", "csv", ""}))
    try:
        for path in paths:
            content = gathered.content(files, path)
            if content is not None:
                _read_file(content, path, gathered)
        for id_ in texts if paths and not gathered.all_unknown else ():
            if id_ not in gathered.documents:
                empty = gathered.draft(id_, paths[0], 0, None)
                if empty is not None:
                    gathered.finish(empty)
    except TooMuch:
        pass
    return gathered


def _read_file(content: str, path: str, gathered: Gathered) -> None:
    columns: Columns | None = None
    drafts: dict[str, Draft | None] = {}
    for number_, line in numbered_lines(content):
        if not line or line.isspace():
            continue
        if columns is None:
            named = header_columns(line)
            columns = named or Columns()
            if named is not None:
                continue
        cells = line.split("\t", 50)
        if len(cells) < columns.needed and (len(cells) == 1 or not _says_nothing(cells, columns)):
            gathered.report("unreadable-line", path, number_, 1, message=_MESSAGE, found=quoted(line), expected=_EXPECTED)
            continue
        id_ = cells[columns.document].strip() if columns.document < len(cells) else ""
        if id_ not in drafts:
            drafts[id_] = gathered.draft(id_, path, number_, None)
        draft = drafts[id_]
        if draft is not None and not _says_nothing(cells, columns):
            _read_span(cells, columns, draft, number_)
    for each in drafts.values():
        if each is not None:
            gathered.finish(each)


_MESSAGE = "a line is not a span"


def _says_nothing(cells: Sequence[str], columns: Columns) -> bool:
    asked = [cells[column].strip() for column in (columns.start, columns.end, columns.label) if column < len(cells)]
    return all(each in _NOTHING for each in asked)


def _read_span(cells: Sequence[str], columns: Columns, draft: Draft, line: int) -> None:
    places = []
    for column in (columns.start, columns.end):
        place = number(cells[column].strip())
        if place is None:
            at = sum(len(each) + 1 for each in cells[:column]) + 1
            expected = "a whole number of characters"
            draft.report(
                "unreadable-line", draft.path, line, at, message=_MESSAGE, found=quoted(cells[column]), expected=expected
            )
            return
        places.append(place)
    text = cells[columns.text] if columns.text is not None and columns.text < len(cells) else None
    at = sum(len(each) + 1 for each in cells[: columns.start]) + 1
    draft.entity(cells[columns.label].strip(), [(places[0], places[1])], text or None, line, at)


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """One file, with ProfNER's header; a document without a span has a line of its own, so that it is not lost."""
    losses = Losses("spans-tsv")
    lines = ["\t".join(HEADER)]
    for id_, document in documents.items():
        spans = [each for each in document.text_bounds if len(each.fragments) == 1]
        losses.add(id_, "discontinuous spans", sum(len(each.fragments) > 1 for each in document.text_bounds))
        losses.add_all(id_, (each for each in document.annotations if not isinstance(each, TextBound)))
        plain = losses.plain_id(id_, "\t\n\r")
        for each in spans:
            start, end = each.fragments[0]
            lines.append(f"{plain}\t{start}\t{end}\t{each.label}\t{one_line(each.text or '').replace(chr(9), ' ')}")
        if not spans:
            lines.append(f"{plain}\t-\t-\t-\t-")
    return {"spans.tsv": "".join(line + "\n" for line in lines).encode()}, losses.problems
