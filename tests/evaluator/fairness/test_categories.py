"""False negatives by group and category: the paper's tables, counts by hand, and what is undefined."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.model import Attribute, Document, Normalization, TextBound
from evaluator.criteria import Criterion
from evaluator.fairness.categories import CategoryCounts, Missed, compare_groups, count_categories, to_json, weighted_rate
from evaluator.fairness.category_sources import by_attribute, by_label, by_normalization, by_string
from evaluator.fairness.category_tables import report_categories
from evaluator.matching import match
from evaluator.plain_tables import FORMATS
from evaluator.tables import build_tables

# Table 6 of the paper: category, total and FNR of male posts, total and FNR of female posts. Male anxiolytics are 116, not the
# 126 that it prints, since .5603 is 65/116 and no integer over 126 (METHODS, section 2).
TABLE_6 = """
Contraceptives 33 1.0000 408 .9730
Hormones 170 .0882 230 .1565
Analgesics 571 .1489 952 .2048
Antibiotics 326 .2454 347 .4438
Antihistamines 270 .5593 295 .6780
Stimulants 522 .3065 390 .5051
Antidepressants 781 .4110 1043 .3365
Minerals 605 .3983 785 .3312
Opioids 43 .5814 95 .2316
Organic_Chemical 441 .3764 346 .3902
Illicit_drug 353 .5666 311 .5048
Vaccine 108 1.0000 78 1.0000
Stomach_Drug 55 .5455 44 .4545
Antipsychotics 47 .6170 95 .1368
Anxiolytics 116 .5603 100 .2300
Sexual_Function_Drug 78 .9615 8 1.0000
"""


def missed(gold: str, rate: str) -> Missed:
    """The one integer over `gold` that is printed as this rate."""
    count = round(int(gold) * float(rate))
    assert f"{count / int(gold):.4f}" == f"{float(rate):.4f}"
    return Missed(int(gold), count)


@pytest.fixture(scope="module")
def paper() -> CategoryCounts:
    rows = [line.split() for line in TABLE_6.split("\n") if line]
    counts = {("male", name): missed(gold, rate) for name, gold, rate, _, _ in rows}
    counts |= {("female", name): missed(gold, rate) for name, _, _, gold, rate in rows}
    return table(counts)


def table(counts: dict[tuple[str, str], Missed]) -> CategoryCounts:
    groups = tuple(sorted({group for group, _ in counts}))
    categories = tuple(sorted({category for _, category in counts}))
    return CategoryCounts(groups=groups, categories=categories, counts=counts, uncategorised=dict.fromkeys(groups, Missed()))


def test_the_sums_of_table_6_are_the_rates_of_table_7(paper: CategoryCounts) -> None:
    assert paper.total("male") == Missed(4519, 1784)
    assert paper.total("female") == Missed(5527, 2246)
    fnr = compare_groups(paper, "female", "male").fnr
    assert fnr.first is not None
    assert fnr.second is not None
    assert (round(fnr.second, 4), round(fnr.first, 4)) == (0.3948, 0.4064)
    assert fnr.gap is not None
    assert fnr.ratio is not None
    assert (round(fnr.gap, 4), round(fnr.ratio, 4)) == (0.0116, 1.0294)


def test_pearson_of_table_6(paper: CategoryCounts) -> None:
    # METHODS: −.576 and −.263; the paper prints −.58 and −.26.
    found = [paper.correlation(group) for group in ("male", "female")]

    assert [round(each, 3) for each in found if each is not None] == [-0.576, -0.263]


def test_weighted_rates_follow_the_printed_formula_and_not_table_7(paper: CategoryCounts) -> None:
    weighted = compare_groups(paper, "female", "male").weighted

    assert weighted.first is not None
    assert weighted.second is not None
    assert weighted.gap is not None
    assert weighted.ratio is not None
    assert (round(weighted.second, 4), round(weighted.first, 4)) == (0.6853, 0.6135)
    assert (round(weighted.gap, 3), round(weighted.ratio, 3)) == (-0.072, 0.895)
    # The slip of Table 7: .6875 and .8088 are what other weights give, FN_m/FN_f for male and FN_f/N_m for female.
    pairs = [(paper.of("male", each), paper.of("female", each)) for each in paper.categories]
    male = [(m.missed / f.missed, m.missed / m.gold) for m, f in pairs]
    female = [(f.missed / m.gold, f.missed / f.gold) for m, f in pairs]
    printed = [sum(w * r for w, r in each) / sum(w for w, _ in each) for each in (male, female)]
    assert [round(each, 4) for each in printed] == [0.6875, 0.8088]


def test_with_the_total_that_is_printed(paper: CategoryCounts) -> None:
    # METHODS: with 126 male anxiolytics .6848 and .6144. Their rate stays .5603, which is no count: so by hand, as floats.
    pairs = [(paper.of("female", each), paper.of("male", each)) for each in paper.categories]
    totals = [126 if male == Missed(116, 65) else male.gold for _, male in pairs]
    female = [(f.gold / total, f.missed / f.gold) for (f, _), total in zip(pairs, totals, strict=True)]
    male = [(total / f.gold, m.missed / m.gold) for (f, m), total in zip(pairs, totals, strict=True)]
    found = [sum(w * r for w, r in each) / sum(w for w, _ in each) for each in (male, female)]

    assert [round(each, 4) for each in found] == [0.6848, 0.6144]


def test_the_bars_of_figure_1(paper: CategoryCounts) -> None:
    ratios = {each.category: each for each in compare_groups(paper, "female", "male").ratios}

    # The text under the figure: 397 contraceptives are missed in female posts, 75 sexual function drugs in male ones.
    assert (ratios["Contraceptives"].first.missed, ratios["Sexual_Function_Drug"].second.missed) == (397, 75)
    assert ratios["Contraceptives"].ratio == pytest.approx(397 / 33 - 1)
    assert ratios["Sexual_Function_Drug"].ratio == pytest.approx(-(75 / 8 - 1))
    leaning = {name for name, each in ratios.items() if each.leaning == "female"}
    assert {"Contraceptives", "Hormones", "Analgesics", "Antibiotics"} <= leaning
    assert not leaning & {"Anxiolytics", "Antipsychotics", "Sexual_Function_Drug"}
    other = {each.category: each.ratio for each in compare_groups(paper, "male", "female").ratios}
    assert other == {name: None if each.ratio is None else -each.ratio for name, each in ratios.items()}


def test_equal_is_nought_and_a_nought_on_one_side_is_undefined() -> None:
    counts = table(
        {
            ("f", "equal"): Missed(4, 2),
            ("m", "equal"): Missed(2, 2),
            ("f", "one"): Missed(4, 0),
            ("m", "one"): Missed(2, 1),
            ("f", "none"): Missed(4, 0),
            ("m", "none"): Missed(2, 0),
            ("f", "lacking"): Missed(4, 3),
        }
    )
    found = compare_groups(counts, "f", "m")

    assert {each.category: each.ratio for each in found.ratios} == {"equal": 0, "one": None, "none": 0, "lacking": None}
    assert {each.category: each.leaning for each in found.ratios} == {
        "equal": None,
        "one": "m",
        "none": None,
        "lacking": "f",
    }
    assert found.without_ratio == ("lacking", "one")
    assert found.dropped == ("lacking",)
    # wFNR over equal, one and none, each of weight 2 for f and 1/2 for m: (2/4 + 0 + 0) / 3 and (2/2 + 1/2 + 0) / 3
    assert found.weighted.first == pytest.approx(1 / 6)
    assert found.weighted.second == pytest.approx(1 / 2)
    # FNR over all four: 5 of 16 and 3 of 6
    assert (found.fnr.first, found.fnr.second) == (5 / 16, 3 / 6)


def test_undefined_is_none() -> None:
    lonely = table({("f", "a"): Missed(3, 1), ("m", "b"): Missed(3, 0)})
    found = compare_groups(lonely, "f", "m")

    assert (found.weighted.first, found.weighted.gap, found.weighted.ratio) == (None, None, None)
    assert found.dropped == ("a", "b")
    assert found.fnr.ratio is None, "1/3 over 0"
    assert found.fnr.gap == 1 / 3
    assert lonely.correlation("f") is None, "one category"
    assert table({("f", "a"): Missed(3, 1), ("f", "b"): Missed(6, 2)}).correlation("f") is None, "the same rate in both"
    assert table({("f", "a"): Missed(3, 1), ("f", "b"): Missed(3, 2)}).correlation("f") is None, "as frequent, both"
    assert weighted_rate([]) is None


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [("f", "x", "there is no group x; there are: f, m"), ("f", "f", "f cannot be compared with itself")],
)
def test_groups_that_cannot_be_compared(first: str, second: str, message: str) -> None:
    counts = table({("f", "a"): Missed(1, 1), ("m", "a"): Missed(1, 1)})
    with pytest.raises(ValueError, match=message):
        compare_groups(counts, first, second)


def test_more_cannot_be_missed_than_there_is() -> None:
    with pytest.raises(ValueError, match="3 of 2 cannot have been missed"):
        Missed(2, 3)


_counts = st.integers(1, 60).flatmap(lambda gold: st.integers(0, gold).map(lambda lost: Missed(gold, lost)))


@given(st.lists(st.tuples(_counts, _counts), min_size=1, max_size=6), st.integers(2, 5))
def test_the_corpus_several_times_over_gives_the_same_figures(pairs: list[tuple[Missed, Missed]], times: int) -> None:
    def many(each: Missed) -> Missed:
        return Missed(each.gold * times, each.missed * times)

    def counts(change: object) -> CategoryCounts:
        own = {("f", str(i)): f for i, (f, _) in enumerate(pairs)} | {("m", str(i)): m for i, (_, m) in enumerate(pairs)}
        return table({key: many(each) for key, each in own.items()} if change else own)

    once, often = (compare_groups(counts(change), "f", "m") for change in (False, True))

    assert (once.weighted, once.fnr) == (often.weighted, often.fnr)
    assert [each.ratio for each in once.ratios] == [each.ratio for each in often.ratios]
    rates = [rate for f, _ in pairs if (rate := f.rate) is not None]
    assert once.weighted.first is not None
    assert min(rates) - 1e-12 <= once.weighted.first <= max(rates) + 1e-12
    one, other = counts(False).correlation("f"), counts(True).correlation("f")
    assert (one is None) == (other is None)
    assert one is None or other is None or math.isclose(one, other, abs_tol=1e-9)


TEXTS = {"d1": "Took  Tylenol, yasmin and weed.", "d2": "tylenol and yasmin again", "d3": "tylenol"}


def _gold() -> dict[str, Document]:
    d1 = (
        TextBound("T1", "CHEM", ((6, 13),), "Tylenol"),
        TextBound("T2", "CHEM", ((15, 21),), "yasmin"),
        TextBound("T3", "CHEM", ((26, 30),), "weed"),
        TextBound("T4", "CHEM", ((6, 13),), "Tylenol"),
        Normalization("N1", "Reference", "T4", "ATC", "N02BE01"),
        Normalization("N2", "Reference", "T2", "Kind", "pill"),
        Attribute("A1", "Class", "T2", "contraceptive"),
        Attribute("A2", "Illicit", "T3"),
    )
    d2 = (TextBound("T1", "CHEM", ((0, 7),), "tylenol"), TextBound("T2", "CHEM", ((12, 18),), "yasmin"))
    d3 = (TextBound("T1", "CHEM", ((0, 7),), "tylenol"),)
    return {id_: Document(id_, each, TEXTS[id_]) for id_, each in zip(TEXTS, (d1, d2, d3), strict=True)}


def test_counts_from_a_matching() -> None:
    run = {
        "d1": Document("d1", (TextBound("T1", "CHEM", ((6, 13),), "Tylenol"),), TEXTS["d1"]),
        "d2": Document("d2", (TextBound("T1", "CHEM", ((12, 18),), "yasmin"),), TEXTS["d2"]),
    }
    tables = build_tables(_gold(), run)
    found = by_string(tables, _gold(), {"tylenol": "analgesic", "yasmin": "contraceptive"})
    counts = count_categories(tables, match(tables, Criterion()), found.of_row, {"d1": "f", "d2": "m", "d3": "unknown"})

    # f has Tylenol, found, once although it is written twice; yasmin, missed; weed, missed, in no category. m has tylenol,
    # missed, and yasmin, found. d3 is in no group.
    assert found.of_row == ("analgesic", "contraceptive", None, "analgesic", "contraceptive", "analgesic")
    assert counts.groups == ("f", "m")
    assert counts.counts == {
        ("f", "analgesic"): Missed(1, 0),
        ("f", "contraceptive"): Missed(1, 1),
        ("m", "analgesic"): Missed(1, 1),
        ("m", "contraceptive"): Missed(1, 0),
    }
    assert counts.uncategorised == {"f": Missed(1, 1), "m": Missed()}
    assert counts.ungrouped == Missed(1, 1)


def test_categories_from_annotations() -> None:
    tables = build_tables(_gold(), {})

    # T4 repeats T1 and is its row: the link of either is that row's. An entry in ATC is told as its class of drugs.
    assert by_normalization(tables, _gold()).of_row == ("analgesic", "pill", None, None, None, None)
    assert by_normalization(tables, _gold(), "ATC").of_row == ("analgesic", None, None, None, None, None)
    assert by_attribute(tables, _gold()).of_row == (None, "contraceptive", "Illicit", None, None, None)
    assert by_attribute(tables, _gold(), "Class").of_row == (None, "contraceptive", None, None, None, None)
    assert by_label(tables).of_row == ("CHEM",) * 6


def test_the_first_of_several_categories_counts_and_they_are_told() -> None:
    document = Document(
        "d",
        (TextBound("T1", "C", ((0, 1),), "x"), Attribute("A1", "a", "T1", "one"), Attribute("A2", "a", "T1", "two")),
        "x",
    )
    found = by_attribute(build_tables({"d": document}, {}), {"d": document})

    assert (found.of_row, found.several) == (("one",), 1)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_report_in_every_format(paper: CategoryCounts, format_: str) -> None:
    comparison = compare_groups(paper, "female", "male")
    told = FORMATS[format_](report_categories(paper, comparison, {"assay": "1"}))

    assert "Contraceptives" in told
    assert ("0.6853" if format_ in ("table", "latex") else "0.685311") in told
    assert "female minus male" in told or format_ == "json"
    assert "(female minus male)" not in FORMATS[format_](report_categories(paper, None, {}))


def test_json_has_everything(paper: CategoryCounts) -> None:
    value = to_json(paper, compare_groups(paper, "female", "male"))

    assert [each["group"] for each in value["groups"]] == ["female", "male"]
    assert value["groups"][1]["total"] == {"gold": 4519, "missed": 1784, "fnr": 1784 / 4519}
    assert value["comparison"]["dropped"] == value["comparison"]["without_ratio"] == []
    assert value["ungrouped"] == {"gold": 0, "missed": 0, "fnr": None}
