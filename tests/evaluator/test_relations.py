"""Relations: pairs that follow from the matching of their arguments, by hand, against a slow reference, and on corpora."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Argument, Document, Relation, TextBound
from brat.write import write
from evaluator.brateval import compare_relations
from evaluator.criteria import Annotations, Criterion, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.references import trigger_labels
from evaluator.relations import build_relations
from evaluator.scoring import Scheme, score
from evaluator.tables import build_tables
from tests.evaluator.linked import CRITERIA, SCHEME, TRIGGERS, counts, document, doubled, renamed, rows, sides
from tests.evaluator.reference import Judge, Rows, add_rows, event_rows, match_document, relation_rows
from tests.shared import shared

BOUNDS = ("T1|B1 0 4", "T2|A1 5 9", "T3|A2 10 14", "T4|A1 15 19")


def test_a_pair_needs_its_label_and_both_partners() -> None:
    gold = document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T1 Arg2:T3", "R3|A2 Arg1:T1 Arg2:T4")
    run = document("T1|B1 0 4", "T2|A1 5 9", "T3|A1 10 14", "T4|A1 15 19",
                   "R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T1 Arg2:T3", "R3|A1 Arg1:T1 Arg2:T4")  # fmt: skip

    # R1 is right. R2: its second argument has another label, and so no partner. R3: the label is wrong. tp 1, fp 2, fn 2.
    assert rows(gold, run, "relations") == {"all": (1, 2, 2), "A": (1, 2, 2), "A1": (1, 2, 1), "A2": (0, 0, 1)}
    # high: A2 and A1 lie under A, so that T3 has a partner too, and R3 agrees.
    assert rows(gold, run, "relations", "high") == {"all": (3, 0, 0), "A": (3, 0, 0)}
    # The one trigger is right, so that its arguments are all the relations there are.
    assert rows(gold, run, "arguments") == rows(gold, run, "relations")
    assert rows(gold, run, "triggers") == {"all": (1, 0, 0), "B": (1, 0, 0), "B1": (1, 0, 0)}


def test_the_order_of_arguments_is_that_of_their_roles() -> None:
    gold = document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T2")

    assert rows(gold, document(*BOUNDS, "R1|A1 Arg2:T2 Arg1:T1"), "relations")["all"] == (1, 0, 0)
    assert rows(gold, document(*BOUNDS, "R1|A1 Cause:T1 Theme:T2"), "relations")["all"] == (1, 0, 0)
    assert rows(gold, document(*BOUNDS, "R1|A1 Arg1:T2 Arg2:T1"), "relations")["all"] == (0, 1, 1)


def test_repetitions_and_twins_count_once() -> None:
    gold = document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T1 Arg2:T3")
    run = document(*BOUNDS, "T5|B1 0 4", "R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T5 Arg2:T2", "R3|A1 Arg1:T1 Arg2:T2")
    tables = build_tables(gold, run)
    table = build_relations(tables, gold, run).run

    # T5 is T1 again, so that R2 and R3 are R1 again.
    assert tables.run.row.tolist() == [0, 1, 2, 3, 0]
    assert (len(table), table.repeated) == (1, 2)
    assert rows(gold, run, "relations")["all"] == (1, 0, 1)


def test_an_event_stands_for_its_trigger() -> None:
    gold = document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T2")
    run = document(*BOUNDS, "E1|B1:T1", "R1|A1 Arg1:E1 Arg2:T2")

    assert rows(gold, run, "relations")["all"] == (1, 0, 0)


def test_what_leads_nowhere_is_left_out() -> None:
    gold = document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T9", "E1|B1:T9", "R2|A1 Arg1:E1 Arg2:T2", "R3|A1 Arg1:R1 Arg2:T2")

    assert rows(gold, gold, "relations") == {"all": (0, 0, 0)}


def test_of_equal_ids_the_first_counts() -> None:
    twice = {"d": Document("d", (*document(*BOUNDS)["d"].annotations, TextBound("T1", "A1", ((30, 40),)),
                                 Relation("R1", "A1", Argument("Arg1", "T1"), Argument("Arg2", "T2"))))}  # fmt: skip

    assert rows(document(*BOUNDS, "R1|A1 Arg1:T1 Arg2:T2"), twice, "relations")["all"] == (1, 0, 0)


def test_equal_labels_first_and_then_those_that_agree_in_their_order() -> None:
    pair = "Arg1:T1 Arg2:T2"
    gold = document(*BOUNDS, f"R1|A1 {pair}", f"R2|A2 {pair}", f"R3|B1 {pair}")
    run = document(*BOUNDS, f"R1|B2 {pair}", f"R2|A2 {pair}", f"R3|C {pair}")

    # fine: A2. high: A2, and B1 with B2. any: A2 is paired with A2; then A1 with B2 and B1 with C.
    assert rows(gold, run, "relations", "fine")["all"] == (1, 2, 2)
    assert rows(gold, run, "relations", "high") == {"all": (2, 1, 1), "A": (1, 0, 1), "B": (1, 0, 0), "C": (0, 1, 0)}
    assert rows(gold, run, "relations", "any") == {
        "all": (3, 0, 0), "A1": (1, 0, 0), "A2": (1, 0, 0), "B1": (1, 0, 0), "B2": (0, 0, 0), "C": (0, 0, 0),
    }  # fmt: skip


def test_arguments_given_right_triggers() -> None:
    gold = document(*BOUNDS, "T5|B1 20 24", "R1|A1 Arg1:T1 Arg2:T2", "R2|A1 Arg1:T5 Arg2:T2")
    run = document(*BOUNDS, "T5|B1 21 24", "R1|A1 Arg1:T1 Arg2:T4", "R2|A1 Arg1:T5 Arg2:T2")

    # T5 has no partner. So R2 is no argument of a right trigger on either side; R1 is one, and is wrong.
    assert rows(gold, run, "relations")["all"] == (0, 2, 2)
    assert rows(gold, run, "arguments")["all"] == (0, 1, 1)
    # Relaxed, T5 has a partner, and R2 is right.
    found = score(gold, run, [parse_criterion("relaxed", "fine")], SCHEME).scores
    assert [counts(each) for each in found if (each.annotations, each.label) == ("arguments", "all")] == [(1, 1, 1)]


def test_triggers_and_entities_are_what_their_labels_say() -> None:
    gold, run = document("T1|B1 0 4", "T2|A1 5 9"), document("T1|A1 0 4", "T2|A1 5 9")

    # any: T1 is paired with T1, which is a trigger in gold and an entity in the run; it is right as neither.
    assert rows(gold, run, "triggers", "any") == {"all": (0, 0, 1), "B1": (0, 0, 1)}
    assert rows(gold, run, "entities", "any") == {"all": (1, 1, 0), "A1": (1, 1, 0)}
    # Without labels of triggers every one is an entity, and there is nothing to say of triggers and their arguments.
    plain = Scheme(annotations=tuple(Annotations))
    assert rows(gold, run, "entities", "any", plain)["all"] == (2, 0, 0)
    assert rows(gold, run, "triggers", "any", plain) == rows(gold, run, "arguments", "any", plain) == {}


def test_scores_are_in_the_order_of_criteria_and_then_of_what_they_are_about() -> None:
    gold = document(*BOUNDS, "E1|B1:T1 Theme:T2", "A1|Negation E1", "R1|A1 Arg1:T1 Arg2:T2")
    found = score(gold, gold, CRITERIA[:2], SCHEME).scores
    seen = list(dict.fromkeys((each.labels, each.annotations) for each in found))

    assert seen == [(labels, each.value) for labels in ("fine", "high") for each in Annotations]


def test_only_and_ignore_name_what_is_counted_and_take_nothing_away_on_which_it_hangs() -> None:
    gold = document(*BOUNDS, "T5|B2 20 24", "R1|A1 Arg1:T1 Arg2:T2", "R2|A2 Arg1:T5 Arg2:T3")

    def found(only: set[str], ignore: set[str]) -> dict[str, set[str]]:
        scheme = Scheme(
            annotations=(Annotations.TRIGGERS, Annotations.RELATIONS),
            triggers=TRIGGERS,
            only=frozenset(only),
            ignore=frozenset(ignore),
        )
        scores = score(gold, gold, CRITERIA[:1], scheme).scores
        return {kind: {each.label for each in scores if each.annotations == kind} for kind in ("triggers", "relations")}

    assert found({"A1", "B2"}, set()) == {"triggers": {"all", "B2"}, "relations": {"all", "A1"}}
    assert found(set(), {"A1", "B2"}) == {"triggers": {"all", "B1"}, "relations": {"all", "A2"}}


def test_labels_of_triggers() -> None:
    relations = document(*BOUNDS, "R1|X Arg2:T2 Arg1:T1", "R2|X Arg1:T3 Arg2:T1", "R3|X Arg1:T4 Arg2:T9")
    events = document(*BOUNDS, "E1|B1:T1", "R1|X Arg1:T3 Arg2:T2")

    # B1 and A2 and A1 begin relations, A1 and B1 end them too.
    assert trigger_labels(relations) == {"A2"}
    assert trigger_labels(events) == {"B1"}
    assert trigger_labels(events, ["P", "Q"]) == {"P", "Q"}
    assert trigger_labels(document(*BOUNDS)) == frozenset()


def reference(gold: dict[str, Document], run: dict[str, Document], criterion: Criterion) -> dict[str, Rows]:
    """What the slow scorer says, by what it is about."""
    found: dict[str, list[Rows]] = {each: [] for each in ("relations", "arguments", "events", "modifications")}
    for id_, ours in gold.items():
        theirs = run[id_]
        partners = frozenset(match_document(ours, theirs, criterion, SCHEME.hierarchy, SCHEME.triggers))
        judge = Judge(criterion, SCHEME.hierarchy, partners)
        of_events = event_rows(ours, theirs, judge)
        found["relations"].append(relation_rows(ours, theirs, judge, triggers=False))
        found["arguments"] += [relation_rows(ours, theirs, judge, triggers=True), of_events["arguments"]]
        found["events"].append(of_events["events"])
        found["modifications"].append(of_events["modifications"])
    return {kind: add_rows(*each) for kind, each in found.items()}


@settings(max_examples=200, deadline=None)
@given(sides())
def test_it_is_what_the_definition_says(both: tuple[dict[str, Document], dict[str, Document]]) -> None:
    for criterion in CRITERIA:
        scores = score(*both, [criterion], SCHEME).scores
        for kind, expected in reference(*both, criterion).items():
            found = {each.label: counts(each) for each in scores if each.annotations == kind}
            total = found.pop("all", (0, 0, 0))
            assert {name: each for name, each in found.items() if name in expected} == expected, (criterion.name, kind)
            assert found.keys() - expected.keys() <= set(SCHEME.hierarchy.groups)
            assert total == tuple(map(sum, zip(*expected.values(), strict=True))) or not expected


@settings(max_examples=40, deadline=None)
@given(sides(), st.integers(0, 1000))
def test_properties(both: tuple[dict[str, Document], dict[str, Document]], seed: int) -> None:
    def told(gold: dict[str, Document], run: dict[str, Document]) -> list[tuple[str, str, str, tuple[int, int, int]]]:
        scores = score(gold, run, CRITERIA, SCHEME).scores
        return [(f"{each.span}-{each.labels}", each.annotations, each.label, counts(each)) for each in scores]

    gold, run = both
    expected = told(gold, run)
    # Gold against itself is right.
    assert all(fp == fn == 0 for *_, (_, fp, fn) in told(gold, gold))
    # Order of lines, ids, copies and twins mean nothing.
    assert told(renamed(gold, seed), renamed(run, seed + 1)) == expected
    assert told(doubled(gold), run) == told(gold, doubled(run)) == expected
    # Exchanging the sides exchanges fp and fn.
    there = {(criterion, kind): found for criterion, kind, label, found in expected if label == "all"}
    back = {(criterion, kind): found for criterion, kind, label, found in told(run, gold) if label == "all"}
    assert {key: (tp, fn, fp) for key, (tp, fp, fn) in there.items()} == back


@pytest.mark.parametrize(
    ("folder", "relations", "triggers"),
    [
        ("ddi2013/train", 4021, 0),
        ("ddi2013/test", 979, 0),
        ("brat-corpora/wlp/train", 12005, 10427),
        ("brat-corpora/wlp/dev", 4287, 3468),
        ("brat-corpora/wlp/test", 4450, 3590),
        ("chemu-sample/ee/gold", 658, 292),
    ],
)
def test_a_corpus_against_itself(folder: str, relations: int, triggers: int) -> None:
    gold = read_corpus(read_path(shared("data", folder))).documents
    labels = trigger_labels(gold)
    table = build_relations(build_tables(gold, gold), gold, gold).gold
    given = sum(isinstance(line, Relation) for each in gold.values() for line in each.annotations)
    asked = (Annotations.TRIGGERS, Annotations.ARGUMENTS, Annotations.RELATIONS)
    scores = score(gold, gold, CRITERIA, Scheme(annotations=asked, triggers=labels)).scores
    overall = {(each.annotations, counts(each)) for each in scores if each.label == "all"}

    assert (given, table.repeated) == (relations, 0)  # no corpus repeats a relation
    expected = {("triggers", (triggers, 0, 0)), ("arguments", (relations, 0, 0))} if triggers else set()
    assert overall == {("relations", (relations, 0, 0)), *expected}


def test_brateval_printed_the_same_for_chemu() -> None:
    sample = shared("data", "chemu-sample")
    gold, run = (read_corpus(read_path(sample / "ee" / side)).documents for side in ("gold", "run"))
    printed = (sample / "brateval-output" / "ee-gt-test-exact-exact.txt").read_text()
    scores = score(gold, run, CRITERIA[:1], Scheme(annotations=(Annotations.RELATIONS,))).scores

    # The run is gold again. BRATEval prints a row for each label with the labels of its arguments; ours are their sums.
    expected: dict[str, list[int]] = {}
    for name, *figures in re.findall(r"^(\w+)(?:\|[A-Z_]+\|[A-Z_]+)?\|tp:(\d+)\|fp:(\d+)\|fn:(\d+)", printed, re.MULTILINE):
        before = expected.get(name, [0, 0, 0])
        expected[name] = [a + int(b) for a, b in zip(before, figures, strict=True)]
    assert {each.label: list(counts(each)) for each in scores} == expected == {
        "all": [658, 0, 0], "ARG1": [432, 0, 0], "ARGM": [226, 0, 0],
    }  # fmt: skip


def test_brateval_counts_the_same_on_clean_runs() -> None:
    # Clean: no span is annotated twice, no id and no relation occurs twice. The run has other labels and spans, lost lines,
    # and relations that are turned round or lead elsewhere, so that each count is far from nothing.
    gold = read_corpus(read_path(shared("data", "chemu-sample", "ee", "gold"))).documents
    random = Random(3)
    run = {id_: _worsened(each, random) for id_, each in gold.items()}
    ours = score(gold, run, CRITERIA[:1], Scheme(annotations=(Annotations.RELATIONS,))).scores[0]
    files = [{f"{id_}.ann": write(each).encode() for id_, each in side.items()} for side in (gold, run)]
    theirs = next(each for each in compare_relations(*files) if each.label == "all")

    assert ours.counts == theirs.counts
    assert min(counts(ours)) > 100


def _worsened(document: Document, random: Random) -> Document:
    taken = {each.fragments for each in document.text_bounds}
    bounds, lost = [], set()
    for each in document.text_bounds:
        luck = random.random()
        (start, end), *_ = each.fragments
        moved = ((start, end + 1),)
        if luck < 0.05:
            lost.add(each.id)
        elif luck < 0.15 and moved not in taken:
            bounds.append(TextBound(each.id, each.label, moved, "x"))
        else:
            bounds.append(TextBound(each.id, "SOLVENT" if luck > 0.95 else each.label, each.fragments, each.text))
    known = [each.id for each in bounds]
    relations: dict[tuple[str, str, str], Relation] = {}
    for line in document.annotations:
        if isinstance(line, Relation) and not {line.first.target, line.second.target} & lost:
            one, other, label, luck = line.first.target, line.second.target, line.label, random.random()
            if luck < 0.1:
                one, other = other, one
            elif luck < 0.2:
                other = random.choice(known)
            elif luck < 0.3:
                label = "ARG1"
            relations[label, one, other] = Relation(line.id, label, Argument("Arg1", one), Argument("Arg2", other))
    return Document(document.id, (*bounds, *relations.values()), document.text)


def test_groups_of_relations_are_those_of_their_own_hierarchy() -> None:
    gold = document(*BOUNDS, "R1|P Arg1:T1 Arg2:T2", "R2|Q Arg1:T1 Arg2:T3")
    scheme = Scheme(annotations=(Annotations.RELATIONS,), relations=Hierarchy({"P": None, "Q": "P"}))

    assert rows(gold, gold, "relations", "fine", scheme) == {"all": (2, 0, 0), "P": (2, 0, 0), "Q": (1, 0, 0)}
    assert rows(gold, gold, "relations", "high", scheme) == {"all": (2, 0, 0), "P": (2, 0, 0)}
