"""Self-identifications: what is found, what is not, contradictions, and the rows of metadata that come of it."""

from __future__ import annotations

import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.fairness.gender_words import WORDS, group_of, most_particular, plain
from evaluator.fairness.self_identification import (
    as_metadata,
    author_of,
    band_of,
    find_authors,
    find_self_identifications,
)
from evaluator.fairness.self_identification_patterns import PATTERNS, Pattern
from evaluator.fairness.self_identification_tables import report_authors
from evaluator.metadata import as_tsv, parse_metadata
from tests.shared import shared

OPPOSITE = {"F": "M", "M": "F", "female": "male", "male": "female", "woman": "man"}


@pytest.mark.parametrize(
    ("text", "gender", "age"),
    [
        # METHODS, section 2
        ("I [25 M]", "male", 25),
        ("My (23F)", "female", 23),
        ("I [M]", "male", None),
        ("I [F34]", "female", 34),
        # either order, brackets, case, separators, words, units
        ("so i (f/23) took it", "female", 23),
        ("me (23 f) and", "female", 23),
        ("I(27F)", "female", 27),
        ("I (m, 25)", "male", 25),
        ("I (Male 25)", "male", 25),
        ("I (25yo woman)", "female", 25),
        ("I (25 y.o. F)", "female", 25),
        ("I [34/F]", "female", 34),
        ("I’m [25|M]", "male", 25),
        ("I (mid-20s, M)", "male", None),
        ("I (25M, 6'1, 190 lbs)", "male", 25),
        ("My [25 male] girlfriend", "male", 25),
        ("I, M25, am", "male", 25),
        ("I'm 25M", "male", 25),
        ("im 25F and", "female", 25),
        ("I am a 34F.", "female", 34),
        ("i am a 25-year-old white man", "male", 25),
        ("I'm a healthy 25 yo female", "female", 25),
        ("I'm a gay man, 34.", "male", 34),
        ("I'm male and well", "male", None),
        ("Age: 25 Sex: M Height: 6", "male", 25),
        ("Gender: female, age: 31.", "female", 31),
        ("I'm 54 years old", None, 54),
        # other genders
        ("I (NB, 30)", "non-binary", 30),
        ("I'm (25 enby)", "non-binary", 25),
        ("I [AFAB NB 22]", "non-binary", 22),
        ("I (23 MtF)", "trans female", 23),
        ("I (24 trans F)", "trans female", 24),
        ("I'm a trans guy", "trans male", None),
        ("I'm agender.", "agender", None),
        # forms
        ("- Age: 34\n* Gender: M", "male", 34),
        ("1. Age: 34\n2. Sex: F", "female", 34),
        ("**Age:** 34\n**Sex**: F", "female", 34),
        ("Age/Sex: 34F", "female", 34),
        ("Sex/Age: F/34\nHeight", "female", 34),
        ("- **Age/Gender:** 34, male", "male", 34),
        ("Sex: F\nMale pattern baldness", "female", None),
        ("Patient: me\nSex: F", "female", None),
        # with an article, and with an age apart
        ("I, a 25F, have", "female", 25),
        ("I, a 25 year old woman, have", "female", 25),
        ("I'm 19, female", "female", 19),
        ("I'm 19, F, and", "female", 19),
        ("I'm 19 years old, male.", "male", 19),
        ("I'm a 25 y/o F", "female", 25),
        ("as a 25F I", "female", 25),
        ("As a 25M, I", "male", 25),
        ("As a 34yo woman I find", "female", 34),
        # where I is no numeral
        ("yesterday I (25F) went", "female", 25),
        ("Yesterday I (F) went", "female", None),
        ("my husband and I (F) went", "female", None),
        ("my boss noticed I [25 M] was", "male", 25),
        ("well - I [M] went", "male", None),
        ("I (25F)had it", "female", 25),
        # what is neither quoted nor supposed
        ('"I am a 25 year old female and it helped."', "female", 25),
        ("It is 5'4\" high. I'm 25F", "female", 25),
        ('He said "go" and I am a woman', "female", None),
        ("As I said I'm a 25F", "female", 25),
        ("wondering if I (25F) should", "female", 25),
        # a noun that ends
        ("I'm a woman suffering from it", "female", None),
        ("I am a man with pain", "male", None),
        ("I'm a guy, pain", "male", None),
    ],
)
def test_what_people_write(text: str, gender: str | None, age: int | None) -> None:
    assert (author_of(text).gender, author_of(text).age) == (gender, age)


