"""What a format holds survives it: read(write(d)) is d, for any document within it."""

from __future__ import annotations

import json
import re

import pytest
from bioc import biocjson, biocxml
from hypothesis import example, given

from brat.convert.formats import FORMATS, Converted, read, recognise, write
from brat.model import Document, Note
from brat.problems import has_errors
from tests.brat.convert.documents import (
    any_text,
    bound,
    concept_documents,
    flat_documents,
    full_documents,
    linked_documents,
    span_documents,
    title_and_abstract,
)

xml_text = any_text.map(lambda text: re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text))


def through(name: str, document: Document, *, hosted: bool) -> Converted:
    files, losses = write(name, {"d": document})
    assert losses == ()
    return read(name, files, {"d": document.text} if hosted else {})


def without_duplicates(converted: Converted) -> list[str]:
    """What was found wrong; a document may say a thing twice."""
    return [str(each) for each in converted.problems if each.code != "duplicate-annotation"]


@given(full_documents())
def test_jsonl_holds_everything(document: Document) -> None:
    again = through("jsonl", document, hosted=False)

    assert without_duplicates(again) == []
    assert again.documents == {"d": document}


@given(linked_documents(any_text))
def test_bioc_json_holds_spans_concepts_relations_and_events(document: Document) -> None:
    again = through("bioc-json", document, hosted=False)

    assert without_duplicates(again) == []
    assert again.documents == {"d": document}


@given(linked_documents(xml_text))
def test_bioc_xml_holds_the_same_but_for_characters_that_xml_lacks(document: Document) -> None:
    files, losses = write("bioc-xml", {"d": document})
    again = read("bioc-xml", files, {})

    if losses:  # a label, a role or an id had one
        assert [each.found.split()[1].removesuffix("s") for each in losses] == ["character"]  # "1 character that …"
        return
    assert without_duplicates(again) == []
    assert again.documents == {"d": document}


@given(concept_documents(title_and_abstract, 1))
def test_pubtator_holds_spans_and_concepts(document: Document) -> None:
    again = through("pubtator", document, hosted=False)

    assert without_duplicates(again) == []
    assert again.documents == {"d": document}


@given(span_documents())
def test_spans_tsv_holds_spans_of_a_hosted_text(document: Document) -> None:
    again = through("spans-tsv", document, hosted=True)

    assert without_duplicates(again) == []
    assert again.documents == {"d": document}


@given(flat_documents())
def test_conll_holds_spans_that_do_not_overlap(document: Document) -> None:
    again = through("conll", document, hosted=True)

    assert again.problems == ()
    assert again.documents == {"d": document}


@given(flat_documents())
def test_conll_keeps_offsets_where_the_text_is_not_known(document: Document) -> None:
    again = through("conll", document, hosted=False)

    assert again.problems == ()
    assert [(each.label, each.fragments) for each in again.documents["d"].text_bounds] == [
        (each.label, each.fragments) for each in document.text_bounds
    ]


@given(full_documents())
def test_brat_holds_everything(document: Document) -> None:
    again = through("brat", document, hosted=False)

    assert again.documents == {"d": document}


@example(Document("d", (Note("#1", "0", "document", " "),), None))
@example(Document("d", (Note("#1", "0", "document", "D1 D2"), Note("#2", "CID", "document", "17 D2")), None))
@given(full_documents())
def test_what_a_format_cannot_hold_is_told_once_a_kind_and_the_rest_is_readable(document: Document) -> None:
    for name in FORMATS:
        files, losses = write(name, {"d": document})
        kinds = [each.found.partition(" ")[2].removesuffix("s") for each in losses]

        assert {(each.code, each.file) for each in losses} <= {("not-held", "d")}
        assert len(kinds) == len(set(kinds))
        assert not has_errors(
            each for each in read(name, files, {"d": document.text}).problems if each.code != "no-annotations"
        )


@given(linked_documents(xml_text))
def test_the_reference_library_reads_our_bioc(document: Document) -> None:
    """Counts and offsets as `bioc` 2.1 reads them."""
    expected = [[(start, end - start) for start, end in each.fragments] for each in document.text_bounds]
    for name, library in (("bioc-xml", biocxml), ("bioc-json", biocjson)):
        (data,) = write(name, {"d": document})[0].values()
        passage = library.loads(data.decode()).documents[0].passages[0]

        assert [[(place.offset, place.length) for place in each.locations] for each in passage.annotations] == expected


def test_our_formats_are_recognised_again() -> None:
    text = "Aspirin helps.\nIt does."
    document = Document("d", (bound(1, "Drug", text, (0, 7)),), text)

    assert {name: recognise(write(name, {"d": document})[0]) for name in FORMATS} == {
        name: None if name == "brat" else name for name in FORMATS
    }


def test_each_kind_that_is_left_out_is_counted() -> None:
    text = "abc def ghi"
    spans = [
        bound(1, "X", text, (0, 3), (4, 7)),
        bound(2, "X", text, (0, 7)),
        bound(3, "X", text, (4, 11)),
        bound(4, "X", text, (3, 4)),
    ]
    document = Document("d", (*spans, Note("#1", "N", "T1", "note")), text)

    told = {name: sorted(each.found for each in write(name, {"d": document})[1]) for name in FORMATS}

    assert told == {
        "brat": [],
        "conll": ["1 discontinuous span", "1 nested or overlapping span", "1 note", "1 span without a token"],
        "pubtator": ["1 discontinuous span", "1 note"],
        "bioc-xml": ["1 note"],
        "bioc-json": ["1 note"],
        "spans-tsv": ["1 discontinuous span", "1 note"],
        "jsonl": [],
    }


def test_written_json_is_one_object_a_line() -> None:
    files, _ = write("jsonl", {id_: Document(id_, (), "a\nb") for id_ in ("d1", "d2")})

    assert [json.loads(line)["id"] for line in files["corpus.jsonl"].decode().splitlines()] == ["d1", "d2"]


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_makes_nothing_and_an_unknown_name_is_refused(name: str) -> None:
    assert write(name, {})[1] == ()
    with pytest.raises(KeyError):
        read("word", {}, {})
