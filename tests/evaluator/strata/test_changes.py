"""Tables 12 to 14 of ChEMU 2020 from Score records: against the printed ones, by hand, and in every format."""

from __future__ import annotations

import csv
import io
import json
from functools import cache

import pytest

from evaluator.scores import ALL, Counts, Score
from evaluator.strata.changes import Change, Selection, changes, strata_of
from evaluator.strata.layout import (
    FORMATS,
    MINUS,
    as_csv,
    as_latex,
    as_text,
    cell,
    per_cent,
    signed,
    stability_as_text,
    to_json,
)
from evaluator.strata.ranking import rank_stability
from evaluator.strata.tables import ChangeTable, Kind, change_table, stratum_table
from tests.shared import shared

SOURCE, SIMILARITY, ENTROPY = (Selection(stratification=each) for each in ("source", "similarity", "entropy"))
HALF = 0.00005 + 1e-9
"""Of the last place printed."""


@cache
def printed(number: int) -> dict[str, list[str]]:
    """The cells of a table of the paper by run; a run that came late has a star there, and one team two spellings."""
    lines = shared("papers", "chemu2020.txt").read_text().split(f"\nTable {number}.\n", 1)[1].split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("Melaxtech-run1\t"))
    found = {}
    for line in lines[start:]:
        run, *cells = line.split("\t")
        if not cells:
            return found
        found[run.replace("Lasige_", "Lasig").rstrip("*")] = cells
    raise AssertionError(number)


def number(text: str) -> float:
    return float(text.replace(MINUS, "-"))


def counts(f1: float) -> Counts:
    """Counts with this F1, which has four decimals: tp + fp = tp + fn = 10,000."""
    tp = round(10_000 * f1)
    return Counts(tp, 10_000 - tp, 10_000 - tp)


def scores(stratification: str, whole: float, strata: dict[str, float], label: str = ALL) -> list[Score]:
    shares = {"span": "exact", "labels": "fine", "label": label}
    return [
        Score(**shares, counts=counts(whole)),
        *(Score(**shares, counts=counts(f), stratification=stratification, stratum=s) for s, f in strata.items()),
    ]


def of_paper(table: int, stratification: str, strata: dict[str, int]) -> list[tuple[str, list[Score]]]:
    """Records that have the F1 of Table 6 and the changes that a table prints in the columns given."""
    found = []
    for run, cells in printed(table).items():
        whole = number(printed(6)[run][2])
        found.append((run, scores(stratification, whole, {s: whole + number(cells[c]) for s, c in strata.items()})))
    return found


def test_the_spread_of_melaxtech_run1_in_table_13() -> None:
    table = change_table(
        of_paper(13, "similarity", {"Q2": 0, "Q3": 2, "Q4": 4}), SIMILARITY, ("Q1", "Q2", "Q3", "Q4"), percent=True
    )
    told = [cell(value, column.kind) for value, column in zip(table.rows[0].figures, table.columns, strict=True)]

    assert [each.name for each in table.columns] == ["Q2", "Q2 (%)", "Q3", "Q3 (%)", "Q4", "Q4 (%)", "Δ"]
    assert told == ["−0.0481", "5.0", "+0.0008", "0.1", "+0.0097", "1.0", "0.0578"]
    assert "Left out, since empty: Q1." in table.notes


@pytest.mark.parametrize(
    ("table", "selection", "columns"),
    [(13, SIMILARITY, {"Q2": 0, "Q3": 2, "Q4": 4}), (14, ENTROPY, {"S1": 0, "S2": 1, "S3": 2, "S4": 3})],
)
def test_every_row_of_tables_13_and_14(table: int, selection: Selection, columns: dict[str, int]) -> None:
    # What is printed is rounded: Δ from rounded changes can be off by a unit of the last place, a percentage by as much as
    # its ΔF and F leave open. That AUKBC-run2 has every bin above the whole (METHODS 7) is no matter for Δ.
    found = change_table(of_paper(table, selection.stratification, columns), selection, tuple(columns), percent=table == 13)
    assert len(found.rows) == 26
    for row in found.rows:
        cells = printed(table)[row.run]
        assert len(cells) == len(row.figures)
        for value, column, text in zip(row.figures, found.columns, cells, strict=True):
            assert value is not None
            if column.kind is Kind.PERCENT:
                f = number(printed(6)[row.run][2])
                assert abs(value - number(text)) <= 0.05 + 100 * HALF / f + value * HALF / f + 1e-9, (row.run, column.key)
            elif column.kind is Kind.DELTA:
                assert cell(value, column.kind).lstrip("+") == text
            else:
                assert abs(value - number(text)) <= 2 * HALF, row.run


