"""The formats by name: reading, writing, and telling which one an upload is in.

| name | what it is |
| --- | --- |
| brat | `.txt` and `.ann` |
| conll | a token a line, its tag last (`brat.convert.conll`) |
| pubtator | PubTator (`brat.convert.pubtator`) |
| bioc-xml, bioc-json | BioC (`brat.convert.bioc`) |
| spans-tsv | a span a line (`brat.convert.spans_tsv`) |
| jsonl | a document a line, as JSON (`brat.convert.jsonl`) |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from brat.files import Files
from brat.model import Document
from brat.problems import Problem

FORMATS = ("brat", "conll", "pubtator", "bioc-xml", "bioc-json", "spans-tsv", "jsonl")

_MODULES = {
    "brat": "brat.convert.standoff",
    "conll": "brat.convert.conll",
    "pubtator": "brat.convert.pubtator",
    "bioc-xml": "brat.convert.bioc_xml",
    "bioc-json": "brat.convert.bioc_json",
    "spans-tsv": "brat.convert.spans_tsv",
    "jsonl": "brat.convert.jsonl",
}


@dataclass(frozen=True, slots=True)
class Converted:
    """What was read from a format.

    Attributes:
        documents: by id, sorted; each annotation has the line of its source file, 0 where there is none. The text is the
            hosted one, else the one that the files carry, else None.
        paths: the source file of each document.
        problems: what is wrong, by file, line and column of the source; of each code at most so many.
        counts: how many problems there are of each code, those that are not listed included.
    """

    documents: Mapping[str, Document]
    paths: Mapping[str, str]
    problems: tuple[Problem, ...]
    counts: Mapping[str, int]


class _Format(Protocol):
    """What each format's module has."""

    def read(self, files: Files, texts: Mapping[str, str | None]) -> Gathering:
        """Everything that could be read."""

    def write(self, documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
        """The files, and what they cannot hold."""


class Gathering(Protocol):
    """What a reader gives back; `brat.convert.gather.Gathered` is one."""

    @property
    def documents(self) -> Mapping[str, Document]:
        """What was read."""

    @property
    def paths(self) -> Mapping[str, str]:
        """Where from."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How much of it."""


def read(name: str, files: Files, texts: Mapping[str, str | None]) -> Converted:
    """The documents in files of a format.

    Args:
        name: one of `FORMATS`.
        files: bytes by path. Files that cannot be of the format are passed over.
        texts: the hosted texts by document id, None for one that is not known; documents with other ids are not read. Empty
            where there are none: then every document is read, with the text that its format carries.

    Raises:
        KeyError: the name is not a format's.
    """
    gathered = _module(name).read(files, texts)
    documents = {id_: gathered.documents[id_] for id_ in sorted(gathered.documents)}
    return Converted(documents, dict(gathered.paths), gathered.problems, gathered.counts)


def write(name: str, documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """Documents as files of a format.

    Returns:
        The files by path, and a warning `not-held` for every document and kind of thing that the format cannot hold.

    Raises:
        KeyError: the name is not a format's.
    """
    return _module(name).write(documents)


def recognise(files: Files) -> str | None:
    """Which of the formats an upload is in, judged by names and the beginnings of files; None for BRAT and the unknown."""
    from brat.convert.recognise import recognise as judge  # noqa: PLC0415 - nothing of this package is loaded unasked

    return judge(files)


def _module(name: str) -> _Format:
    return cast("_Format", import_module(_MODULES[name]))
