"""Near and exact copies: by hand, by brute force, and in the real corpora."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.leakage.copies import Copy, Nearness, copied_documents, find_copies, near_pairs
from evaluator.leakage.grams import gram_sets
from tests.evaluator.leakage.documents import chemu_ref, ddi

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=12).map(" ".join), max_size=12)


def grams(text: str, size: int) -> set[tuple[str, ...]]:
    words = text.split()
    if 0 < len(words) < size:
        return {tuple(words)}
    return {tuple(words[i : i + size]) for i in range(len(words) - size + 1)}


@given(TEXTS, st.integers(1, 5), st.sampled_from([0.05, 0.3, 0.5, 0.75, 1.0]))
@settings(deadline=None)  # the first example imports scipy
def test_near_pairs_are_those_of_all_pairs(texts: list[str], size: int, threshold: float) -> None:
    expected = {}
    for (i, one), (j, other) in combinations(enumerate(grams(each, size) for each in texts), 2):
        if one & other and len(one & other) / len(one | other) >= threshold:
            expected[i, j] = len(one & other) / len(one | other)
    found = {(i, j): jaccard for i, j, jaccard in near_pairs(texts, Nearness(words=size, threshold=threshold))}

    assert found == expected


@given(TEXTS, st.integers(1, 6))
@settings(deadline=None)  # the first example imports scipy
def test_runs_are_numbered_one_to_one(texts: list[str], size: int) -> None:
    found = gram_sets(texts, size)
    sizes = (found.indptr[1:] - found.indptr[:-1]).tolist()

    assert sizes == [len(grams(each, size)) for each in texts]
    assert found.shape[1] >= len(set().union(*(grams(each, size) for each in texts), set()))
    shared = (found @ found.T).toarray()
    for i, j in combinations(range(len(texts)), 2):
        assert shared[i, j] == len(grams(texts[i], size) & grams(texts[j], size))


def test_by_hand_within_and_across_splits() -> None:
    text = "one two three four five six seven eight"
    splits = {
        "train": {"b": text, "a": text.upper().replace(" ", "\n\n"), "e": "", "s": "too short"},
        "test": {"a": text + " nine", "e": "", "s": "Too  short", "other": "nothing of that at all here"},
    }
    copies = find_copies(splits)

    assert copies[:2] == (
        Copy(splits=("train", "train"), documents=("a", "b"), jaccard=1.0, exact=True),
        Copy(splits=("train", "test"), documents=("s", "s"), jaccard=1.0, exact=True),
    )
    assert [(each.documents, each.jaccard, each.exact, each.across) for each in copies[2:]] == [
        (("a", "a"), 4 / 5, False, True),
        (("b", "a"), 4 / 5, False, True),
    ]
    assert find_copies(splits, Nearness(threshold=0.81)) == copies[:2]
    assert find_copies({}) == find_copies({"train": {}, "test": {"x": ""}}) == ()


@pytest.mark.parametrize(("words", "threshold"), [(0, 0.5), (5, 0.0), (5, 1.1)])
def test_a_threshold_that_makes_no_sense(words: int, threshold: float) -> None:
    with pytest.raises(ValueError, match="at least one word"):
        Nearness(words=words, threshold=threshold)


def test_the_copies_that_are_known_in_the_chemu_texts() -> None:
    splits = {"train": chemu_ref("train"), "dev": chemu_ref("dev")}
    found = {(each.splits, each.documents): each for each in find_copies(splits, Nearness(threshold=0.3))}
    across = [each for each in found.values() if each.across]

    assert round(found[("train", "dev"), ("1307", "0389")].jaccard, 3) == 0.991
    assert round(found[("train", "dev"), ("0964", "0050")].jaccard, 3) == 0.967
    assert found[("train", "train"), ("0110", "0532")].exact
    assert len({each.documents[1] for each in across if each.jaccard >= 0.5}) == 18
    assert len({each.documents[1] for each in across}) == 52


def test_the_copies_that_are_known_in_the_ddi_corpus() -> None:
    found = [each for each in find_copies({split: ddi(split).texts for split in ("train", "test")}) if each.across]

    assert [each.documents for each in found if each.exact] == [
        ("Hexobarbital_ddi", "Secobarbital"),
        ("Nafcillin_ddi", "Oxacillin"),
    ]
    assert ("Cortisone acetate_ddi", "Prednisone") in [each.documents for each in found if not each.exact]


def test_copies_in_words() -> None:
    text = "one two three four five six seven"
    splits = {
        "train": {"a": text, "b": "other words"},
        "test": {"c": text.upper(), "d": f"{text} eight", "e": "something else"},
    }

    # c is a's text in capitals; of d's four runs of five words three are a's.
    assert list(copied_documents(splits)) == ["test: 2 documents are copies, or nearly, of what is in train"]
    assert list(copied_documents({"train": splits["train"], "test": {"c": text}})) == [
        "test: 1 document is a copy, or nearly one, of what is in train"
    ]
    assert list(copied_documents({"train": splits["train"]})) == []
