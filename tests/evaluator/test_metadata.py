"""Metadata from a table or JSON, and what is said of one that cannot be read."""

from __future__ import annotations

import json

import pytest

from evaluator.metadata import MetadataError, parse_metadata


def test_a_table() -> None:
    found = parse_metadata("\ufeffname\tsource\tgroup\r\nd 1\tP1\tx\r\n\r\nd2\t\ty\nd3\n", "m.tsv")

    assert found.attributes == ("source", "group")
    assert found.rows == {"d 1": {"source": "P1", "group": "x"}, "d2": {"group": "y"}, "d3": {}}
    assert found.column("source") == {"d 1": "P1"}


def test_the_column_of_documents_is_found_by_its_name() -> None:
    found = parse_metadata("source\tdocument\nP1\td1\n")

    assert (found.attributes, found.column("source")) == (("source",), {"d1": "P1"})


@pytest.mark.parametrize(
    "value",
    [
        [{"document": "d1", "source": "P1", "year": 2019, "ok": True}, {"document": "d2", "source": None}],
        [{"id": "d1", "source": "P1", "year": 2019, "ok": True}, {"id": "d2", "source": ""}],
        {"d1": {"source": "P1", "year": 2019, "ok": True}, "d2": {}},
    ],
    ids=["list", "first-key", "object"],
)
def test_json(value: object) -> None:
    found = parse_metadata(json.dumps(value))

    assert found.attributes == ("source", "year", "ok")
    assert found.rows == {"d1": {"source": "P1", "year": "2019", "ok": "true"}, "d2": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m:1: no line of column names"),
        ("document\t\nd\tx\n", "m:1:2: the column has no name"),
        ("document\ta\ta\n", "m:1:3: the column is called a twice"),
        ("document\ta\nd1\tx\ty\n", "m:2:3: 3 columns, where the first line has 2"),
        ("a\tdocument\nx\t\n", "m:2:2: no document is named"),
        ("document\ta\nd1\tx\nd1\ty\n", "m:3: document d1 has a second row"),
        ('[{"document": "d1",}]', "m:1:20: not JSON: "),
        ("[1]", "m: entry 1 is not an object"),
        ('[{"a": []}]', "m: entry 1, a: a text or a number is expected"),
        ("[{}]", "m: entry 1 names no document"),
        ('{"d1": {"a": {}}}', "m: document d1, a: a text or a number is expected"),
        ("[" * 100_000, "m: not JSON: nested too deeply"),
        ('[{"document": "\\ud800"}]', "m: '\\ud800' is not a text: it has half of a surrogate pair"),
        ('[{"document": "d", "\\udfff": "x"}]', "m: '\\udfff' is not a text"),
        ('{"d1": {}, "d1": {}}', "m: d1 is there twice in one object"),
        ('[{"document": "d", " ": "x"}]', "m: a value has an empty name"),
        ("\t".join(f"c{i}" for i in range(100_000)), "m:1:201: 100,000 columns; at most 200 are read"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        parse_metadata(text, "m")

    assert str(caught.value).startswith(message)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(MetadataError) as caught:
        parse_metadata("document\tsource\n", "m").column("group")

    assert str(caught.value) == "m:1: no column is called group; there are: source"


def test_numbers_stay_as_they_are_written() -> None:
    read = parse_metadata('[{"document": 7, "big": %s, "long": 1.50, "odd": -0}]' % ("9" * 5_000), "m")
    assert read.rows == {"7": {"big": "9" * 5_000, "long": "1.50", "odd": "-0"}}
