"""How far a team's score climbs on what a board tells it, when it learns nothing about the documents themselves.

`make bench` prints, for each thing a phase may tell, the F1 that a team reaches on a blind set of 375 documents (about 15.4
entities each, as in the sample of ChEMU 2020: 770 in 50). The model: the team finds every span, and for each entity two of
the ten labels are equally likely to it, so that a run which guesses has an F1 of about .50. It sends guesses, and then makes
one more run from all of them: each guess is weighted by its told score minus one half, and each entity gets the label with
the larger weight (the boosting attack of Blum and Hardt 2015, "The Ladder"). Where scores are told by label or by document,
an entity's weights are those of its labels or its document. The other way is to nominate the guess with the best told score.

What is shown is the F1 on the blind set. The true score is what the same choices are worth on other documents: since the
label of one entity says nothing about another's, it is .50 whatever was told, and all above it was learnt from the board.
The figures are what the least effort gives, not what a board is safe up to: a cleverer team gets further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from evaluator.report import figure
from evaluator.scores import Counts

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

TRUE_SCORE = 0.5
_DOCUMENTS = 375
_PER_DOCUMENT = 15.4
_LABELS = 10
_PLACES = 2
_RUNS = (500, 3)
_REPETITIONS = 10
_SEED = 2020
_UNDECIDED = 1e-5


class Board(StrEnum):
    """What is told of each run. `full` tells everything; here are two parts of it, one at a time."""

    NOTHING = "nothing"
    HEADLINE = "headline"
    PLAIN = "overall, unrounded"
    LABELS = "full, by label"
    DOCUMENTS = "full, by document"


@dataclass(frozen=True, slots=True)
class BlindSet:
    """The entities of a blind set, and which of its two candidates each one's label is.

    Attributes:
        document: [entities] where it is, from 0, sorted.
        candidates: [entities, 2] the labels it may have, from 0.
        gold: [entities] 1 for the first candidate, −1 for the second.
    """

    document: Integers
    candidates: Integers
    gold: Floats


@dataclass(frozen=True, slots=True)
class Reached:
    """F1 on the blind set: of the run made from all guesses, and of the best guess."""

    boosted: float
    best: float


def draw_blind_set(random: np.random.Generator, documents: int) -> BlindSet:
    """Documents with an entity at least."""
    sizes = np.maximum(1, random.poisson(_PER_DOCUMENT, documents))
    first = random.integers(0, _LABELS, int(sizes.sum()))
    second = (first + random.integers(1, _LABELS, len(first))) % _LABELS
    return BlindSet(np.repeat(np.arange(documents), sizes), np.column_stack([first, second]), _signs(random, len(first)))


def attack(blind: BlindSet, guesses: Floats, board: Board) -> Reached:
    """What a team reaches.

    Args:
        blind: the set.
        guesses: [runs, entities] 1 or −1, as `BlindSet.gold`.
        board: what it is told.
    """
    overall = [_told(_f1(blind, each), board) for each in guesses]
    cells = _cells(blind, board)
    if cells.shape[1] == 1:
        excess = np.array(overall, dtype=np.float32)[:, None] - np.float32(TRUE_SCORE)
    else:
        excess = (guesses * blind.gold) @ cells / (2 * np.maximum(1, cells.sum(axis=0)))
    votes = (guesses * (excess @ cells.T)).sum(axis=0)
    boosted = np.where(np.abs(votes) > _UNDECIDED, np.sign(votes), guesses[0])
    return Reached(_f1(blind, boosted), _f1(blind, guesses[int(np.argmax(overall))]))


def _cells(blind: BlindSet, board: Board) -> Floats:
    """[entities, cells] 1 where a score that is told speaks of an entity.

    A label's cell has the entities that it is a candidate of: how many of them were decided rightly follows from its tp, fp
    and fn, since the team knows how often it has given the label and how often it could have.
    """
    match board:
        case Board.NOTHING | Board.HEADLINE | Board.PLAIN:
            return np.ones((len(blind.gold), 1), dtype=np.float32)
        case Board.LABELS:
            cells: Floats = np.eye(_LABELS, dtype=np.float32)[blind.candidates].sum(axis=1)
        case Board.DOCUMENTS:
            cells = np.eye(int(blind.document[-1]) + 1, dtype=np.float32)[blind.document]
    return cells


def _told(score: float, board: Board) -> float:
    if board is Board.NOTHING:
        return TRUE_SCORE
    return float(figure(score, _PLACES)) if board is Board.HEADLINE else score


def _f1(blind: BlindSet, run: Floats) -> float:
    """Every span is right, and so a wrong label is both a spurious and a missing annotation."""
    right = int(np.count_nonzero(run == blind.gold))
    wrong = len(run) - right
    return Counts(right, wrong, wrong).f1 or 0.0


def _signs(random: np.random.Generator, *shape: int) -> Floats:
    return (2 * random.integers(0, 2, shape) - 1).astype(np.float32)


def computed(board: Board, runs: int, documents: int = _DOCUMENTS) -> float:
    """The expected score of the run made from all guesses: Φ(√(runs / entities of a cell)), less what rounding takes away.

    The vote for an entity's own label has a mean of runs / 2n and a standard deviation of √(runs / n) / 2, where n is the
    entities of its cell. An entity is in the cells of two labels; those that share both with it are noise twice over, so that
    the two are as one of a ninth of all entities. Rounding to steps of s adds s² / 12 to the variance 1 / 4n of a score.
    """
    entities = documents * _PER_DOCUMENT
    share = {Board.LABELS: 1 / (_LABELS - 1), Board.DOCUMENTS: 1 / documents}.get(board, 1.0)
    signal = 0.0 if board is Board.NOTHING else sqrt(runs / (entities * share))
    if board is Board.HEADLINE:
        signal /= sqrt(1 + 10 ** (-2 * _PLACES) / 12 * 4 * entities)
    return (1 + erf(signal / sqrt(2))) / 2


def simulate(runs: int, documents: int = _DOCUMENTS, repetitions: int = _REPETITIONS) -> dict[Board, list[Reached]]:
    """The same blind sets and guesses for every board."""
    random = np.random.default_rng(_SEED)
    found: dict[Board, list[Reached]] = {board: [] for board in Board}
    for _ in range(repetitions):
        blind = draw_blind_set(random, documents)
        guesses = _signs(random, runs, len(blind.gold))
        for board in Board:
            found[board].append(attack(blind, guesses, board))
    return found


def _range(values: Sequence[float]) -> str:
    return f"{figure(sum(values) / len(values), 3)} ({figure(min(values), 3)} to {figure(max(values), 3)})"


def main() -> None:
    """Print the table."""
    print(f"F1 on the blind set, true score {figure(TRUE_SCORE, 3)}; mean and range of {_REPETITIONS} repetitions")
    print(f"{'runs':>4}  {'what is told':<20}  {'made from all guesses':<24}  computed  best guess")
    for runs in _RUNS:
        for board, reached in simulate(runs).items():
            boosted, best = _range([each.boosted for each in reached]), _range([each.best for each in reached])
            print(f"{runs:>4}  {board:<20}  {boosted:<24}  {figure(computed(board, runs), 3):>8}  {best}")


if __name__ == "__main__":
    main()
