"""Resampling over documents, against hand calculations, full enumeration and scipy."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evaluator.resampling import chance_of, deal_sums, draw_sums, figures, interval_of

# Ten documents, one figure each: true positives, false positives, false negatives.
COUNTS = np.array(
    [[8, 1, 1], [5, 0, 2], [9, 3, 0], [4, 2, 2], [7, 1, 1], [2, 3, 4], [3, 2, 5], [1, 1, 3], [6, 4, 3], [0, 2, 4]],
    dtype=np.int64,
)


def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_figures_by_hand() -> None:
    found = figures(np.array([[6, 2, 4], [0, 0, 3], [0, 0, 0]]))
    assert found[0].tolist() == [6 / 8, 6 / 10, 12 / 18]
    assert math.isnan(found[1, 0])
    assert found[1, 1:].tolist() == [0, 0]
    assert np.isnan(found[2]).all()


def test_a_draw_has_as_many_documents_as_there_are() -> None:
    ones = np.ones((10, 1), dtype=np.int64)
    assert (draw_sums(ones, 500, random()) == 10).all()
    numbered = np.eye(10, dtype=np.int64)
    drawn = draw_sums(numbered, 4_000, random())
    assert (drawn.sum(axis=1) == 10).all()
    # Each document is drawn Binomial(10, 1/10) times: mean 1, variance .9; of 4,000 draws the mean is within 5 standard errors.
    assert np.abs(drawn.mean(axis=0) - 1).max() < 5 * math.sqrt(0.9 / 4_000)
    assert drawn.var(axis=0).mean() == pytest.approx(0.9, abs=0.05)


def test_a_deal_has_each_document_once() -> None:
    numbered = np.eye(10, dtype=np.int64)
    dealt = deal_sums(numbered, 4, 6_000, random())
    assert set(np.unique(dealt).tolist()) == {0.0, 1.0}
    assert (dealt.sum(axis=1) == 4).all()
    assert np.abs(dealt.mean(axis=0) - 0.4).max() < 5 * math.sqrt(0.4 * 0.6 / 6_000)
    pairs = {tuple(np.flatnonzero(row).tolist()) for row in dealt}
    assert len(pairs) == math.comb(10, 4), "every subset comes up"
    assert (deal_sums(numbered, 10, 3, random()) == 1).all()


def test_large_draws_are_made_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.resampling._CELLS", 25)
    assert draw_sums(COUNTS, 7, random()).shape == (7, 3)
    assert deal_sums(COUNTS, 4, 7, random()).shape == (7, 3)
    assert draw_sums(COUNTS[:0], 4, random()).tolist() == [[0, 0, 0]] * 4


def test_chance_is_that_of_all_deals() -> None:
    first, both = COUNTS[:4], COUNTS
    observed = figures(first.sum(axis=0)) - figures(both.sum(axis=0) - first.sum(axis=0))
    every = []
    for chosen in combinations(range(10), 4):
        one = both[list(chosen)].sum(axis=0)
        every.append(figures(one)[2] - figures(both.sum(axis=0) - one)[2])
    exact = np.mean(np.abs(every) >= abs(observed[2]) - 1e-12)  # 210 subsets
    dealt = deal_sums(both, 4, 20_000, random())
    apart = figures(dealt) - figures(both.sum(axis=0) - dealt)
    assert chance_of(float(observed[2]), apart[:, 2]) == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))
    assert chance_of(float(observed[2]), np.array(every)) == pytest.approx((1 + 210 * exact) / 211)


def test_chance_is_that_of_scipy() -> None:
    """The same numbers by scipy.stats.permutation_test, which deals documents too when it is given their numbers."""

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        f1 = [figures(COUNTS[each.astype(int)].sum(axis=0))[2] for each in (one, other)]
        return float(f1[0] - f1[1])

    theirs = stats.permutation_test(
        (np.arange(4), np.arange(4, 10)), difference, permutation_type="independent", n_resamples=np.inf
    )
    dealt = deal_sums(COUNTS, 4, 20_000, random())
    apart = figures(dealt)[:, 2] - figures(COUNTS.sum(axis=0) - dealt)[:, 2]
    ours = chance_of(float(theirs.statistic), apart)
    # scipy's two-sided p is twice the smaller tail; ours counts both tails by size. On a skewed null they differ a little.
    assert ours == pytest.approx(theirs.pvalue, abs=0.05)


def test_the_interval_is_that_of_scipy() -> None:
    rows = np.arange(10)

    def f1(chosen: np.ndarray) -> float:
        return float(figures(COUNTS[chosen.astype(int)].sum(axis=0))[2])

    theirs = stats.bootstrap(
        (rows,), f1, vectorized=False, method="percentile", n_resamples=5_000, rng=np.random.default_rng(3)
    ).confidence_interval
    ours = interval_of(figures(draw_sums(COUNTS, 20_000, random()))[:, 2])
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_what_is_undefined_is_left_out() -> None:
    assert interval_of(np.array([np.nan, np.nan])) is None
    found = interval_of(np.array([np.nan, 0.25, 0.75]), level=1)
    assert found is not None
    assert (found.low, found.high) == (0.25, 0.75)
    assert chance_of(0.5, np.array([np.nan, 0.6, -0.5, 0.1])) == 3 / 4
    assert chance_of(0.0, np.array([np.nan, 0.6, -0.5, 0.1])) == 1
