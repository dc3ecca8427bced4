"""Small documents for tests of leakage, and the real corpora."""

from __future__ import annotations

import json

from brat.corpus import Corpus, read_corpus
from brat.files import read_path
from brat.model import Document, TextBound
from tests.shared import shared


def document(text: str, *entities: tuple[str, str], id_: str = "d") -> Document:
    """A document with entities given as (label, string), each at the first place of the string after the one before."""
    bounds = []
    at = 0
    for number, (label, string) in enumerate(entities, 1):
        at = text.index(string, at)
        bounds.append(TextBound(f"T{number}", label, ((at, at + len(string)),), string))
        at += len(string)
    return Document(id_, tuple(bounds), text)


def chemu_ref(split: str) -> dict[str, str]:
    """The tokenised texts of a split of ChEMU-Ref, tokens joined by blanks."""
    lines = shared("data", "chemu-ref", f"{split}.english.jsonlines").read_text("utf-8").splitlines()
    return {each["doc_key"]: " ".join(" ".join(one) for one in each["sentences"]) for each in map(json.loads, lines)}


def ddi(split: str) -> Corpus:
    """A split of the DDI corpus."""
    return read_corpus(read_path(shared("data", "ddi2013", split)))
