"""Scores on every stratum from a matching that is there already: nothing is matched again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from evaluator.criteria import Annotations
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching
from evaluator.scores import Part, Score, tally
from evaluator.scoring import Scheme
from evaluator.strata.model import NONE, Strata
from evaluator.tables import Flags, Tables


def tally_strata(
    tables: Tables,
    matching: Matching,
    strata: Strata,
    hierarchy: Hierarchy | None = None,
    *,
    annotations: Annotations = Annotations.ENTITIES,
    counted: Flags | None = None,
) -> list[Score]:
    """The scores on each stratum in turn, for `all` and each label as `tally` gives them.

    True positives and false negatives count in the stratum of the gold annotation, false positives in that of the predicted
    one, so a pair whose sides lie apart is a true positive where its gold is, and nothing where its prediction is. What has
    no stratum is told as `none` and all parts add up to the whole. A stratum without annotations has no rows.

    Args:
        tables, matching: gold and run, and their pairs under a criterion.
        strata: of the rows of these tables.
        hierarchy: which label lies under which.
        annotations: what the scores are said to be of.
        counted: [labels of the tables] which are counted (all where not given); a pair counts only where both labels are.

    Raises:
        ValueError: the strata are those of other tables.
    """
    gold, run = tables.gold, tables.run
    if (len(strata.gold), len(strata.run)) != (len(gold), len(run)):
        raise ValueError(f"{strata.name}: strata of {len(strata.gold)} and {len(strata.run)} rows, not of these tables")
    wanted = np.ones(len(tables.labels), dtype=bool) if counted is None else counted
    gold_wanted, run_wanted = wanted[gold.label], wanted[run.label]
    both = gold_wanted[matching.gold] & run_wanted[matching.run]
    pairs_gold, pairs_run = matching.gold[both], matching.run[both]
    pair_place = strata.gold[pairs_gold]
    run_place = strata.run.copy()
    run_place[pairs_run] = pair_place
    found: list[Score] = []
    for number, name in (*enumerate(strata.strata), (-1, NONE)):
        in_gold = np.flatnonzero(gold_wanted & (strata.gold == number))
        in_run = np.flatnonzero(run_wanted & (run_place == number))
        if not len(in_gold) and not len(in_run):
            continue
        here = pair_place == number
        part = Part(
            labels=tables.labels,
            gold=gold.label[in_gold],
            run=run.label[in_run],
            pairs_gold=np.searchsorted(in_gold, pairs_gold[here]).astype(np.int64),
            pairs_run=np.searchsorted(in_run, pairs_run[here]).astype(np.int64),
            hierarchy=hierarchy or Hierarchy(),
        )
        scores = tally(annotations, matching.criterion, part)
        found += [replace(each, stratification=strata.name, stratum=name) for each in scores]
    return found


def score_strata(
    tables: Tables, matchings: Iterable[Matching], stratifications: Sequence[Strata], scheme: Scheme
) -> Iterator[Score]:
    """The scores of entities and triggers that a scheme asks for: of each matching and each stratification in turn."""
    counted = scheme.counted(tables.labels)
    triggers = np.array([each in scheme.triggers for each in tables.labels], dtype=bool)
    kinds = [(Annotations.ENTITIES, counted & ~triggers)]
    if scheme.triggers:
        kinds.append((Annotations.TRIGGERS, counted & triggers))
    for matching in matchings:
        for strata in stratifications:
            for kind, flags in kinds:
                if kind in scheme.annotations:
                    yield from tally_strata(tables, matching, strata, scheme.hierarchy, annotations=kind, counted=flags)
