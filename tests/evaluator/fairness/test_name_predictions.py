"""Predictions with a line a name: every format, paths, and what is refused."""

from __future__ import annotations

import lzma
import re

import pytest

from evaluator.fairness.census import Census, CensusError, Sex, parse_census
from evaluator.fairness.name_errors import Labels
from evaluator.fairness.name_predictions import (
    MOST_CHARACTERS,
    Place,
    PredictionsError,
    Wanted,
    parse_line,
    place_of,
    read_predictions,
)
from evaluator.fairness.packed import unpack_xz

CENSUS = parse_census(b"2018,F,Emma,9\n2018,F,Ava,8\n2018,F,Charlotte,7\n2018,M,Liam,5\n1880,F,Mary,9\n", "names.csv")
EVERYTHING = Wanted()


def labels(text: str, census: Census = CENSUS) -> tuple[Labels, ...]:
    (found,) = read_predictions({"female2018.txt": text.encode()}, census, EVERYTHING, "mine")
    return found.labels


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ((), None)),
        ("  ", ((), None)),
        ("PERSON", (("PERSON",), None)),  # CoreNLP
        ("ORG Emma ", (("ORG",), "Emma")),  # spaCy
        ('PER-span [1]: "Emma" ', (("PER",), "Emma")),  # Flair
        ('PER-span [1]: "Emma" LOC-span [1,2]: "Emma Lee" ', (("PER", "LOC"), "Emma Emma Lee")),
        ('PER [1]: "Emma"', (("PER",), "Emma")),
        ('-span [1]: "Emma"', (("-span",), "Emma")),
        ('see: PER-span[1]: "Emma"ORG   [2, 3]: ""', (("PER", "ORG"), "Emma ")),
        ('[1]: "Emma"', (("[1]:",), '"Emma"')),  # no label
        ('PER\t[1]: "Emma"', (("PER", '[1]: "Emma"'), None)),
        ("PERSON\tORG", (("PERSON", "ORG"), None)),
        ("PERSON\t", (("PERSON",), None)),
    ],
)
def test_a_line(line: str, expected: tuple[Labels, str | None]) -> None:
    assert parse_line(line) == expected


@pytest.mark.parametrize("part", ["x", "x[1", "[1,", 'x [1]: "', "[1] ", "x  ", "-span", '\t[1]: "a"', "1" * 9 + "]: "])
def test_a_line_of_a_megabyte_is_gone_through_once(part: str) -> None:
    """A second look from each of its characters would take hours."""
    found, _ = parse_line(part * (10**6 // len(part)) + ' PER-span [1]: "Emma"')

    assert len(found) > 0


def test_a_line_of_the_most_characters_is_read() -> None:
    assert labels("ORG Emma".ljust(MOST_CHARACTERS) + "\n\n\n") == (("ORG",), (), ())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("results/Template_4/results_flair/female2018.txt", ("flair", "4", 2018, Sex.FEMALE)),
        ("template-4/results_coreNLP/male1880.txt", ("coreNLP", "4", 1880, Sex.MALE)),
        ("mine/9/M1999.tsv", ("mine", "9", 1999, Sex.MALE)),
        ("mine/f_2000", ("mine", "1", 2000, Sex.FEMALE)),
        ("7/female-2000.txt", ("system", "7", 2000, Sex.FEMALE)),
    ],
)
def test_a_path_says_what_a_file_is_about(path: str, expected: tuple[str, str, int, Sex]) -> None:
    system, template, year, sex = expected
    assert place_of(path) == Place(system=system, template=template, year=year, sex=sex)


@pytest.mark.parametrize(
    "path", ["mine/README.md", "mine/female18.txt", "mine/female2018.ann", "mine/2018.txt", "other2018.txt"]
)
def test_other_files_are_passed_over(path: str) -> None:
    assert place_of(path) is None


