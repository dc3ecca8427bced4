"""`exact-first`: what ARCHITECTURE claims of it, over random documents with nesting, crossing, repetition and fragments."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.model import Document, TextBound
from evaluator.criteria import Criterion, LabelRule, SpanRule, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching, match
from evaluator.scores import Counts, Score
from evaluator.scoring import Scheme, score
from evaluator.tables import Tables, build_tables
from tests.evaluator.reference import Item, Pair, match_document
from tests.strategies import PARENTS, corpora

HIERARCHY = Hierarchy(PARENTS)
CRITERIA = [
    parse_criterion(span, labels)
    for span in ("exact", "relaxed", "approximate:0.5", "approximate:0.8")
    for labels in ("fine", "high", "any")
]
every_criterion = pytest.mark.parametrize("criterion", CRITERIA, ids=[each.name for each in CRITERIA])


def scores(gold: dict[str, Document], run: dict[str, Document], criterion: Criterion) -> list[Score]:
    return list(score(gold, run, [criterion], Scheme(hierarchy=HIERARCHY)).scores)


def overall(gold: dict[str, Document], run: dict[str, Document], criterion: Criterion) -> Counts:
    return scores(gold, run, criterion)[0].counts


def pairs(tables: Tables, matching: Matching) -> dict[str, list[Pair]]:
    def item(side: str, row: int) -> Item:
        table = tables.gold if side == "gold" else tables.run
        return tables.shapes[table.span[row]], tables.labels[table.label[row]]

    found: dict[str, list[Pair]] = {id_: [] for id_ in tables.documents}
    for g, r in zip(matching.gold.tolist(), matching.run.tolist(), strict=True):
        found[tables.documents[tables.gold.document[g]]].append((item("gold", g), item("run", r)))
    return {id_: sorted(each) for id_, each in found.items()}


@every_criterion
def test_it_is_what_the_definition_says(criterion: Criterion) -> None:
    @settings(max_examples=120, deadline=None)
    @given(corpora(5), corpora(5))
    def check(gold: dict[str, Document], run: dict[str, Document]) -> None:
        tables = build_tables(gold, run)
        expected = {id_: match_document(each, run.get(id_, Document(id_)), criterion, HIERARCHY) for id_, each in gold.items()}
        assert pairs(tables, match(tables, criterion, HIERARCHY)) == expected

    check()


@every_criterion
def test_gold_against_itself_is_right(criterion: Criterion) -> None:
    @settings(max_examples=50, deadline=None)
    @given(corpora())
    def check(gold: dict[str, Document]) -> None:
        found = overall(gold, gold, criterion)
        assert (found.fp, found.fn) == (0, 0)

    check()


@every_criterion
def test_order_and_ids_mean_nothing(criterion: Criterion) -> None:
    @settings(max_examples=60, deadline=None)
    @given(corpora(10), corpora(10), st.integers(0, 1000))
    def check(gold: dict[str, Document], run: dict[str, Document], seed: int) -> None:
        random = Random(seed)

        def shuffled(documents: dict[str, Document]) -> dict[str, Document]:
            found = {}
            for id_, each in documents.items():
                bounds = list(each.text_bounds)
                random.shuffle(bounds)
                renamed = (
                    TextBound(f"T{number}", b.label, tuple(random.sample(b.fragments, len(b.fragments))), b.text)
                    for number, b in enumerate(bounds, random.randint(0, 50))
                )
                found[id_] = Document(id_, tuple(renamed), each.text)
            return found

        assert scores(gold, run, criterion) == scores(shuffled(gold), shuffled(run), criterion)

    check()


@every_criterion
def test_exchanging_the_sides_exchanges_precision_and_recall(criterion: Criterion) -> None:
    @settings(max_examples=60, deadline=None)
    @given(corpora(10), corpora(10))
    def check(gold: dict[str, Document], run: dict[str, Document]) -> None:
        ids = gold.keys() | run.keys()
        gold, run = ({id_: side.get(id_, Document(id_, (), "")) for id_ in ids} for side in (gold, run))
        there, back = overall(gold, run, criterion), overall(run, gold, criterion)
        assert (there.tp, there.fp, there.fn) == (back.tp, back.fn, back.fp)

    check()


@pytest.mark.parametrize("labels", list(LabelRule))
@settings(max_examples=100, deadline=None)
@given(corpora(10), corpora(10))
def test_a_pair_right_under_exact_is_right_under_relaxed(
    labels: LabelRule, gold: dict[str, Document], run: dict[str, Document]
) -> None:
    tables = build_tables(gold, run)
    exact, relaxed = (match(tables, Criterion(span, labels), HIERARCHY) for span in (SpanRule.EXACT, SpanRule.RELAXED))

    assert set(zip(exact.gold, exact.run, strict=True)) <= set(zip(relaxed.gold, relaxed.run, strict=True))


@every_criterion
def test_nothing_is_counted_twice_and_the_rows_add_up(criterion: Criterion) -> None:
    @settings(max_examples=60, deadline=None)
    @given(corpora(10), corpora(10))
    def check(gold: dict[str, Document], run: dict[str, Document]) -> None:
        tables = build_tables(gold, run)
        found = match(tables, criterion, HIERARCHY)
        assert len(set(found.gold.tolist())) == len(found.gold)
        assert len(set(found.run.tolist())) == len(found.run)
        rows = scores(gold, run, criterion)
        counts = {each.label: each.counts for each in rows}
        total = counts.pop("all")
        assert (total.tp + total.fn, total.tp + total.fp) == (len(tables.gold), len(tables.run))
        parts = [
            each for label, each in counts.items() if criterion.labels is not LabelRule.FINE or label not in HIERARCHY.groups
        ]
        assert sum(parts, start=Counts()) == total

    check()


@every_criterion
def test_a_corpus_twice_is_the_same_score(criterion: Criterion) -> None:
    @settings(max_examples=40, deadline=None)
    @given(corpora(8), corpora(8))
    def check(gold: dict[str, Document], run: dict[str, Document]) -> None:
        def doubled(documents: dict[str, Document]) -> dict[str, Document]:
            return documents | {f"{id_}'": Document(f"{id_}'", each.annotations, each.text) for id_, each in documents.items()}

        once, twice = overall(gold, run, criterion), overall(doubled(gold), doubled(run), criterion)
        assert twice == once + once
        assert twice.f1 == once.f1

    check()
