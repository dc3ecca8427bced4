"""Scores on every stratum from matchings that are there already: nothing is matched again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from brat.model import Document
from evaluator.criteria import Annotations, Criterion
from evaluator.matching import Matching
from evaluator.scores import Part, Score, tally
from evaluator.scoring import Scheme, lay_out
from evaluator.strata.model import NONE, Strata
from evaluator.tables import Tables

_TEXT_BOUND = (Annotations.ENTITIES, Annotations.TRIGGERS)
"""What is in a stratum under any stratification."""


def score_strata(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    tables: Tables,
    matchings: Iterable[Matching],
    stratifications: Sequence[Strata],
    scheme: Scheme,
) -> Iterator[Score]:
    """The scores on each stratum that a scheme asks for: of each matching, each stratification and each kind in turn.

    True positives and false negatives count in the stratum of the gold annotation, false positives in that of the predicted
    one, so a pair whose sides lie apart is a true positive where its gold is, and nothing where its prediction is. What has
    no stratum is told as `none` and all parts add up to the whole. A stratum without annotations of a kind has no rows of it.
    Relations and events, and what is of them, have scores where a stratification is by document.

    Args:
        gold, run: the documents that were scored.
        tables, matchings: of these documents, under this scheme.
        stratifications: of the rows of these tables.
        scheme: what is counted.

    Raises:
        ValueError: the strata or the documents are not those of the tables.
    """
    for side, table in ((gold, tables.gold), (run, tables.run)):
        if sum(1 for id_ in tables.documents if id_ in side for _ in side[id_].text_bounds) != len(table.row):
            raise ValueError("the documents are not those of the tables")
    for strata in stratifications:
        _check(strata, tables)
    if all(each.documents is None for each in stratifications):
        scheme = replace(scheme, annotations=tuple(each for each in scheme.annotations if each in _TEXT_BOUND))
    counted = lay_out(gold, run, tables, scheme)
    for matching in matchings:
        parts = counted.parts(matching)
        for strata in stratifications:
            for kind, of_kind in parts.items():
                if strata.documents is not None or kind in _TEXT_BOUND:
                    yield from _tally_strata(kind, matching.criterion, of_kind, strata)


def _check(strata: Strata, tables: Tables) -> None:
    sides = ((strata.gold, tables.gold), (strata.run, tables.run))
    for places, table in sides:
        if len(places) != len(table):
            raise ValueError(f"{strata.name}: strata of {len(places)} rows, not of these tables, which have {len(table)}")
    if strata.documents is not None:
        if len(strata.documents) != len(tables.documents):
            raise ValueError(f"{strata.name}: strata of {len(strata.documents)} documents, not of these tables")
        if any(len(table) and (strata.documents[table.document] != places).any() for places, table in sides):
            raise ValueError(f"{strata.name}: an annotation is in another stratum than its document")


def _tally_strata(kind: Annotations, criterion: Criterion, parts: Sequence[Part], strata: Strata) -> Iterator[Score]:
    """The scores of parts on each stratum in turn, for `all` and each label as `tally` gives them."""
    cuts = [_cut(part, strata) for part in parts]
    for number, name in (*enumerate(strata.strata), (-1, NONE)):
        here = [cut[number] for cut in cuts if number in cut]
        if here:
            for each in tally(kind, criterion, *here):
                yield replace(each, stratification=strata.name, stratum=name)


def _cut(part: Part, strata: Strata) -> dict[int, Part]:
    """What of a part is in each stratum that is not empty; what a pair predicts is where its gold is."""
    gold_place, run_place = strata.gold[part.gold_row], strata.run[part.run_row]
    pair_place = gold_place[part.pairs_gold]
    run_place[part.pairs_run] = pair_place
    found: dict[int, Part] = {}
    for number in np.unique(np.concatenate([gold_place, run_place])).tolist():
        in_gold, in_run, here = (np.flatnonzero(each == number) for each in (gold_place, run_place, pair_place))
        found[number] = replace(
            part,
            gold=part.gold[in_gold],
            run=part.run[in_run],
            gold_row=part.gold_row[in_gold],
            run_row=part.run_row[in_run],
            pairs_gold=np.searchsorted(in_gold, part.pairs_gold[here]).astype(np.int64),
            pairs_run=np.searchsorted(in_run, part.pairs_run[here]).astype(np.int64),
        )
    return found
