"""BRAT itself, so that it is a format like the others: `.ann` files, with `.txt` files where the text is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from brat import write as standoff
from brat.convert.losses import Losses
from brat.corpus import Corpus, read_corpus
from brat.files import Files
from brat.model import Document
from brat.problems import Problem


def read(files: Files, texts: Mapping[str, str | None]) -> Corpus:
    """The documents of a BRAT corpus, as `brat.corpus` reads them."""
    return read_corpus(files, texts or None)


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """An `.ann` file a document, and a `.txt` file where its text is known; annotations with line ends cannot be held."""
    files: dict[str, bytes] = {}
    losses = Losses("BRAT")
    for id_, document in documents.items():
        files[f"{id_}.ann"] = _annotations(document, losses).encode()
        if document.text is not None:
            files[f"{id_}.txt"] = document.text.encode()
    return files, losses.problems


def _annotations(document: Document, losses: Losses) -> str:
    try:
        return standoff.write(document)
    except ValueError:
        lines = []
        for each in document.annotations:
            try:
                lines.append(standoff.write(replace(document, annotations=(each,))))
            except ValueError:
                losses.add_all(document.id, [each])
        return "".join(lines)
