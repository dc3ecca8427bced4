"""Certainty of boards: by hand, by full enumeration, against scipy, and on planted quality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluator.resampling import figures
from evaluator.uncertainty.boards import Draws, certainty_of, holm

# Ten documents of two runs: true positives, false positives, false negatives.
ONE = [[8, 1, 1], [5, 0, 2], [9, 3, 0], [4, 2, 2], [7, 1, 1], [2, 3, 4], [3, 2, 5], [1, 1, 3], [6, 4, 3], [1, 2, 4]]
OTHER = [[7, 2, 2], [5, 1, 2], [8, 3, 1], [4, 1, 2], [5, 1, 3], [1, 3, 5], [3, 1, 5], [2, 1, 2], [4, 4, 5], [1, 1, 4]]
BOTH = np.array([ONE, OTHER], dtype=np.int64)


def f1(counts: np.ndarray) -> float:
    return float(figures(counts.sum(axis=0))[2])


def test_chance_is_that_of_all_swaps() -> None:
    observed = f1(BOTH[0]) - f1(BOTH[1])
    every = []
    for mask in range(2**10):
        swap = np.array([(mask >> i) & 1 for i in range(10)], dtype=bool)
        one, other = np.where(swap[:, None], BOTH[1], BOTH[0]), np.where(swap[:, None], BOTH[0], BOTH[1])
        every.append(f1(one) - f1(other))
    exact = float(np.mean(np.abs(every) >= abs(observed) - 1e-12))
    (pair,) = certainty_of(["a", "b"], BOTH, draws=Draws(shuffles=20_000)).pairs
    assert pair.difference == pytest.approx(observed)
    assert pair.chance == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 20_000) ** 0.5)


def test_chance_is_that_of_scipy() -> None:
    """scipy's permutation test of paired samples swaps documents between runs, given their numbers."""

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        return f1(BOTH.reshape(20, 3)[one.astype(int)]) - f1(BOTH.reshape(20, 3)[other.astype(int)])

    theirs = stats.permutation_test(
        (np.arange(10), np.arange(10, 20)), difference, permutation_type="samples", n_resamples=np.inf
    )
    (pair,) = certainty_of(["a", "b"], BOTH, draws=Draws(shuffles=20_000)).pairs
    assert pair.chance == pytest.approx(float(theirs.pvalue), abs=0.02)


def test_holm_by_hand() -> None:
    # Sorted: .01·4 = .04, .02·3 = .06, .03·2 = .06, .9·1 = .9.
    assert holm([0.02, 0.9, 0.01, 0.03]) == pytest.approx([0.06, 0.9, 0.04, 0.06])
    # .04·2 = .08, and .05·1 is not below what comes before it.
    assert holm([0.05, 0.04]) == pytest.approx([0.08, 0.08])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def planted(shares: list[float], documents: int = 80) -> np.ndarray:
    random = np.random.default_rng(5)
    hard = random.uniform(-0.1, 0.1, documents)
    right = np.stack([random.binomial(12, np.clip(share + hard, 0, 1)) for share in shares])
    return np.stack([right, np.ones_like(right), 12 - right], axis=-1)


def test_bands_agree_with_planted_quality() -> None:
    names = ["good", "as good", "middling", "poor"]
    board = certainty_of(names, planted([0.9, 0.9, 0.75, 0.5]), draws=Draws(500, 2_000))
    assert {each.run: each.band for each in board.runs} == {"good": 1, "as good": 1, "middling": 2, "poor": 3}
    first = {each.run: each.first or 0 for each in board.runs}
    assert first["good"] + first["as good"] >= 1
    assert first["poor"] == 0
    by_name = {each.run: each for each in board.runs}
    assert by_name["poor"].rank == 4
    assert by_name["poor"].ranks is not None
    assert (by_name["poor"].ranks.low, by_name["poor"].ranks.high) == (4, 4)
    assert len(board.pairs) == 6
    assert all(each.difference >= 0 for each in board.pairs)


def test_equal_runs_share_everything() -> None:
    board = certainty_of(["a", "b"], np.array([ONE, ONE], dtype=np.int64), draws=Draws(200, 500))
    assert [(each.rank, each.band, each.first) for each in board.runs] == [(1, 1, 1.0), (1, 1, 1.0)]
    assert (board.pairs[0].chance, board.pairs[0].adjusted) == (1, 1)


def test_a_run_without_a_figure_has_no_rank() -> None:
    nothing = np.zeros((10, 3), dtype=np.int64)
    board = certainty_of(["nothing", "one"], np.array([nothing, ONE], dtype=np.int64), draws=Draws(100, 100))
    assert [each.run for each in board.runs] == ["one", "nothing"]
    last = board.runs[1]
    assert (last.rank, last.ranks, last.first, last.band) == (None, None, None, None)
    assert board.pairs == ()


def test_the_same_again_and_other_metrics() -> None:
    few = Draws(100, 100)
    assert certainty_of(["a", "b"], BOTH, draws=few) == certainty_of(["a", "b"], BOTH, draws=few)
    assert certainty_of(["a", "b"], BOTH, "recall", few).metric == "recall"
    with pytest.raises(ValueError, match="precision, recall or f1"):
        certainty_of(["a", "b"], BOTH, "accuracy")
    with pytest.raises(ValueError, match="different names"):
        certainty_of(["a", "a"], BOTH)
