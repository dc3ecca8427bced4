"""Uploads that are made to break a reader: none raises, none takes long."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.convert import draft
from brat.convert.formats import FORMATS, read, recognise, write
from brat.corpus import read_corpus
from brat.model import Document
from brat.problems import has_errors
from tests.brat.convert.documents import bound, full_documents

NAMES = tuple(name for name in FORMATS if name != "brat")
TEXT = "Aspirin helps.\nIt does."
GOOD = {
    name: next(iter(write(name, {"d": Document("d", (bound(1, "Drug", TEXT, (0, 7)),), TEXT)})[0].values())) for name in NAMES
}
PIECES = st.sampled_from(
    [b"\0", b"\t", b"\n", b"\r", b"9" * 400, b"\xff", b"\xed\xa0\x80", b"|", b"<", b"&x;", b"[" * 2000, b'"', b"-DOCSTART-"]
)


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_can_be_read_as_anything(data: bytes) -> None:
    for name in NAMES:
        read(name, {"x": data}, {})
        read(name, {"x": data}, {"d": TEXT})
    assert recognise({"x": data}) in (None, *NAMES)


@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 20), PIECES), max_size=4))
def test_a_damaged_file_is_read_or_told_of(name: str, damage: list[tuple[int, int, bytes]]) -> None:
    data = GOOD[name]
    for at, length, piece in damage:
        data = data[:at] + piece + data[at + length :]

    for texts in ({}, {"d": TEXT}):
        for id_, document in read(name, {"x": data}, texts).documents.items():
            assert all(0 <= a <= b for each in document.text_bounds for a, b in each.fragments)
            write("brat", {id_: document})


@given(full_documents(), st.sampled_from(NAMES))
def test_whatever_is_written_is_recognised_or_not_without_raising(document: Document, name: str) -> None:
    recognise(write(name, {"d": document})[0])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("conll", "zzz\tB-X\n" * 100_000),  # tokens that are not there
        ("conll", "x" * 3_000_000 + "\tO\n"),
        ("conll", "B-X " * 500_000),
        ("spans-tsv", "d\t0\t20000\tX\n" * 20_000),  # spans that each cover the whole text, without a text column
        ("spans-tsv", "\t" * 3_000_000),
        ("pubtator", "d|t|" + "x" * 3_000_000),
        ("pubtator", "d\tCID\tD1\tD2\n" * 50_000),
        ("bioc-xml", "<collection>" + "<document><id>d</id></document>" * 20_000),
        ("bioc-xml", "<!DOCTYPE" * 300_000),
        ("bioc-json", "[" * 3_000_000),
        ("jsonl", '{"id": "d", "label": [' + "[0, 20000, 1]," * 50_000 + "[0, 1, 1]]}"),
        ("jsonl", "{\n" * 100_000),
    ],
    ids=range(12),
)
def test_nothing_takes_more_than_a_few_seconds(name: str, content: str) -> None:
    begun = time.process_time()
    read_ = read(name, {"d": content.encode()}, {"d": "a" * 20_000})
    recognise({"x": content.encode()})

    assert time.process_time() - begun < 10
    assert len(read_.problems) < 5_000
    assert sum(len(each.text or "") for one in read_.documents.values() for each in one.text_bounds) < 1_000_000


def test_there_is_an_end_to_annotations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft.Budget.__init__, "__defaults__", (5,))
    for name, data in {
        "spans-tsv": b"d\t0\t1\tX\n" * 9,
        "conll": b"a B-X\n" * 9,
        "pubtator": b"d\t0\t1\ta\tX\n" * 9,
        "jsonl": b'{"id": "d", "label": [[0, 1, "X"]' + b', [0, 1, "X"]' * 9 + b"]}",
    }.items():
        read_ = read(name, {"x": data}, {})

        assert has_errors(read_.problems)
        assert "too-many-annotations" in {each.code for each in read_.problems}


def test_no_code_fills_the_list_of_problems() -> None:
    problems = read("jsonl", {"x": b"{\n" * 5_000}, {}).problems

    assert len(problems) == 1_001
    assert problems[-1].message == "4,000 more of this kind are not listed"


@pytest.mark.parametrize(
    ("name", "line"),
    [("run.jsonl", '{"id": "d", "entities": [[0, 1]]}\n'), ("d.conll", "nowhere B-X\n"), ("run.tsv", "d\tx\ty\tX\tz\n")],
)
def test_a_reader_stops_when_nearly_everything_is_wrong(name: str, line: str) -> None:
    head = "document\tbegin\tend\ttype\ttext\nd\t0\t1\tX\ta\n" if name.endswith("tsv") else ""
    files = {name: (head + line * 30_000).encode()}
    corpus = read_corpus(files, {"d": "a b c"})

    assert corpus.counts["too-many-annotations"] == 1
    assert sum(corpus.counts.values()) < 20_000


def test_a_large_upload_in_another_format_is_to_be_converted_first() -> None:
    files = {"run.jsonl": b'{"id": "d", "text": "' + b"x" * (17 * 1024 * 1024) + b'"}'}
    corpus = read_corpus(files, {"d": "a b c"})

    assert [(each.code, each.hint) for each in corpus.problems] == [
        ("archive-too-large", "convert it to BRAT first: assay convert")
    ]


def test_blank_lines_of_conll_take_no_memory_of_their_own() -> None:
    files = {"d.conll": b"a B-X\nb O\nc O\n" + b"\n" * 200_000 + b"a O\n"}
    tracemalloc.start()
    corpus = read_corpus(files, {"d": "a b c a"})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(corpus.documents["d"].annotations) == 1
    assert peak < 20 * 200_000  # a kept line takes a hundred bytes


@pytest.mark.parametrize("name", ["spans-tsv", "jsonl", "pubtator"])
def test_warnings_by_the_thousand_stop_no_reader(name: str) -> None:
    # Documents that are not hosted, before one that is: a run over a large background set.
    background = {f"a{i:05}": Document(f"a{i:05}", (bound(1, "Drug", TEXT, (0, 7)),), TEXT) for i in range(12_000)}
    files, _ = write(name, background | {"d": Document("d", (bound(1, "Drug", TEXT, (0, 7)),), TEXT)})
    corpus = read_corpus(files, {"d": TEXT})

    assert corpus.counts["unknown-document"] == 12_000
    assert not has_errors(corpus.problems)
    assert len(corpus.documents["d"].annotations) == 1
