"""Curves over years and bars with intervals: well-formed, told in words, never by colour alone."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import app
from app.pictures.bars import Bar, group_bars
from app.pictures.curves import Curve, year_curves
from app.pictures.marks import STYLES

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&\x00\x1b\u2028"\' onload=x'
YEARS = (1880, 1890, 1950, 2018)


def curves(name: str = "A", systems: int = 1) -> list[Curve]:
    return [
        Curve(f"{name}{i}", sex, (0.5, None, 0.2 + i / 20, 0.9 - i / 20)) for i in range(systems) for sex in ("female", "male")
    ]


def pictures(name: str = "A") -> dict[str, str]:
    return {
        "curves": year_curves(curves(name, 7), YEARS, f"Type-1 of {name}", name),
        "bars": group_bars([Bar(name, 0.7, 0.6, 0.8), Bar("male", -0.1), Bar("unknown", None)], f"F1 of {name}", name),
        "no curves": year_curves([], (), ""),
        "no bars": group_bars([], ""),
        "one year": year_curves([Curve(name, "", (0.5,))], (2018,), ""),
        "nothing known": year_curves([Curve(name, "", (None, None))], (2017, 2018), ""),
        "139 years": year_curves([Curve(name, "", (0.25,) * 139)], range(1880, 2019), ""),
        "no intervals": group_bars([Bar(name, 0.0)], ""),
    }


def parse(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def words(picture: str) -> list[str]:
    return ["".join(each.itertext()) for each in parse(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ["run", HOSTILE, "", "x" * 300])
@pytest.mark.parametrize("which", list(pictures()))
def test_well_formed_and_safe(which: str, name: str) -> None:
    picture = pictures(name)[which]
    root = parse(picture)

    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox", "").startswith("0 0 360 ")
    tags = {"svg", "title", "desc", "g", "line", "polyline", "rect", "circle", "polygon", "text"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= tags
    for each in root.iter():
        assert not [key for key in each.attrib if key.startswith("on") or key in ("style", "href")]
        for key in ("fill", "stroke"):  # no colour but those that follow the page
            assert re.fullmatch(r"var\(--[a-z]+\)|none", each.get(key, "none"))
    assert "nan" not in picture
    assert "<script" not in picture


def test_every_colour_is_one_of_the_page() -> None:
    css = (Path(app.__file__).parent / "static" / "assay.css").read_text()
    used = set(re.findall(r"var\((--[a-z-]+)\)", "".join(pictures().values())))
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    assert used
    assert all(f"{each}:" in light and f"{each}:" in dark.split("* {")[0] for each in used)


@pytest.mark.parametrize("which", list(pictures()))
def test_text_alternatives(which: str) -> None:
    root = parse(pictures("mine")[which])

    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}desc")
    assert root.get("aria-label") == f"{root.findtext(f'{SVG}title')}. {root.findtext(f'{SVG}desc')}"


def test_a_curve_breaks_where_a_value_is_undefined_and_is_told_in_words() -> None:
    root = parse(year_curves([Curve("A", "female", (0.5, None, 0.2, 0.9))], YEARS, "Type-1"))
    (group,) = root.iter(f"{SVG}g")

    assert group.findtext(f"{SVG}title") == "A, female: 1880: 0.5000, 1890: –, 1950: 0.2000, 2018: 0.9000"
    pieces = [each.get("points", "").split() for each in group.iter(f"{SVG}polyline")]
    assert [len(each) for each in pieces] == [1, 2]
    assert root.findtext(f"{SVG}desc") == (
        "Error rate by year. A, female: 0.5000 in 1880, 0.9000 in 2018, lowest 0.2000 in 1950, highest 0.9000 in 2018."
    )
    # years are as far apart as they are: 1880 to 1950 is 70 of 138 years
    x = [float(point.partition(",")[0]) for piece in pieces for point in piece]
    assert (x[1] - x[0]) / (x[2] - x[0]) == pytest.approx(70 / 138, abs=1e-3)
    heights = [float(piece[-1].partition(",")[2]) for piece in pieces]
    assert heights[0] > heights[1]  # 0.9 is above 0.5


def test_systems_differ_by_mark_and_people_by_dashes_and_hollow_marks() -> None:
    root = parse(year_curves(curves(systems=2), YEARS, ""))
    at = {(each.findtext(f"{SVG}title") or "").partition(": ")[0]: each for each in root.iter(f"{SVG}g")}

    assert set(at) == {"A0, female", "A0, male", "A1, female", "A1, male"}
    dashes = {name: {line.get("stroke-dasharray") for line in each.iter(f"{SVG}polyline")} for name, each in at.items()}
    assert dashes["A0, female"] == dashes["A1, female"] == {None}
    assert dashes["A0, male"] == dashes["A1, male"] != {None}
    hollow = {name: len([c for c in each.iter(f"{SVG}circle") if c.get("fill") == "var(--card)"]) for name, each in at.items()}
    assert hollow == {"A0, female": 0, "A0, male": 3, "A1, female": 0, "A1, male": 3}
    assert [len(list(at[each].iter(f"{SVG}polygon"))) for each in ("A0, female", "A1, female")] == [0, 3]  # circles, squares
    assert words(year_curves(curves(systems=2), YEARS, ""))[-4:] == ["A0", "A1", "female", "male"]


def test_from_the_seventh_system_on_lines_are_thin_and_told_together() -> None:
    picture = pictures()["curves"]

    assert "1 other" in words(picture)
    assert "A6, male: 1880: 0.5000" in picture
    assert len(STYLES) == 6


def test_the_axis_has_the_first_and_the_last_year_and_round_ones_between_them() -> None:
    told = [each for each in words(pictures()["139 years"]) if each.isdecimal()]
    assert told == ["1880", "1900", "1950", "2018"]  # 2000 would touch its neighbour
    assert "2018" in words(pictures()["one year"])


def test_there_are_no_more_than_nine_marks_on_a_long_line() -> None:
    root = parse(pictures()["139 years"])
    (group,) = root.iter(f"{SVG}g")
    assert 5 <= len(list(group.iter(f"{SVG}circle"))) <= 9


@pytest.mark.parametrize(
    ("given", "years", "message"),
    [
        ([Curve("A", "", (0.5,))], (1880, 1890), "there are 2 years"),
        ([Curve("A", "", (0.5, 0.5))], (1890, 1880), "the years must rise"),
        ([Curve("A", str(i), (0.5,)) for i in range(5)], (1880,), "5 variants cannot be told apart; 4 can"),
    ],
)
def test_curves_that_cannot_be_drawn(given: list[Curve], years: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        year_curves(given, years, "")


def test_bars_begin_at_zero_and_carry_their_interval() -> None:
    root = parse(group_bars([Bar("female", 0.5, 0.4, 0.7), Bar("difference", -0.25)], "F1 by gender"))
    bars = {(each.findtext(f"{SVG}title") or "").partition(":")[0]: each for each in root.iter(f"{SVG}g")}
    (up,), (down,) = (list(bars[name].iter(f"{SVG}rect")) for name in ("female", "difference"))

    # half as far to the left as to the right, from one place
    assert float(down.get("x", "")) + float(down.get("width", "")) == pytest.approx(float(up.get("x", "")), abs=0.02)
    assert float(up.get("width", "")) == pytest.approx(2 * float(down.get("width", "")), abs=0.03)
    whiskers = list(bars["female"].iter(f"{SVG}line"))
    assert len(whiskers) == 3
    low, high = (float(whiskers[0].get(each, "")) for each in ("x1", "x2"))
    end = float(up.get("x", "")) + float(up.get("width", ""))
    assert (end - low) / (high - low) == pytest.approx(1 / 3, abs=1e-2)  # 0.1 of 0.3
    assert not list(bars["difference"].iter(f"{SVG}line"))
    assert root.findtext(f"{SVG}desc") == "F1 by group. female: 0.5000 (0.4000 to 0.7000); difference: -0.2500."
    assert "0.5000 (0.4000 to 0.7000)" in words(group_bars([Bar("female", 0.5, 0.4, 0.7)], ""))


def test_a_group_without_a_figure_is_named_and_has_no_bar() -> None:
    root = parse(group_bars([Bar("unknown", None)], ""))
    assert not list(root.iter(f"{SVG}rect"))
    assert "unknown" in words(group_bars([Bar("unknown", None)], ""))
    assert "unknown: –" in (root.findtext(f"{SVG}desc") or "")


def test_intervals_that_are_none() -> None:
    with pytest.raises(ValueError, match="female: an interval has two ends"):
        Bar("female", 0.5, 0.4)
    with pytest.raises(ValueError, match="female: the interval ends before it begins"):
        Bar("female", 0.5, 0.6, 0.4)
