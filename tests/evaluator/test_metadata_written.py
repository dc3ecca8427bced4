"""Metadata written as a table, and read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metadata import Metadata, as_tsv, parse_metadata

_words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8).filter(
    lambda each: each == each.strip("\ufeff")
)


@given(st.lists(_words.filter(lambda each: each != "document"), min_size=1, max_size=3, unique=True), st.data())
def test_what_is_written_is_read(names: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.dictionaries(_words, st.dictionaries(st.sampled_from(names), _words), max_size=4))
    written = Metadata(tuple(names), rows, "m")

    assert parse_metadata(as_tsv(written), "m") == written


@pytest.mark.parametrize("bad", ["a\tb", "a\nb", "a\rb", " a"])
def test_what_a_table_cannot_hold(bad: str) -> None:
    with pytest.raises(ValueError, match="cannot be written into a table"):
        as_tsv(Metadata(("x",), {"d": {"x": bad}}))


def test_an_attribute_cannot_be_called_as_the_documents_are() -> None:
    with pytest.raises(ValueError, match="an attribute cannot be called document"):
        as_tsv(Metadata(("document",), {}))
