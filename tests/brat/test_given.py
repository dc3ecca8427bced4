"""Runs in tracks that give entities: what is not among them, and runs of which nothing is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from brat.corpus import Corpus, read_corpus
from brat.given import Entity
from brat.model import Document
from brat.problems import MOST_KEPT, Severity
from brat.run import Expectations, check_run
from tests.strategies import corpora

TEXTS: dict[str, str | None] = {"a": "hello wide world", "b": "second text"}
GIVEN: dict[str, frozenset[Entity]] = {
    "a": frozenset({("A", ((0, 5),)), ("A", ((6, 10), (11, 16))), ("B", ((6, 10),))}),
    "b": frozenset({("A", ((0, 6),))}),
}
EXPECTED = Expectations(given=GIVEN, given_labels=frozenset({"A", "B"}))


def told(first: str, second: str = "", expected: Expectations = EXPECTED) -> list[str]:
    run = read_corpus({"a.ann": first.replace("→", "\t").encode(), "b.ann": second.replace("→", "\t").encode()}, TEXTS)
    return [str(each) for each in check_run(run, TEXTS, expected).problems]


@pytest.mark.parametrize(
    "first",
    [
        "T1→A 0 5→hello",
        "T1→B 6 10→wide",
        "T1→A 6 10;11 16→wide world",
        "T1→A 11 16;6 10→world wide",
        "T1→A 6 10;11 16;6 10→wide world wide",
        "T1→C 6 9→wid",  # a label that is not given, but asked for
        "",
    ],
)
def test_what_was_given_and_what_is_left_out_is_no_problem(first: str) -> None:
    assert [each for each in told(first, "T1→A 0 6→second") if "overlapping" not in each] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("T12→A 0 4→hell", "found A 0 4; did you mean A 0 5?"),
        ("T12→A 4 16→o wide world", "found A 4 16; did you mean A 6 10;11 16?"),
        ("T12→A 11 16→world", "found A 11 16; did you mean A 6 10;11 16?"),
        ("T12→A 10 11→ ", "found A 10 11"),  # between the fragments
        ("T12→B 0 5→hello", "found B 0 5"),  # given with another label
        ("T12→A 0 4;11 12→hell w", "found A 0 4;11 12; did you mean A 0 5?"),
    ],
)
def test_an_entity_that_was_not_given(line: str, found: str) -> None:
    assert told(line, "T1→A 0 6→second") == [
        f"a.ann:1:5: warning [not-given] an entity is not one of those that were given; {found}"
    ]


def test_of_two_that_overlap_alike_the_first_in_the_text_is_meant() -> None:
    expected = replace(EXPECTED, given={"a": frozenset({("A", ((6, 10),)), ("A", ((0, 5),)), ("A", ((11, 16),))})})

    assert told("T1→A 0 5→hello\nT2→A 1 15→ello wide worl", expected=expected)[0].endswith("did you mean A 0 5?")


def test_entities_that_were_not_given_are_scored_as_they_stand() -> None:
    run = read_corpus({"a.ann": b"T1\tA 0 5\thello\nT2\tA 0 4\thell\n", "b.ann": b""}, TEXTS)

    assert check_run(run, TEXTS, EXPECTED).documents == check_run(run, TEXTS, Expectations()).documents


def test_a_run_of_which_nothing_was_given_is_an_error() -> None:
    found = told("T1→A 0 4→hell\nT2→C 0 5→hello", "T1→A 1 6→econd")

    assert found[0] == (
        "the run: error [no-given] no entity of the run is one of those that were given; found 2 others; "
        "expected those that were given, such as A 0 5 in a; is it a run for another track?"
    )
    assert [each.split()[2] for each in found[1:]] == ["[not-given]", "[not-given]"]


def test_a_document_for_which_nothing_was_given() -> None:
    expected = replace(EXPECTED, given={"a": GIVEN["a"], "b": frozenset()})

    assert len(told("T1→A 0 5→hello", "T1→A 0 6→second", expected)) == 1
    assert len(told("T1→A 0 5→hello", "T1→A 0 6→second", replace(EXPECTED, given={"a": GIVEN["a"]}))) == 1


@pytest.mark.parametrize(
    "expected", [replace(EXPECTED, given=None), replace(EXPECTED, given_labels=frozenset()), Expectations()]
)
def test_nothing_is_said_where_nothing_is_given(expected: Expectations) -> None:
    assert told("T1→A 0 4→hell", "", expected) == []


def test_where_no_document_has_anything_given_the_run_is_no_error() -> None:
    assert [each.split()[2] for each in told("T1→A 0 4→hell", "", replace(EXPECTED, given={}))] == ["[not-given]"]


def test_labels_that_are_not_asked_for_are_not_compared() -> None:
    found = told("T1→A 0 4→hell", "", replace(EXPECTED, ignored_labels=frozenset({"A"})))

    assert [each.split()[2] for each in found] == ["[label-not-asked]"]


def test_many_of_them_are_counted_in_full() -> None:
    run = read_corpus({"a.ann": b"".join(b"T%d\tA 0 4\thell\n" % i for i in range(MOST_KEPT + 9)), "b.ann": b""}, TEXTS)
    checked = check_run(run, TEXTS, EXPECTED)

    assert checked.counts["not-given"] == MOST_KEPT + 9
    assert sum(each.code == "not-given" for each in checked.problems) == MOST_KEPT


def _entities(document: Document) -> frozenset[Entity]:
    return frozenset((each.label, tuple(sorted(set(each.fragments)))) for each in document.text_bounds)


@given(corpora(), corpora())
def test_what_is_told_is_what_was_not_given(gold: dict[str, Document], sent: dict[str, Document]) -> None:
    texts = {id_: each.text for id_, each in sent.items()}
    given_entities = {id_: _entities(each) for id_, each in gold.items()}
    labels = frozenset({"A1", "B1"})
    checked = check_run(Corpus(sent), texts, Expectations(given=given_entities, given_labels=labels))
    told_lines = [each for each in checked.problems if each.code == "not-given"]
    met = [(id_, each) for id_, document in sent.items() for each in document.text_bounds if each.label in labels]
    known = [one for id_, one in met if (one.label, tuple(sorted(set(one.fragments)))) in given_entities.get(id_, frozenset())]

    assert len(told_lines) == len(met) - len(known)
    none_given = bool(met) and not known and any(given_entities.values())
    assert any(each.code == "no-given" and each.severity is Severity.ERROR for each in checked.problems) == none_given
    for each in told_lines:
        if each.hint:
            label, _, spans = each.hint.removeprefix("did you mean ").removesuffix("?").partition(" ")
            ends = [tuple(map(int, span.split(" "))) for span in spans.split(";")]
            assert (label, tuple(ends)) in given_entities[each.file.removesuffix(".ann")]


@given(corpora())
def test_a_run_of_what_was_given_has_no_problem(gold: dict[str, Document]) -> None:
    texts = {id_: each.text for id_, each in gold.items()}
    expected = Expectations(
        given={id_: _entities(each) for id_, each in gold.items()}, given_labels=frozenset({"A1", "A2", "B1", "B2", "C"})
    )

    assert not {"not-given", "no-given"} & check_run(Corpus(gold), texts, expected).counts.keys()
