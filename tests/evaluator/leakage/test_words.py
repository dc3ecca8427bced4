"""What a word is, and what two texts share."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.leakage.shared_text import find_shared
from evaluator.leakage.words import split_words, word_spans

TEXTS = st.text(alphabet=st.sampled_from('abAB.,;()[]"“” \n\t\u00a05%-'), max_size=40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A (300 mg), then B.", ["a", "(", "300", "mg", ")", ",", "then", "b", "."]),
        ("(R)-alanine in 2,4-dione", ["(r)-alanine", "in", "2,4-dione"]),
        ("((R)-x) palladium(II)", ["(", "(r)-x", ")", "palladium(ii)"]),
        ('"so"... 5%', ['"', "so", '"', ".", ".", ".", "5%"]),
        ("( ) ()", ["(", ")", "(", ")"]),
        ("(a)(b)", ["(a)(b)"]),
        ("", []),
    ],
)
def test_words_and_the_punctuation_around_them(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_case_is_kept_where_asked() -> None:
    assert split_words("Water, THF", lower=False) == ["Water", ",", "THF"]


def test_what_is_too_long_for_a_word_is_left_alone() -> None:
    assert split_words("(" * 100_000) == ["(" * 100_000]


@given(TEXTS)
@settings(deadline=None)
def test_words_stand_where_they_are_said_to_and_make_up_the_text(text: str) -> None:
    spans = list(word_spans(text))

    assert [text[start:end] for _, (start, end) in spans] == [word for word, _ in spans]
    assert [word for word, _ in spans] == split_words(text, lower=False)
    assert "".join(word for word, _ in spans) == re.sub(r"\s", "", text)


def test_what_two_texts_share_is_marked_in_both_case_aside() -> None:
    first, second = "The acid was cooled.", "Cooled, the BASE was"
    found = find_shared(first, second)

    assert [first[start:end] for start, end in found.first] == ["The", "was", "cooled"]
    assert [second[start:end] for start, end in found.second] == ["Cooled", "the", "was"]


def test_runs_that_two_texts_share_are_marked_as_one_place_each() -> None:
    first, second = "a b c d x e f g", "q b c d z f g e f g"
    found = find_shared(first, second, 3)

    assert [first[start:end] for start, end in found.first] == ["b c d", "e f g"]
    assert [second[start:end] for start, end in found.second] == ["b c d", "e f g"]


@given(TEXTS, TEXTS, st.integers(1, 4))
@settings(deadline=None)
def test_what_is_shared_does_not_depend_on_the_order_of_the_two(first: str, second: str, size: int) -> None:
    one, other = find_shared(first, second, size), find_shared(second, first, size)

    assert (one.first, one.second) == (other.second, other.first)
