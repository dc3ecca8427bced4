"""Checking a run without gold: every code, its place, and whether it keeps a run from being scored."""

from __future__ import annotations

import pytest

from brat.corpus import read_corpus
from brat.problems import ERRORS, Severity
from brat.run import Expectations, check_run

TEXTS = {"a": "hello world", "b": "second text"}
GOOD = {"a.ann": b"T1\tA 0 5\thello\n", "b.ann": b""}


def problems(files: dict[str, bytes], expected: Expectations | None = None) -> list[str]:
    checked = check_run(read_corpus(files, TEXTS), TEXTS, expected or Expectations(labels=frozenset({"A", "B"})))
    return [f"{each.severity.value} {each.code} {each.file}:{each.line}:{each.column}" for each in checked.problems]


def with_line(line: str) -> dict[str, bytes]:
    return GOOD | {"a.ann": GOOD["a.ann"] + line.replace("→", "\t").encode() + b"\n"}


def test_nothing_is_wrong_with_a_good_run() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("T2→A 0 12→hello world!", "error span-outside-text a.ann:2:6"),
        ("T2→A -1 5→hello", "error span-outside-text a.ann:2:6"),
        ("T2→A 0 5;6 12→hello world!", "error span-outside-text a.ann:2:10"),
        ("T2→A 5 0→hello", "error span-reversed a.ann:2:6"),
        ("T1→B 6 11→world", "error duplicate-id a.ann:2:1"),
        ("what is this", "error unreadable-line a.ann:2:1"),
        ("T2→A 6 11→World", "warning text-mismatch a.ann:2:11"),
        ("T2→A 6 11", "warning text-missing a.ann:2:10"),
        ("T2→C 6 11→world", "warning unknown-label a.ann:2:4"),
        ("T2→A 0 5→hello", "warning duplicate-annotation a.ann:2:1"),
        ("R1→X Arg1:T1 Arg2:T1", "warning kind-not-asked a.ann:2:1"),
    ],
)
def test_a_problem_and_its_place(line: str, expected: str) -> None:
    assert problems(with_line(line)) == [expected]


def test_overlapping_fragments() -> None:
    assert problems(with_line("T2→A 0 5;3 8→hello lo wo")) == ["warning overlapping-fragments a.ann:2:6"]


def test_a_line_end_in_the_text_may_be_a_blank_in_the_column() -> None:
    texts: dict[str, str | None] = {"a": "one\ntwo\u2028x"}
    run = read_corpus({"a.ann": b"T1\tA 0 9\tone two x\n"}, texts)

    assert check_run(run, texts, Expectations()).problems == ()


def test_documents_missing_extra_and_named_twice() -> None:
    files = {"p/a.ann": b"", "q/a.ann": b"", "c.ann": b"nonsense that nobody reads", "notes.xml": b""}

    assert problems(files) == [
        "error missing-document b.ann:0:0",
        "warning extra-document c.ann:0:0",
        "warning ignored-file notes.xml:0:0",
        "error duplicate-document q/a.ann:0:0",
    ]


def test_a_task_may_allow_missing_documents_but_not_all_of_them() -> None:
    lenient = Expectations(missing_as_empty=True)

    assert problems({"a.ann": b""}, lenient) == []
    assert problems({"z.ann": b""}, lenient) == ["error no-annotations :0:0", "warning extra-document z.ann:0:0"]
    assert problems({}, lenient) == ["error no-annotations :0:0"]


def test_a_task_may_raise_warnings() -> None:
    strict = Expectations(labels=frozenset({"B"}), raised=frozenset({"unknown-label"}))

    assert problems(GOOD, strict) == ["error unknown-label a.ann:1:4"]


def test_labels_the_track_does_not_ask_for_are_left_out() -> None:
    expected = Expectations(labels=frozenset({"A", "B"}), ignored_labels=frozenset({"A"}))
    checked = check_run(read_corpus(GOOD, TEXTS), TEXTS, expected)

    assert [each.code for each in checked.problems] == ["label-not-asked"]
    assert checked.documents["a"].annotations == ()


