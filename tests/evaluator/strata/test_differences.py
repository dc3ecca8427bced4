"""Groups of documents: a planted difference is found, and one that is not there is not."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.scores import Counts
from evaluator.strata.differences import REST, Draws, compare_groups

FEW = Draws(bootstrap=400, permutations=1_000)


def counts_of(rows: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), 1, 3)


def test_by_hand() -> None:
    documents = ["a", "b", "c", "d", "e"]
    values = {"a": "female", "b": "female", "c": "male", "d": "male", "zz": "male"}
    found = compare_groups(
        "gender", values, documents, counts_of([(3, 1, 0), (1, 0, 1), (2, 0, 0), (2, 1, 3), (9, 9, 9)]), FEW
    )[0]
    assert [(each.group, each.documents, each.counts) for each in found.groups] == [
        ("female", 2, Counts(4, 1, 1)),
        ("male", 2, Counts(4, 1, 3)),
    ]
    assert (found.unknown.documents, found.unknown.counts) == (1, Counts(9, 9, 9))
    assert found.unknown.intervals == {"precision": None, "recall": None, "f1": None}
    differences = {each.metric: each for each in found.differences}
    assert differences["f1"].sign == "female − male"
    # Precision 4/5 both; recall 4/5 − 4/7; F1 8/10 − 8/12.
    assert differences["precision"].value == 0
    assert differences["recall"].value == pytest.approx(4 / 5 - 4 / 7)
    assert differences["f1"].value == pytest.approx(8 / 10 - 8 / 12)
    assert differences["precision"].chance == 1
    assert found.groups[0].intervals["f1"] is None, "of two documents nothing can be drawn that says anything"
    assert all(each.interval is None for each in found.differences)
    assert found.worst is found.groups[1]


def planted(
    random: np.random.Generator, better: float, worse: float, size: int = 60
) -> tuple[dict[str, str], list[str], np.ndarray]:
    documents = [f"d{i:03}" for i in range(2 * size)]
    values = {id_: ("female", "male")[i % 2] for i, id_ in enumerate(documents)}
    right = [random.binomial(10, (better, worse)[i % 2]) for i in range(2 * size)]
    return values, documents, counts_of([(each, 1, 10 - each) for each in right])


def test_a_planted_difference_is_found() -> None:
    values, documents, counts = planted(np.random.default_rng(1), 0.9, 0.7)
    found = next(
        each for each in compare_groups("gender", values, documents, counts, FEW)[0].differences if each.metric == "recall"
    )
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.low < 0.2 < found.interval.high
    assert found.interval.low > 0
    assert found.chance == 1 / 1001


def test_what_is_not_there_is_found_as_often_as_chance_says() -> None:
    random = np.random.default_rng(2)
    chances, covered = [], 0
    for _ in range(200):
        values, documents, counts = planted(random, 0.8, 0.8, 20)
        found = compare_groups("gender", values, documents, counts, Draws(200, 200))[0].differences[1]
        assert found.interval is not None
        covered += found.interval.low <= 0 <= found.interval.high
        chances.append(found.chance or 0)
    # 200 trials at 5 %: expected 10, standard deviation 3.1.
    assert sum(each <= 0.05 for each in chances) <= 20
    assert 0.4 < np.mean(chances) < 0.6
    # The percentile interval is somewhat short with twenty documents a group.
    assert 175 <= covered <= 199


def test_many_groups_are_each_compared_with_the_others() -> None:
    documents = [f"d{i}" for i in range(12)]
    values = {id_: str(1880 + 10 * (i % 4)) for i, id_ in enumerate(documents)}
    found = compare_groups("decade", values, documents, counts_of([(i % 4, 1, 1) for i in range(12)]), FEW)[0]
    assert [each.group for each in found.groups] == ["1880", "1890", "1900", "1910"]
    assert {(each.first, each.second) for each in found.differences} == {(each.group, REST) for each in found.groups}
    # 1910: tp 9, fp 3, fn 3: F1 18/24. The others: tp 0 + 3 + 6, fp 9, fn 9: 18/36.
    last = next(each for each in found.differences if (each.first, each.metric) == ("1910", "f1"))
    assert last.value == pytest.approx(18 / 24 - 18 / 36)


def test_equal_draws_for_all_criteria_and_the_same_again() -> None:
    values, documents, counts = planted(np.random.default_rng(3), 0.9, 0.8)
    both = compare_groups("gender", values, documents, np.concatenate([counts, counts], axis=1), FEW)
    assert both[0] == both[1]
    assert compare_groups("gender", values, documents, counts, FEW)[0] == both[0]
    assert compare_groups("gender", values, documents, counts, Draws(400, 1_000, seed=5))[0] != both[0]


def test_groups_may_have_any_name() -> None:
    documents = [f"d{i}" for i in range(12)]
    counts = counts_of([(i % 4, 1, 1) for i in range(12)])

    def difference(names: list[str], first: str) -> float | None:
        values = {id_: names[i % len(names)] for i, id_ in enumerate(documents)}
        found = compare_groups("g", values, documents, counts, FEW)[0].differences
        return next(each.value for each in found if each.metric == "f1" and each.first == first)

    plain = difference(["a", "b", "x"], "a")
    for name in (REST, "none", "all", "×"):
        assert difference(["a", "b", name], "a") == plain, "the third group is not what is subtracted"
    assert difference(["a", "b", REST, "d"], "a") == difference(["a", "b", "c", "d"], "a")
    found = compare_groups("g", dict.fromkeys(documents, "none"), documents, counts, FEW)[0]
    assert [each.group for each in found.groups] == ["none (as given)"]


def test_groups_of_few_documents_have_no_interval() -> None:
    _, documents, counts = planted(np.random.default_rng(4), 0.9, 0.7, 12)
    some = {id_: "few" if i < 9 else "many" for i, id_ in enumerate(documents)}
    found = compare_groups("g", some, documents, counts, FEW)[0]
    assert [each.intervals["f1"] is None for each in found.groups] == [True, False]
    assert all(each.interval is None and each.chance is not None for each in found.differences)


def test_groups_without_a_figure() -> None:
    found = compare_groups("g", {"a": "x", "b": "y"}, ["a", "b"], counts_of([(0, 0, 0), (1, 0, 0)]), FEW)[0]
    assert found.worst is not None
    assert found.worst.group == "y"
    assert all((each.value, each.interval, each.chance) == (None, None, None) for each in found.differences)
    nobody = compare_groups("g", {}, ["a"], counts_of([(1, 0, 0)]), FEW)[0]
    assert (nobody.groups, nobody.differences, nobody.worst, nobody.unknown.documents) == ((), (), None, 1)


def test_fewer_deals_of_very_many_documents() -> None:
    assert Draws().within(375).permutations == 10_000
    assert Draws().within(28_000).permutations == 3_571
    assert Draws().within(10**7).permutations == 1_000
