"""The simulation of adaptive runs behaves as the calculation says: the more a board tells, the further a score climbs."""

from __future__ import annotations

import pytest

from benchmarks.adaptive import TRUE_SCORE, Board, Reached, computed, simulate


@pytest.fixture(scope="module")
def reached() -> dict[Board, list[Reached]]:
    return simulate(runs=300, repetitions=3)


def mean(found: list[Reached]) -> float:
    return sum(each.boosted for each in found) / len(found)


def test_a_board_that_tells_more_lets_a_score_climb_further(reached: dict[Board, list[Reached]]) -> None:
    climbs = [mean(reached[board]) - TRUE_SCORE for board in Board]

    assert abs(climbs[0]) < 0.02
    assert climbs == sorted(climbs)
    assert climbs[1] > 0.05
    assert climbs[-1] > 0.49


def test_what_is_measured_is_what_was_computed(reached: dict[Board, list[Reached]]) -> None:
    for board in Board:
        assert mean(reached[board]) == pytest.approx(computed(board, 300), abs=0.015), board
    assert computed(Board.PLAIN, 500) == pytest.approx(0.6157, abs=5e-5)


def test_the_best_of_many_guesses_climbs_less_than_all_of_them_together(reached: dict[Board, list[Reached]]) -> None:
    for board in (Board.HEADLINE, Board.PLAIN):
        for each in reached[board]:
            assert TRUE_SCORE < each.best < each.boosted


def test_a_quota_of_three_keeps_the_headline_where_it_is() -> None:
    assert mean(simulate(runs=3, repetitions=3)[Board.HEADLINE]) == pytest.approx(TRUE_SCORE, abs=0.015)
