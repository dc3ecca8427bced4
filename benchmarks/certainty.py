"""How long the certainty of a board takes, beside a loop over scipy's bootstrap on the same counts.

`python -m benchmarks.certainty`: 100 runs on 375 documents, 1,000 draws; and with all pairs of runs, 10,000 shuffles.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import stats

from evaluator.resampling import draw_sums, figures
from evaluator.uncertainty.boards import certainty_of

RUNS, DOCUMENTS, DRAWS, BY_SCIPY = 100, 375, 1_000, 4


def main() -> None:
    """Measure, and print what came out."""
    random = np.random.default_rng(1)
    share = random.uniform(0.5, 0.95, RUNS)[:, None]
    right = random.binomial(18, share, (RUNS, DOCUMENTS))
    counts = np.stack([right, random.poisson(2, (RUNS, DOCUMENTS)), 18 - right], axis=-1).astype(np.int64)

    start = time.perf_counter()
    flat = counts.transpose(1, 0, 2).reshape(DOCUMENTS, -1)
    figures(draw_sums(flat, DRAWS, random).reshape(DRAWS, RUNS, 3))
    ours = time.perf_counter() - start

    start = time.perf_counter()
    for run in counts[:BY_SCIPY]:
        stats.bootstrap(
            (np.arange(DOCUMENTS),),
            lambda chosen, run=run: float(figures(run[chosen.astype(int)].sum(axis=0))[2]),
            vectorized=False,
            method="percentile",
            n_resamples=DRAWS,
        )
    theirs = (time.perf_counter() - start) * RUNS / BY_SCIPY

    start = time.perf_counter()
    board = certainty_of([f"run {number}" for number in range(RUNS)], counts)
    whole = time.perf_counter() - start
    print(f"{RUNS} runs, {DOCUMENTS} documents, {DRAWS:,} draws: {ours:.2f} s; scipy, run by run: {theirs:.1f} s")
    print(f"ratio {theirs / ours:.0f}; the whole board with {len(board.pairs):,} pairs of runs: {whole:.1f} s")


if __name__ == "__main__":
    main()
