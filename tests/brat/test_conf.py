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
