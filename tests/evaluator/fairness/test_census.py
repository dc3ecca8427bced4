"""The census: both layouts give the same names, and a line that is wrong is told with its place."""

from __future__ import annotations

import io
import lzma
import re
import time
import zipfile
from pathlib import Path

import pytest

from brat.problems import RefusedInput
from evaluator.fairness.census import Census, CensusError, Sex, parse_census, read_census
from tests.shared import shared

TABLE = "year,sex,name,count\n1880,F,Mary,7065\n1880,F,Anna,2604\n1880,M,John,9655\n1881,F,Mary,6919\n1881,F,Zoë,23\n"


def packed(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def told(census: Census) -> dict[tuple[int, str], dict[str, int]]:
    found = {(year, sex): census.names(year, sex) for year, sex in census.groups}
    return {key: dict(zip(each.names, each.counts.tolist(), strict=True)) for key, each in found.items()}


EXPECTED = {
    (1880, "female"): {"Mary": 7065, "Anna": 2604},
    (1880, "male"): {"John": 9655},
    (1881, "female"): {"Mary": 6919, "Zoë": 23},
}


@pytest.mark.parametrize(
    "text",
    [TABLE, TABLE.partition("\n")[2], "\ufeff" + TABLE.replace("\n", "\r\n"), TABLE.rstrip("\n")],
    ids=["with names of columns", "without", "as a spreadsheet saves it", "no newline at the end"],
)
def test_a_table(text: str) -> None:
    plain = parse_census(text.encode(), "names.csv")

    assert told(plain) == EXPECTED
    assert told(parse_census(lzma.compress(text.encode()), "names.csv.xz")) == EXPECTED
    assert plain.years == (1880, 1881)
    assert plain.names(1880, Sex.FEMALE).total == 7065 + 2604


def test_the_official_archive_its_folder_and_one_of_its_years(tmp_path: Path) -> None:
    years = {"yob1880.txt": "Mary,F,7065\r\nAnna,F,2604\r\nJohn,M,9655\r\n", "yob1881.txt": "Mary,F,6919\r\nZoë,F,23\r\n"}
    archive = packed({**years, "NationalReadMe.pdf": "not read"})
    for name, text in years.items():
        (tmp_path / name).write_bytes(text.encode())

    read = [parse_census(archive, "names.zip"), read_census(tmp_path), parse_census(TABLE.encode(), "names.csv")]
    assert [told(each) for each in read] == [EXPECTED] * 3
    assert len({each.digest for each in read}) == 1
    assert read_census(tmp_path / "yob1881.txt").years == (1881,)


def test_names_are_ordered_by_count_and_equal_counts_as_in_the_file() -> None:
    census = parse_census(b"1990,M,Low,5\n1990,F,Zoe,9\n1990,M,Yan,7\n1990,M,Abe,7\n1990,M,Top,8\n", "x.csv")

    assert census.names(1990, Sex.MALE).names == ("Top", "Yan", "Abe", "Low")
    assert census.names(1990, Sex.MALE).counts.tolist() == [8, 7, 7, 5]


def test_a_decade_adds_up_and_orders_equal_names_by_the_alphabet() -> None:
    # Ann 5 + 6 = 11, Zoe 11, Bea 8; 1992 is not there
    census = parse_census(b"1990,F,Zoe,11\n1990,F,Ann,5\n1991,F,Bea,8\n1991,F,Ann,6\n1991,M,Ann,99\n", "x.csv")
    found = census.over(range(1990, 2000), Sex.FEMALE)

    assert (found.names, found.counts.tolist()) == (("Ann", "Zoe", "Bea"), [11, 11, 8])
    assert len(census.over([1980], Sex.FEMALE)) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1880,F,Mary,7065\n1880,F,Anna\n", "there are 3 commas: '1880,F,Anna'"),
        ("1880,F,Mary,7065\n1880,F,Anna,Lee,2\n", "there are 3 commas: '1880,F,Anna,Lee,2'"),
        ("1880,F,Mary,7065\n\n", "there are 3 commas: ''"),
        ("1880,F,Mary,7065\n1880,X,Anna,2\n", "the sex is F or M: '1880,X,Anna,2'"),
        ("1880,F,Mary,7065\n1880,FF,Anna,2\n", "the sex is F or M: '1880,FF,Anna,2'"),
        ("1880,F,Mary,7065\n1880,F,,2\n", "the name is empty: '1880,F,,2'"),
        ("1880,F,Mary,7065\n1880,F,Anna,2.5\n", "the count is a whole number above 0, of 9 digits at most: '1880,F,Anna,2.5'"),
        ("1880,F,Mary,7065\n1880,F,Anna,0\n", "the count is a whole number above 0"),
        ("1880,F,Mary,7065\n1880,F,Anna,\n", "the count is a whole number above 0"),
        ("1880,F,Mary,7065\n1880,F,Anna,-3\n", "the count is a whole number above 0"),
        ("1880,F,Mary,7065\n1880,F,Anna,1234567890\n", "the count is a whole number above 0"),
        ("1880,F,Mary,7065\n188O,F,Anna,2\n", "the year has four digits: '188O,F,Anna,2'"),
        ("1880,F,Mary,7065\n880,F,Anna,2\n", "the year has four digits"),
        ("1880,F,Mary,7065\n1880,F,An\rna,2\n", "no carriage return stands in a line"),
        ("1880,F,Mary,7065\n1880,F," + "A" * 99 + "\n", "AAA…'"),
    ],
)
def test_a_wrong_line_is_told_with_its_place_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(CensusError, match="^" + re.escape("names.csv:2: year,sex,name,count is expected, where ")) as bad:
        parse_census(text.encode(), "names.csv")

    assert message in str(bad.value)
    assert (bad.value.file, bad.value.line) == ("names.csv", 2)


