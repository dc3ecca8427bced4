"""CoNLL by hand: schemes, documents in a file, tokens and the text they are found in."""

from __future__ import annotations

import pytest

from brat.convert.formats import Converted, read
from brat.model import TextBound
from brat.problems import Problem


def conll(content: str, texts: dict[str, str | None] | None = None, name: str = "d.conll") -> Converted:
    return read("conll", {name: content.encode()}, texts or {})


def spans(converted: Converted, id_: str = "d") -> list[tuple[str, str | None]]:
    return [(each.label, each.text) for each in converted.documents[id_].text_bounds]


def lines(*tagged: str) -> str:
    return "".join(f"{each.replace('/', chr(9))}\n" for each in tagged)


@pytest.mark.parametrize(
    "tags",
    [
        "B-A I-A O B-B B-B",  # IOB2
        "B-A E-A O S-B S-B",  # IOBES
        "B-A L-A O U-B U-B",  # BILOU
        "I-A I-A O I-B B-B",  # IOB1
    ],
)
def test_the_four_schemes_say_the_same(tags: str) -> None:
    tokens = ["a", "b", "c", "d", "e"]
    read_ = conll(lines(*(f"{token}/{tag}" for token, tag in zip(tokens, tags.split(), strict=True))))

    assert spans(read_) == [("A", "a b"), ("B", "d"), ("B", "e")]
    assert read_.problems == ()


def test_three_tokens_in_iobes_and_a_bare_tag() -> None:
    assert spans(conll(lines("a/B-A", "b/I-A", "c/E-A"))) == [("A", "a b c")]
    assert spans(conll(lines("a/B", "b/I", "c/O"))) == [("Entity", "a b")]


@pytest.mark.parametrize(
    ("content", "found", "line"),
    [
        (("x/B-B", "y/O", "a/B-A", "b/I-B"), [("B", "x"), ("A", "a"), ("B", "b")], 4),  # I of another label
        (("x/B-B", "a/O", "b/I-A"), [("B", "x"), ("A", "b")], 3),  # I after O, where B begins elsewhere
        (("a/B-A", "b/O", "c/S-B"), [("A", "a"), ("B", "c")], 2),  # not ended
        (("a/E-A", "b/O"), [("A", "a")], 1),  # not begun
    ],
)
def test_an_odd_tag_is_repaired_and_told_with_its_line(
    content: tuple[str, ...], found: list[tuple[str, str]], line: int
) -> None:
    read_ = conll(lines(*content))

    assert spans(read_) == found
    assert [(each.code, each.line) for each in read_.problems] == [("odd-tag", line)]


def test_blanks_separate_columns_where_there_is_no_tab() -> None:
    assert spans(conll("U.N. NNP I-NP B-ORG\nofficial NN I-NP O\n")) == [("ORG", "U.N.")]


def test_a_text_is_made_of_tokens_and_sentences() -> None:
    read_ = conll("a O\nb O\n\nc O\n")

    assert read_.documents["d"].text == "a b\nc"


def test_tokens_are_found_in_the_hosted_text_whatever_the_white_space_and_the_escapes() -> None:
    text = 'He said: "no\u00a0(yet)"  and\n\nleft'
    content = lines("He/O", "said/O", ":/O", "``/O", "no/B-X", "-LRB-/I-X", "yet/I-X", "-RRB-/I-X", "''/O", "and/O", "left/B-Y")

    read_ = conll(content, {"d": text})

    assert read_.problems == ()
    assert spans(read_) == [("X", "no\u00a0(yet)"), ("Y", "left")]


def test_a_token_that_is_not_there_costs_itself_and_says_what_is() -> None:
    (told,) = conll(lines("a/O", "zzz/B-X", "c/B-Y"), {"d": "a b c"}).problems

    assert (told.code, told.file, told.line, told.column) == ("unaligned-token", "d.conll", 2, 1)
    assert told.found == '"zzz"'
    assert told.expected == 'what the text has there, "b c"'
    assert spans(conll(lines("a/O", "zzz/B-X", "c/B-Y"), {"d": "a b c"})) == [("Y", "c")]


def test_offsets_are_used_and_checked() -> None:
    text = "a a a"
    assert conll(lines("a/4/5/B-X", "a/0/1/O"), {"d": text}).documents["d"].annotations == (
        TextBound("T1", "X", ((4, 5),), "a"),
    )
    (told,) = conll(lines("a/0/1/O", "a/1/2/O", "a/4/5/B-X"), {"d": text}).problems
    assert (told.code, told.line) == ("unaligned-token", 2)


def test_comments_and_docstarts_give_ids() -> None:
    by_comment = conll("# id = one\na O\n\n#id two\nb B-X\n# text = b O\n")
    by_docstart = conll("-DOCSTART- (one)\n\na O\n\n-DOCSTART-\ttwo\n\nb B-X\n")
    named_after = conll("-DOCSTART- -X- -X- O\n# id = one\na O\n-DOCSTART- -X- -X- O\n# id = two\nb B-X\n")

    for each in (by_comment, by_docstart, named_after):
        assert list(each.documents) == ["one", "two"]
        assert spans(each, "two") == [("X", "b")]


def test_a_hash_can_be_a_token() -> None:
    assert spans(conll("#\tB-X\n#id\tO\n# B-Y\n")) == [("X", "#"), ("Y", "#")]


def test_documents_without_ids_are_matched_in_order_if_there_are_as_many() -> None:
    content = "-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\nb B-X\n"
    matched = conll(content, {"2": "b", "1": "a"}, "all.conll")
    unmatched = conll(content, {"1": "a", "2": "b", "3": "c"}, "all.conll")

    assert [(id_, spans(matched, id_)) for id_ in matched.documents] == [("1", [("X", "a")]), ("2", [("X", "b")])]
    assert [(each.code, each.found) for each in unmatched.problems] == [("unmatched-documents", "2 documents without ids")]
    assert list(conll(content, name="all.conll").documents) == ["all-1", "all-2"]


def test_a_line_that_is_no_token_costs_that_line() -> None:
    read_ = conll(lines("a/B-X", "b/zebra", "c", "d/B-Y"))

    assert spans(read_) == [("X", "a"), ("Y", "d")]
    assert [(each.code, each.line) for each in read_.problems] == [("unreadable-line", 2), ("unreadable-line", 3)]


def test_entities_end_with_their_sentence() -> None:
    assert spans(conll("a B-X\n\nb I-X\nc B-Y\n")) == [("X", "a"), ("X", "b"), ("Y", "c")]


def test_a_file_of_another_document_is_passed_over() -> None:
    problems: tuple[Problem, ...] = read("conll", {"d.conll": b"a O\n", "e.conll": b"a O\n"}, {"d": "a"}).problems

    assert [(each.code, each.file) for each in problems] == [("unknown-document", "e.conll")]