@pytest.mark.parametrize(
    "text",
    [
        "my previous (male) GP",  # PsyTAR, EffexorXR.14
        "my (male) doctor",
        "My boyfriend (25M) said",
        "I (5mg) after two days",
        "The first time I took Lexy (10 mg)",  # PsyTAR, lexapro.153
        "I am 50 pounds overweight",  # PsyTAR, cymbalta.118
        "I'm 15m away",
        "I'm 25 years older",
        "I (M/F) do",
        "I (25)",
        "bipolar I (M)",
        "pacemaker current (I(f)) in isolated cells",  # BC5CDR
        "KI (M)",
        "(ESRD) patients (age: 55    14; mean)",  # DDI 2013
        "mean age: 45",
        "my baby's gender: male",
        "I'm a doctor treating female patients",
        "I am a woman's doctor",
        "I'm a boy mom",
        "I'm male nurse number two",
        "I am not a woman",
        "treated me as a woman",
        "my husband of 8 years and my wife",
        "I am a stay-at-home dad",
        "> I (25M) wrote this",
        "&gt; I (25M) wrote this",
        # a form that is not filled in, or not about the author
        *(
            f"{field}: {choice}"
            for field in ("Sex", "**Sex**", "- Gender")
            for choice in ("M/F", "F/M", "M, F", "F | M", "M or F")
        ),
        "Gender: male / female / other",
        "Sex: F (or M)",
        "Age/Sex: M/F",
        "Age/Sex: 25 M/F",
        "Partner's sex: male",
        "My partner's details:\nSex: male",
        "Patient: my son\nAge: 12\nSex: M",
        "About my dog\n\n- Sex: M",
        "results from sex: M",
        "a median of age: 45",
        # a letter in brackets that begins a word
        "I [f]eel",
        "I (m)et",
        "my (f)avourite",
        "My [m]other",
        # numerals and iodine
        *(
            f"{word} I (F)"
            for word in ("Table", "Figure", "Factor", "World War", "Cu", "table", "complex", "Pope Pius", "Cl, Br,")
        ),
        "Group I (12 M)",
        "in group I (12 M)",
        "Stage I, 25F, had",
        # somebody else's words
        'He said "I am a woman"',
        "He said “I am a woman”",
        "He said 'I am a woman'",
        "He said ‘I am a woman’",
        'She wrote "well, I (25F) am"',
        *(f"{words} I am a woman" for words in ("If", "whether", "People say", "They think that", "He told me:", "Imagine")),
        "he thinks I'm male.",
        "She says I'm 25F",
        # clauses and nouns that go on
        "As a man I treated said",
        "As a 34yo woman I treated said",
        "as a 25F I treated said",
        "Dressed as a woman, I went",
        "I'm a woman hater",
        "I'm a Lady Gaga fan",
        "I'm a man child",
        "I'm a man/woman",
        "I'm 34, male doctors say",
        "I'm 19, F. Scott",
        "",
    ],
)
def test_what_says_nothing_of_the_author(text: str) -> None:
    assert find_self_identifications(text) == []


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda each: each.name)
def test_every_pattern_finds_its_example_for_every_gender_alike(pattern: Pattern) -> None:
    other = re.sub(r"(?<![A-Za-z'])(F|M|female|male|woman)(?![a-z'])", lambda word: OPPOSITE[word[0]], pattern.example)
    [first], [second] = (find_self_identifications(f"{text}\n") for text in (pattern.example, other))

    assert (first.pattern, second.pattern, first.age) == (pattern.name, pattern.name, second.age)
    assert {first.gender, second.gender} in ({"female", "male"}, {None})


def test_contradictions_leave_a_post_without_a_group_and_say_where() -> None:
    found = author_of("first line\nI (25F) and\n also I (30M) x")

    assert (found.gender, found.age, found.contradictions) == (None, None, ("gender", "age"))
    assert [(each.text, each.line, each.column) for each in found.found] == [("I (25F)", 2, 1), ("I (30M)", 3, 7)]


def test_two_ages_contradict_and_the_gender_stands() -> None:
    found = author_of("I (25F) know. Now I'm 26F")

    assert (found.gender, found.age, found.contradictions) == ("female", None, ("age",))


def test_what_is_more_particular_contradicts_nothing() -> None:
    assert author_of("I (30F). I'm a trans woman.").gender == "trans female"
    assert most_particular({"trans", "female"}) == "trans female"
    assert most_particular({"trans", "non-binary"}) == "non-binary"
    assert most_particular({"trans female", "male"}) is None
    assert most_particular(()) is None


_letters = st.sampled_from(["F", "f", "M", "m", "NB", "nb", "MtF", "ftm", "female", "Male", "woman", "non-binary", "trans man"])