def test_every_row_of_table_12() -> None:
    runs = []
    for run, (f, delta, _, f_star, delta_star, _) in printed(12).items():
        runs.append(
            (
                run,
                scores("source", number(f) - number(delta), {"new": number(f)})
                + scores("source", number(f_star) - number(delta_star), {"new": number(f_star)}, "COMPOUND"),
            )
        )
    table = stratum_table(runs, SOURCE, "new", "COMPOUND")
    assert [f"{each.name}{'*' * each.starred}" for each in table.columns] == ["F", "ΔF", "%", "F*", "ΔF*", "%*"]
    for row in table.rows:
        for value, column, text in zip(row.figures, table.columns, printed(12)[row.run], strict=True):
            told = cell(value, column.kind).lstrip("+")
            if column.kind is Kind.CAPPED_PERCENT and told != text:
                whole = row.figures[3 * column.starred] - row.figures[3 * column.starred + 1]  # type: ignore[operator]
                assert abs(number(told) - number(text)) <= 0.1 + 200 * HALF / whole, (row.run, column.key)
            else:
                assert told == text, (row.run, column.key)
    assert [each.run for each in table.rows if cell(each.figures[2], Kind.CAPPED_PERCENT) == ">100"] == [
        "JU_INDIA-run1",
        "JU_INDIA-run2",
        "JU_INDIA-run3",
    ]


def test_the_top_three_of_the_paper_stay_the_top_three() -> None:
    # "the top three teams in Task 1 remain the same across Tables 12-14": Melaxtech, VinAI and LasigBioTM have six runs.
    for number_, selection, columns in (
        (13, SIMILARITY, {"Q2": 0, "Q3": 2, "Q4": 4}),
        (14, ENTROPY, {"S1": 0, "S2": 1, "S3": 2, "S4": 3}),
    ):
        runs = changes(of_paper(number_, selection.stratification, columns), selection)
        for stratum in columns:
            found = rank_stability(runs, stratum)
            best = {rank.run.split("-")[0] for rank in found.ranks if rank.part <= 5}
            assert found.tau is not None
            assert found.tau > 0.8
            assert {"Melaxtech", "VinAI"} <= best


def test_a_ranking_by_hand() -> None:
    # A and B change places. Of three pairs two keep their order and one does not: tau = (2 - 1) / 3.
    runs = changes(
        [(r, scores("source", w, {"new": p})) for r, w, p in (("C", 0.7, 0.6), ("A", 0.9, 0.7), ("B", 0.8, 0.8))], SOURCE
    )
    found = rank_stability(runs, "new")

    assert found.tau == pytest.approx(1 / 3)
    assert found.swaps == (("A", "B"),)
    assert [(each.run, each.whole, each.part) for each in found.ranks] == [("A", 1, 2), ("B", 2, 1), ("C", 3, 3)]
    assert stability_as_text([found]) == (
        "new: Kendall's tau-b 0.3333 over 3 runs\n  rank on the whole set → here: A 1 → 2, B 2 → 1\n  swapped: A and B\n"
    )


def test_ties_are_variant_b_and_no_swaps() -> None:
    # A and B are tied on the stratum: the other two pairs agree. tau-b = 2 / sqrt(3 * 2).
    runs = changes(
        [(r, scores("source", w, {"new": p})) for r, w, p in (("A", 0.9, 0.7), ("B", 0.8, 0.7), ("C", 0.7, 0.6))], SOURCE
    )
    found = rank_stability(runs, "new")

    assert (found.tau, found.variant, found.swaps) == (pytest.approx(2 / 6**0.5), "b", ())
    assert [each.part for each in found.ranks] == [1, 1, 3]


def test_no_tau_where_there_is_nothing_to_rank() -> None:
    one = [("A", scores("source", 0.9, {"new": 0.7})), ("B", scores("source", 0.8, {}))]
    found = rank_stability(changes(one, SOURCE), "new")
    assert (found.tau, found.left_out, len(found.ranks)) == (None, ("B",), 1)
    assert "no F1 here or on the whole set: B" in stability_as_text([found])
    tied = changes([(r, scores("source", 0.9, {"new": p})) for r, p in (("A", 0.7), ("B", 0.6))], SOURCE)
    assert rank_stability(tied, "new").tau is None
    assert rank_stability([], "new").tau is None


def test_changes_are_exact_differences() -> None:
    # F 1/2 against 10,000/20,002: the difference is -1/20,002; in doubles .49995... - .5 has other last digits.
    change = Change(Counts(1, 1, 1), Counts(5000, 5001, 5001))
    assert change.delta == -1 / 20_002
    assert change.percent == 100 / 10_001


def test_what_is_undefined() -> None:
    assert (Change(Counts(), Counts(1)).delta, Change(Counts(), Counts(1)).percent) == (None, None)
    assert (Change(Counts(0, 1, 1), Counts(1)).delta, Change(Counts(0, 1, 1), Counts(1)).percent) == (1.0, None)
    assert (Change(Counts(1), Counts()).f1, Change(Counts(1), Counts()).delta, Change(Counts(1), Counts()).percent) == (
        None,
    ) * 3
    (run,) = changes([("A", scores("source", 0.5, {"unknown": 0.1, "none": 0.0, "new": 0.4, "seen": 0.6}))], SOURCE)
    assert strata_of([run], ("new", "seen", "unknown", "none")) == ("new", "seen", "unknown")
    assert run.spread(("new", "seen", "unknown", "none")) == 0.2  # what is not known is never the worst
    assert run.spread(()) is None


