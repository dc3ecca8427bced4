"""Strings seen in training, and their entropy: by hand, by brute force, and in the real corpora."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.model import Document, TextBound
from evaluator.leakage.entropy import Labelling, entropy_of, find_sets, label_strings
from evaluator.leakage.mentions import mentions
from evaluator.leakage.occurrences import StringIndex
from evaluator.leakage.strings import find_seen
from tests.evaluator.leakage.documents import ddi, document


@pytest.mark.parametrize(
    ("labels", "outside", "entropy"),
    [
        ({"OTHER_COMPOUND": 125, "SOLVENT": 66, "STARTING_MATERIAL": 11, "REAGENT_CATALYST": 10}, 37, 0.542),  # methanol
        ({"OTHER_COMPOUND": 261, "SOLVENT": 42, "REAGENT_CATALYST": 6}, 123, 0.412),  # aqueous
        ({"OTHER_COMPOUND": 125, "SOLVENT": 66, "STARTING_MATERIAL": 11, "REAGENT_CATALYST": 10}, 0, 0.422),
        ({"OTHER_COMPOUND": 261, "SOLVENT": 42, "REAGENT_CATALYST": 6}, 0, 0.213),
        ({"OTHER_COMPOUND": 216}, 0, 0.0),  # brine
        ({}, 5, 0.0),
        ({}, 0, 1.0),
        ({str(i): 1 for i in range(10)}, 1, math.log10(11)),
    ],
)
def test_entropy_as_in_the_paper(labels: dict[str, int], outside: int, entropy: float) -> None:
    assert round(Labelling(labels, outside).entropy, 3) == round(entropy, 3)


def test_what_counts_as_an_occurrence_recounted_by_hand() -> None:
    """`acid` six times: twice with a label, once with two, once with none, and twice not to be counted."""
    text = "acid, Acid; acid acids. nitric acid (acid)\nacid-base"
    bounds = [
        TextBound("T1", "X", ((0, 4),), "acid"),
        TextBound("T2", "Y", ((12, 16),), "acid"),
        TextBound("T3", "X", ((12, 16),), "acid"),
        TextBound("T4", "X", ((12, 16),), "acid"),  # a repetition
        TextBound("T5", "X", ((24, 35),), "nitric acid"),
        TextBound("T6", "STEP", ((43, 52),), "acid-base"),
    ]
    found = label_strings(["acid", "nitric acid", "absent"], [Document("d", tuple(bounds), text)], ["STEP"])

    # none: in brackets, and at the start of `acid-base`, whose label is not that of an entity; `acids` and `Acid` differ
    assert found["acid"] == Labelling({"X": 2, "Y": 1}, 2)
    assert found["nitric acid"] == Labelling({"X": 1}, 0)
    assert found["absent"] == Labelling({}, 0)
    assert found["acid"].entropy == pytest.approx(-(0.4 * math.log10(0.4) * 2 + 0.2 * math.log10(0.2)))


def test_white_space_is_collapsed_on_both_sides_and_fragments_are_joined() -> None:
    text = "ethyl  acetate and ethyl\n acetate, ethylacetate, 2- and 3-ol, 2- 3-ol"
    start = text.index("2-")
    bounds = (
        TextBound("T1", "A", ((0, 14),), "ethyl acetate"),
        TextBound("T2", "B", ((start, start + 2), (start + 7, start + 11)), "2- 3-ol"),
    )
    one = Document("d", bounds, text)

    assert [each.string for each in mentions(one)] == ["ethyl acetate", "2- 3-ol"]
    assert label_strings(["ethyl acetate", "2- 3-ol"], [one]) == {
        "ethyl acetate": Labelling({"A": 1}, 1),
        "2- 3-ol": Labelling({"B": 1}, 1),
    }


def test_without_a_text_the_columns_are_what_is_covered() -> None:
    one = Document("d", (TextBound("T1", "A", ((3, 9),), "a\tb"),))

    assert label_strings(["a b"], [one]) == {"a b": Labelling({"A": 1}, 0)}


@given(st.text("aA1-_. \n", max_size=30), st.lists(st.text("aA1-_. ", max_size=5), max_size=6))
@settings(deadline=None)
def test_one_walk_finds_what_a_search_for_each_string_finds(text: str, strings: list[str]) -> None:
    wanted = {" ".join(each.split()) for each in strings} - {""}
    expected = set()
    for string in wanted:
        pattern = r"\s+".join(re.escape(each) for each in string.split())
        for found in re.finditer(f"(?=({pattern}))", text):
            start, end = found.span(1)
            inside = [text[i - 1 : i + 1] for i in (start, end) if 0 < i < len(text)]
            if not any(each.isalnum() for each in inside):
                expected.add((string, (start, end)))

    assert sorted(StringIndex(wanted).find(text)) == sorted(expected)


@given(st.lists(st.integers(0, 50), max_size=12))
@settings(deadline=None)
def test_entropy_lies_between_nothing_and_the_logarithm_of_the_number_of_labels(counts: list[int]) -> None:
    positive = [each for each in counts if each]

    assert entropy_of(counts) == entropy_of(positive)
    assert 0 <= entropy_of(counts) <= math.log10(max(len(positive), 1)) + 1e-12 or not positive
    assert (entropy_of(counts) == 0) == (len(positive) == 1)


def test_the_sets_of_a_small_test_set_recounted_by_hand() -> None:
    train = [
        document("water ice water", ("S", "water"), ("S", "ice"), ("S", "water")),
        document("salt salt salt salt", ("S", "salt"), ("T", "salt"), ("S", "salt")),
    ]
    dev = [document("ice water " * 20, *[("S", "ice")] * 19)]  # `ice` once, `water` twenty times without a label
    test = [
        document("ice water salt rock salt pure", ("S", "ice"), ("S", "water"), ("S", "salt"), ("S", "rock"), ("S", "salt"))
    ]
    found = find_sets([*train, *dev], test)

    assert found.entropies == pytest.approx(
        {
            "ice": -(20 / 21 * math.log10(20 / 21) + 1 / 21 * math.log10(1 / 21)),
            "water": -(2 / 22 * math.log10(2 / 22) + 20 / 22 * math.log10(20 / 22)),
            "salt": -(2 / 4 * math.log10(2 / 4) + 2 * 1 / 4 * math.log10(1 / 4)),
            "rock": 1.0,
        }
    )
    assert [(each.name, each.strings, each.mentions) for each in found.sets] == [
        ("S1", 0, 0),
        ("S2", 2, 2),
        ("S3", 1, 2),
        ("S4", 1, 1),
    ]
    assert (found.unseen, found.only_outside) == (1, 0)
    assert [(each.string, each.set, each.test_set) for each in found.moves] == [
        ("salt", "S3", "S1"),
        ("ice", "S2", "S1"),
        ("water", "S2", "S1"),
    ]
    assert find_sets(train, [document("pure", ("S", "pure"))]).unseen == 1
    assert find_sets([document("pure")], [document("pure", ("S", "pure"))]).only_outside == 1


def test_strings_seen_by_hand() -> None:
    train = [document("Water and salt", ("S", "Water"), ("S", "salt"))]
    dev = [document("ice", ("S", "ice"))]
    test = [document("water salt salt ice rock", *[("S", each) for each in ["water", "salt", "salt", "ice", "rock"]])]
    found = find_seen({"train": train, "train+dev": [*train, *dev]}, test)

    assert [(each.where, each.folded, each.mentions_seen, each.types_seen) for each in found] == [
        ("train", True, 3, 2),
        ("train", False, 2, 1),
        ("train+dev", True, 4, 3),
        ("train+dev", False, 3, 2),
    ]
    assert {(each.mentions, each.types) for each in found} == {(5, 4)}
    assert find_seen({"train": train}, [])[0].mention_share is None


def test_strings_of_the_ddi_corpus_that_were_seen() -> None:
    """METHODS and DATA: 65.3 % of mentions and 51.1 % of types with case folded, 62.2 % and 48.8 % with case kept."""
    folded, kept = find_seen({"train": ddi("train").documents.values()}, ddi("test").documents.values())

    assert folded.mentions == 3726
    assert (round(folded.mention_share or 0, 3), round(folded.type_share or 0, 3)) == (0.653, 0.511)
    assert (round(kept.mention_share or 0, 3), round(kept.type_share or 0, 3)) == (0.622, 0.488)
