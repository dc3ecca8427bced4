"""PubTator, BioC, spans and JSON lines by hand: what is read, and what is said of what cannot be."""

from __future__ import annotations

import json

import pytest

from brat.convert.formats import Converted, read
from brat.model import Argument, Event, Normalization, Note, Relation, TextBound

PUBTATOR = """1|t|Lithium toxicity.
1|a|Renal and hepatic failure.
1\t0\t7\tLithium\tChemical\tD1
1\t18\t43\tRenal and hepatic failure\tDisease\tMESH:D2|MESH:D3\tRenal failure|hepatic failure
1\tCID\tD1\tD2
1\tCID\tD1\tD9
"""


def codes(converted: Converted) -> list[tuple[str, int, int]]:
    return [(each.code, each.line, each.column) for each in converted.problems]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_pubtator(end: str, mark: str) -> None:
    read_ = read("pubtator", {"c.PubTator": (mark + PUBTATOR.replace("\n", end)).encode()}, {})

    assert codes(read_) == ([("byte-order-mark", 1, 1)] if mark else [])
    assert read_.documents["1"].text == "Lithium toxicity.\nRenal and hepatic failure."
    assert read_.documents["1"].annotations == (
        TextBound("T1", "Chemical", ((0, 7),), "Lithium"),
        Normalization("N1", "Reference", "T1", "ID", "D1"),
        TextBound("T2", "Disease", ((18, 43),), "Renal and hepatic failure"),
        Normalization("N2", "Reference", "T2", "MESH", "D2"),
        Normalization("N3", "Reference", "T2", "MESH", "D3"),
        Note("#1", "Parts", "T2", "Renal failure|hepatic failure"),
        Relation("R1", "CID", Argument("Arg1", "T1"), Argument("Arg2", "T2")),
        Note("#2", "Concepts", "R1", "D1 D2"),  # the mention alone would not say which of its concepts
        Note("#3", "CID", "document", "D1 D9"),  # D9 is mentioned nowhere
    )
    assert [each.line for each in read_.documents["1"].annotations] == [3, 3, 4, 4, 4, 4, 5, 5, 6]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1\t0", "unreadable-line"),
        ("what is this", "unreadable-line"),
        ("1\tx\t7\tLithium\tChemical\tD1", "unreadable-line"),
        (f"1\t0\t{'9' * 400}\tLithium\tChemical\tD1", "unreadable-line"),
        ("1\t7\t0\tLithium\tChemical\tD1", "span-reversed"),
        ("1\t0\t700\tLithium\tChemical\tD1", "span-outside-text"),
        ("1\t1\t8\tLithium\tX\tD1", "text-mismatch"),
        ("1\t0\t7\tLithium\tA Chemical\tD1", "odd-label"),
        ("1|t|Another title", "unreadable-line"),
    ],
)
def test_a_bad_line_of_pubtator_costs_that_line(line: str, code: str) -> None:
    read_ = read("pubtator", {"c.txt": f"{PUBTATOR}{line}\n".encode()}, {})

    assert [(each.code, each.line) for each in read_.problems if each.code != "ignored-file"] == [(code, 7)]
    assert sum(1 for _ in read_.documents["1"].text_bounds) >= 2


def test_a_hosted_text_goes_before_the_one_in_the_file() -> None:
    hosted = "Lithium toxicity.\nRenal and hepatic failure.\n"
    same = read("pubtator", {"c.pubtator": PUBTATOR.encode()}, {"1": hosted})
    other = read("pubtator", {"c.pubtator": PUBTATOR.encode()}, {"1": hosted.replace("toxi", "velo")})

    assert same.documents["1"].text == hosted
    assert same.problems == ()
    assert [(each.code, each.found, each.expected) for each in other.problems] == [
        ("text-mismatch", '"toxicity.\\nRenal and hepatic fa"', '"velocity.\\nRenal and hepatic fa"')
    ]


def test_documents_that_are_not_hosted_are_left_out_and_all_of_them_are_an_error() -> None:
    some = read("pubtator", {"c.pubtator": (PUBTATOR + PUBTATOR.replace("1", "2")).encode()}, {"1": None})
    none = read("pubtator", {"c.pubtator": PUBTATOR.encode()}, {"7": None})

    assert list(some.documents) == ["1"]
    assert codes(some) == [("unknown-document", 7, 1)]
    assert codes(none) == [("unknown-document", 1, 1), ("no-annotations", 0, 0)]


