"""Columns of plain files are the tables that the ordinary reader gives, and every other file is left to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.model import Document, TextBound
from brat.parse import parse
from brat.write import write
from evaluator.columnar.layout import lay_out_lines
from evaluator.columnar.lines import read_lines
from evaluator.tables import Tables, build_tables
from tests.strategies import documents, free_text, words

COLUMNS = ("document", "label", "span", "first", "start", "end", "row")
spans = st.tuples(st.integers(0, 99_999_999) | st.integers(0, 30), st.integers(0, 99_999_999) | st.integers(0, 30))
bounds = st.tuples(st.sampled_from(["A", "Bé", "CHEMICAL", "A_LABEL_OF_TWENTY"]) | words, spans, free_text)


@st.composite
def plain_documents(draw: st.DrawFn, id_: str) -> Document:
    numbers = draw(st.lists(st.integers(0, 99_999_999), max_size=8, unique=True))
    drawn = [draw(bounds) for _ in numbers]
    return Document(
        id_,
        tuple(
            TextBound(f"T{number}", label, (span,), text.replace("\t", " ").replace("\0", " "))
            for number, (label, span, text) in zip(numbers, drawn, strict=True)
        ),
    )


def as_lists(tables: Tables) -> dict[str, object]:
    found: dict[str, object] = {
        "documents": tables.documents, "labels": tables.labels, "shapes": list(tables.shapes), "texts": tables.texts
    }  # fmt: skip
    for name, side in (("gold", tables.gold), ("run", tables.run)):
        found |= {f"{name} {column}": getattr(side, column).tolist() for column in COLUMNS}
        found |= {f"{name} text": list(side.text), f"{name} repeated": side.repeated}
    return found


def read(data: bytes, id_: str = "d") -> Document:
    """What the ordinary reader makes of a file that it has nothing to say of."""
    document, problems = parse(data.decode(), document_id=id_)
    assert not problems
    return document


@given(st.data())
def test_tables_of_plain_files_are_those_of_the_ordinary_reader(data: st.DataObject) -> None:
    ids = ["d1", "d2", "d3"][: data.draw(st.integers(0, 3))]
    files = [{id_: write(data.draw(plain_documents(id_))).encode() for id_ in ids} for _ in ("gold", "run")]
    for side in files:
        for id_ in ids:
            if data.draw(st.booleans()):
                side[id_] = side[id_].removesuffix(b"\n")
    parsed = [{id_: read(side[id_], id_) for id_ in ids} for side in files]
    lines = [read_lines([side[id_] for id_ in ids]) for side in files]

    assert all(each.plain.all() for each in lines)
    found = lay_out_lines(ids, [None] * len(ids), *lines)
    assert as_lists(found) == as_lists(build_tables(*parsed))


@given(st.lists(documents.map(write) | plain_documents("d").map(write) | st.text(max_size=40), max_size=4))
def test_a_file_that_is_called_plain_is_read_whole_and_as_by_the_ordinary_reader(contents: list[str]) -> None:
    files = [each.encode("utf-8", "surrogatepass") for each in contents]
    lines = read_lines(files)
    for number, data in enumerate(files):
        mine = lines.take(lines.file == number)
        if not lines.plain[number]:
            assert len(mine) == 0
            continue
        document = read(data)
        found = [
            (mine.labels[label], start, end, mine.text.data[a:b].decode())
            for label, start, end, a, b in zip(
                mine.label.tolist(), mine.start.tolist(), mine.end.tolist(),
                mine.column_start.tolist(), mine.column_end.tolist(), strict=True,
            )
        ]  # fmt: skip
        bounds_ = list(document.text_bounds)
        assert len(bounds_) == len(document.annotations)
        assert found == [(each.label, *each.fragments[0], each.text) for each in bounds_]
        assert len({each.id for each in bounds_}) == len(bounds_)


GOOD = b"T1\tA 0 2\tab\nT2\tB 3 4\tc\n"


@pytest.mark.parametrize(
    "odd",
    [
        b"T1\tA 0 2;3 4\tab c\n",
        b"T1\tA 0 2\tab\r\n",
        b"T1\tA 0 2\tab\n\nT2\tA 3 4\tc\n",
        b"\xef\xbb\xbfT1\tA 0 2\tab\n",
        b"T1\tA 0 2\t\xff\n",
        b"T1\tA 0 2\n",
        b"T1\tA 0 2\ta\tb\n",
        b"T1\tA  0 2\tab\n",
        b"T1\tA +0 2\tab\n",
        b"T1\tA 0 2 \tab\n",
        b"T1\t 0 2\tab\n",
        b"T1 A 0 2 ab\n",
        b"T01\tA 0 2\tab\n",
        b"T1a\tA 0 2\tab\n",
        b"T\tA 0 2\tab\n",
        b"T1\tA 0 2\tab\nT1\tA 3 4\tc\n",
        b"T2\tA 0 2\tab\nT1\tA 3 4\tc\nT2\tA 3 4\tc\n",
        b"T1\tA 0 123456789\tab\n",
        b"T1\tA 0 2\tab\nR1\tX Arg1:T1 Arg2:T1\n",
        b"T1\tA 0 2\tab\n#1\tNote T1\thello\n",
        b"T1\tA 0 2\tT2\tA 3 4\tc\nx\n",
        b"T1\tA\t0 2\nT2 A 3 4 c\tab\tx\n",
    ],
)
def test_a_file_with_anything_else_is_left_alone_and_its_neighbours_are_read(odd: bytes) -> None:
    lines = read_lines([GOOD, odd, GOOD])

    assert lines.plain.tolist() == [True, False, True]
    assert lines.file.tolist() == [0, 0, 2, 2]
    assert lines.start.tolist() == [0, 3, 0, 3]


def test_more_lines_than_a_file_may_have_are_left_to_the_ordinary_reader() -> None:
    """That one takes 500,000 of them, and says so at the next."""
    line = b"T%d\tA 0 1\ta\n"
    few, many = (b"".join(line % i for i in range(1, count + 1)) for count in (1_000, 400_001))

    assert read_lines([few, many]).plain.tolist() == [True, False]
    assert len(read_lines([few])) == 1_000


def test_many_labels_have_numbers_too() -> None:
    """More different ones than are looked for all at once."""
    labels = [f"LABEL_{i}" for i in range(200)] * 2
    data = "".join(f"T{i}\t{label} 0 1\ta\n" for i, label in enumerate(labels, 1)).encode()
    lines = read_lines([data])

    assert [lines.labels[i] for i in lines.label] == labels
    assert np.unique(lines.label).tolist() == list(range(200))