@given(
    before=st.sampled_from(["I", "i", "me", "I'm", "I am"]),
    gender=_letters,
    age=st.none() | st.integers(10, 99),
    between=st.sampled_from([" ", "/", ", ", "; ", " | "]),
    gender_first=st.booleans(),
    brackets=st.sampled_from(["()", "[]"]),
    around=st.tuples(st.sampled_from(["", "So ", "Hi, ", "\n"]), st.sampled_from(["", " took it", ".", ", again"])),
)
def test_brackets_in_every_form(  # noqa: PLR0917
    before: str, gender: str, age: int | None, between: str, gender_first: bool, brackets: str, around: tuple[str, str]
) -> None:
    parts = [gender] if age is None else [gender, str(age)] if gender_first else [str(age), gender]
    text = f"{around[0]}{before} {brackets[0]}{between.join(parts)}{brackets[1]}{around[1]}"

    assert (author_of(text).gender, author_of(text).age) == (group_of(gender), age)


@given(st.text(st.sampled_from("Im aFMfnbyo's2509()[],/-.:>\n") | st.characters(max_codepoint=0x2FF), max_size=60))
def test_any_text_can_be_read_and_places_are_right(text: str) -> None:
    found = find_self_identifications(text)
    lines = text.split("\n")
    for each in found:
        assert text[each.start : each.end] == each.text
        assert lines[each.line - 1][each.column - 1 :].startswith(each.text.split("\n")[0])
        assert each.gender in (None, *WORDS.values())
        assert each.age is None or 10 <= each.age <= 99
    assert all(a.end <= b.start for a, b in pairwise(found))


_ODD = {"i": "ıİ", "s": "ſ", "k": "\u212a"}


@given(
    word=st.sampled_from(sorted(WORDS)), form=st.sampled_from(["I am a {}.", "I'm {}", "I (25 {})", "Sex: {}"]), data=st.data()
)
def test_letters_that_are_the_same_but_for_case_are_read_as_such(word: str, form: str, data: st.DataObject) -> None:
    choices = (st.sampled_from([letter, letter.upper(), *_ODD.get(letter, "")]) for letter in word)
    odd = "".join(data.draw(each) for each in choices)

    assert group_of(odd) == WORDS[word]
    assert author_of(form.format(odd)).gender == author_of(form.format(word)).gender


def test_the_letters_of_every_expression_have_no_others_of_another_case() -> None:
    odd = {chr(each) for each in range(128, 0x11000) if re.fullmatch("[a-z]", chr(each), re.IGNORECASE)}

    assert odd == set("".join(_ODD.values()))
    assert all(plain(each).isascii() for each in odd)


def test_letters_and_words_are_all_groups() -> None:
    for word, blank in product(WORDS, (" ", "-")):
        assert group_of(word.upper().replace(" ", blank)) == WORDS[word]


def test_metadata_and_bands() -> None:
    authors = find_authors({"b": "I (44F)", "a": "nothing", "c": "I (M)", "d": "I [45 NB]"})
    written = as_tsv(as_metadata(authors, (18, 30, 45)))

    assert written == ("document\tgender\tage\tage-band\na\t\t\t\nb\tfemale\t44\t30–44\nc\tmale\t\t\nd\tnon-binary\t45\t45+\n")
    assert parse_metadata(written).rows["b"] == {"gender": "female", "age": "44", "age-band": "30–44"}
    assert [band_of(age, (18, 30)) for age in (17, 18, 29, 30)] == ["0–17", "18–29", "18–29", "30+"]
    with pytest.raises(ValueError, match="ascending"):
        as_metadata(authors, (30, 18))


def test_a_report_counts_everybody_once() -> None:
    texts = {"a": "I (25F)", "b": "I (30M)", "c": "nothing", "d": "I (25F) I (26M)", "e": "I (50M)"}
    tables = {
        each.key: each.rows for each in report_authors(find_authors(texts), {}, (), {"a": "F", "b": "woman", "e": "x"}).tables
    }

    assert tables["gender"] == (
        ("female", 1),
        ("male", 2),
        ("contradicting, in no group", 1),
        ("nothing said, in no group", 1),
    )
    assert [row[4] for row in tables["contradictions"]] == ["I (25F)", "I (26M)"]
    assert ("female", "female", 1, "agree") in tables["given-and-found"]
    assert tables["disagreements"] == (("b", "female", "male", "I (30M)"), ("e", "x", "male", "I (50M)"))


def test_there_are_none_in_wet_lab_protocols() -> None:
    texts = {each.name: each.read_text() for each in sorted(shared("data", "brat-corpora", "wlp").rglob("*.txt"))}

    assert len(texts) > 600
    assert not any(each.found for each in find_authors(texts).values())


def test_the_guide_lists_every_pattern_with_its_example() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "self-identification.md").read_text("utf-8")

    assert all(f"| {each.name} | `{each.example}` |" in guide for each in PATTERNS)
    assert all(f"`{each}`" in guide for each in set(WORDS.values()))
