"""Relations and events of a run against a configuration: labels, roles, types, and what a track does not ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.conf import parse_conf
from brat.corpus import Corpus, read_corpus
from brat.files import read_path
from brat.model import Document, Equiv, Event, Relation
from brat.problems import MOST_KEPT, WARNINGS
from brat.roles import nearest_label, resting_on, targets_of
from brat.run import Expectations, check_run
from tests.shared import shared
from tests.strategies import documents

CONF = """
[entities]
COMPOUND
	SOLVENT
	REAGENT
TIME
[relations]
ARG1	Arg1:<EVENT>, Arg2:COMPOUND
ARGM	Arg1:STEP, Arg2:TIME
ARGM	Arg1:WORKUP, Arg2:COMPOUND
NEXT	Arg1:<EVENT>, Arg2:<EVENT>
LOOSE
[events]
STEP	Theme*:COMPOUND, When?:TIME, Of:<ANY>
WORKUP	Theme:<EVENT>|SOLVENT
BARE
"""
CHEMU = """
[entities]
COMPOUND
	STARTING_MATERIAL
	REAGENT_CATALYST
	REACTION_PRODUCT
	SOLVENT
	OTHER_COMPOUND
TIME
TEMPERATURE
YIELD_PERCENT
YIELD_OTHER
EXAMPLE_LABEL
[relations]
<STEP>=REACTION_STEP|WORKUP
ARG1	Arg1:<STEP>, Arg2:COMPOUND
ARGM	Arg1:<STEP>, Arg2:TIME|TEMPERATURE|YIELD_PERCENT|YIELD_OTHER
[events]
REACTION_STEP
WORKUP
"""
# Ten characters each, one after the other: T1 STEP, T2 WORKUP, T3 SOLVENT, T4 TIME, T5 STRANGE.
LABELS = ("STEP", "WORKUP", "SOLVENT", "TIME", "STRANGE", "BARE")
TEXT = "".join(f"{label:9} " for label in LABELS)
SPANS = "".join(f"T{i}\t{label} {10 * i - 10} {10 * i - 10 + len(label)}\t{label}\n" for i, label in enumerate(LABELS, 1))
ONE: dict[str, str | None] = {"a": TEXT}
KINDS = frozenset({"TextBound", "Relation", "Event"})


def expectations(conf: str = CONF) -> Expectations:
    configuration, problems = parse_conf(conf)
    assert problems == []
    return Expectations(kinds=KINDS, relations=configuration.relation_types(), events=configuration.event_roles())


def check(lines: str, expected: Expectations | None = None) -> Corpus:
    run = read_corpus({"a.ann": (SPANS + lines.replace("→", "\t")).encode()}, ONE)
    return check_run(run, ONE, expected or expectations())


def told(lines: str, expected: Expectations | None = None) -> list[str]:
    """All problems but those about the run as a whole."""
    return [str(each) for each in check(lines, expected).problems if each.file]


@pytest.mark.parametrize(
    "line",
    [
        "R1→ARG1 Arg1:T1 Arg2:T3",
        "R1→ARG1 Arg1:T6 Arg2:T3",
        "R1→ARGM Arg1:T1 Arg2:T4",
        "R1→ARGM Arg1:T2 Arg2:T3",
        "R1→NEXT Arg1:T1 Arg2:T2",
        "R1→LOOSE Arg1:T5 Arg2:T4",
        "R1→ARG1 From:T1 To:T3",
        "E1→STEP:T1",
        "E1→STEP:T1 Theme:T3 Theme2:T3 Theme13:T3 When:T4 Of:T5",
        "E1→WORKUP:T2 Theme:E2\nE2→STEP:T1",
        "E1→STEP:T1\nR1→ARG1 Arg1:E1 Arg2:T3",
        "E1→BARE:T6",
    ],
)
def test_nothing_is_wrong_with_what_the_configuration_allows(line: str) -> None:
    assert told(line) == []


SWAPPED = "the arguments are the wrong way round"
STEPS, THINGS = "BARE|STEP|WORKUP", "COMPOUND|REAGENT|SOLVENT"
ARGM = f"expected from STEP to TIME or from WORKUP to {THINGS}"


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (
            "R1→ARG1 Arg1:T3 Arg2:T1",
            "argument-type",
            f"found ARG1 from SOLVENT to STEP; expected from {STEPS} to {THINGS}; {SWAPPED}",
        ),
        ("R1→ARGM Arg1:T2 Arg2:T4", "argument-type", f"found ARGM from WORKUP to TIME; {ARGM}"),
        ("R1→ARGM Arg1:T4 Arg2:T1", "argument-type", f"found ARGM from TIME to STEP; {ARGM}; {SWAPPED}"),
        (  # written in the other order, too: what counts are the roles, as for the scores
            "R1→ARG1 Arg2:T1 Arg1:T3",
            "argument-type",
            f"found ARG1 from SOLVENT to STEP; expected from {STEPS} to {THINGS}; {SWAPPED}",
        ),
        (
            "R1→arg1 Arg1:T3 Arg2:T1",
            "unknown-label",
            'found "arg1"; expected one of ARG1, ARGM, LOOSE, NEXT; did you mean ARG1?',
        ),
        ("E1→STEP:T1 Cause:T3", "unknown-role", "found STEP with Cause:T3; expected one of Of, Theme, When"),
        (
            "E1→STEP:T1 Tehme2:T3",
            "unknown-role",
            "found STEP with Tehme2:T3; expected one of Of, Theme, When; did you mean Theme?",
        ),
        (
            "E1→STEP:T1 Theme1:T3",
            "unknown-role",
            "found STEP with Theme1:T3; expected one of Of, Theme, When; did you mean Theme?",
        ),
        ("E1→BARE:T6 Theme:T3", "unknown-role", "found BARE with Theme:T3; expected no argument"),
        ("E1→STEP:T1 Theme2:T4", "argument-type", f"found STEP with Theme2 TIME; expected Theme {THINGS}"),
    ],
)
def test_a_problem_its_place_and_its_words(line: str, code: str, words: str) -> None:
    assert told(line) == [f"a.ann:7:4: warning [{code}] {WARNINGS[code]}; {words}"]


def test_the_column_is_that_of_the_label_whatever_the_id_and_the_blanks() -> None:
    assert told("\r\n\r\nR123→ARG1 Arg1:T3   Arg2:T1")[0].startswith("a.ann:9:6: ")


def test_an_unknown_event_is_told_with_what_was_meant() -> None:
    assert told("E1→Step:T1 Theme:T4")[-1] == (
        'a.ann:7:4: warning [unknown-label] a label is not one of the task\'s; found "Step"; '
        "expected one of BARE, STEP, WORKUP; did you mean STEP?"
    )


def test_every_argument_of_an_event_is_looked_at() -> None:
    found = told("E1→STEP:T1 Theme:T4 Theme2:T3 Theme3:T1 Site:T3")

    assert [each.split()[2] for each in found] == ["[argument-type]", "[argument-type]", "[unknown-role]"]


def test_an_undefined_argument_is_told_once() -> None:
    found = told("R1→ARG1 Arg1:T1 Arg2:T99\nE1→STEP:T1 Theme:T98")

    assert [each.split()[2] for each in found] == ["[undefined-reference]", "[undefined-reference]"]


def test_roles_are_not_checked_where_the_configuration_has_none() -> None:
    expected = replace(expectations(), events={"STEP": {}, "BARE": {}})

    assert told("E1→STEP:T1 Anything:T3", expected) == []
    assert len(told("E1→WORKUP:T2", expected)) == 1


def test_any_relation_and_event_is_welcome_unless_the_track_says_which() -> None:
    assert told("R1→X Arg1:T3 Arg2:T1\nE1→Y:T1 Z:T3", Expectations(kinds=KINDS)) != []  # the trigger has another label
    assert told("R1→X Arg1:T3 Arg2:T1\nE1→STEP:T1 Z:T3", Expectations(kinds=KINDS)) == []


def test_kinds_that_are_not_asked_for_are_not_checked() -> None:
    expected = replace(expectations(), kinds=frozenset({"TextBound"}))
    found = check("R1→NO Arg1:T3 Arg2:T1\nE1→STEP:T1 No:T3", expected).problems

    assert [each.code for each in found] == ["kind-not-asked", "kind-not-asked"]


def test_arguments_are_known_where_only_the_relations_are_asked_for() -> None:
    expected = replace(expectations(), kinds=frozenset({"Relation"}))
    found = [each.split()[2] for each in told("R1→ARG1 Arg1:T3 Arg2:T1", expected)]

    assert found == ["[kind-not-asked]"] * len(LABELS) + ["[argument-type]"]


def test_hundreds_of_unknown_relations_are_an_error() -> None:
    lines = "".join(f"R{i}→L{i} Arg1:T1 Arg2:T2\n" for i in range(201))

    assert "too-many-labels" in {each.code for each in check(lines).problems}


def test_a_fault_in_every_line_is_counted_in_full_and_listed_in_part() -> None:
    lines = "".join(f"R{i}→ARG1 Arg1:T3 Arg2:T1\n" for i in range(MOST_KEPT + 500))
    checked = check(lines)

    assert checked.counts["argument-type"] == MOST_KEPT + 500
    assert sum(each.code == "argument-type" for each in checked.problems) == MOST_KEPT


def test_names_from_a_run_do_not_garble_a_message() -> None:
    run = read_corpus({"a.ann": "T1\tA\u2028B 0 1\tS\nR1\tARG1 Arg1:T1 Arg2:T1\n".encode()}, ONE)
    found = [str(each) for each in check_run(run, ONE, expectations()).problems if each.code == "argument-type"]

    assert "found ARG1 from A\\u2028B to A\\u2028B; " in found[0]


def test_a_run_without_relations_or_events() -> None:
    relations, events = (str(each) for each in check("").problems)

    assert relations == (
        f"the run: warning [no-relations] {WARNINGS['no-relations']}; "
        "expected lines such as R1<tab>LABEL Arg1:T1 Arg2:T2; did you send your entities only?"
    )
    assert events == (
        f"the run: warning [no-events] {WARNINGS['no-events']}; "
        "expected lines such as E1<tab>LABEL:T1; did you send your entities only?"
    )
    assert [each.code for each in check("R1→ARG1 Arg1:T1 Arg2:T3").problems] == ["no-events"]
    assert [each.code for each in check("E1→STEP:T1").problems] == ["no-relations"]


def test_a_run_without_anything_is_told_so_once() -> None:
    def codes(files: dict[str, bytes]) -> list[str]:
        return [each.code for each in check_run(read_corpus(files, ONE), ONE, expectations()).problems]

    assert codes({}) == ["no-annotations"]
    assert codes({"a.ann": b""}) == ["no-relations", "no-events"]
    assert all(not each.hint for each in check_run(read_corpus({"a.ann": b""}, ONE), ONE, expectations()).problems)


def test_what_rests_on_a_label_that_is_not_asked_for_goes_with_it() -> None:
    expected = replace(expectations(), ignored_labels=frozenset({"TIME"}))
    lines = "R1→ARGM Arg1:T1 Arg2:T4\nR2→ARG1 Arg1:T1 Arg2:T3\nE1→STEP:T1 When:T4\nE2→WORKUP:T2 Theme:E1\nE3→STEP:T1\n"
    checked = check(lines, expected)

    assert [f"{each.code} {each.line}:{each.column} {each.found}, {each.hint}" for each in checked.problems] == [
        'label-not-asked 4:4 "TIME", ignored',
        "argument-not-asked 7:4 T4 is TIME, ignored",
        "argument-not-asked 9:4 T4 is TIME, ignored",
        "argument-not-asked 10:4 E1 is STEP, ignored",
    ]
    assert [each.id for each in checked.documents["a"].annotations if isinstance(each, Relation | Event)] == ["R2", "E3"]


def test_an_event_goes_with_its_trigger() -> None:
    expected = Expectations(kinds=KINDS, ignored_labels=frozenset({"STRANGE"}))
    checked = check("E1→STEP:T5", expected)

    assert [each.code for each in checked.problems][-2:] == ["trigger-label", "argument-not-asked"]
    assert not any(isinstance(each, Event) for each in checked.documents["a"].annotations)


def test_a_whole_run_sent_to_a_track_for_entities() -> None:
    """Triggers and relations are ignored, counted in full, and listed up to the cap."""
    triggers = "".join(f"T{i}→STEP 0 4→STEP\n" for i in range(10, 10 + MOST_KEPT + 200))
    relations = "".join(f"R{i}→ARG1 Arg1:T1 Arg2:T3\n" for i in range(MOST_KEPT + 700))
    known = frozenset(LABELS)
    expected = Expectations(labels=known, ignored_labels=frozenset({"STEP", "WORKUP", "BARE"}))
    checked = check(triggers + relations, expected)
    listed = [each.code for each in checked.problems]

    assert checked.counts["kind-not-asked"] == MOST_KEPT + 700
    assert checked.counts["label-not-asked"] == MOST_KEPT + 200 + 3
    assert listed.count("kind-not-asked") == listed.count("label-not-asked") == MOST_KEPT
    assert [each.label for each in checked.documents["a"].text_bounds] == ["SOLVENT", "TIME", "STRANGE"]


@given(documents, st.frozensets(st.sampled_from("abcAB0"), max_size=3))
def test_nothing_that_is_left_rests_on_what_went(document: Document, some: frozenset[str]) -> None:
    named = [each for each in document.annotations if not isinstance(each, Equiv)]
    labels = some | {each.label for each in named[:2]}
    lost = resting_on(document, labels)

    assert {each.id for each in named if each.label in labels} <= lost.keys() <= {each.id for each in named}
    for each in named:
        if isinstance(each, Relation | Event):
            rests = any(target in lost for target in targets_of(each))
            assert (each.id in lost) >= rests
    assert resting_on(document, frozenset()) == {}


@given(documents, st.lists(st.integers(0, 11), max_size=2))
def test_any_document_can_be_checked_and_what_is_kept_is_what_was_sent(document: Document, some: list[int]) -> None:
    labels = [each.label for each in document.annotations]
    ignored = frozenset(labels[at] for at in some if at < len(labels))
    texts: dict[str, str | None] = {"d": TEXT}
    run = Corpus({"d": replace(document, text=TEXT)})
    expected = replace(expectations(), ignored_labels=ignored, given={}, given_labels=frozenset({"SOLVENT"}))
    kept = check_run(run, texts, expected).documents["d"].annotations
    plain = replace(expected, relations=None, events=None, given=None)

    assert kept == check_run(run, texts, plain).documents["d"].annotations
    assert kept == tuple(each for each in document.annotations if each in kept)
    gone = resting_on(document, ignored).keys()
    assert not any(gone & set(targets_of(each)) for each in kept if isinstance(each, Relation | Event))


def test_an_id_that_is_used_twice_is_an_error_and_no_accident() -> None:
    expected = replace(expectations(), ignored_labels=frozenset({"TIME"}))
    found = [each.split()[2] for each in told("R1→ARGM Arg1:T1 Arg2:T4\nR1→ARG1 Arg1:T1 Arg2:T3", expected)]

    assert found == ["[label-not-asked]", "[argument-not-asked]", "[duplicate-id]"]


@given(st.text(max_size=12), st.frozensets(st.text(min_size=1, max_size=8), max_size=6))
def test_a_hint_names_a_label_that_there_is(label: str, labels: frozenset[str]) -> None:
    hint = nearest_label(label, labels)

    assert hint == "" or any(hint == f"did you mean {each}?" for each in labels)


def test_gold_of_chemu_has_no_problem_under_its_configuration() -> None:
    files = read_path(shared("data", "chemu-sample", "ee", "gold"))
    gold = read_corpus(files)
    configuration, _ = parse_conf(CHEMU)
    spans = {
        id_: frozenset((each.label, each.fragments) for each in document.text_bounds)
        for id_, document in gold.documents.items()
    }
    expected = Expectations(
        labels=frozenset(configuration.parents()),
        kinds=frozenset({"TextBound", "Relation"}),
        relations=configuration.relation_types(),
        events=configuration.event_roles(),
        given=spans,
        given_labels=frozenset(node.label for node in configuration.entities),
    )

    assert check_run(read_corpus(files, gold.texts), dict(gold.texts), expected).problems == ()


def test_a_converter_that_swaps_the_arguments_of_chemu_is_told_in_every_line() -> None:
    files = read_path(shared("data", "chemu-sample", "ee", "gold"))
    gold = read_corpus(files)
    renamed = {path: data.replace(b"Arg1:", b"From:").replace(b"Arg2:", b"To:") for path, data in files.items()}
    turned = {
        id_: replace(each, annotations=tuple(_turn(one) if isinstance(one, Relation) else one for one in each.annotations))
        for id_, each in gold.documents.items()
    }
    expected = replace(expectations(CHEMU), kinds=frozenset({"TextBound", "Relation"}))
    checked = check_run(Corpus(turned), dict(gold.texts), expected)

    assert checked.counts == {"argument-type": 658}
    assert {each.hint for each in checked.problems} == {"the arguments are the wrong way round"}
    assert check_run(read_corpus(renamed, gold.texts), dict(gold.texts), expected).problems == ()  # names of roles are free


def _turn(relation: Relation) -> Relation:
    first, second = relation.first, relation.second
    return replace(relation, first=replace(first, target=second.target), second=replace(second, target=first.target))


def test_the_ddi_corpus_has_relations_that_its_own_configuration_does_not_allow() -> None:
    files = read_path(shared("data", "ddi2013", "train"))
    gold = read_corpus(files)
    configuration, _ = parse_conf(shared("data", "ddi2013", "annotation.conf").read_text())
    expected = Expectations(
        labels=frozenset(configuration.parents()),
        kinds=frozenset({"TextBound", "Relation"}),
        relations=configuration.relation_types(),
    )
    others = 0
    for document in gold.documents.values():
        types = {each.id: each.label for each in document.text_bounds}
        relations = [each for each in document.annotations if isinstance(each, Relation)]
        others += sum({types[each.first.target], types[each.second.target]} != {"DRUG"} for each in relations)
    checked = check_run(read_corpus(files, gold.texts), dict(gold.texts), expected)

    assert others == 2_539  # of 4,021; all its lines say Arg1:DRUG, Arg2:DRUG
    assert checked.counts == {"argument-type": others, "text-mismatch": 5}
    assert not any(each.hint for each in checked.problems if each.code == "argument-type")
