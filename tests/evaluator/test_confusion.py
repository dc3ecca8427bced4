"""The confusion matrix: by hand, against the exact scores, and whatever the order of lines."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Document, TextBound
from evaluator.analysis.confusion import NEG, Confusion, confusion
from evaluator.criteria import Criterion
from evaluator.matching import match
from evaluator.tables import build_tables
from tests.evaluator.reference import bounds, items
from tests.shared import shared
from tests.strategies import LABELS, corpora


def corpus(*entities: str, id_: str = "d", text: str | None = None) -> dict[str, Document]:
    return {id_: Document(id_, bounds(*entities), text)}


def cells(found: Confusion) -> dict[tuple[str, str], int]:
    return {
        (row, column): count
        for row, counts in zip(found.labels, found.counts, strict=True)
        for column, count in zip(found.labels, counts, strict=True)
        if count
    }


def true_positives(gold: dict[str, Document], run: dict[str, Document]) -> Counter[str]:
    """By label, exact spans and fine labels."""
    tables = build_tables(gold, run)
    return Counter(tables.labels[tables.gold.label[row]] for row in match(tables, Criterion()).gold.tolist())


def test_by_hand() -> None:
    # A 0-5 is right; B 6-9 is called A; A 10-12 is missed, C 20-22 made up. At 30-33 gold has A and B, the run B and C: B is
    # B, and so A is C. At 40-42 the run has one more, so its first label in order is taken for A, the other for none.
    gold = corpus("A:0-5", "B:6-9", "A:10-12", "A:30-33", "B:30-33", "A:40-42")
    run = corpus("A:0-5", "A:6-9", "C:20-22", "C:30-33", "B:30-33", "C:40-42", "B:40-42", "B:40-42")
    found = confusion(gold, run)

    assert found.labels == ("A", "B", "C", NEG)
    assert found.counts == ((1, 1, 1, 1), (1, 1, 0, 0), (0, 0, 0, 0), (0, 0, 2, 0))


def test_fragments_are_a_set_and_their_number_matters() -> None:
    assert cells(confusion(corpus("A:0-2;5-7"), corpus("B:5-7;0-2"))) == {("A", "B"): 1}
    assert cells(confusion(corpus("A:0-2;5-7"), corpus("A:0-7"))) == {("A", NEG): 1, (NEG, "A"): 1}


def test_labels_come_in_the_order_given_and_others_after_them() -> None:
    found = confusion(corpus("A:0-1", "Z:1-2", "B:2-3"), corpus("M:0-1"), ["Z", "Y", "Z"])

    assert found.labels == ("Z", "Y", "A", "B", "M", NEG)
    assert cells(found) == {("A", "M"): 1, ("Z", NEG): 1, ("B", NEG): 1}


def test_only_restricts_both_sides_before_they_are_paired() -> None:
    gold, run = corpus("WORKUP:0-5", "TIME:6-9"), corpus("TIME:0-5", "WORKUP:6-9")
    found = confusion(gold, run, ["TIME", "WORKUP"], only=frozenset({"WORKUP"}))

    assert cells(confusion(gold, run)) == {("WORKUP", "TIME"): 1, ("TIME", "WORKUP"): 1}
    assert found.labels == ("WORKUP", NEG)
    assert cells(found) == {("WORKUP", NEG): 1, (NEG, "WORKUP"): 1}


def test_a_label_that_is_called_neg_is_told_apart() -> None:
    found = confusion(corpus("NEG:0-5", "A:6-9"), corpus("A:0-5", "NEG:10-12"), ["NEG", "A"])

    assert found.labels == ("label:NEG", "A", NEG)
    assert cells(found) == {("label:NEG", "A"): 1, ("A", NEG): 1, (NEG, "label:NEG"): 1}
    assert {(each.gold_label, each.run_label) for each in found.examples} == cells(found).keys()
    both = {"d": Document("d", (TextBound("T1", "NEG", ((0, 1),)), TextBound("T2", "label:NEG", ((1, 2),))))}
    assert confusion(both, both).labels == ("label:label:NEG", "label:NEG", NEG)


def test_documents_of_one_side_only() -> None:
    gold = corpus("A:0-5") | corpus("A:0-5", id_="e")
    found = confusion(gold, corpus("A:0-5") | corpus("B:0-5", id_="z"))

    assert found.labels == ("A", NEG)
    assert cells(found) == {("A", "A"): 1, ("A", NEG): 1}
    assert confusion({}, {}) == Confusion(labels=(NEG,), counts=((0,),))


TEXT = "First line of the text, rather long.\nThen 2-bromo-\tphenol was added to it, and the rest follows.\n"


def test_an_example_tells_what_is_covered_and_what_is_around_it() -> None:
    (found,) = confusion(corpus("A:42-56", text=TEXT), corpus("B:42-56", text=None)).examples

    assert (found.document, found.gold_label, found.run_label, found.fragments) == ("d", "A", "B", ((42, 56),))
    assert (found.before, found.text, found.after) == (
        "rst line of the text, rather long. Then ",
        "2-bromo- pheno",
        "l was added to it, and the rest follows.",
    )
    (parts,) = confusion(corpus("A:0-5;11-13", text=TEXT), {}).examples
    assert (parts.before, parts.text, parts.after[:5]) == ("", "First of", " the ")


def test_without_a_text_the_text_columns_tell() -> None:
    gold, run = (
        read_corpus({"d.ann": line.encode()}).documents
        for line in ("T1\tA 0 5\talpha\nT2\tA 0 5\taleph\nT3\tB 7 9\n", "T1\tC 0 5\tomega\n")
    )
    found = confusion(gold, run).examples

    assert [(each.text, each.before, each.after) for each in found] == [("aleph", "", ""), ("", "", "")]


def test_examples_are_spread_over_documents() -> None:
    gold = {id_: Document(id_, bounds("A:0-1", "A:2-3", "A:4-5", "B:6-7")) for id_ in ("d1", "d2", "d3", "d4")}
    run = {id_: Document(id_, bounds("B:6-7")) for id_ in gold}

    def where(most: int) -> list[tuple[str, int]]:
        return [(each.document, each.fragments[0][0]) for each in confusion(gold, run, examples_per_cell=most).examples]

    assert where(0) == []
    assert where(2) == [("d1", 0), ("d3", 0)]
    assert where(4) == [("d1", 0), ("d2", 0), ("d3", 0), ("d4", 0)]
    assert where(6) == [("d1", 0), ("d1", 2), ("d2", 0), ("d2", 2), ("d3", 0), ("d4", 0)]
    assert len(where(99)) == 12


@given(corpora(), corpora(), st.sampled_from([None, frozenset({"A1", "B1"}), frozenset[str]()]))
def test_margins_are_the_annotations_and_the_diagonal_the_true_positives(
    gold: dict[str, Document], run: dict[str, Document], only: frozenset[str] | None
) -> None:
    found = confusion(gold, run, LABELS, only=only, examples_per_cell=99)
    kept = {label for label in LABELS if only is None or label in only}

    def count(side: dict[str, Document]) -> Counter[str]:
        return Counter(label for id_, each in side.items() if id_ in gold for _, label in items(each) if label in kept)

    rows = dict(zip(found.labels, (sum(row) for row in found.counts), strict=True))
    columns = dict(zip(found.labels, (sum(column) for column in zip(*found.counts, strict=True)), strict=True))
    assert found.labels == (*(each for each in LABELS if each in kept), NEG)
    assert {label: rows[label] for label in kept} == {label: count(gold)[label] for label in kept}
    assert {label: columns[label] for label in kept} == {label: count(run)[label] for label in kept}
    assert found.counts[-1][-1] == 0
    tp = true_positives(gold, run)
    assert [found.counts[i][i] for i in range(len(found.labels) - 1)] == [tp[each] for each in found.labels[:-1]]
    assert Counter((each.gold_label, each.run_label) for each in found.examples) == {
        cell: count for cell, count in cells(found).items() if cell[0] != cell[1]
    }


@given(corpora(), corpora(), st.randoms(use_true_random=False))
def test_neither_the_order_of_lines_nor_ids_matter(gold: dict[str, Document], run: dict[str, Document], random: Random) -> None:
    def shuffled(side: dict[str, Document]) -> dict[str, Document]:
        ids = sorted(side)
        random.shuffle(ids)
        found = {}
        for id_ in ids:
            bound = list(side[id_].text_bounds)
            random.shuffle(bound)
            renamed = (TextBound(f"T{9 - i}", each.label, each.fragments[::-1], each.text) for i, each in enumerate(bound))
            found[id_] = Document(id_, tuple(renamed), side[id_].text)
        return found

    assert confusion(gold, run, examples_per_cell=2) == confusion(shuffled(gold), shuffled(run), examples_per_cell=2)


@given(corpora(), corpora())
def test_swapping_the_sides_transposes(gold: dict[str, Document], run: dict[str, Document]) -> None:
    run = {id_: run.get(id_, Document(id_)) for id_ in gold}

    assert confusion(run, gold, LABELS).counts == tuple(zip(*confusion(gold, run, LABELS).counts, strict=True))


@given(corpora(), corpora())
def test_a_way_through_json_changes_nothing(gold: dict[str, Document], run: dict[str, Document]) -> None:
    found = confusion(gold, run)

    assert Confusion.from_json(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(("part", "only"), [("ner", None), ("ee", frozenset({"WORKUP", "REACTION_STEP"})), ("ee", None)])
def test_the_sample_of_chemu(part: str, only: frozenset[str] | None) -> None:
    gold = read_corpus(read_path(shared("data", "chemu-sample", part, "gold")))
    run = read_corpus(read_path(shared("data", "chemu-sample", part, "run")), gold.texts)
    found = confusion(gold.documents, run.documents, only=only)
    tp = true_positives(dict(gold.documents), dict(run.documents))

    assert [found.counts[i][i] for i in range(len(found.labels) - 1)] == [tp[each] for each in found.labels[:-1]]
    assert all(each.text for each in found.examples)