def test_lines_belong_to_names_in_their_order() -> None:
    (found,) = read_predictions({"Template_4/female2018.txt": b"ORG Emma \n\nGPE Charlotte \n"}, CENSUS, EVERYTHING, "mine")

    assert found.key == ("mine", "4", 2018, Sex.FEMALE)
    assert dict(zip(found.names, found.labels, strict=True)) == {"Emma": ("ORG",), "Ava": (), "Charlotte": ("GPE",)}
    assert found.counts.tolist() == [9, 8, 7]
    assert labels("\ufeffPERSON\r\n\r\nORG") == (("PERSON",), (), ("ORG",))  # a byte order mark, CRLF, no newline at the end


def test_a_span_that_lies_elsewhere_in_the_sentence_is_not_on_the_name() -> None:
    assert labels('PER-span [1]: "Emma"\nORG-span [3]: "school"\nLOC-span [1]: "Charlotte"\n') == (("PER",), (), ("LOC",))


def test_what_is_not_asked_for_is_not_read() -> None:
    files = {
        "a/1/female2018.txt": b"PER\n\nPER\n",
        "b/1/female2018.txt": b"\xff not read",
        "a/2/female2018.txt": b"\xff not read",
        "a/1/female1880.txt": b"\xff not read",
    }
    wanted = Wanted(systems=frozenset("a"), templates=frozenset("1"), years=frozenset({2018}))
    assert [each.key for each in read_predictions(files, CENSUS, wanted, "x")] == [("a", "1", 2018, Sex.FEMALE)]
    with pytest.raises(
        PredictionsError, match=r"^x: nothing of what is asked for; there are systems a, b; templates 1, 2; years"
    ):
        read_predictions(files, CENSUS, Wanted(systems=frozenset("c")), "x")


def test_only_the_most_frequent_names_were_tagged_or_are_asked_for() -> None:
    wanted = Wanted(most=2)
    for text in (b"PER\n\n", b"PER\n\nORG\n"):
        (found,) = read_predictions({"female2018.txt": text}, CENSUS, wanted, "mine")
        assert (found.names, found.labels) == (("Emma", "Ava"), (("PER",), ()))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"female2018.txt": b"PER\n"},
            "female2018.txt: 1 lines, where the census has 3 female names of 2018; --top says how many of them were tagged",
        ),
        ({"female2018.txt": b"PER\n" * 4}, "female2018.txt: 4 lines, where the census has 3 female names of 2018"),
        ({"female2018.txt": b"PER\n\n\xff\n"}, "female2018.txt:3:1: not UTF-8"),
        ({"female2018.txt": "PER\nORG Zoë".encode() + b"\xff\n\n"}, "female2018.txt:2:8: not UTF-8"),
        (
            {"female2018.txt": b"PER\n" + b"x" * (MOST_CHARACTERS + 1) + b"\n\n"},
            "female2018.txt:2:10001: a line of 10,001 characters, where 10,000 at most are expected",
        ),
        (
            {"female2018.txt": b"PERSON Olivia" + b"a" * 9_000 + b"\n\n\n"},
            f"female2018.txt:1:8: 'PERSON Olivia{'a' * 46}…' is not about Emma, as 1 lines are not about their names",
        ),
        (
            {"female2018.txt": b"PERSON Emma\nPERSON Olivia \nPERSON Ava \n"},
            "female2018.txt:2:8: 'PERSON Olivia ' is not about Ava, as 2 lines are not about their names",
        ),
        ({"README.md": b""}, "mine: no file is called like female2018.txt, with a line for each name"),
        (
            {"female2018.txt": b"\n\n\n", "F2018": b"\n\n\n"},
            "F2018: is about the female names of 2018 in template 1 by mine, and so is female2018.txt",
        ),
    ],
)
def test_what_cannot_be_read_is_told(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(PredictionsError, match="^" + re.escape(message) + "$"):
        read_predictions(files, CENSUS, EVERYTHING, "mine")


def test_a_year_that_the_census_lacks() -> None:
    with pytest.raises(CensusError, match="there are no male names of 1880"):
        read_predictions({"male1880.txt": b"\n"}, CENSUS, EVERYTHING, "mine")


def test_a_file_may_not_unpack_to_more_than_is_allowed() -> None:
    packed = lzma.compress(b"x" * 1000)
    assert unpack_xz(packed) == b"x" * 1000
    with pytest.raises(ValueError, match="it unpacks to more than 999 bytes"):
        unpack_xz(packed, 999)
