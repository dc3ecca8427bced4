"""Relations: co-occurrence and nearest trigger by hand, events, votes."""

from __future__ import annotations

import pytest

from baselines import cooccurrence, nearest_trigger, recipes
from baselines.links import Pair, Shape, links_of, shape_of
from baselines.majority_vote import vote
from baselines.protocol import BaselineError, Corpus, Quiet
from baselines.relation_transformer import with_marks
from brat.model import Document, Event, Relation
from brat.parse import parse

TRIGGERS = frozenset({"STEP"})
TEXT = "Added acid at noon. Cooled it; added lye, washed salt."
#       0     6       14    20         31    37   42     49
TRAIN = (
    "T1\tSTEP 0 5\tAdded\nT2\tAGENT 6 10\tacid\nT3\tTIME 14 18\tnoon\nR1\tARG1 Arg1:T1 Arg2:T2\nR2\tARGM Arg1:T1 Arg2:T3\n"
    "T4\tSTEP 42 48\twashed\nT5\tAGENT 49 53\tsalt\nR3\tARG1 Arg1:T4 Arg2:T5\nT6\tAGENT 37 40\tlye\n"
)


def read(annotations: str, text: str = TEXT, id_: str = "d") -> Document:
    document, problems = parse(annotations, document_id=id_, text=text)
    assert not problems
    return document


def relations(document: Document) -> set[tuple[str, str, str]]:
    text = document.text or ""
    at = {each.id: text[each.fragments[0][0] : each.fragments[0][1]] for each in document.text_bounds}
    found = (each for each in document.annotations if isinstance(each, Relation))
    return {(each.label, at[each.first.target], at[each.second.target]) for each in found}


def given() -> Document:
    """The entities of TRAIN without triggers and relations."""
    return Document("d", tuple(each for each in read(TRAIN).text_bounds if each.label not in TRIGGERS), TEXT)


def test_cooccurrence_by_hand() -> None:
    model = cooccurrence.train(Corpus({"d": read(TRAIN)}, triggers=TRIGGERS), cooccurrence.Settings(), Quiet())
    assert model.words == {"added": "STEP", "washed": "STEP"}
    run = cooccurrence.predict(model, {"d": given()}, Quiet())["d"]
    # ARG1 and ARGM were seen forward only; `added` in the second sentence is found in lower case too.
    assert relations(run) == {
        ("ARG1", "Added", "acid"), ("ARGM", "Added", "noon"), ("ARG1", "added", "lye"), ("ARG1", "added", "salt"),
        ("ARG1", "washed", "salt"),
    }  # fmt: skip
    assert [each.text for each in run.text_bounds][:4] == ["acid", "noon", "salt", "lye"], "what was given comes first"
    strict = cooccurrence.train(Corpus({"d": read(TRAIN)}, triggers=TRIGGERS), cooccurrence.Settings(least=2), Quiet())
    assert {key[0] for key in strict.links} == {"ARG1"}


def test_nearest_trigger_by_hand() -> None:
    model = nearest_trigger.train(Corpus({"d": read(TRAIN)}, triggers=TRIGGERS), nearest_trigger.Settings(), Quiet())
    run = nearest_trigger.predict(model, {"d": given()}, Quiet())["d"]
    # `lye` is 1 from `added` and 2 from `washed`, which stands behind it, where ARG1 was never seen.
    assert relations(run) == {
        ("ARG1", "Added", "acid"), ("ARGM", "Added", "noon"), ("ARG1", "added", "lye"), ("ARG1", "washed", "salt")
    }  # fmt: skip


def test_without_triggers_entities_are_linked_in_the_direction_that_was_seen() -> None:
    text = "Aspirin raises warfarin. Lithium and aspirin."
    train = read("T1\tDRUG 0 7\tAspirin\nT2\tDRUG 15 23\twarfarin\nR1\tINT Arg1:T1 Arg2:T2\n", text)
    model = cooccurrence.train(Corpus({"d": train}), cooccurrence.Settings(), Quiet())
    asked = read("T1\tDRUG 25 32\tLithium\nT2\tDRUG 37 44\taspirin\n", text, "x")
    assert relations(cooccurrence.predict(model, {"x": asked}, Quiet())["x"]) == {("INT", "Lithium", "aspirin")}


def test_events_come_back_as_events() -> None:
    text = "Binding blocks growth. Growth blocks binding."
    annotations = "T1\tBind 0 7\tBinding\nT2\tStop 8 14\tblocks\nT3\tGrow 15 21\tgrowth\n"
    annotations += "E1\tBind:T1\nE2\tGrow:T3\nE3\tStop:T2 Cause:E1 Theme:E2\n"
    train = read(annotations, text)
    assert shape_of([train], ()) == Shape(frozenset({"Bind", "Stop", "Grow"}), events=True)
    assert [(each.label, each.first, each.second) for each in links_of(train)] == [("Cause", "T2", "T1"), ("Theme", "T2", "T3")]
    model = cooccurrence.train(Corpus({"d": train}), cooccurrence.Settings(), Quiet())
    run = cooccurrence.predict(model, {"x": Document("x", (), "Binding blocks growth.")}, Quiet())["x"]
    events = [each for each in run.annotations if isinstance(each, Event)]
    assert {each.label: [(a.role, a.target) for a in each.arguments] for each in events} == {
        "Bind": [], "Stop": [("Cause", "E1"), ("Theme", "E3")], "Grow": []
    }  # fmt: skip


def test_marks_stand_for_the_pair() -> None:
    document = read(TRAIN)
    first, second = (next(each for each in document.text_bounds if each.id == id_) for id_ in ("T1", "T3"))
    assert with_marks(TEXT, (0, 19), Pair(first, second), TRIGGERS) == "@TRIGGER$ acid at @TIME$ ."


def test_votes_by_hand() -> None:
    text = "acid and lye"
    one = read("T1\tX 0 4\tacid\nT2\tX 9 12\tlye\nR1\tL Arg1:T1 Arg2:T2\n", text)
    two = read("T7\tX 0 4\tacid\nT8\tX 9 12\tlye\nR5\tL Arg1:T7 Arg2:T8\n", text)
    three = read("T1\tY 0 4\tacid\nT2\tX 9 12\tlye\n", text)
    empty = {"d": Document("d", (), text)}
    found = vote(empty, [{"d": one}, {"d": two}, {"d": three}], 0.5)["d"]
    assert [(each.label, each.text) for each in found.text_bounds] == [("X", "acid"), ("X", "lye")]
    assert relations(found) == {("L", "acid", "lye")}
    strict = vote(empty, [{"d": one}, {"d": two}, {"d": three}], 0.9)["d"]
    assert [(each.label, each.text) for each in strict.text_bounds] == [("X", "lye")]
    assert relations(strict) == set()
    assert len(list(vote(empty, [{"d": one}, {}], 0.5)["d"].text_bounds)) == 0, "half is not more than half"
    with pytest.raises(BaselineError, match="no run to vote"):
        vote(empty, [], 0.5)
    with pytest.raises(BaselineError, match="events are not voted on"):
        vote(empty, [{"d": read("T1\tX 0 4\tacid\nE1\tX:T1\n", text)}], 0.5)


def test_a_linker_needs_entities() -> None:
    trained = recipes.train("cooccurrence", Corpus({"d": read(TRAIN)}, triggers=TRIGGERS), {})
    with pytest.raises(BaselineError, match=r"links entities, and there is none in what it is given; crf\+cooccurrence"):
        recipes.predict(trained, {"d": Document("d", (), TEXT)})
