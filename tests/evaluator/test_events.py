"""Events by hand: triggers, arguments given right triggers, whole events under approximate recursion, modifications.

`test_relations.py` compares them with a slow reference on random documents, and checks what must hold of all.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Argument, Attribute, Document, Event, TextBound, role_name
from evaluator.criteria import Annotations
from evaluator.event_tables import build_events
from evaluator.references import trigger_labels
from evaluator.refinement import multisets, refine
from evaluator.scoring import Scheme, score
from evaluator.tables import Ints, build_tables
from tests.evaluator.linked import CRITERIA, SCHEME, counts, document, rows
from tests.shared import shared

# Two entities, three triggers; B1 and B2 lie under B.
BOUNDS = ("T1|A1 0 4", "T2|A1 5 9", "T3|B1 10 14", "T4|B2 15 19", "T5|C 20 24")


def test_a_whole_event_needs_its_label_its_trigger_and_all_arguments() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1 Cause:T2", "E2|B2:T4 Theme:T2", "E3|C:T5")
    run = document(*BOUNDS, "E1|B1:T3 Theme:T1", "E2|B1:T4 Theme:T2", "E3|C:T5")

    # E1 lacks its Cause, E2 has another label, E3 is right.
    assert rows(gold, run, "events") == {"all": (1, 2, 2), "B": (0, 2, 2), "B1": (0, 2, 1), "B2": (0, 0, 1), "C": (1, 0, 0)}
    # Arguments of right triggers, by role: Theme of E1 is right; Cause of E1 is missed; that of E2 is of another event label.
    assert rows(gold, run, "arguments") == {"all": (1, 1, 2), "Cause": (0, 0, 1), "Theme": (1, 1, 1)}
    # high: B1 and B2 agree.
    assert rows(gold, run, "events", "high") == {"all": (2, 1, 1), "B": (1, 1, 1), "C": (1, 0, 0)}
    assert rows(gold, run, "triggers")["all"] == (3, 0, 0)


def test_a_wrong_trigger_costs_the_event_and_not_the_arguments() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1")
    run = document("T1|A1 0 4", "T3|B1 11 14", "E1|B1:T3 Theme:T1")

    assert rows(gold, run, "events")["all"] == (0, 1, 1)
    assert rows(gold, run, "arguments") == {"all": (0, 0, 0)}


def test_one_wrong_argument_is_one_role() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1 Cause:T2")
    run = document(*BOUNDS, "E1|B1:T3 Theme:T2 Cause:T2")

    assert rows(gold, run, "events")["all"] == (0, 1, 1)
    assert rows(gold, run, "arguments") == {"all": (1, 1, 1), "Cause": (1, 0, 0), "Theme": (0, 1, 1)}


def test_arguments_are_distinct_by_event_label_trigger_role_and_target() -> None:
    # Two events share a trigger and a Theme: BioNLP's distributive reading. (B1, T3, Theme, T1) counts once.
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1 Cause:T2", "E2|B1:T3 Theme:T1")

    assert rows(gold, gold, "arguments") == {"all": (2, 0, 0), "Cause": (1, 0, 0), "Theme": (1, 0, 0)}
    assert rows(gold, gold, "events")["all"] == (2, 0, 0)


def test_a_nested_event_is_asked_for_its_themes_only() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T1 Cause:T2")

    # Without the Cause the nested event is wrong itself, and E1 is right: approximate recursion.
    cause = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T1")
    assert rows(gold, cause, "events")["all"] == (1, 1, 1)
    assert rows(gold, cause, "arguments") == {"all": (2, 0, 1), "Cause": (0, 0, 1), "Theme": (2, 0, 0)}
    # With another Theme both are wrong.
    theme = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T2 Cause:T2")
    assert rows(gold, theme, "events")["all"] == (0, 2, 2)
    # With another label too.
    label = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|B2:T5 Theme:T1 Cause:T2")
    assert rows(gold, label, "events")["all"] == (0, 2, 2)


def test_a_nested_event_of_a_nested_one_is_asked_too() -> None:
    chain = ("E1|B1:T3 Theme:E2", "E2|B2:T4 Theme:E3")
    gold = document(*BOUNDS, *chain, "E3|C:T5 Theme:T1")
    run = document(*BOUNDS, *chain, "E3|C:T5 Theme:T2")

    assert rows(gold, run, "events")["all"] == (0, 3, 3)
    # A nested event that hangs on a Cause is asked for its own Themes, and what lies below its Cause is not asked.
    gold = document(*BOUNDS, "E1|B1:T3 Cause:E2", "E2|B2:T4 Cause:E3", "E3|C:T5 Theme:T1")
    run = document(*BOUNDS, "E1|B1:T3 Cause:E2", "E2|B2:T4 Cause:E3", "E3|C:T5 Theme:T2")
    assert rows(gold, run, "events") == {"all": (1, 2, 2), "B": (1, 1, 1), "B1": (1, 0, 0), "B2": (0, 1, 1), "C": (0, 1, 1)}


def test_an_entity_is_no_event() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5")
    run = document(*BOUNDS, "E1|B1:T3 Theme:T5", "E2|C:T5")

    assert rows(gold, run, "events")["all"] == (1, 1, 1)


def test_arguments_count_as_often_as_they_are_there() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1 Theme2:T2")

    # Numbers of roles are brat's and mean nothing; how often a target is there does.
    assert rows(gold, document(*BOUNDS, "E1|B1:T3 Theme2:T1 Theme7:T2"), "events")["all"] == (1, 0, 0)
    assert rows(gold, document(*BOUNDS, "E1|B1:T3 Theme:T1"), "events")["all"] == (0, 1, 1)
    assert rows(gold, document(*BOUNDS, "E1|B1:T3 Theme:T1 Theme2:T1 Theme3:T2"), "events")["all"] == (0, 1, 1)


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("Theme", "Theme"), ("Theme2", "Theme"), ("Using3", "Using"), ("Site10", "Site"), ("Acts-on2", "Acts-on"),
        ("Arg1", "Arg1"), ("Theme0", "Theme0"), ("Theme02", "Theme02"), ("2", "2"), ("12", "12"),
    ],
)  # fmt: skip
def test_numbers_of_roles(role: str, name: str) -> None:
    assert role_name(role) == name


def test_circles_end_and_are_compared() -> None:
    circle = ("E1|B1:T3 Theme:E2", "E2|B2:T4 Theme:E1")
    gold = document(*BOUNDS, *circle)

    assert rows(gold, gold, "events")["all"] == (2, 0, 0)
    assert rows(gold, document(*BOUNDS, "E7|B2:T4 Theme:E8", "E8|B1:T3 Theme:E7"), "events")["all"] == (2, 0, 0)
    # Broken open, both differ: E2 has no Theme, and so E1's Theme is another.
    assert rows(gold, document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|B2:T4"), "events")["all"] == (0, 2, 2)
    # An event of itself is a circle of one, and one of two equal events is the same.
    own, two = document(*BOUNDS, "E1|B1:T3 Theme:E1"), document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|B1:T3 Theme:E1")
    assert rows(own, two, "events")["all"] == rows(two, own, "events")["all"] == (1, 0, 0)


def test_identical_events_are_merged_and_with_them_those_above() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T1")
    run = document(*BOUNDS, "T6|C 20 24", "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T1", "E3|B1:T3 Theme2:E4", "E4|C:T6 Theme:T1")
    tables = build_tables(gold, run)
    table = build_events(tables, gold, run).run

    assert (len(table), table.repeated, table.owner.tolist(), table.target.tolist()) == (2, 2, [0, 1], [1, 0])
    assert rows(gold, run, "events")["all"] == (2, 0, 0)


def test_distinct_events_that_look_the_same_are_paired_as_often_as_both_sides_have_them() -> None:
    # E1 and E2 differ below the Cause of what they are about, which nobody asks: they look the same from the other side.
    two = ("E1|B1:T3 Theme:E3", "E2|B1:T3 Theme:E4", "E3|C:T5 Cause:T1", "E4|C:T5 Cause:T2")
    gold = document(*BOUNDS, *two)
    run = document(*BOUNDS, "E1|B1:T3 Theme:E3", "E3|C:T5 Cause:T1")

    # E1 or E2, and E3, are right; E4 and the other are missed.
    assert rows(gold, run, "events") == {"all": (2, 0, 2), "B": (1, 0, 1), "B1": (1, 0, 1), "C": (1, 0, 1)}
    assert rows(gold, gold, "events")["all"] == (4, 0, 0)
    assert rows(run, gold, "events")["all"] == (2, 2, 0)


def test_equal_labels_first() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1", "E2|B2:T3 Theme:T1")
    run = document(*BOUNDS, "E1|B2:T3 Theme:T1")

    assert rows(gold, run, "events", "any") == {"all": (1, 0, 1), "B1": (0, 0, 1), "B2": (1, 0, 0)}


def test_what_leads_nowhere_is_left_out() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1")
    run = document(*BOUNDS, "E1|B1:T3 Theme:T1 Theme2:T9 Cause:E2 Site:R1", "E2|C:T8 Theme:T1")

    assert rows(gold, run, "events")["all"] == (1, 0, 0)


def test_of_equal_ids_the_first_counts() -> None:
    bounds = (TextBound("T1", "A1", ((0, 4),)), TextBound("T3", "B1", ((10, 14),)), TextBound("T1", "A2", ((50, 60),)))
    gold = {"d": Document("d", (*bounds[:2], Event("E1", "B1", "T3", (Argument("Theme", "T1"),))))}
    run = {"d": Document("d", (*bounds, *gold["d"].annotations[2:], Event("E1", "C", "T3"), Attribute("A1", "Negation", "E1")))}

    # Each line is an event; the modification is of the first E1.
    assert rows(gold, run, "events")["all"] == (1, 1, 0)
    scheme = Scheme(annotations=(Annotations.MODIFICATIONS,), only=frozenset({"C"}))
    assert rows(gold, run, "modifications", scheme=scheme)["all"] == (0, 0, 0)


def test_modifications_are_of_right_events() -> None:
    events = ("E1|B1:T3 Theme:T1", "E2|C:T5")
    gold = document(*BOUNDS, *events, "A1|Negation E1", "A2|Level E2 high", "M3|Speculation E2")
    run = document(*BOUNDS, *events, "A1|Negation E1", "A2|Level E2 low", "A3|Negation T1", "A4|Negation E9")

    # Level has another value, Speculation is missed; what is said of entities, or of nothing, does not count.
    assert rows(gold, run, "modifications") == {
        "all": (1, 1, 2), "Level": (0, 1, 1), "Negation": (1, 0, 0), "Speculation": (0, 0, 1),
    }  # fmt: skip
    wrong = document(*BOUNDS, "E1|B1:T3 Theme:T2", "A1|Negation E1", "A2|Negation E1")
    assert rows(gold, wrong, "modifications")["Negation"] == (0, 1, 1)
    assert rows(document(*BOUNDS, *events), document(*BOUNDS, *events), "modifications") == {}


def test_arguments_of_relations_and_of_events_are_one_tally() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:T1 Cause:T2", "R1|Theme Arg1:T3 Arg2:T2", "R2|A2 Arg1:T3 Arg2:T1")
    run = document(*BOUNDS, "E1|B1:T3 Theme:T1", "R1|Theme Arg1:T3 Arg2:T2", "R2|A1 Arg1:T3 Arg2:T1")

    # Theme: one of the event and one of the relation. A1 and A2 are relations, Cause is a role.
    assert rows(gold, run, "arguments") == {
        "all": (2, 1, 2), "A": (0, 1, 1), "A1": (0, 1, 0), "A2": (0, 0, 1), "Cause": (0, 0, 1), "Theme": (2, 0, 0),
    }  # fmt: skip


def test_only_and_ignore_name_events_and_take_no_nested_one_away() -> None:
    gold = document(*BOUNDS, "E1|B1:T3 Theme:E2", "E2|C:T5 Theme:T1", "A1|Negation E2", "A2|Negation E1")
    scheme = Scheme(annotations=SCHEME.annotations, triggers=SCHEME.triggers, only=frozenset({"B1"}))

    assert rows(gold, gold, "events", scheme=scheme) == {"all": (1, 0, 0), "B1": (1, 0, 0)}
    assert rows(gold, gold, "arguments", scheme=scheme) == {"all": (1, 0, 0), "Theme": (1, 0, 0)}
    assert rows(gold, gold, "modifications", scheme=scheme)["all"] == (1, 0, 0)
    without = document(*BOUNDS, "E1|B1:T3", "E2|C:T5 Theme:T1")
    assert rows(gold, without, "events", scheme=scheme)["all"] == (0, 1, 1)


@pytest.mark.parametrize(
    ("folder", "given", "repeated", "arguments", "modifications"),
    [
        # All events of wlp are distinct. In bionlp13cg a few are annotated twice; events that share a trigger share arguments.
        ("wlp/train", 10_427, 0, 13_338, 0),
        ("wlp/dev", 3_468, 0, 4_872, 0),
        ("wlp/test", 3_590, 0, 4_821, 0),
        ("bionlp13cg/train", 8_803, 4, 10_480, 669),
        ("bionlp13cg/devel", 2_915, 1, 3_506, 214),
    ],
)
def test_a_corpus_against_itself(folder: str, given: int, repeated: int, arguments: int, modifications: int) -> None:
    gold = read_corpus(read_path(shared("data", "brat-corpora", folder))).documents
    scheme = Scheme(
        annotations=(Annotations.ARGUMENTS, Annotations.EVENTS, Annotations.MODIFICATIONS), triggers=trigger_labels(gold)
    )
    scores = score(gold, gold, CRITERIA, scheme).scores
    overall = {(each.annotations, counts(each)) for each in scores if each.label == "all"}

    assert sum(isinstance(line, Event) for each in gold.values() for line in each.annotations) == given
    expected = {("arguments", (arguments, 0, 0)), ("events", (given - repeated, 0, 0))}
    assert overall == expected | ({("modifications", (modifications, 0, 0))} if modifications else set())


def test_a_long_chain_of_nested_events_costs_no_more_than_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    # All alike but for what lies at the end of the chain, so that every round tells one more apart.
    looked_at: list[int] = []

    def count(owner: Ints, value: Ints, owners: int) -> Ints:
        looked_at.append(owners)
        return multisets(owner, value, owners)

    monkeypatch.setattr("evaluator.refinement.multisets", count)
    length = 3_000
    chain = np.arange(length - 1)
    found = refine(np.zeros(length, dtype=np.int64), chain, np.zeros_like(chain), chain + 1, deepest=length)

    assert len(set(found.tolist())) == length
    assert sum(looked_at) < 3 * length


def slowly_refined(block: list[int], arguments: list[tuple[int, int, int]]) -> list[int]:
    """Every round looks at everything."""
    while True:
        looks = [
            (block[i], tuple(sorted((role, block[to]) for owner, role, to in arguments if owner == i)))
            for i in range(len(block))
        ]
        number = {look: i for i, look in enumerate(sorted(set(looks)))}
        if len(number) == len(set(block)):
            return block
        block = [number[each] for each in looks]


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 12).flatmap(lambda n: st.tuples(
    st.lists(st.integers(0, min(n - 1, 1)), min_size=n, max_size=n),
    st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 1), st.integers(0, n - 1)), max_size=2 * n),
)))  # fmt: skip
def test_refinement(drawn: tuple[list[int], list[tuple[int, int, int]]]) -> None:
    block, arguments = drawn
    columns = np.array(arguments, dtype=np.int64).reshape(-1, 3).T
    found = refine(np.unique(block, return_inverse=True)[1].astype(np.int64), *columns).tolist()
    expected = slowly_refined(block, arguments)

    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))
    assert max(found) < len(block)


def test_multisets() -> None:
    owner, value = np.array([0, 1, 1, 0, 3, 4, 4]), np.array([7, 8, 7, 8, 7, 7, 7])

    assert multisets(owner, value, 6).tolist() == [0, 0, 1, 2, 3, 1]
