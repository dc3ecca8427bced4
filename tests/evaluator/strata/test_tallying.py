"""Scores by stratum from a stored matching: recounted by hand, and adding up to the whole under every criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.model import Document, TextBound
from evaluator.criteria import Annotations, Criterion, LabelRule, SpanRule, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.matching import match
from evaluator.scores import ALL, Counts, Score
from evaluator.scoring import Scheme, score
from evaluator.strata.entropy import by_entropy, set_of, strings_of
from evaluator.strata.model import Strata, by_document, cross
from evaluator.strata.similarity import bin_of, by_similarity, by_similarity_quartile, quartiles
from evaluator.strata.source import by_source
from evaluator.strata.tallying import score_strata
from evaluator.tables import Tables, build_tables
from tests.evaluator.reference import bounds
from tests.strategies import PARENTS, corpora

HIERARCHY = Hierarchy(PARENTS)
EXACT = Criterion()
CRITERIA = [parse_criterion(span, labels) for span in ("exact", "relaxed", "approximate:0.5") for labels in LabelRule]


def told(scores: list[Score], label: str = ALL) -> dict[str, tuple[int, int, int]]:
    return {s.stratum: (s.counts.tp, s.counts.fp, s.counts.fn) for s in scores if s.label == label}


def documents(**entities: list[str]) -> dict[str, Document]:
    return {id_: Document(id_, bounds(*each)) for id_, each in entities.items()}


def tallied(
    gold: dict[str, Document],
    run: dict[str, Document],
    strata_of: Callable[[Tables], Strata],
    criterion: Criterion = EXACT,
) -> list[Score]:
    """The scores of entities on the strata that are found for the tables."""
    tables = build_tables(gold, run)
    matchings = [match(tables, criterion, HIERARCHY)]
    return list(score_strata(gold, run, tables, matchings, [strata_of(tables)], Scheme(hierarchy=HIERARCHY)))


GOLD = documents(d1=["A1:0-2", "B1:3-5"], d2=["A1:0-2", "A1:3-5"], d3=["B1:0-2"])
RUN = documents(d1=["A1:0-2", "B1:3-5", "A1:6-8"], d2=["A1:0-2", "B1:3-5"], d3=[])


def test_source_by_hand() -> None:
    # d1 is seen: A1 and B1 are right, A1 6-8 is made up. d2 is new: A1 0-2 is right, A1 3-5 is missed, B1 3-5 is wrong.
    # Nobody knows where d3 comes from; its B1 is missed.
    found = tallied(GOLD, RUN, partial(by_source, {"d1": True, "d2": False, "d3": None}))

    assert told(found) == {"new": (1, 1, 1), "seen": (2, 1, 0), "unknown": (0, 0, 1)}
    assert told(found, "A1") == {"new": (1, 0, 1), "seen": (1, 1, 0)}
    assert told(found, "B") == {"new": (0, 1, 0), "seen": (1, 0, 0), "unknown": (0, 0, 1)}
    assert {(each.stratification, each.annotations, each.span, each.labels) for each in found} == {
        ("source", "entities", "exact", "fine")
    }


def test_similarity_by_hand() -> None:
    # The same documents: d1 is in Q1, d2 on the lower edge of Q3, d3 a little above 1 by rounding; Q2 is empty.
    found = tallied(GOLD, RUN, partial(by_similarity, {"d1": 0.24, "d2": 0.5, "d3": 1.0000000000000002}))

    assert told(found) == {"Q1": (2, 1, 0), "Q3": (1, 1, 1), "Q4": (0, 0, 1)}


TEXT = "aspirin and acetyl  salicylic\nacid in Aspirin"
ENTROPY = {"aspirin": 0.0, "and": 0.1, "acid": 0.3}


def chemical(start: int, end: int) -> TextBound:
    return TextBound(f"T{start}", "A1", ((start, end),), TEXT[start:end])


def test_entropy_by_hand() -> None:
    gold = {"d": Document("d", (chemical(0, 7), chemical(12, 34), chemical(38, 45)), TEXT)}
    run = {"d": Document("d", (chemical(0, 7), chemical(8, 11), chemical(30, 34)), TEXT)}
    tables = build_tables(gold, run)
    strata_of = partial(by_entropy, lambda string: ENTROPY.get(string, 1.0))

    assert strings_of(tables, tables.gold) == ["aspirin", "acetyl salicylic acid", "Aspirin"]
    # aspirin (0: S1) is right. The other two are not seen in train, Aspirin since case is kept: S4. The run says `and` (.1: S2)
    # and `acid` (.3: S3). Exact: both are false positives where their own strings belong, and S4 has two false negatives.
    exact = tallied(gold, run, strata_of)
    assert told(exact) == {"S1": (1, 0, 0), "S2": (0, 1, 0), "S3": (0, 1, 0), "S4": (0, 0, 2)}
    # Relaxed: acid is paired with the long name, which is a true positive of S4; S3 has nothing left.
    relaxed = tallied(gold, run, strata_of, Criterion(SpanRule.RELAXED))
    assert told(relaxed) == {"S1": (1, 0, 0), "S2": (0, 1, 0), "S4": (1, 0, 1)}


def test_fragments_are_joined_and_text_columns_stand_in_for_a_missing_text() -> None:
    broken = TextBound("T1", "A1", ((30, 34), (12, 18)), "acid acetyl")
    tables = build_tables({"d": Document("d", (broken,), TEXT)}, {})
    assert strings_of(tables, tables.gold) == ["acetyl acid"]
    tables = build_tables({"d": Document("d", (replace(broken, text="a  b"), TextBound("T2", "A1", ((0, 1),))), None)}, {})
    assert strings_of(tables, tables.gold) == ["a b", ""]


@pytest.mark.parametrize(
    ("entropy", "expected"),
    [
        (0.0, "S1"),
        (-0.0, "S1"),
        (1e-9, "S2"),
        (0.2499, "S2"),
        (0.25, "S3"),
        (1 - 1e-11, "S3"),
        (1 - 1e-12, "S4"),
        (1.041, "S4"),
    ],
)
def test_sets_of_entropy(entropy: float, expected: str) -> None:
    assert set_of(entropy) == expected


@pytest.mark.parametrize(("value", "expected"), [(0, "Q1"), (0.25, "Q2"), (0.4999, "Q2"), (0.5, "Q3"), (0.75, "Q4"), (1, "Q4")])
def test_bins_have_their_lower_edge(value: float, expected: str) -> None:
    assert bin_of(value) == expected


@pytest.mark.parametrize("value", [-0.1, float("nan")])
def test_what_is_no_similarity_or_entropy_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is no similarity"):
        bin_of(value)
    with pytest.raises(ValueError, match="is no entropy"):
        set_of(value)


def test_quartiles_are_of_equal_size_and_ties_go_by_id() -> None:
    found = quartiles({"b": 0.5, "a": 0.5, "d": 0.5, "c": 0.5, "f": 0.1, "e": 0.9})

    assert found == {"f": "Q1", "a": "Q1", "b": "Q2", "c": "Q3", "d": "Q3", "e": "Q4"}
    assert quartiles({}) == {}
    tables = build_tables(GOLD, RUN)
    assert by_similarity_quartile({"d1": 0.3, "d2": 0.2, "d3": 0.1}, tables).gold.tolist() == [2, 2, 1, 1, 0]


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=40))
def test_quartiles_differ_in_size_by_one_at_most_and_rise(similarity: dict[str, float]) -> None:
    found = quartiles(similarity)
    sizes = [list(found.values()).count(each) for each in ("Q1", "Q2", "Q3", "Q4")]
    assert max(sizes) - min(sizes) <= 1
    assert all(similarity[a] <= similarity[b] for a in found for b in found if found[a] < found[b])


def by_letters(tables: Tables) -> Strata:
    """An entropy that has no meaning, but every set."""
    return by_entropy(lambda string: (0.0, 0.1, 0.5, 1.0)[sum(map(ord, string)) % 4], tables)


def some_without(tables: Tables) -> Strata:
    strata = by_letters(tables)
    return replace(strata, gold=np.where(strata.gold == 2, -1, strata.gold), run=np.where(strata.run == 1, -1, strata.run))


def sums(scores: list[Score]) -> dict[str, Counts]:
    found: dict[str, Counts] = {}
    for each in scores:
        found[each.label] = found.get(each.label, Counts()) + each.counts
    return found


@given(corpora(), corpora(), st.sampled_from(CRITERIA), st.booleans())
def test_strata_and_none_add_up_to_the_whole(
    gold: dict[str, Document], run: dict[str, Document], criterion: Criterion, crossed: bool
) -> None:
    def strata_of(tables: Tables) -> Strata:
        strata = some_without(tables)
        return cross(by_source({"d1": True}, tables), strata) if crossed else strata

    parts = tallied(gold, run, strata_of, criterion)
    whole = {each.label: each.counts for each in score(gold, run, [criterion], Scheme(hierarchy=HIERARCHY)).scores}

    assert {label: counts for label, counts in sums(parts).items() if counts != Counts()} == {
        label: counts for label, counts in whole.items() if counts != Counts()
    }


@given(corpora(), corpora(), st.sampled_from(CRITERIA))
def test_a_stratum_recounted_one_annotation_at_a_time(
    gold: dict[str, Document], run: dict[str, Document], criterion: Criterion
) -> None:
    tables = build_tables(gold, run)
    matching, strata = match(tables, criterion, HIERARCHY), some_without(tables)
    names = (*strata.strata, "none")
    tp, fp, fn = Counter[str](), Counter[str](), Counter[str]()
    for row, place in enumerate(strata.gold.tolist()):
        (tp if row in matching.gold else fn)[names[place]] += 1
    for row, place in enumerate(strata.run.tolist()):
        if row not in matching.run:
            fp[names[place]] += 1

    assert told(tallied(gold, run, some_without, criterion)) == {
        each: (tp[each], fp[each], fn[each]) for each in names if tp[each] + fp[each] + fn[each]
    }


@given(corpora(), corpora(), st.sampled_from(CRITERIA))
def test_a_stratum_of_documents_is_the_score_of_these_documents(
    gold: dict[str, Document], run: dict[str, Document], criterion: Criterion
) -> None:
    found = tallied(gold, run, partial(by_source, {"d1": False, "d2": True}), criterion)
    for id_, stratum in (("d1", "new"), ("d2", "seen")):
        alone = score({k: v for k, v in gold.items() if k == id_}, run, [criterion], Scheme(hierarchy=HIERARCHY)).scores
        own = [each for each in found if each.stratum == stratum]
        assert [replace(each, stratification=ALL, stratum=ALL) for each in own] == (list(alone) if own else [])
        assert own or sums(list(alone)) == {ALL: Counts()}


@given(corpora(), corpora(), st.sampled_from(CRITERIA))
def test_crossed_is_nested(gold: dict[str, Document], run: dict[str, Document], criterion: Criterion) -> None:
    def crossed(tables: Tables) -> Strata:
        return cross(by_source({"d1": True, "d2": False}, tables), by_letters(tables))

    nested: list[Score] = []
    for source, id_ in (("new", "d2"), ("seen", "d1")):
        scores = tallied({k: v for k, v in gold.items() if k == id_}, run, by_letters, criterion)
        nested += [replace(s, stratification="source×entropy", stratum=f"{source}×{s.stratum}") for s in scores]

    assert tallied(gold, run, crossed, criterion) == nested


@given(corpora(), corpora(), st.sampled_from(CRITERIA), st.randoms(use_true_random=False))
def test_order_makes_no_difference(
    gold: dict[str, Document], run: dict[str, Document], criterion: Criterion, random: Random
) -> None:
    def shuffled(side: dict[str, Document]) -> dict[str, Document]:
        mixed = [
            replace(each, annotations=tuple(random.sample(each.annotations, len(each.annotations)))) for each in side.values()
        ]
        return {each.id: each for each in random.sample(mixed, len(mixed))}

    assert tallied(shuffled(gold), shuffled(run), by_letters, criterion) == tallied(gold, run, by_letters, criterion)


@given(corpora(), corpora(), st.sampled_from(CRITERIA))
def test_triggers_are_counted_apart(gold: dict[str, Document], run: dict[str, Document], criterion: Criterion) -> None:
    scheme = Scheme(
        annotations=(Annotations.ENTITIES, Annotations.TRIGGERS),
        triggers=frozenset({"A1", "B2"}),
        hierarchy=HIERARCHY,
        ignore=frozenset({"C"}),
    )
    scored = score(gold, run, [criterion], scheme)
    parts = list(score_strata(gold, run, scored.tables, scored.matchings, [by_letters(scored.tables)], scheme))
    for kind in ("entities", "triggers"):
        whole = {each.label: each.counts for each in scored.scores if each.annotations == kind and each.counts != Counts()}
        assert {k: v for k, v in sums([p for p in parts if p.annotations == kind]).items() if v != Counts()} == whole


def test_entities_alone_where_nothing_else_is_asked_for() -> None:
    scored = score(GOLD, RUN, [Criterion(), parse_criterion("exact", "any")])
    strata = [by_source({}, scored.tables), by_letters(scored.tables)]
    found = list(score_strata(GOLD, RUN, scored.tables, scored.matchings, strata, Scheme()))

    assert list(dict.fromkeys((s.labels, s.stratification, s.annotations) for s in found)) == [
        ("fine", "source", "entities"),
        ("fine", "entropy", "entities"),
        ("any", "source", "entities"),
        ("any", "entropy", "entities"),
    ]


def test_faulty_strata_are_refused() -> None:
    zeros = np.zeros(5, dtype=np.int64)
    with pytest.raises(ValueError, match="old is not one of new, seen"):
        by_document("source", ("new", "seen"), {"d1": "old"}, build_tables(GOLD, RUN))
    with pytest.raises(ValueError, match="different names"):
        Strata("x", ("a", "a"), zeros, zeros)
    with pytest.raises(ValueError, match="different names"):
        Strata("x", ("none",), zeros, zeros)
    with pytest.raises(ValueError, match="numbered from 0"):
        Strata("x", ("a",), zeros + 1, zeros)
    with pytest.raises(ValueError, match="numbered from 0"):
        Strata("x", ("a",), zeros, zeros, zeros[:3] - 2)