def test_only_what_is_selected_is_compared() -> None:
    extra = [
        Score(span="relaxed", labels="fine", label=ALL, counts=Counts(7)),
        Score(span="exact", labels="high", label=ALL, counts=Counts(7)),
        Score(span="exact", labels="fine", label="A", counts=Counts(7)),
        Score(span="exact", labels="fine", label=ALL, counts=Counts(7), annotations="relations"),
        Score(span="exact", labels="fine", label=ALL, counts=Counts(7), stratification="entropy", stratum="new"),
    ]
    assert changes([("A", [*extra, *scores("source", 0.5, {"new": 0.4})])], SOURCE) == changes(
        [("A", scores("source", 0.5, {"new": 0.4}))], SOURCE
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0008, "+0.0008"), (-0.04814, "−0.0481"), (0.0, "0.0000"), (-0.00004, "0.0000"), (0.00005, "+0.0001"), (None, "–")],
)
def test_differences_have_a_sign(value: float | None, expected: str) -> None:
    assert signed(value) == expected


def test_percentages() -> None:
    assert [per_cent(each, capped=True) for each in (100.0, 100.01, 32.84, None)] == ["100.0", ">100", "32.8", "–"]
    assert per_cent(137.6) == "137.6"  # as Table 13 prints it; only Table 12 says >100


HOSTILE = "a_&\x1b[2J"


def small() -> ChangeTable:
    runs = [("A", scores("source", 0.5, {"new": 0.25})), (HOSTILE, scores("source", 0.1, {"new": 0.3}))]
    return stratum_table(runs, SOURCE, "new", "COMPOUND")


def test_text() -> None:
    assert as_text(small()).split("\n")[:4] == [
        "F1 on source new: entities, exact spans, fine labels, exact-first",
        "Run              F       ΔF     %  F*  ΔF*  %*",
        "A           0.2500  −0.2500  50.0   –    –   –",
        "a_&\\x1b[2J  0.3000  +0.2000  >100   –    –   –",
    ]


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(small()))))
    assert rows[0] == {
        "run": "A", "f1": "0.25", "delta": "-0.25", "percent": "50.0",
        "f1_COMPOUND": "", "delta_COMPOUND": "", "percent_COMPOUND": "",
    }  # fmt: skip
    assert rows[1]["percent"] == "200.0"


def test_latex() -> None:
    told = as_latex(small())
    assert "Run & F & $\\Delta$F & \\% & F$^*$ & $\\Delta$F$^*$ & \\%$^*$ \\\\" in told
    assert "{A} & 0.2500 & $-$0.2500 & 50.0 & – & – & – \\\\" in told
    assert "{a\\_\\&\\textbackslash{}x1b[2J} & 0.3000 & $+$0.2000 & $>$100 & – & – & – \\\\" in told
    assert "\\begin{tabular}{lrrrrrr}" in told
    assert "\x1b" not in told


def test_json() -> None:
    runs = changes([("A", scores("source", 0.5, {"new": 0.25}))], SOURCE)
    value = json.loads(json.dumps(to_json(small(), [rank_stability(runs, "new")])))
    assert value["rows"][0] == {
        "run": "A", "f1": 0.25, "delta": -0.25, "percent": 50.0,
        "f1_COMPOUND": None, "delta_COMPOUND": None, "percent_COMPOUND": None,
    }  # fmt: skip
    assert value["columns"][4] == {"key": "delta_COMPOUND", "name": "ΔF*", "kind": "delta"}
    assert value["selection"]["stratification"] == "source"
    assert value["rankings"][0]["stratum"] == "new"
    assert set(FORMATS) == {"table", "csv", "latex", "json"}
    assert json.loads(FORMATS["json"](small()))["rankings"] == []


def test_a_stratum_without_gold_is_no_stratum() -> None:
    """Spurious predictions alone have F1 0, which would be the whole of Δ."""
    shares = {"span": "exact", "labels": "fine", "label": ALL}
    records = [
        Score(**shares, counts=Counts(8, 4, 2)),
        Score(**shares, counts=Counts(8, 1, 2), stratification="entropy", stratum="S1"),
        Score(**shares, counts=Counts(0, 3, 0), stratification="entropy", stratum="S4"),
    ]
    found = changes([("r", records)], ENTROPY)
    assert strata_of(found, ("S1", "S4")) == ("S1",)
    assert found[0].spread(("S1", "S4")) == 0
    assert found[0].change("S4").f1 == 0