def test_lines_are_counted_from_the_line_of_column_names_and_in_their_own_file() -> None:
    with pytest.raises(CensusError, match=r"names\.csv:3: "):
        parse_census(b"year,sex,name,count\n1880,F,Mary,1\n1880,F,Mary\n", "names.csv")
    archive = packed({"yob1880.txt": "Mary,F,1\n", "yob1881.txt": "Mary,F,1\n1881,F,Anna,3\n"})
    with pytest.raises(CensusError, match=r"^names\.zip/yob1881\.txt:2: name,sex,count is expected, where there are 2 commas"):
        parse_census(archive, "names.zip")


def test_a_name_that_is_there_twice_is_told_where_it_is_asked_for() -> None:
    census = parse_census(b"1880,F,Mary,9\n1880,M,Mary,8\n1880,F,Anna,8\n1880,F,Mary,7\n", "names.csv")

    assert census.names(1880, Sex.MALE).names == ("Mary",)
    with pytest.raises(CensusError, match=r"^names\.csv:4: Mary is among the female names of 1880 a second time"):
        census.names(1880, Sex.FEMALE)


@pytest.mark.parametrize(
    ("data", "file", "message"),
    [
        (b"", "names.csv", "names.csv: it has no names"),
        (b"year,sex,name,count\n", "names.csv", "names.csv: it has no names"),
        (b"1880,F,Zo\xeb,3\n", "names.csv", "names.csv:1: not UTF-8"),
        (lzma.compress(TABLE.encode())[:-9], "names.csv.xz", "names.csv.xz: the xz file is cut short"),
        (b"\xfd7zXZ\0" + b"x" * 99, "names.csv.xz", "names.csv.xz: a damaged xz file"),
        (packed({"names.csv": TABLE}), "names.zip", "names.zip: no file is called like yob1880.txt"),
    ],
)
def test_files_that_are_none(data: bytes, file: str, message: str) -> None:
    with pytest.raises(CensusError, match="^" + re.escape(message)):
        parse_census(data, file)


def test_nothing_there_and_a_year_that_is_not(tmp_path: Path) -> None:
    with pytest.raises(CensusError, match=r"missing\.csv: cannot be read: No such file"):
        read_census(tmp_path / "missing.csv")
    with pytest.raises(RefusedInput):
        parse_census(b"PK\x03\x04 broken", "names.zip")
    with pytest.raises(CensusError, match="there are no male names of 1879; it has the years 1880 to 1881"):
        parse_census(TABLE.encode(), "names.csv").names(1879, Sex.MALE)


def test_all_the_years_of_the_social_security_file() -> None:
    path = shared("data", "names", "ssa-1880-2018.csv.xz")
    start = time.perf_counter()
    census = read_census(path)
    took = time.perf_counter() - start

    assert took < 20  # seconds; two on the machine this was written on
    assert len(census.rows.counts) == 1_957_046  # DATA.md
    assert census.years == tuple(range(1880, 2019))
    # ../shared/data/names-in-context/expected-template-4-2018.json: n_names, total_count
    found = [census.names(2018, sex) for sex in Sex]
    assert [(len(each), each.total) for each in found] == [(18029, 1686961), (14004, 1800392)]
    assert census.names(1880, Sex.FEMALE).names[:2] == ("Mary", "Anna")  # the first two lines of the file