BIOC = """<?xml version='1.0'?><!DOCTYPE collection SYSTEM 'BioC.dtd'>
<collection><source/><date/><key/><document><id>1</id>
<passage><infon key="type">title</infon><offset>0</offset><text>A &lt; B</text>
<annotation id="a"><infon key="type">X</infon><location offset="0" length="1"/><text>A</text></annotation></passage>
<passage><offset>8</offset><text>C D</text>
<annotation id="b"><infon key="type">Y</infon><infon key="MESH">D1|D2</infon>
<location offset="4" length="1"/><location offset="8" length="1"/><text>B C</text></annotation></passage>
<relation id="r"><infon key="type">L</infon><node refid="a" role="one"/><node refid="b" role="two"/></relation>
<relation id="e"><infon key="type">V</infon><node refid="b" role="Trigger"/><node refid="r" role="what"/></relation>
</document></collection>"""


def test_bioc() -> None:
    read_ = read("bioc-xml", {"c.xml": BIOC.encode()}, {})

    assert read_.problems == ()
    assert read_.documents["1"].text == "A < B  \nC D"
    assert read_.documents["1"].annotations == (
        TextBound("T1", "X", ((0, 1),), "A"),
        TextBound("T2", "Y", ((4, 5), (8, 9)), "B C"),
        Normalization("N1", "Reference", "T2", "MESH", "D1"),
        Normalization("N2", "Reference", "T2", "MESH", "D2"),
        Relation("R1", "L", Argument("one", "T1"), Argument("two", "T2")),
        Event("E1", "V", "T2", (Argument("what", "R1"),)),
    )
    assert [each.line for each in read_.documents["1"].annotations] == [4, 6, 6, 6, 8, 9]


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("SYSTEM 'BioC.dtd'", '[<!ENTITY a "b">]', "unsafe-xml", (1, 44)),
        ("SYSTEM 'BioC.dtd'", "SYSTEM 'file:///etc/passwd' [ ]", "unsafe-xml", (1, 71)),
        ("&lt;", "&passwd;", "unsafe-xml", (3, 67)),
        ("<source/>", "<a>" * 50 + "</a>" * 50, "unsafe-xml", (2, 130)),
        ("<source/>", "<source>", "unreadable-line", (10, 14)),
        ('offset="0"', f'offset="{"9" * 400}"', "unreadable-line", (4, 1)),
        ('offset="0"', 'offset="70"', "span-outside-text", (4, 1)),
        ("<offset>8</offset>", "<offset>900000000</offset>", "unreadable-line", (5, 1)),
        ("<offset>8</offset>", "<offset>3</offset>", "text-mismatch", (5, 1)),
        ('refid="a"', 'refid="z"', "undefined-reference", (8, 1)),
        ("C D", "C \0 D", "unreadable-line", (5, 36)),
    ],
)
def test_what_is_wrong_with_bioc_has_a_place(old: str, new: str, code: str, place: tuple[int, int]) -> None:
    assert (code, *place) in codes(read("bioc-xml", {"c.xml": BIOC.replace(old, new).encode()}, {}))


def test_a_hundred_million_laughs_are_refused_before_they_are_parsed() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    content = f'<!DOCTYPE c [<!ENTITY l0 "ha">{laughs}]><collection><source>&l8;</source></collection>'

    assert [each.code for each in read("bioc-xml", {"c.xml": content.encode()}, {}).problems] == ["unsafe-xml"]