def test_bytes_that_are_not_utf8_are_placed() -> None:
    assert problems(GOOD | {"b.ann": "T1\tA 0 1\tx\nT2\tA 0 1\té".encode("latin-1")}) == ["error not-utf8 b.ann:2:10"]


def test_all_problems_are_told_at_once() -> None:
    files = {"a.ann": b"x\nT1\tA 0 99\tq\nT1\tA 5 0\tq\n", "b.ann": b"\xff"}

    assert [each.split()[1] for each in problems(files)] == [
        "unreadable-line",
        "span-outside-text",
        "duplicate-id",
        "span-reversed",
        "not-utf8",
    ]


def test_pairs_of_a1_and_a2_are_one_document() -> None:
    run = read_corpus({"a.a1": b"T1\tA 0 5\thello\n", "a.a2": b"T2\tB 6 11\tworld\nE1\tB:T2 Theme:T1\n"}, TEXTS)

    assert [each.line for each in run.documents["a"].annotations] == [1, 1, 2]
    assert run.problems == ()


def test_problems_of_a_pair_name_the_file_they_are_in() -> None:
    files = {"a.a1": b"T1\tA 0 5\thello\nT2\tA 0 99\tx\n", "a.a2": b"T1\tA 6 11\tworld\n", "b.ann": b""}

    assert problems(files) == ["error span-outside-text a.a1:2:6", "error duplicate-id a.a2:1:1"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("T2→A +6 ٩→wOR", "warning text-mismatch a.ann:2:11"),
        ("T2→A 006 011→World", "warning text-mismatch a.ann:2:14"),
        ("T2→A 00 5;006 0099→x", "error span-outside-text a.ann:2:11"),
    ],
)
def test_columns_are_those_of_the_line_as_it_is_written(line: str, expected: str) -> None:
    assert problems(with_line(line)) == [expected]


def test_bytes_that_are_not_utf8_are_placed_by_the_same_lines_as_everything() -> None:
    assert problems(GOOD | {"b.ann": b"\xef\xbb\xbfT1\tA 0 1\ts\rT2\t\xff"}) == ["error not-utf8 b.ann:2:4"]


def test_the_severity_of_a_code_is_that_of_its_list() -> None:
    run = check_run(read_corpus({}, TEXTS), TEXTS, Expectations())

    assert all((each.severity is Severity.ERROR) == (each.code in ERRORS) for each in run.problems)


def test_hundreds_of_unknown_labels_are_an_error() -> None:
    lines = "".join(f"T{i}\tL{i} 0 5\thello\n" for i in range(201)).encode()
    found = problems(GOOD | {"a.ann": lines})

    assert found[0] == "error too-many-labels :0:0"
    assert len(found) == 202


def test_no_message_repeats_an_input_that_is_long_on_purpose() -> None:
    id_, spans = "T1" + "9" * 100_000, "0 5;" * 5_000 + "0 5"
    lines = [f"{id_}\tA 0 5\thello", f"{id_}\tA 0 5\thello", f"E1\tA:{id_}x", f"T2\tA {spans}\tx", ""]
    files = GOOD | {"a.ann": "\n".join(lines).encode()}
    checked = check_run(read_corpus(files, TEXTS), TEXTS, Expectations())

    assert len(checked.problems) >= 4
    assert max(len(str(each)) for each in checked.problems) < 2_000


def test_more_annotations_than_a_document_can_have() -> None:
    def lines(count: int) -> dict[str, bytes]:
        return GOOD | {"a.ann": "".join(f"T{i}\tA {i % 9} {i % 9 + 1}\tx\n" for i in range(count)).encode()}

    def codes(count: int) -> set[str]:
        return {each.split()[1] for each in problems(lines(count))}

    assert "too-many-annotations" not in codes(5_000)
    assert "too-many-annotations" in codes(5_001)
    assert ERRORS["too-many-annotations"]


def test_fragments_count_as_annotations_do() -> None:
    pieces = ";".join(f"{i % 9} {i % 9 + 1}" for i in range(900))
    found = problems(GOOD | {"a.ann": "".join(f"T{i}\tA {pieces}\tx\n" for i in range(6)).encode()})

    assert any("too-many-annotations" in each for each in found)
