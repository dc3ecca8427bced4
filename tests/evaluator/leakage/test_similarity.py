"""Nearest training documents: by hand, by brute force, and on the real ChEMU texts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.leakage.approximate import Sketch, approximate_nearest, approximate_similarity, measure_recall
from evaluator.leakage.nearest import NOBODY, Effort, block_nearest, find_nearest, merge, transpose
from evaluator.leakage.similarity import find_similarity
from evaluator.leakage.vectors import Vectors, Weights, vectorise
from tests.evaluator.leakage.documents import chemu_ref

TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join), max_size=12)
COUNTS = Vectors(weights=Weights.COUNTS)


def cosine(one: str, other: str, *, counts: bool) -> float:
    a, b = (Counter(each.split()) if counts else Counter(set(each.split())) for each in (one, other))
    if not a or not b:
        return 0.0
    return sum(a[word] * b[word] for word in a) / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


def test_by_hand() -> None:
    train = {"t1": "water and salt", "t2": "Acid and base and water", "t3": ""}
    test = {"new": "quartz", "half": "ACID water tea milk", "same": "water and salt"}
    found = find_similarity(train, test)

    assert [(each.document, each.nearest) for each in found.neighbours] == [("half", "t2"), ("new", None), ("same", "t1")]
    assert found.of_document == pytest.approx({"half": 2 / math.sqrt(4 * 4), "new": 0.0, "same": 1.0})
    assert [(each.name, each.documents) for each in found.bins] == [("Q1", 1), ("Q2", 0), ("Q3", 1), ("Q4", 1)]
    assert (found.vectors, found.method) == ("binary-lower", "exact")
    by_counts = find_similarity(train, test, COUNTS)
    assert by_counts.of_document["half"] == pytest.approx(2 / math.sqrt(4 * 7))
    cased = find_similarity(train, test, Vectors(lower=False))
    assert cased.of_document["half"] == pytest.approx(1 / math.sqrt(4 * 3))
    assert (by_counts.vectors, cased.vectors) == ("counts-lower", "binary-cased")


def test_similarity_is_never_above_one_and_ties_go_to_the_lowest_id() -> None:
    words = " ".join(f"w{i}" for i in range(49))
    found = find_similarity({"b": words, "a": words, "c": words}, {"x": words}, effort=Effort(memory_mib=1))

    assert found.neighbours[0].nearest == "a"
    assert found.neighbours[0].similarity <= 1.0
    assert found.bins[3].documents == 1


@pytest.mark.parametrize(("train", "test"), [({}, {}), ({"a": "x"}, {}), ({}, {"b": "x"}), ({"a": ""}, {"b": ""})])
def test_nothing_to_compare_is_similarity_zero(train: dict[str, str], test: dict[str, str]) -> None:
    for found in (find_similarity(train, test), approximate_similarity(train, test)):
        assert [each.similarity for each in found.neighbours] == [0.0] * len(test)
        assert [each.nearest for each in found.neighbours] == [None] * len(test)


@given(TEXTS, TEXTS, st.booleans())
@settings(deadline=None)  # the first example imports scipy
def test_the_nearest_is_that_of_all_pairs(train: list[str], test: list[str], counts: bool) -> None:
    rows, columns = vectorise(COUNTS if counts else Vectors(), test, train)
    found = find_nearest(rows, columns)

    for text, at, similarity in zip(test, found.train.tolist(), found.similarity.tolist(), strict=True):
        every = [cosine(text, each, counts=counts) for each in train]
        assert similarity == pytest.approx(max(every, default=0.0))
        assert (at == NOBODY) == (max(every, default=0.0) == 0.0)
        assert at == NOBODY or every[at] == pytest.approx(max(every))


@given(TEXTS, TEXTS)
@settings(deadline=None)  # the first example imports scipy
def test_similarity_is_symmetric(train: list[str], test: list[str]) -> None:
    rows, columns = vectorise(COUNTS, test, train)

    assert ((rows @ columns.T).toarray() == (columns @ rows.T).toarray().T).all()


@given(TEXTS, TEXTS, st.integers(1, 5), st.integers(1, 5), st.integers(1, 2))
@settings(deadline=None)  # the first example imports scipy
def test_blocks_make_no_difference(train: list[str], test: list[str], rows: int, columns: int, jobs: int) -> None:
    class Small(Effort):
        @property
        def block(self) -> tuple[int, int]:
            return rows, columns

    one, other = vectorise(COUNTS, test, train)
    told: list[tuple[int, int]] = []
    blocked = find_nearest(one, other, Small(jobs=jobs), lambda done, total: told.append((done, total)))
    whole = block_nearest(one, transpose(other))

    assert blocked.train.tolist() == whole.train.tolist()
    assert blocked.similarity.tolist() == whole.similarity.tolist()
    assert told == sorted(told)
    assert not told or told[-1] == (len(train) * len(test), len(train) * len(test))


def test_processes_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, columns = vectorise(Vectors(), list(chemu_ref("dev").values()), list(chemu_ref("train").values()))
    alone = find_nearest(rows, columns)
    monkeypatch.setattr("evaluator.leakage.nearest._WORTH_PROCESSES", 0)
    told: list[int] = []
    together = find_nearest(rows, columns, Effort(jobs=2), lambda done, _: told.append(done))

    assert together.train.tolist() == alone.train.tolist()
    assert together.similarity.tolist() == alone.similarity.tolist()
    assert len(told) == 8
    assert told[-1] == 900 * 225


def test_blocks_are_merged_in_their_order() -> None:
    test, train = vectorise(Vectors(), ["a b"], ["a", "b", "a b", "b a"])
    first, second = (block_nearest(test, transpose(train[i : i + 2]), i) for i in (0, 2))

    assert merge(first, second).train.tolist() == [2]
    assert merge(second, first).train.tolist() == [2]


@pytest.mark.parametrize("memory", [1, 16, 256, 4096])
@pytest.mark.parametrize("jobs", [1, 2, 64])
def test_blocks_keep_to_the_memory(memory: int, jobs: int) -> None:
    rows, columns = Effort(memory_mib=memory, jobs=jobs).block

    assert rows >= 1
    assert columns >= 1
    assert rows * columns * 32 * jobs <= memory * 2**20
    with pytest.raises(ValueError, match="at least 1"):
        Effort(memory_mib=0)


@pytest.mark.parametrize(
    ("vectors", "documents"),
    [
        (Vectors(), [0, 18, 138, 69]),
        (Vectors(lower=False), [0, 20, 135, 70]),
        (COUNTS, [0, 0, 5, 220]),
        (Vectors(weights=Weights.COUNTS, lower=False), [0, 0, 5, 220]),
    ],
    ids=lambda each: each.name if isinstance(each, Vectors) else "",
)
def test_the_real_chemu_texts(vectors: Vectors, documents: list[int]) -> None:
    """METHODS, section 1: 0 / 8.0 / 61.3 / 30.7 %, with case kept 0 / 8.9 / 60.0 / 31.1, by counts 0 / 0 / 2 / 98."""
    found = find_similarity(chemu_ref("train"), chemu_ref("dev"), vectors)

    assert [each.documents for each in found.bins] == documents
    assert sorted(each.documents for each in found.quartiles) == [56, 56, 56, 57]


def test_one_chemu_document_is_on_an_edge_and_counts_below_it() -> None:
    """Dev 0395 shares 28 of its 64 words with the 49 of train 0014: exactly .5, in float64 2e-16 less.

    scikit-learn's sums say the same, and the figures in METHODS are made with them; exact ones would be 7.6 and 61.8 %.
    """
    found = {each.document: each for each in find_similarity(chemu_ref("train"), chemu_ref("dev")).neighbours}["0395"]
    words = [set(text.lower().split()) for text in (chemu_ref("dev")["0395"], chemu_ref("train")[found.nearest or ""])]

    assert len(words[0] & words[1]) ** 2 * 4 == len(words[0]) * len(words[1])
    assert found.similarity == pytest.approx(0.5, abs=1e-15)
    assert found.similarity < 0.5


def test_approximation_is_never_too_large_and_rarely_too_small() -> None:
    train, test = chemu_ref("train"), chemu_ref("dev")
    rows, columns = vectorise(Vectors(), list(test.values()), list(train.values()))
    exact, told = find_nearest(rows, columns), []
    close = approximate_nearest(rows, columns, Sketch(), lambda done, total: told.append((done, total)))
    recall = measure_recall(exact, close)

    assert told[-1] == (900, 900)
    assert (close.similarity <= exact.similarity + 1e-9).all()
    assert recall.documents == 225
    assert recall.found >= 0.9 * 225
    assert recall.same_bin >= 0.98 * 225
    assert recall.near == 207
    assert recall.near_found >= 0.9 * 207
    assert measure_recall(exact, exact).found == 225


def test_approximation_depends_on_nothing_but_its_seed() -> None:
    train, test = chemu_ref("dev"), dict(list(chemu_ref("train").items())[:50])
    one, other = (approximate_similarity(train, test, sketch=Sketch(bands=8)) for _ in range(2))

    assert one == other
    assert one.method == "minhash-lsh-8x3-seed-1"


def test_copies_are_always_proposed() -> None:
    test, train = vectorise(Vectors(), ["a b c d", "e f g"], ["x y z", "d c b a", "g f e", "a b c d"])
    found = approximate_nearest(test, train)

    assert found.train.tolist() == [1, 2]
    assert np.allclose(found.similarity, 1.0)