def test_spans_in_any_columns() -> None:
    content = "label\toff0\toff1\tfilename\tmark\nX\t0\t3\td\tT1\nX\t0\t3\te\tT1\n"
    read_ = read("spans-tsv", {"s.tsv": content.encode()}, {"d": "abc", "e": "def", "f": ""})

    assert {id_: [each.text for each in one.text_bounds] for id_, one in read_.documents.items()} == {
        "d": ["abc"],
        "e": ["def"],
        "f": [],
    }
    assert read_.paths == {"d": "s.tsv", "e": "s.tsv", "f": "s.tsv"}
    assert read_.problems == ()


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("d\t0\tx\tX\tabc", "unreadable-line", 5),
        ("d\t0\t-1\tX\tabc", "unreadable-line", 5),
        (f"d\t0\t{'9' * 400}\tX\tabc", "unreadable-line", 5),
        ("d\t0\t9\tX\tabc", "span-outside-text", 3),
        ("d\t3\t0\tX\tabc", "span-reversed", 3),
        ("d 0 3 X abc", "unreadable-line", 1),
        ("z\t0\t3\tX\tabc", "unknown-document", 1),
        ("d\t0\t2\tX\tabc", "text-mismatch", 3),
    ],
)
def test_a_bad_span_costs_its_line(line: str, code: str, column: int) -> None:
    read_ = read("spans-tsv", {"s.tsv": f"d\t0\t3\tX\tabc\n{line}\n".encode()}, {"d": "abc"})

    assert codes(read_) == [(code, 2, column)]
    assert next(read_.documents["d"].text_bounds).text == "abc"


@pytest.mark.parametrize(
    "entities",
    [
        {"entities": [[0, 3, "X"]]},
        {"label": [[0, 3, "X"]]},
        {"spans": [{"start": 0, "end": 3, "label": "X"}]},
        {"entities": [{"id": 7, "start_offset": 0, "end_offset": 3, "label": "X"}]},
        {"entities": [{"id": "T9", "label": "X", "fragments": [[0, 3]], "text": "abc"}]},
    ],
)
def test_json_lines_as_tools_write_them(entities: dict[str, object]) -> None:
    read_ = read("jsonl", {"s.jsonl": json.dumps({"id": 1, "text": "abc", **entities}).encode()}, {})

    assert read_.documents["1"].annotations == (TextBound("T1", "X", ((0, 3),), "abc"),)
    assert read_.problems == ()


def test_doccano_relations() -> None:
    document = {
        "id": 1,
        "text": "abc",
        "entities": [{"id": 5, "label": "X", "start_offset": 0, "end_offset": 1}],
        "relations": [{"id": 0, "from_id": 5, "to_id": 5, "type": "same"}],
    }
    read_ = read("jsonl", {"s.jsonl": json.dumps(document).encode()}, {})

    assert list(read_.documents["1"].annotations)[1] == Relation("R1", "same", Argument("Arg1", "T1"), Argument("Arg2", "T1"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "unreadable-line"),
        ("[]", "unreadable-line"),
        ('{"id": "a", "text": "\\ud800"}', "unreadable-line"),
        ('{"id": ' + "[" * 100_000, "unreadable-line"),
        ('{"id": "a", "entities": [[0, ' + "9" * 5000 + ', "X"]]}', "unreadable-line"),
        ('{"id": "a", "entities": [[true, 2, "X"]]}', "unreadable-line"),
        ('{"id": "a", "entities": [{"start": 0}]}', "unreadable-line"),
        ('{"id": "a", "relations": [{"label": "X", "arguments": [{"role": "A", "target": "T1"}]}]}', "unreadable-line"),
        ('{"id": "../../a", "text": ""}', "unsafe-id"),
        ('{"id": "/a", "text": ""}', "unsafe-id"),
        ('{"id": "a\\u0000", "text": ""}', "unsafe-id"),
        ('{"id": "ok", "text": ""}', "duplicate-document"),
    ],
)
def test_a_bad_line_of_json_costs_that_line_or_annotation(line: str, code: str) -> None:
    content = '{"id": "ok", "text": "abc"}\n' + line + "\n"
    read_ = read("jsonl", {"s.jsonl": content.encode()}, {})

    assert [(each.code, each.line) for each in read_.problems] == [(code, 2)]
    assert read_.documents["ok"].text == "abc"


@pytest.mark.parametrize("name", ["conll", "pubtator", "bioc-xml", "bioc-json", "spans-tsv", "jsonl"])
def test_a_file_that_is_not_utf8_says_where(name: str) -> None:
    read_ = read(name, {"file": b"abc\nd\xe9f\n"}, {})

    assert codes(read_) == [("not-utf8", 2, 2)]
    assert read_.documents == {}
