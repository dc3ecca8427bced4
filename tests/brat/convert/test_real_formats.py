"""Real files in these formats: what they are known to hold (DATA.md) is what is read, and survives."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from brat.convert.formats import Converted, read, recognise, write
from brat.corpus import read_corpus
from brat.files import Files, read_path
from brat.model import Document, Note, Relation
from brat.problems import count_by_code
from tests.shared import shared

KIT = ("data", "bc5cdr", "eval-kit")


def one(*parts: str) -> Files:
    path = shared(*parts)
    return {path.name: path.read_bytes()}


def through_brat(converted: Converted) -> dict[str, Document]:
    files, losses = write("brat", converted.documents)
    assert losses == ()
    again = read("brat", files, {})
    assert again.problems == ()
    return dict(again.documents)


def tags(data: bytes) -> list[str]:
    return [line.split("\t")[-1] for line in data.decode().splitlines() if line and not line.startswith("#")]


# Chemical: DATA.md; Disease: `grep -c B-Disease`.
@pytest.mark.parametrize(("name", "chemical", "disease"), [("train", 5203, 4182), ("devel", 5347, 4246), ("test", 5385, 4424)])
def test_bc5cdr_keeps_its_tags_from_iob_to_brat_to_iob(name: str, chemical: int, disease: int) -> None:
    files = one("data", "bc5cdr", "iob", f"{name}.tsv")
    assert recognise(files) == "conll"
    converted = read("conll", files, {})
    assert converted.problems == ()
    documents = through_brat(converted)

    assert Counter(each.label for each in documents[name].text_bounds) == {"Chemical": chemical, "Disease": disease}
    again, losses = write("conll", documents)
    assert losses == ()
    # Our own tokens are finer than the corpus's, so spans are compared, and tags where both begin one.
    assert Counter(tag for tag in tags(again[f"{name}.conll"]) if tag[0] == "B") == Counter(
        tag for tag in tags(files[f"{name}.tsv"]) if tag[0] == "B"
    )
    assert read("conll", again, {}).documents == documents
    original = [(tag, token) for token, tag in _rows(files[f"{name}.tsv"])]
    assert original == [(tag, token) for token, tag in _on_tokens(files[f"{name}.tsv"], documents[name])]


def _rows(data: bytes) -> list[tuple[str, str]]:
    return [(cells[0], cells[-1]) for cells in (line.split("\t") for line in data.decode().splitlines()) if len(cells) > 1]


def _on_tokens(data: bytes, document: Document) -> list[tuple[str, str]]:
    """The document's spans as tags of the file's own tokens: its text is these, with one character between two."""
    inside: dict[int, str] = {}
    for each in document.text_bounds:
        start, end = each.fragments[0]
        inside |= dict.fromkeys(range(start, end), f"I-{each.label}") | {start: f"B-{each.label}"}
    tagged, position = [], 0
    for token, _ in _rows(data):
        tagged.append((token, inside.get(position, "O")))
        position += len(token) + 1
    return tagged


# Documents, mentions, relations and mentions with parts: `grep -c`, `awk -F'\t' 'NF>5'`, `'NF==4'`, `'NF==7'`.
@pytest.mark.parametrize(
    ("name", "mentions", "relations"),
    [("CDR_TrainingSet.PubTator.PubTator.txt", 9385, 1038), ("CDR_DevelopmentSet.PubTator.txt", 9591, 1012)],
)
def test_pubtator_survives_brat_line_for_line(name: str, mentions: int, relations: int) -> None:
    files = one("data", "bc5cdr", "pubtator", name)
    assert recognise(files) == "pubtator"
    converted = read("pubtator", files, {})

    assert converted.problems == ()  # so each mention's text is that of the text column
    assert len(converted.documents) == 500
    again, losses = write("pubtator", through_brat(converted))
    assert losses == ()
    before, after = (sorted(filter(None, data.decode().splitlines())) for data in (files[name], again["corpus.pubtator"]))
    assert Counter(len(line.split("\t")) > 5 for line in after)[True] == mentions
    assert Counter(len(line.split("\t")) == 4 for line in after)[True] == relations
    assert [line.rstrip() for line in after] == [line.rstrip() for line in before]


def kit(kind: str, format_: str) -> Converted:
    folder = "gold" if kind == "gold" else "test"
    files = one(*KIT, folder, f"CDR_sample.{kind}.{format_}")
    name = recognise(files)
    assert name == {"PubTator": "pubtator", "BioC.xml": "bioc-xml"}[format_]
    return read(name, files, {})


def test_the_kit_says_the_same_in_pubtator_and_in_bioc() -> None:
    """Its BioC counts `&apos;` as six characters in the offsets of passages, though not in those of annotations."""
    for kind in ("gold", "test.DNER"):
        pubtator, bioc = kit(kind, "PubTator"), kit(kind, "BioC.xml")

        assert count_by_code(bioc.problems)["text-mismatch"] == 5
        for id_, document in pubtator.documents.items():
            assert bioc.documents[id_].text == document.text
            assert [(each.label, each.fragments, each.text) for each in bioc.documents[id_].text_bounds] == [
                (each.label, each.fragments, each.text) for each in document.text_bounds
            ]


def relations(converted: Converted) -> set[tuple[str, str, str]]:
    files, _ = write("pubtator", converted.documents)
    rows = (line.split("\t") for line in files["corpus.pubtator"].decode().splitlines())
    return {(row[0], *(each.rpartition(":")[2] for each in row[2:])) for row in rows if len(row) == 4}


@pytest.mark.parametrize("format_", ["PubTator", "BioC.xml"])
def test_the_kits_relations_are_its_official_figures(format_: str) -> None:
    """readme.txt: TP 90, FP 533, FN 33, as a set of (document, concept, concept) without the ids' database."""
    gold, run = relations(kit("gold", format_)), relations(kit("test.CID", format_))

    assert (len(gold & run), len(run - gold), len(gold - run)) == (90, 533, 33)


def test_relations_of_the_kit_are_between_mentions() -> None:
    documents = kit("gold", "PubTator").documents.values()
    found = [each for document in documents for each in document.annotations if isinstance(each, Relation)]
    notes = [each for document in documents for each in document.annotations if isinstance(each, Note)]

    assert len(found) == 123
    assert {each.label for each in notes} == {"Parts", "Concepts"}  # of composite mentions only


def test_profner_uploads_are_read_as_their_server_read_them() -> None:
    """Sets of (document, begin, end, type) of the two labels that count; sizes and matches of `expected.json`."""
    gold = read_corpus(read_path(shared("data", "profner", "gold")))
    counted = {"PROFESION", "SITUACION_LABORAL"}

    def as_set(documents: dict[str, Document]) -> set[object]:
        every = ((id_, each.fragments, each.label) for id_, one in documents.items() for each in one.text_bounds)
        return {each for each in every if each[2] in counted}

    right = as_set(dict(gold.documents))
    for name, expected in json.loads(shared("data", "profner", "expected.json").read_text()).items():
        files = read_path(shared("data", "profner", "runs", f"{name}.zip"))
        assert recognise(files) == "spans-tsv"
        converted = read("spans-tsv", files, gold.texts)
        found = as_set(dict(converted.documents))

        assert list(converted.documents) == sorted(gold.documents)
        assert (len(right & found), len(right), len(found)) == (expected["strict_tp"], expected["gold"], expected["pred"])
