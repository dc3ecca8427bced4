"""Relations, arguments, events and modifications by stratum: by hand, and against scores of each stratum's documents alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.model import Document
from evaluator.criteria import Annotations, Criterion, LabelRule
from evaluator.scores import ALL, Counts, Score
from evaluator.scoring import Scheme, score
from evaluator.strata.entropy import by_entropy
from evaluator.strata.model import Strata, by_document, cross
from evaluator.strata.similarity import by_similarity, by_similarity_quartile
from evaluator.strata.source import by_source
from evaluator.strata.tallying import score_strata
from evaluator.tables import Tables, build_tables
from tests.evaluator.linked import CRITERIA, SCHEME, counts, document, sides

Corpus = dict[str, Document]
TEXT_BOUND = (Annotations.ENTITIES, Annotations.TRIGGERS)
BOUNDS = ("T1|B1 0 4", "T2|A1 5 9", "T3|A2 10 14")


def corpus(**lines: Iterable[str]) -> Corpus:
    return {id_: replace(document(*BOUNDS, *each)["d"], id=id_) for id_, each in lines.items()}


# d1 is seen. R1 is right, R2 has another label; of the event, the Theme is right and the Cause is made up.
# d2 is new. R1 is missed; both events are right, one of them with a modification too many.
# Where d3 comes from nobody knows. It has relations in the run only.
GOLD = corpus(
    d1=("R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T1 Arg2:T3", "E1|B1:T1 Theme:T2", "A1|Negation E1"),
    d2=("R1|A1 Arg1:T1 Arg2:T2", "E1|B1:T1 Theme:T2", "E2|B1:T1 Theme:T3", "A1|Negation E1"),
    d3=(),
)
RUN = corpus(
    d1=("R1|A1 Arg1:T1 Arg2:T2", "R2|A2 Arg1:T1 Arg2:T3", "E1|B1:T1 Theme:T2 Cause:T3", "A1|Negation E1"),
    d2=("E1|B1:T1 Theme:T2", "E2|B1:T1 Theme:T3", "A1|Negation E1", "A2|Speculation E2"),
    d3=("R1|A2 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T2 Arg2:T3"),
)
SEEN = {"d1": True, "d2": False, "d3": None}


def by_stratum(scores: Iterable[Score], annotations: str, label: str = ALL) -> dict[str, tuple[int, int, int]]:
    return {each.stratum: counts(each) for each in scores if (each.annotations, each.label) == (annotations, label)}


def test_source_by_hand() -> None:
    scored = score(GOLD, RUN, [Criterion()], SCHEME)
    strata = by_source(SEEN, scored.tables)
    found = list(score_strata(GOLD, RUN, scored.tables, scored.matchings, [strata], SCHEME))

    assert by_stratum(found, "relations") == {"new": (0, 0, 1), "seen": (1, 1, 1), "unknown": (0, 2, 0)}
    assert by_stratum(found, "relations", "A1") == {"new": (0, 0, 1), "seen": (1, 0, 1), "unknown": (0, 1, 0)}
    assert by_stratum(found, "relations", "A") == by_stratum(found, "relations")
    assert by_stratum(found, "events") == {"new": (2, 0, 0), "seen": (0, 1, 1)}
    # An event that is wrong has no right modification.
    assert by_stratum(found, "modifications") == {"new": (1, 1, 0), "seen": (0, 1, 1)}
    assert by_stratum(found, "modifications", "Speculation") == {"new": (0, 1, 0)}
    # Of relations and of events together: the trigger of d3 is right, and the relation that begins with T2 has no trigger
    # but a first argument that was found.
    assert by_stratum(found, "arguments") == {"new": (2, 0, 1), "seen": (2, 2, 1), "unknown": (0, 2, 0)}
    assert by_stratum(found, "arguments", "Theme") == {"new": (2, 0, 0), "seen": (1, 0, 0)}
    assert by_stratum(found, "triggers") == {"new": (1, 0, 0), "seen": (1, 0, 0), "unknown": (1, 0, 0)}


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Corpus, Corpus]:
    """Gold and a run of four documents, one of which the run may lack."""
    gold: Corpus = {}
    run: Corpus = {}
    for pair in ("ab", "cd"):
        for side, drawn in zip((gold, run), draw(sides()), strict=True):
            side |= {new: replace(each, id=new) for new, each in zip(pair, drawn.values(), strict=True)}
    if draw(st.booleans()):
        del run["b"]
    return gold, run


SCHEMES = [
    SCHEME,
    replace(SCHEME, triggers=frozenset(), only=frozenset({"A1", "B1", "B2"})),
    replace(SCHEME, annotations=(Annotations.ARGUMENTS, Annotations.MODIFICATIONS), ignore=frozenset({"B2"})),
]
strata_of_four = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["new", "seen"]))
similarities = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([0, 0.3, 0.5, 1]))


def stratify(tables: Tables, groups: dict[str, str], similarity: dict[str, float]) -> list[Strata]:
    """What there is by document; documents without an entry are `unknown` or `none`."""
    source = by_source({id_: each == "seen" for id_, each in groups.items()}, tables)
    halves = by_document("half", ("new", "seen"), groups, tables)
    near = by_similarity(similarity, tables)
    return [source, halves, near, by_similarity_quartile(similarity, tables), cross(halves, near)]


def whole(scores: Iterable[Score]) -> dict[tuple[str, ...], Counts]:
    """What is counted, added up over strata."""
    found: dict[tuple[str, ...], Counts] = {}
    for each in scores:
        key = (each.stratification, each.annotations, each.span, each.labels, each.label)
        found[key] = found.get(key, Counts()) + each.counts
    return {key: each for key, each in found.items() if each != Counts()}


@settings(max_examples=20, deadline=None)
@given(corpora(), strata_of_four, similarities, st.sampled_from(SCHEMES))
def test_strata_add_up_to_the_whole(
    both: tuple[Corpus, Corpus], groups: dict[str, str], similarity: dict[str, float], scheme: Scheme
) -> None:
    scored = score(*both, CRITERIA, scheme)
    strata = stratify(scored.tables, groups, similarity)
    found = list(score_strata(*both, scored.tables, scored.matchings, strata, scheme))

    for each in strata:
        parts = [replace(part, stratification=ALL) for part in found if part.stratification == each.name]
        assert whole(parts) == whole(scored.scores), each.name


@settings(max_examples=40, deadline=None)
@given(corpora(), strata_of_four, similarities, st.sampled_from(SCHEMES), st.integers(0, 4))
def test_a_stratum_of_documents_is_the_score_of_these_documents(
    both: tuple[Corpus, Corpus], groups: dict[str, str], similarity: dict[str, float], scheme: Scheme, which: int
) -> None:
    gold, run = both
    scored = score(gold, run, CRITERIA, scheme)
    strata = stratify(scored.tables, groups, similarity)[which]
    found = list(score_strata(gold, run, scored.tables, scored.matchings, [strata], scheme))

    assert strata.documents is not None
    places = dict(zip(scored.tables.documents, strata.documents.tolist(), strict=True))
    for number, name in (*enumerate(strata.strata), (-1, "none")):
        alone = score({id_: gold[id_] for id_ in gold if places[id_] == number}, run, CRITERIA, scheme).scores
        here = [replace(each, stratification=ALL, stratum=ALL) for each in found if each.stratum == name]
        assert here == without_empty(alone), name


def without_empty(scores: Iterable[Score]) -> list[Score]:
    """A kind without annotations has a row `all` of nothing in the whole set, and none on a stratum."""
    return [each for each in scores if each.label != ALL or each.counts != Counts()]


def by_letters(tables: Tables) -> Strata:
    """An entropy that has no meaning, but every set."""
    return by_entropy(lambda string: (0.0, 0.1, 0.5, 1.0)[sum(map(ord, string)) % 4], tables)


@settings(max_examples=40, deadline=None)
@given(corpora(), strata_of_four)
def test_what_is_not_by_document_is_of_entities_and_triggers(both: tuple[Corpus, Corpus], groups: dict[str, str]) -> None:
    scored = score(*both, CRITERIA, SCHEME)
    source = by_document("source", ("new", "seen"), groups, scored.tables)
    strata = [by_letters(scored.tables), cross(source, by_letters(scored.tables))]

    def found(strata: list[Strata], scheme: Scheme) -> list[Score]:
        return [
            each
            for each in score_strata(*both, scored.tables, scored.matchings, strata, scheme)
            if each.stratification != "source"
        ]

    expected = found(strata, replace(SCHEME, annotations=TEXT_BOUND))
    assert found(strata, SCHEME) == found([source, *strata], SCHEME) == expected
    assert {each.annotations for each in expected} <= set(TEXT_BOUND)


def test_scores_are_in_the_order_of_matchings_stratifications_kinds_and_strata() -> None:
    scored = score(GOLD, RUN, CRITERIA[:2], SCHEME)
    strata = [by_source(SEEN, scored.tables), by_similarity({"d1": 0.1}, scored.tables)]
    found = score_strata(GOLD, RUN, scored.tables, scored.matchings, strata, SCHEME)
    names = {"source": ["new", "seen", "unknown"], "similarity": ["Q1", "none"]}
    seen = list(dict.fromkeys((s.labels, s.stratification, s.annotations, s.stratum) for s in found))

    expected = [(labels, name, kind, stratum)
                for labels in (LabelRule.FINE, LabelRule.HIGH)
                for name in names for kind in Annotations for stratum in names[name]]  # fmt: skip
    # The run has no events in d3, and gold has none there either.
    assert seen == [each for each in expected if each[2:] not in (("events", "unknown"), ("modifications", "unknown"))]


ROWS, DOCUMENTS = np.zeros(9, dtype=np.int64), np.zeros(3, dtype=np.int64)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        (Strata("x", ("a",), ROWS[:4], ROWS), "4 rows, not of these tables"),
        (Strata("x", ("a",), ROWS, ROWS, ROWS), "9 documents, not of these tables"),
        (Strata("x", ("a",), ROWS, ROWS, DOCUMENTS - 1), "another stratum than its document"),
    ],
)
def test_strata_of_other_tables_are_refused(strata: Strata, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(score_strata(GOLD, RUN, build_tables(GOLD, RUN), [], [strata], SCHEME))


def test_documents_of_other_tables_are_refused() -> None:
    tables = build_tables(GOLD, RUN)
    with pytest.raises(ValueError, match="documents are not those"):
        list(score_strata(GOLD, {"d1": RUN["d1"]}, tables, [], [by_source(SEEN, tables)], SCHEME))
