"""The grammar, line by line. What brat makes of a line is from running brat's own reader (BRAT_FORMAT, section 9)."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.model import Argument, Attribute, Document, Equiv, Event, Normalization, Note, Relation, TextBound
from brat.parse import iter_lines, parse, split_lines
from brat.write import write
from tests.strategies import documents


def read(line: str) -> tuple[Document, list[str]]:
    document, problems = parse(line.replace("→", "\t"), document_id="d")
    return document, [f"{each.code}:{each.line}:{each.column}" for each in problems]


@given(documents)
def test_parsing_what_was_written_gives_the_same_document(document: Document) -> None:
    again, problems = parse(write(document), document_id="d")

    assert problems == []
    assert again == document


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("T3→A 0 5→hello", TextBound("T3", "A", ((0, 5),), "hello")),
        ("T3→A 0 5;6 11→hello world", TextBound("T3", "A", ((0, 5), (6, 11)), "hello world")),
        ("T3→A 6 11;0 5→world hello", TextBound("T3", "A", ((6, 11), (0, 5)), "world hello")),
        ("T3→A 0 5", TextBound("T3", "A", ((0, 5),), None)),
        ("T3→A 0 5→hello→more", TextBound("T3", "A", ((0, 5),), "hello\tmore")),
        ("T3→A 5 5→", TextBound("T3", "A", ((5, 5),), "")),
        ("T3→A +0 ٥→hello", TextBound("T3", "A", ((0, 5),), "hello")),
        ("T3→A 0 1_1→hello world", TextBound("T3", "A", ((0, 11),), "hello world")),
        ("T3a→A 0 5→hello", TextBound("T3a", "A", ((0, 5),), "hello")),
        ("T3→A 5 0→hello", TextBound("T3", "A", ((5, 0),), "hello")),
        ("T3→A -1 5→hello", TextBound("T3", "A", ((-1, 5),), "hello")),
        ("T3→A 0 1→a\u2028b\x85c", TextBound("T3", "A", ((0, 1),), "a\u2028b\x85c")),
        ("R1→X Arg1:T1 Arg2:T2→", Relation("R1", "X", Argument("Arg1", "T1"), Argument("Arg2", "T2"))),
        ("R1→X  Arg1:T1  Arg2:T2", Relation("R1", "X", Argument("Arg1", "T1"), Argument("Arg2", "T2"))),
        ("E1→A:T1 Theme:T2 Theme2:E3", Event("E1", "A", "T1", (Argument("Theme", "T2"), Argument("Theme2", "E3")))),
        ("E1→A:T1 ", Event("E1", "A", "T1")),
        ("A1→Conf T1 very high", Attribute("A1", "Conf", "T1", "very high")),
        ("A1→Neg T1", Attribute("A1", "Neg", "T1")),
        ("M1→Neg E1", Attribute("M1", "Neg", "E1")),
        (
            "N1→Reference T1 GO:0005515→protein binding",
            Normalization("N1", "Reference", "T1", "GO", "0005515", "protein binding"),
        ),
        ("N1→Reference Annotation:T1 Referent:GO:1", Normalization("N1", "Reference", "T1", "GO", "1")),
        ("N1→Reference Referent:GO:1 Annotation:T1", Normalization("N1", "Reference", "T1", "GO", "1")),
        ("#1→AnnotatorNotes T1→see p. 3", Note("#1", "AnnotatorNotes", "T1", "see p. 3")),
        ("*→Equiv T1 T2", Equiv("Equiv", ("T1", "T2"))),
        ("*→Equiv T1", Equiv("Equiv", ("T1",))),
    ],
)
def test_a_valid_line(line: str, expected: object) -> None:
    document, problems = read(line)

    assert problems == []
    assert document.annotations == (expected,)


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("T3→A  0 5→hello", 6),
        ("T3→A 0 5 →hello", 6),
        ("T3→A 0 5; 6 9→hello", 10),
        ("T3→A 0 5;→hello", 10),
        ("T3→A 0→hello", 6),
        ("T3→A 0 5.0→hello", 6),
        ("T3→A 0-5→hello", 6),
        ("T3→A→hello", 4),
        ("T3→ 0 5→hello", 4),
        (f"T3→A 0 {'9' * 5000}→hello", 6),
        ("T3→A 0 2147483648→hello", 6),
        ("T3→A 0 ٩٩٩٩٩٩٩٩٩٩٩→hello", 6),
        ("T3 A 0 5 hello", 1),
        ("T→A 0 5→hello", 1),
        ("T-1→A 0 5→hello", 1),
        ("T1 →A 0 5→hello", 1),
        (" T1→A 0 5→hello", 1),
        ("t3→A 0 5→hello", 1),
        ("X1→foo bar", 1),
        ("3→A 0 5→hello", 1),
        ("# a comment", 1),
        ("R1→X Arg1:T1 Arg1:T2", 14),
        ("R1→X Arg1:T1 Arg2:T2 Arg3:T1", 4),
        ("R1→X Arg1:T1", 4),
        ("R1→X T1 T2", 6),
        ("R1→X", 4),
        ("E1→A T1", 4),
        ("E1→A:", 4),
        ("E1→", 4),
        ("E1→A:T1 Theme", 9),
        ("A1→Neg", 4),
        ("M1→Neg T1 x", 4),
        ("N1→Reference T1 GO", 4),
        ("#1→AnnotatorNotes→note", 4),
        ("*→Equiv", 3),
        ("*", 1),
        ("*1→Equiv T1 T2", 1),
    ],
)
def test_a_line_that_is_not_standoff(line: str, column: int) -> None:
    document, problems = read(f"T1→A 0 5→hello\n{line}\nT2→B 6 11→world")

    assert problems == [f"unreadable-line:2:{column}"]
    assert [each.id for each in document.text_bounds] == ["T1", "T2"]


def test_a_problem_says_what_was_found_and_what_was_expected() -> None:
    _, problems = parse("T1\tA 0 x\thello", document_id="d", file="sub/d.ann")

    assert str(problems[0]) == (
        'sub/d.ann:1:6: error [unreadable-line] a line is not BRAT standoff; found "0 x"; '
        'expected "START END", two whole numbers with one blank between them'
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    document, problems = read(end.join(["T1→A 0 5→hello", "", "T2→B 6 11→world", ""]))

    assert problems == []
    assert [(each.id, each.text, each.line) for each in document.text_bounds] == [("T1", "hello", 1), ("T2", "world", 3)]


def test_a_byte_order_mark_is_skipped_and_told() -> None:
    document, problems = read("\ufeffT1→A 0 5→hello")

    assert problems == ["byte-order-mark:1:1"]
    assert [each.id for each in document.text_bounds] == ["T1"]


def test_a_line_end_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="line end"):
        write(Document("d", (TextBound("T1", "A", ((0, 3),), "a\nb"),)))


@pytest.mark.parametrize("line", ["T{0} \tA 0 3\tx", "#{0} \tA T1\tx", "A1\tNeg T{0} x", "T{0}", "A{0}\u2028\tB"])
def test_a_line_made_to_be_slow_is_read_in_one_go(line: str) -> None:
    # A pattern with two repeats that share characters would take hours for this one.
    document, problems = parse(line.format("1" * 400_000), document_id="d")

    assert len(document.annotations) + len(problems) == 1


def test_reading_ends_where_nobody_would_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brat.parse._MOST_ANNOTATIONS", 3)
    monkeypatch.setattr("brat.parse._MOST_BAD_LINES", 2)
    good, bad = "".join(f"T{i}\tA 0 1\tx\n" for i in range(1, 6)), "x\n" * 5

    for content, last, kept in ((good, "too-many-annotations:4:1", 3), (bad, "too-many-annotations:3:1", 0)):
        document, problems = parse(content, document_id="d")
        assert len(document.annotations) == kept
        assert f"{problems[-1].code}:{problems[-1].line}:{problems[-1].column}" == last


@pytest.mark.parametrize("digits", [400, 4_301, 100_000])
@pytest.mark.parametrize("line", ["T3→A 0 {}→x", "T3→A {} 5→x", "T3→A 0 5;{} 9→x", "T3→A 0 +{}→x", "T3→A 0 -{}→x"])
def test_a_number_that_no_text_is_long_enough_for(line: str, digits: int) -> None:
    document, problems = read(line.format("9" * digits))

    assert document.annotations == ()
    assert [each.partition(":")[0] for each in problems] == ["unreadable-line"]


def test_leading_zeros_are_no_larger_number() -> None:
    assert read(f"T3→A {'0' * 400} 5→hello")[0].annotations == (TextBound("T3", "A", ((0, 5),), "hello"),)


@pytest.mark.parametrize("digit", ["٥", "५", "５", "𝟓"])
def test_digits_of_other_scripts_are_digits(digit: str) -> None:
    assert read(f"T3→A 0 {digit}→hello")[0].annotations == (TextBound("T3", "A", ((0, 5),), "hello"),)


@pytest.mark.parametrize("number", ["²", "½", "Ⅴ", "五", "1e3", "0x5", "5.", "--5", "1__1", "", "∞"])
def test_what_is_only_like_a_number(number: str) -> None:
    assert read(f"T3→A 0 {number}→hello")[1] == ["unreadable-line:1:6"]


@pytest.mark.parametrize(
    "text",
    [
        "a\u2028b",
        "a\u2029b",
        "a\x85b",
        "a\x0bb\x0cc",
        "a\x1cb\x1db\x1e",
        "a\0b",
        "\u200fא\u202eb",
        "\U0001d6fc",
        "\ufeffx",
        "é",
        "e\u0301",
    ],
)
def test_a_text_column_is_kept_to_the_letter(text: str) -> None:
    document, problems = read(f"T1→A 0 3→{text}\nT2→A 0 1→x")

    assert problems == []
    assert [each.text for each in document.text_bounds] == [text, "x"]


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("T1→A 0 1{}→x", 6, "at most 1,000 fragments in one annotation"),
        ("T1→A +0 1{}→x", 6, "at most 1,000 fragments in one annotation"),
        ("E1→A:T1{}", 4, "at most 1,000 arguments of one event"),
        ("*→Equiv{}", 3, "at most 10,000 members"),
    ],
)
def test_a_line_of_a_million_parts_is_refused_before_anything_is_made_of_them(line: str, column: int, expected: str) -> None:
    part = ";0 1" if line.startswith("T") else " a:b"
    long = line.format(part * 300_000).replace("→", "\t")
    tracemalloc.start()
    document, problems = parse(long, document_id="d")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert document.annotations == ()
    assert [(each.code, each.column, each.expected) for each in problems] == [("unreadable-line", column, expected)]
    assert peak < 6 * len(long), "nothing but a few copies of the line"


def test_as_many_parts_as_are_taken() -> None:
    fragments = read("T1→A 0 1" + ";0 1" * 999 + "→x")[0].annotations[0]
    event = read("E1→A:T1" + " a:b" * 1_000)[0].annotations[0]
    equiv = read("*→Equiv" + " T1" * 10_000)[0].annotations[0]

    assert isinstance(fragments, TextBound)
    assert len(fragments.fragments) == 1_000
    assert read("T1→A 0 1" + ";0 1" * 1_000 + "→x")[1] == ["unreadable-line:1:6"]
    assert isinstance(event, Event)
    assert len(event.arguments) == 1_000
    assert isinstance(equiv, Equiv)
    assert len(equiv.members) == 10_000


def test_a_label_may_hold_what_parts_fragments() -> None:
    assert read(f"T1→{';' * 2_000} 0 1→x")[0].annotations == (TextBound("T1", ";" * 2_000, ((0, 1),), "x"),)


@pytest.mark.parametrize("line", ["T1→A 0 1→{}", "T1→{}", "{}", "T1→A {}", "#1→N T1→{}", "A1→N T1 {}", "R1→X{}", "N1→R T1 {}"])
def test_a_file_of_one_line(line: str) -> None:
    document, problems = read(line.format("x" * 4_000_000))

    assert len(document.annotations) + len(problems) == 1


def test_millions_of_lines_are_never_all_in_memory() -> None:
    lines = "xy\n" * 1_000_000
    tracemalloc.start()
    parse(lines, document_id="d")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 30_000_000, "a list of them takes sixty"


@given(st.text(st.sampled_from("ab\r\n\u2028"), max_size=40), st.integers(1, 9))
def test_lines_one_by_one_are_those_of_the_whole(text: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("brat.parse._BLOCK", block)
        found = list(iter_lines(text))

    assert found == split_lines(text) == re.split(r"\r\n|\n|\r", text)
