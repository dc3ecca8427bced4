r"""PubTator: a title, an abstract, mentions with concept ids, and relations between concepts.

    6794356|t|Tricuspid valve regurgitation ...
    6794356|a|A newborn with massive tricuspid regurgitation ...
    6794356\t0\t29\tTricuspid valve regurgitation\tDisease\tD014262
    6794356\tCID\tD016651\tD003490

The text is the title, one line end and the abstract; offsets count across both. Concept ids are normalizations, and
relations between them are relations between mentions (`brat.convert.concepts`). A seventh column that names the parts of
a composite mention (`cardiovascular depression|respiratory depression`) is a note `Parts`; a system's confidence there,
or at the end of a relation, is left out.

Held: spans of one fragment, concept ids, relations whose mentions have concept ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brat.convert.concepts import (
    PARTS,
    Mentions,
    add_concept,
    add_relation,
    concept_relations,
    concepts_of,
    is_concept,
)
from brat.convert.draft import Draft, TooMuch, number, one_line
from brat.convert.gather import Gathered, numbered_lines, read_files
from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Annotation, Document, Normalization, Note, TextBound
from brat.problems import Problem, quoted

_TEXT_LINE = re.compile(r"([^|\t]{1,200})\|([ta])\|")
_CONFIDENCE = re.compile(r"[0-9.eE+-]{1,40}", re.ASCII)
_MOST_ROWS = 100_000
_MESSAGE = "a line is not PubTator"
_EXPECTED = '"ID|t|TITLE", "ID|a|ABSTRACT", a mention "ID START END TEXT TYPE CONCEPT" or a relation "ID TYPE CONCEPT CONCEPT"'


@dataclass(slots=True)
class _Block:
    """The lines of one document."""

    id: str
    line: int
    title: str | None = None
    abstract: str | None = None
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        if self.abstract is None:
            return self.title
        return f"{self.title or ''}\n{self.abstract}"


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """Every document of the files. A document ends where the next id begins; blank lines mean nothing."""
    return read_files(files, texts, _read_file, frozenset({"pubtator"}), frozenset({"txt", "tsv", ""}))


def _read_file(content: str, path: str, gathered: Gathered) -> None:
    block: _Block | None = None
    confidences = 0
    for line_number, line in numbered_lines(content):
        if not line or line.isspace():
            continue
        heading = _TEXT_LINE.match(line)
        cells = [] if heading else line.split("\t", 10)
        id_ = (heading[1] if heading else cells[0]).strip()
        if not heading and len(cells) < 4:
            gathered.report("unreadable-line", path, line_number, 1, message=_MESSAGE, found=quoted(line), expected=_EXPECTED)
            continue
        if block is None or block.id != id_:
            confidences += _finish(block, path, gathered)
            block = _Block(id_, line_number)
        if heading is None:
            if len(block.rows) >= _MOST_ROWS:
                expected = f"at most {_MOST_ROWS:,} lines a document"
                gathered.report("too-many-annotations", path, line_number, expected=expected, hint="the rest was not read")
                raise TooMuch
            block.rows.append((line_number, cells))
        elif (heading[2] == "t" and block.title is None) or (heading[2] == "a" and block.abstract is None):
            if heading[2] == "t":
                block.title = line[heading.end() :]
            else:
                block.abstract = line[heading.end() :]
        else:
            found = quoted(line[: heading.end()])
            expected = "one title and one abstract a document"
            gathered.report("unreadable-line", path, line_number, 1, message=_MESSAGE, found=found, expected=expected)
    confidences += _finish(block, path, gathered)
    if confidences:
        gathered.report("not-held", path, message="BRAT cannot hold this", found=f"{confidences:,} confidences of a system")


def _finish(block: _Block | None, path: str, gathered: Gathered) -> int:
    """Keep a document; how many confidences were left out of it."""
    draft = gathered.draft(block.id, path, block.line, block.text) if block is not None else None
    if block is None or draft is None:
        return 0
    mentions = Mentions()
    confidences = 0
    for line, cells in block.rows:
        if not _is_relation(cells):
            confidences += _mention(draft, mentions, cells, line)
    for line, cells in block.rows:
        if _is_relation(cells):
            confidences += len(cells) > 4
            add_relation(draft, mentions, cells[1], (draft.word(cells[2], line), draft.word(cells[3], line)), line)
    gathered.finish(draft)
    return confidences


def _is_relation(cells: Sequence[str]) -> bool:
    """Words where a mention has its start and end, and at most a confidence after the two concepts."""
    as_mention = number(cells[1]) is not None or number(cells[2]) is not None
    return not as_mention and (len(cells) == 4 or (len(cells) == 5 and _CONFIDENCE.fullmatch(cells[4]) is not None))


def _mention(draft: Draft, mentions: Mentions, cells: Sequence[str], line: int) -> int:
    """Read a mention; 1 where a confidence was left out."""
    start, end = number(cells[1]), number(cells[2])
    column = len(cells[0]) + 2
    if start is None or end is None or len(cells) < 5:
        found = quoted("\t".join(cells))
        draft.report("unreadable-line", draft.path, line, column, message=_MESSAGE, found=found, expected=_EXPECTED)
        return 0
    id_ = draft.entity(cells[4], [(start, end)], cells[3], line, column)
    if id_ is None:
        return 0
    concepts = [draft.word(each, line) for each in (cells[5].split("|") if len(cells) > 5 else []) if each.strip()]
    mentions.add(id_, concepts)
    for each in concepts:
        add_concept(draft, id_, each, line)
    more = cells[6] if len(cells) > 6 else ""
    if "|" in more:
        draft.note(PARTS, id_, more, line)
    return 0 if "|" in more or not more.strip() else 1


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """One file with every document."""
    losses = Losses("PubTator")
    return {"corpus.pubtator": "\n".join(_lines(each, losses) for each in documents.values()).encode()}, losses.problems


def _lines(document: Document, losses: Losses) -> str:
    concepts = concepts_of(document)
    # A line of a relation with a number in its second or third column would be one of a mention.
    between = concept_relations(document, concepts, lambda label, one: number(label) is None and number(one) is None)
    parts = {each.target: each for each in document.annotations if isinstance(each, Note) and each.label == PARTS}
    spans = [each for each in document.text_bounds if len(each.fragments) == 1]
    held = {each.id for each in spans}
    id_ = losses.plain_id(document.id, "|\t\n\r")
    lines = _text_lines(document, id_, losses)
    for each in spans:
        start, end = each.fragments[0]
        cells = [id_, str(start), str(end), _cell(each.text or ""), each.label, "|".join(concepts.get(each.id, []))]
        if each.id in parts:
            cells.append(_cell(parts[each.id].text or ""))
        lines.append("\t".join(cells))
    lines += ["\t".join([id_, *each]) for each in between.relations]
    losses.add(document.id, "argument roles", between.roles)
    losses.add(document.id, "discontinuous spans", sum(len(each.fragments) > 1 for each in document.text_bounds))
    losses.add_all(document.id, (each for each in document.annotations if not _is_held(each, held, between.used)))
    return "".join(line + "\n" for line in lines)


def _is_held(each: Annotation, held: set[str], used: frozenset[str]) -> bool:
    match each:
        case TextBound():
            return True  # those that are not have been counted
        case Normalization():
            return each.target in held and is_concept(each)
        case Note(label=label, target=target, text=text) if label == PARTS:
            return target in held and "|" in (text or "")
    return getattr(each, "id", "") in used


def _text_lines(document: Document, id_: str, losses: Losses) -> list[str]:
    text = document.text
    if text is None:
        return [] if any(True for _ in document.text_bounds) else [f"{id_}|t|"]
    title, line_end, abstract = text.partition("\n")
    losses.add(document.id, "line ends in the texts", abstract.count("\n") + text.count("\r"))
    lines = [f"{id_}|t|{one_line(title)}"]
    return [*lines, f"{id_}|a|{one_line(abstract)}"] if line_end else lines


def _cell(text: str) -> str:
    return one_line(text).replace("\t", " ")
