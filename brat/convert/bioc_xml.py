"""BioC as XML, read with expat and written by hand.

An upload is hostile. A DOCTYPE that merely names `BioC.dtd` is passed over and never fetched; one that declares anything
is refused before a parser sees it, as are references to entities that XML itself does not define, and deep nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from brat.convert.bioc import add_entry, as_entry, report_left_out
from brat.convert.bioc_records import MESSAGE, Entry, Link, Mark, Passage
from brat.convert.draft import number
from brat.convert.gather import Gathered, read_files
from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Document
from brat.problems import Problem, quoted

_DEEPEST = 40
_DECLARATION = re.compile("<!(?:ENTITY|ELEMENT|ATTLIST|NOTATION)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Refused(Exception):
    """Something that no BioC file has a use for."""

    def __init__(self, found: str, line: int, column: int) -> None:
        super().__init__(found)
        self.found = found
        self.line = line
        self.column = column


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """Every document of the collections in the files; of a damaged file those before the damage."""
    return read_files(files, texts, _read_file, frozenset({"xml", "bioc"}))


def _read_file(content: str, path: str, gathered: Gathered) -> None:
    declared = _DECLARATION.search(content)
    if declared is not None:
        before = content[: declared.start()]
        line, column = before.count("\n") + 1, declared.start() - before.rfind("\n")
        gathered.report("unsafe-xml", path, line, column, found=quoted(declared[0]), expected="XML without declarations")
        return
    reader = _Reader(path, gathered)
    try:
        reader.parser.Parse(content, True)
    except _Refused as bad:
        gathered.report("unsafe-xml", path, bad.line, bad.column, found=bad.found, expected="plain BioC")
    except expat.ExpatError as bad:
        found = expat.ErrorString(bad.code) or "damage"
        gathered.report(
            "unreadable-line", path, bad.lineno, bad.offset + 1, message=MESSAGE, found=found, expected="well-formed XML"
        )
    report_left_out(gathered, path, reader.left_out)


class _Reader:
    """Elements as they begin and end. What is inside an element that BioC does not know is passed over."""

    def __init__(self, path: str, gathered: Gathered) -> None:
        self.path = path
        self.gathered = gathered
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.SkippedEntityHandler = self.skipped
        self.open: list[str] = []
        self.collected: list[str] = []
        self.key = ""
        self.left_out = 0
        self.entry = Entry()
        self.passages: list[Passage] = []
        self.mark = Mark()
        self.link = Link()

    @property
    def place(self) -> tuple[int, int]:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def doctype(self, _name: str, _system: str | None, _public: str | None, has_declarations: bool) -> None:
        if has_declarations:
            raise _Refused("a DOCTYPE with declarations", *self.place)

    def skipped(self, name: str, _is_parameter: bool) -> NoReturn:
        raise _Refused(f"&{name};", *self.place)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        line, column = self.place
        self.open.append(name)
        self.collected = []
        if len(self.open) > _DEEPEST:
            raise _Refused(f"{_DEEPEST} elements inside one another", line, column)
        match name:
            case "document":
                self.entry = Entry(line=line)
                self.passages = []
            case "passage":
                self.passages = [Passage(line=line)]
                self.entry.passages.append(self.passages[0])
            case "sentence":
                sentence = Passage(line=line)
                if self.passages:
                    self.passages[0].sentences.append(sentence)
                self.passages = [*self.passages[:1], sentence]
            case "annotation":
                self.mark = Mark(attributes.get("id", ""), line=line, column=column)
                self.entry.marks.append(self.mark)
            case "relation":
                self.link = Link(attributes.get("id", ""), line=line, column=column)
                self.entry.links.append(self.link)
            case "location":
                offset, length = (number(attributes.get(each, "").strip()) for each in ("offset", "length"))
                self.mark.locations.append(None if offset is None or length is None else (offset, length))
            case "node":
                self.link.nodes.append((attributes.get("refid", ""), attributes.get("role", "")))
            case "infon":
                self.key = attributes.get("key", "")

    def characters(self, text: str) -> None:
        self.collected.append(text)

    def end(self, name: str) -> None:
        self.open.pop()
        parent = self.open[-1] if self.open else ""
        text = "".join(self.collected)
        self.collected = []
        match name, parent:
            case "id", "document":
                self.entry.id = text
            case "text", "annotation":
                self.mark.text = text
            case "text", "passage" | "sentence" if self.passages:
                self.passages[-1].text = text
            case "offset", "passage" | "sentence" if self.passages:
                self.passages[-1].offset = number(text.strip())
            case "infon", "annotation":
                self.mark.infons[self.key] = text
            case "infon", "relation":
                self.link.infons[self.key] = text
            case "sentence", _:
                self.passages = self.passages[:1]
            case "document", _:
                self.left_out += add_entry(self.gathered, self.entry, self.path)


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """One collection with every document."""
    losses = Losses("BioC")
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<collection><source>Assay</source><date></date><key></key>\n']
    for document in documents.values():
        part = "".join(_document(as_entry(document, losses)))
        losses.add(document.id, "characters that XML does not have", len(_NOT_XML.findall(part)))
        parts.append(part)
    parts.append("</collection>\n")
    # A character of the same length in place of those that XML cannot say keeps the offsets right.
    return {"corpus.xml": _NOT_XML.sub("\ufffd", "".join(parts)).encode()}, losses.problems


def _document(entry: Entry) -> Iterable[str]:
    yield f"<document><id>{_text(entry.id)}</id>\n"
    for passage in entry.passages:
        text = "" if passage.text is None else f"<text>{_text(passage.text)}</text>"
        yield f"<passage><offset>{passage.offset}</offset>{text}\n"
        for mark in entry.marks:
            locations = "".join(
                f'<location offset="{each[0]}" length="{each[1]}"/>' for each in mark.locations if each is not None
            )
            text = _text(mark.text or "")
            yield f"<annotation id={quoteattr(mark.id)}>{_infons(mark.infons)}{locations}<text>{text}</text></annotation>\n"
        yield "</passage>\n"
    for link in entry.links:
        nodes = "".join(f"<node refid={quoteattr(refid)} role={quoteattr(role)}/>" for refid, role in link.nodes)
        yield f"<relation id={quoteattr(link.id)}>{_infons(link.infons)}{nodes}</relation>\n"
    yield "</document>\n"


def _infons(infons: Mapping[str, str]) -> str:
    return "".join(f"<infon key={quoteattr(key)}>{_text(value)}</infon>" for key, value in infons.items())


def _text(text: str) -> str:
    return escape(text, {"\r": "&#13;"})  # a bare CR would be read as LF
