"""Lexicons: lines of string and category, and the ATC list."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.fairness.lexicon import ATC_CLASSES, LexiconError, class_of, fold, parse_atc, parse_lexicon
from tests.shared import shared

HEAD = "atc_code,atc_name,ddd\n"


def test_a_lexicon() -> None:
    text = "\ufeffTylenol\tanalgesic\r\n\r\nplan  B\tcontraceptive\ntylenol\tanalgesic\n"

    assert parse_lexicon(text) == {"tylenol": "analgesic", "plan b": "contraceptive"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tylenol\n", "l:1:1: no tab; expected a string, a tab and its category"),
        ("a\tb\nx\ty\tz\n", "l:2:3: 3 columns; expected a string, a tab and its category"),
        ("a\t \n", "l:1:2: no category; expected a string, a tab and its category"),
        (" \tb\n", "l:1:1: no string; expected a string, a tab and its category"),
        ("A\tb\nq\tr\na\tc\n", "l:3:2: a is c here and b on line 1; expected one category a string"),
    ],
)
def test_a_lexicon_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(LexiconError) as caught:
        parse_lexicon(text, "l")

    assert str(caught.value) == message


def test_the_longest_prefix_gives_the_class() -> None:
    assert [class_of(each) for each in ("N02BE01", "N02AA01", "G03AA07", "G03CA03", "G02BA03", "B01AC06", "H02AB07")] == [
        *("analgesic", "opioid", "contraceptive", "hormone", "contraceptive", None, "hormone"),
    ]


def test_atc() -> None:
    text = HEAD + 'N02B,OTHER,NA\nN02BE01,Paracetamol,3\nN02BE51,"paracetamol, combinations",NA\nG03A,x,NA\nG03AC06,both,NA\n'
    text += "G03DA02,both,NA\nB01AC06,aspirin,NA\n"

    assert parse_atc(text) == ({"paracetamol": "analgesic", "paracetamol, combinations": "analgesic"}, ("both",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "l:1: no column is called atc_code; expected atc_code and atc_name in the first line"),
        ("atc_code,name\n", "l:1: no column is called atc_name; expected atc_code and atc_name in the first line"),
        (HEAD + "N02BE01\n", "l:2:1: 1 columns; expected at least 2"),
        (HEAD + "N02BE01,a\n2,b\n", "l:3:1: '2' is no ATC code; expected one such as N02BE01"),
        (HEAD + 'N02BE01,"a" b\n', "l:2: not a CSV: "),
    ],
)
def test_an_atc_list_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(LexiconError) as caught:
        parse_atc(text, "l")

    assert str(caught.value).startswith(message)


_word = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=9).filter(
    lambda each: bool(fold(each)) and not each.startswith("\ufeff")
)


@given(st.dictionaries(_word.map(fold), _word.map(str.strip).filter(bool), max_size=5))
def test_what_is_written_is_read(lexicon: dict[str, str]) -> None:
    assert parse_lexicon("".join(f"{string}\t{category}\n" for string, category in lexicon.items())) == {
        fold(string): category for string, category in lexicon.items()
    }


@given(st.text(max_size=40), st.sampled_from(["", HEAD]))
def test_any_text_is_read_or_refused_with_its_place(text: str, head: str) -> None:
    for parse in (parse_lexicon, parse_atc):
        place = ""
        try:
            parse(head + text, "l")
        except LexiconError as bad:
            place = str(bad)
        assert not place or place.startswith("l:")


def test_the_list_of_the_who() -> None:
    lexicon, several = parse_atc(shared("data", "drug-classes", "atc.csv").read_text("utf-8"), "atc.csv")

    assert {each: lexicon.get(each) for each in ("paracetamol", "morphine", "amoxicillin", "fluoxetine", "diazepam")} == {
        "paracetamol": "analgesic",
        "morphine": "opioid",
        "amoxicillin": "antibiotic",
        "fluoxetine": "antidepressant",
        "diazepam": "anxiolytic",
    }
    assert (len(lexicon), len(several)) == (1237, 9)
    assert "norethisterone" in several, "a contraceptive and a hormone"


def test_the_guide_lists_the_classes() -> None:
    guide = " ".join((Path(__file__).parents[3] / "docs" / "categories.md").read_text("utf-8").split())
    prefixes: dict[str, list[str]] = {}
    for prefix, name in ATC_CLASSES.items():
        prefixes.setdefault(name, []).append(prefix)

    assert [name for name, own in prefixes.items() if f"{name} {' '.join(own)}" not in guide] == []
