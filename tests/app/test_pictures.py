"""Pictures: well-formed, told in words to those who do not see them, safe from what people call their runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app
from app.pictures.scatter import RunPoint, leak_scatter
from app.pictures.similarity import similarity_histogram
from app.pictures.strata import RunLine, strata_lines
from app.pictures.svg import Scale, decimals, shorten, steps
from app.pictures.venn import Sectors, venn

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&\x00\x1b\u2028"\' onload=x'
PAPER = Sectors(67, 0, 13, 12, 32, 0, 69)
"""ChEMU 2020, Figure 16 and section 9.1: 180 in train, 101 of them in test, 81 in dev, 69 in both; 13 in test only."""


def pictures(name: str = "run") -> dict[str, str]:
    lines = [RunLine(f"{name}{i}", 0.8 - i / 20, (0.9 - i / 20, None, 0.7, 0.6 - i / 20)) for i in range(7)]
    points = [RunPoint(f"{name}{i}", 0.9 - i / 20, 0.7 - i / 20) for i in range(7)]
    return {
        "lines": strata_lines(lines, ("S1", "S2", "S3", name), f"F1 of {name}"),
        "histogram": similarity_histogram([0.3, 0.5, 0.74, 0.75, 1.0000000000000002], f"Similarity of {name}"),
        "venn": venn((name, "dev", "test"), PAPER, f"Sources of {name}"),
        "scatter": leak_scatter(points, name, "S4", f"Leaks of {name}"),
        "no lines": strata_lines([], (), ""),
        "no histogram": similarity_histogram([], ""),
        "no scatter": leak_scatter([RunPoint(name, None, 0.5)], "S1", "S4", ""),
        "one value": strata_lines([RunLine(name, 1.0, (1.0,))], ("new",), ""),
    }


def parse(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def words(picture: str) -> list[str]:
    return ["".join(each.itertext()) for each in parse(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ["run", HOSTILE, "", "x" * 300])
@pytest.mark.parametrize("which", list(pictures()))
def test_well_formed_and_safe(which: str, name: str) -> None:
    root = parse(pictures(name)[which])

    assert root.tag == f"{SVG}svg"
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        "svg", "title", "desc", "g", "line", "rect", "circle", "polygon", "text", "tspan"
    }  # fmt: skip
    for each in root.iter():
        assert not [key for key in each.attrib if key.startswith("on") or key in ("style", "href")]
        for key in ("fill", "stroke"):  # no colour but those that follow the page
            assert re.fullmatch(r"var\(--[a-z]+\)", each.get(key, "var(--ink)"))
    assert "nan" not in pictures()[which]


@pytest.mark.parametrize("which", ["lines", "histogram", "venn", "scatter"])
def test_text_alternatives(which: str) -> None:
    root = parse(pictures("mine")[which])
    title, description = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")

    assert root.get("role") == "img"
    assert title
    assert description
    assert root.get("aria-label") == f"{title}. {description}"


def test_every_colour_is_one_of_the_page() -> None:
    css = (Path(app.__file__).parent / "static" / "assay.css").read_text()
    used = set(re.findall(r"var\((--[a-z-]+)\)", "".join(pictures().values())))
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    assert used
    assert all(f"{each}:" in light and f"{each}:" in dark.split("* {")[0] for each in used)


def test_hostile_names_stay_words() -> None:
    for which, picture in pictures(HOSTILE).items():
        assert "<script" not in picture, which
        assert "\x00" not in picture
    assert "&lt;script&gt;" in pictures(HOSTILE)["lines"]
    assert HOSTILE.split("\x00", maxsplit=1)[0] in (parse(pictures(HOSTILE)["venn"]).get("aria-label") or "")


def test_lines_tell_the_whole_set_and_break_where_a_stratum_is_empty() -> None:
    run = RunLine("A", 0.8, (0.9, None, 0.7, 0.6))
    root = parse(strata_lines([run], ("S1", "S2", "S3", "S4"), "F1"))
    (group,) = root.iter(f"{SVG}g")

    assert group.findtext(f"{SVG}title") == "A: 0.8000, by stratum 0.9000, –, 0.7000, 0.6000"
    assert len(group.findall(f"{SVG}circle")) == 3
    assert len(group.findall(f"{SVG}line")) == 2  # the whole set's mark, and from S3 to S4
    assert "A has 0.8000 on the whole set, 0.9000 on S1, – on S2" in (root.findtext(f"{SVG}desc") or "")


def test_from_the_seventh_run_on_lines_are_thin_and_told_together() -> None:
    assert "1 other run" in words(pictures()["lines"])
    assert "run5: 0.5500" in pictures()["lines"]
    with pytest.raises(ValueError, match="there are 2 strata"):
        strata_lines([RunLine("A", 0.5, (0.5,))], ("new", "seen"), "")


def test_the_histogram_counts_bins_and_bars() -> None:
    told = words(pictures()["histogram"])
    assert told[told.index("Q1") : told.index("Q1") + 12] == [
        "Q1", "0", "0.0 %", "Q2", "1", "20.0 %", "Q3", "2", "40.0 %", "Q4", "2", "40.0 %"
    ]  # fmt: skip
    bars = [each.findtext(f"{SVG}title") for each in parse(pictures()["histogram"]).iter(f"{SVG}rect")]
    assert bars == ["0.30 to 0.35: 1", "0.50 to 0.55: 1", "0.70 to 0.75: 1", "0.75 to 0.80: 1", "0.95 to 1.00: 1"]


def test_the_seven_numbers_and_the_sets_they_are_of() -> None:
    train, dev = set(range(180)), set(range(81))
    test = {*range(69), *range(81, 113), *range(180, 193)}

    assert Sectors.of(train, dev, test) == PAPER
    assert PAPER.totals == (180, 81, 114)
    assert words(pictures("train")["venn"]) == ["train 180", "dev 81", "test 114", *map(str, PAPER.numbers)]
    assert "69 in all three" in pictures()["venn"]


def test_the_scatter_has_a_diagonal_and_says_who_is_above_it() -> None:
    points = [RunPoint("A", 0.9, 0.5), RunPoint("B", 0.5, 0.5), RunPoint("C", 0.4, 0.6), RunPoint("D", None, 0.6)]
    picture = leak_scatter(points, "S1", "S4", "Leaks")
    root = parse(picture)

    assert root.findtext(f"{SVG}desc") == (
        "Of 3 runs 1 score higher on S1 than on S4, above the diagonal where nothing leaked; 1 have no score on one of them."
    )
    assert "nothing leaked" in words(picture)
    assert {"A", "B", "C"} <= set(words(picture))
    (diagonal,) = (e for e in root.iter(f"{SVG}line") if e.get("x1") != e.get("x2") and e.get("y1") != e.get("y2"))
    at = {each.findtext(f"{SVG}title"): each for each in root.iter(f"{SVG}circle")}
    b = at["B: 0.5000 on S1, 0.5000 on S4"]
    x1, y1, x2, y2 = (float(diagonal.get(each, "")) for each in ("x1", "y1", "x2", "y2"))
    assert float(b.get("cy", "")) == pytest.approx(y1 + (float(b.get("cx", "")) - x1) / (x2 - x1) * (y2 - y1), abs=0.02)


@given(st.floats(0, 1), st.floats(0, 1))
def test_steps_hold_what_they_must(one: float, other: float) -> None:
    low, high = sorted((one, other))
    found = steps(low, high)
    assert found[0] <= low + 1e-6
    assert found[-1] >= high - 1e-6
    assert 2 <= len(found) <= 6
    assert all(a < b for a, b in pairwise(found))
    assert Scale(found[0], found[-1], 0, 100).at(found[-1]) == 100


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0.91, 0.98, [0.9, 0.92, 0.94, 0.96, 0.98]), (0, 3, [0, 1, 2, 3])],
)
def test_steps_are_round(low: float, high: float, expected: Sequence[float]) -> None:
    assert steps(low, high) == expected


def test_decimals_and_shortening() -> None:
    assert (decimals([0, 0.5, 1]), decimals([0.9, 0.925, 0.95]), decimals([])) == (2, 3, 2)
    assert (shorten("short", 100), shorten("a very long name", 60)) == ("short", "a very…")
