"""annotation.conf as brat reads it (BRAT_FORMAT, section 6)."""

from __future__ import annotations

from brat.conf import Node, parse_conf


def test_hierarchy_comments_separators_synonyms_and_marks() -> None:
    conf, problems = parse_conf("[entities]\n# note\n!COMPOUND\n\tSOLVENT|solv\n----\n\t\tWATER <NORM>:X\nTIME\n[relations]\n")

    assert problems == []
    assert conf.entities == (
        Node("COMPOUND", None, 0, selectable=False),
        Node("SOLVENT", "COMPOUND", 1, synonyms=("solv",)),
        Node("WATER", "SOLVENT", 2, arguments=(("<NORM>", ("X",)),)),
        Node("TIME", None, 0),
    )
    assert conf.parents() == {"COMPOUND": None, "SOLVENT": "COMPOUND", "WATER": "SOLVENT", "TIME": None}


def test_macros_arguments_and_aliases_of_sections() -> None:
    conf, problems = parse_conf("[spans]\nA\n[relations]\n<P>=A|B\nARG\tArg1:<P>, Arg2:A\n[events]\nE\tTheme*:A\n")

    assert problems == []
    assert conf.entities[0].label == "A"
    assert conf.relations[0].arguments == (("Arg1", ("A", "B")), ("Arg2", ("A",)))
    assert conf.events[0].arguments == (("Theme*", ("A",)),)


def test_a_line_without_a_parent_above_it_is_named() -> None:
    conf, problems = parse_conf("[entities]\nA\n    B\n", "x.conf")

    assert [each.label for each in conf.entities] == ["A"]
    assert [(each.code, each.file, each.line, each.column) for each in problems] == [("conf-unreadable-line", "x.conf", 3, 5)]


def test_a_section_given_twice_goes_on_and_a_strange_one_is_told() -> None:
    conf, problems = parse_conf("[entities]\nA\n[odd]\nQ\n[entities]\nB\n")

    assert [each.label for each in conf.entities] == ["A", "B"]
    assert [each.code for each in problems] == ["conf-odd"]


def test_a_file_without_labels_is_told() -> None:
    assert [each.code for each in parse_conf("just a text")[1]] == ["conf-odd"]
    assert [each.label for each in parse_conf("[entities]\rA\rB")[0].entities] == ["A", "B"]


ROLES = """
[entities]
!COMPOUND
	SOLVENT|solv
		WATER
	REAGENT
TIME
[relations]
<C>=COMPOUND|TIME
!CORE
	ARG1	Arg1:<EVENT>, Arg2:<C>
ARGM	Arg1:STEP, Arg2:TIME
ARGM	Arg1:WORKUP, Arg2:<ANY>
SAME	One:WATER, Other:TIME, <REL-TYPE>:symmetric-transitive
Equiv	Arg1:TIME, Arg2:WORKUP
LIKE	Arg1:TIME, Arg2:TIME, <REL-TYPE>:symmetric
AFTER	Arg1:<ENTITY>, Arg2:<RELATION>, <REL-TYPE>:transitive
LOOSE
<OVERLAP> Arg1:TIME, Arg2:TIME, <OVL-TYPE>:contain
ENTITY-NESTING Arg1:TIME, Arg2:TIME
[events]
PROCESS
	STEP	Theme*:COMPOUND, When?:TIME, Site{1-2}:<ANY>, Cause+:<NONE>
	STEP	Theme:TIME, Site:TIME
WORKUP	Theme:PROCESS|<ENTITY>, Theme2{2}:TIME
"""
COMPOUNDS = frozenset({"COMPOUND", "SOLVENT", "WATER", "REAGENT"})
EVENTS = frozenset({"PROCESS", "STEP", "WORKUP"})
TIME = frozenset({"TIME"})


def test_what_relations_may_hold_between() -> None:
    conf, problems = parse_conf(ROLES)
    relations = frozenset({"CORE", "ARG1", "ARGM", "SAME", "Equiv", "LIKE", "AFTER", "LOOSE"})

    assert problems == []
    assert conf.relation_types() == {
        "ARG1": ((("Arg1", EVENTS), ("Arg2", COMPOUNDS | TIME)),),
        "ARGM": (
            (("Arg1", frozenset({"STEP"})), ("Arg2", TIME)),
            (("Arg1", frozenset({"WORKUP"})), ("Arg2", None)),
        ),
        "SAME": (
            (("One", frozenset({"WATER"})), ("Other", TIME)),
            (("One", TIME), ("Other", frozenset({"WATER"}))),
        ),
        "Equiv": ((("Arg1", TIME), ("Arg2", frozenset({"WORKUP"}))), (("Arg1", frozenset({"WORKUP"})), ("Arg2", TIME))),
        "LIKE": ((("Arg1", TIME), ("Arg2", TIME)),),
        "AFTER": ((("Arg1", COMPOUNDS | TIME), ("Arg2", relations)),),
        "LOOSE": (),
    }


def test_the_roles_of_events() -> None:
    assert parse_conf(ROLES)[0].event_roles() == {
        "PROCESS": {},
        "STEP": {"Theme": COMPOUNDS | TIME, "When": TIME, "Site": None, "Cause": frozenset()},
        "WORKUP": {"Theme": frozenset({"PROCESS", "STEP"}) | COMPOUNDS | TIME, "Theme2": TIME},
    }


def test_the_hierarchy_of_relations() -> None:
    conf, _ = parse_conf(ROLES)

    assert conf.relation_parents() == {
        "CORE": None,
        "ARG1": "CORE",
        "ARGM": None,
        "SAME": None,
        "Equiv": None,
        "LIKE": None,
        "AFTER": None,
        "LOOSE": None,
    }
    assert parse_conf("[relations]\nA\nB\n\tA\n\tC\n")[0].relation_parents() == {"A": None, "B": None, "C": "B"}


def test_a_label_in_two_places_has_all_below_it_and_may_be_below_itself() -> None:
    conf, _ = parse_conf("[entities]\nA\n\tB\nC\n\tA\n\t\tD\nE\n\tE\n[relations]\nR\tArg1:C, Arg2:E|UNKNOWN\n")

    assert conf.relation_types()["R"] == ((("Arg1", frozenset("CABD")), ("Arg2", frozenset({"E", "UNKNOWN"}))),)


def test_types_are_written_as_their_labels_are() -> None:
    conf, _ = parse_conf("[entities]\nA.B\n[relations]\nR\tArg1:A.B, Arg2:A_B\n")

    assert conf.relation_types()["R"] == ((("Arg1", frozenset({"A_B"})), ("Arg2", frozenset({"A_B"}))),)
