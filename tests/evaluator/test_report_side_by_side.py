"""Fine and high beside each other, for one run and for many."""

from __future__ import annotations

import csv
import io

from evaluator.hierarchy import Hierarchy
from evaluator.report_side_by_side import (
    overall_side_by_side,
    overall_side_by_side_csv,
    overall_side_by_side_latex,
    side_by_side,
    side_by_side_csv,
    side_by_side_latex,
)
from evaluator.scores import Counts, Score
from evaluator.signature import Signature

SIGNATURE = Signature(assay="0", documents=1, criteria=("exact-fine",), matching="exact-first", gold="g" * 64, run="r" * 64)
TREE = Hierarchy({"CONDITION": None, "TIME": "CONDITION", "COMPOUND": None, "SOLVENT": "COMPOUND", "OTHER_&": "COMPOUND"})


def record(criterion: str, label: str, counts: Counts, annotations: str = "entities", **more: str) -> Score:
    span, _, labels = criterion.partition("-")
    return Score(span=span, labels=labels, label=label, counts=counts, annotations=annotations, **more)


SCORES = [
    record("exact-fine", "all", Counts(2, 1, 2)),
    record("exact-fine", "COMPOUND", Counts(2, 0, 1)),
    record("exact-fine", "EXTRA", Counts(0, 1, 0)),
    record("exact-fine", "OTHER_&", Counts(1, 0, 1)),
    record("exact-fine", "SOLVENT", Counts(1, 0, 0)),
    record("exact-fine", "TIME", Counts(0, 0, 1)),
    record("relaxed-fine", "all", Counts(3, 0, 1)),
    record("exact-high", "all", Counts(3, 0, 1)),
    record("exact-high", "COMPOUND", Counts(3, 0, 0)),
    record("exact-high", "CONDITION", Counts(0, 0, 1)),
]


def test_labels_stand_in_the_order_of_the_hierarchy_with_fine_beside_high() -> None:
    assert side_by_side(SCORES, SIGNATURE, TREE).split("\n") == [
        "entities, exact-first",
        "             exact fine                exact high                relaxed fine",
        "label             P       R      F1         P       R      F1         P       R      F1",
        "all          0.6667  0.5000  0.5714    1.0000  0.7500  0.8571    1.0000  0.7500  0.8571",
        "CONDITION                                   –  0.0000  0.0000",
        "  TIME            –  0.0000  0.0000",
        "COMPOUND     1.0000  0.6667  0.8000    1.0000  1.0000  1.0000",
        "  SOLVENT    1.0000  1.0000  1.0000",
        "  OTHER_&    1.0000  0.5000  0.6667",
        "EXTRA        0.0000       –  0.0000",
        "",
        f"signature {SIGNATURE}",
        "",
    ]


def test_without_a_hierarchy_labels_are_sorted() -> None:
    lines = side_by_side([*SCORES[6:], *SCORES[:6]], SIGNATURE).split("\n")[3:10]

    assert [line.split(" ")[0] for line in lines] == ["all", "COMPOUND", "CONDITION", "EXTRA", "OTHER_&", "SOLVENT", "TIME"]


def test_a_group_that_has_no_row_is_no_level() -> None:
    deep = Hierarchy({"TOP": None, "MIDDLE": "TOP", "LOW": "MIDDLE", "CHILD": "ORPHANAGE"})
    scores = [record("exact-fine", each, Counts(1, 0, 0)) for each in ("all", "CHILD", "LOW", "TOP")]
    lines = side_by_side(scores, SIGNATURE, deep).split("\n")[3:7]

    assert [line.partition("    ")[0].rstrip() for line in lines] == ["all", "TOP", "  LOW", "CHILD"]


def test_each_kind_of_annotation_and_each_stratum_has_a_table() -> None:
    scores = [
        *SCORES,
        record("exact-fine", "all", Counts(1, 0, 0), "relations"),
        record("exact-fine", "all", Counts(1, 0, 0), stratification="similarity", stratum="Q2"),
    ]
    text = side_by_side(scores, SIGNATURE, TREE)

    assert [block.split("\n")[0] for block in text.split("\n\n")[:-1]] == [
        "entities, exact-first",
        "relations, exact-first",
        "entities, exact-first, similarity Q2",
    ]


def test_latex() -> None:
    text = side_by_side_latex(SCORES, SIGNATURE, TREE)

    assert text.startswith("% signature assay:0|")
    assert "\\begin{tabular}{lrrrrrrrrr}" in text
    assert (
        " & \\multicolumn{3}{c}{exact fine} & \\multicolumn{3}{c}{exact high} & \\multicolumn{3}{c}{relaxed fine} \\\\" in text
    )
    assert "\\cmidrule(lr){2-4}\\cmidrule(lr){5-7}\\cmidrule(lr){8-10}" in text
    assert "Label & P & R & F$_1$ & P & R & F$_1$ & P & R & F$_1$ \\\\" in text
    assert "\\quad {OTHER\\_\\&} & 1.0000 & 0.5000 & 0.6667 &  &  &  &  &  &  \\\\" in text


def test_csv_is_one_table_at_full_precision() -> None:
    rows = list(csv.DictReader(io.StringIO(side_by_side_csv(SCORES, SIGNATURE, TREE))))

    assert [row["label"] for row in rows] == ["all", "CONDITION", "TIME", "COMPOUND", "SOLVENT", "OTHER_&", "EXTRA"]
    assert (rows[0]["annotations"], rows[0]["matching"], rows[0]["stratum"]) == ("entities", "exact-first", "all")
    assert (rows[0]["exact-fine precision"], rows[0]["exact-high f1"]) == (str(2 / 3), str(6 / 7))
    assert (rows[1]["exact-fine f1"], rows[1]["exact-high precision"], rows[1]["exact-high f1"]) == ("", "", "0.0")
    assert side_by_side_csv([]) == ""


def test_rows_of_brateval_keep_their_order_even_when_a_label_is_there_twice() -> None:
    scores = [
        record("exact-fine", label, Counts(tp, 0, 0), matching="brateval")
        for label, tp in (("ALL", 2), (" B", 1), ("+ A", 1), (" B", 0), ("all", 1))
    ]
    lines = side_by_side(scores, SIGNATURE, TREE).split("\n")

    assert lines[0] == "entities, brateval"
    assert [line[:3] for line in lines[3:8]] == ["ALL", " B ", "+ A", " B ", "all"]
    assert lines[6].split()[1:] == ["–", "–", "–"]


RUNS = [
    ("team_a-run1", [record("exact-fine", "all", Counts(3, 1, 0)), record("relaxed-fine", "all", Counts(4, 0, 0))]),
    ("b", [record("exact-fine", "all", Counts(2, 0, 1)), record("exact-fine", "X", Counts(2, 0, 1))]),
    ("c", [record("exact-fine", "all", Counts(0, 0, 3)), record("exact-fine", "all", Counts(1, 0, 0), "relations")]),
]


def test_many_runs() -> None:
    assert overall_side_by_side(RUNS).split("\n") == [
        "entities, exact-first",
        "               exact fine                relaxed fine",
        "run                 P       R      F1         P       R      F1",
        "team_a-run1    0.7500  1.0000  0.8571    1.0000  1.0000  1.0000",
        "b              1.0000  0.6667  0.8000",
        "c                   –  0.0000  0.0000",
        "",
        "relations, exact-first",
        "       exact fine",
        "run         P       R      F1",
        "c      1.0000  1.0000  1.0000",
        "",
    ]
    assert overall_side_by_side([]) == ""


def test_many_runs_in_latex_with_the_best_bold_and_the_next_italic() -> None:
    text = overall_side_by_side_latex(RUNS)
    best = "\\textbf{1.0000}"

    assert f"{{team\\_a-run1}} & \\textit{{0.7500}} & {best} & \\textbf{{0.8571}} & {best} & {best} & {best} \\\\" in text
    assert f"{{b}} & {best} & \\textit{{0.6667}} & \\textit{{0.8000}} &  &  &  \\\\" in text
    assert "{c} & – & 0.0000 & 0.0000 &  &  &  \\\\" in text


def test_many_runs_as_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(overall_side_by_side_csv(RUNS))))

    assert [(row["annotations"], row["run"]) for row in rows] == [
        ("entities", "team_a-run1"),
        ("entities", "b"),
        ("entities", "c"),
        ("relations", "c"),
    ]
    assert (rows[0]["exact-fine f1"], rows[1]["relaxed-fine f1"], rows[2]["exact-fine precision"]) == (str(6 / 7), "", "")


def test_a_label_cannot_move_the_cursor() -> None:
    hostile = [record("exact-fine", "A\x1b[2J", Counts(1, 0, 0))]

    assert "\x1b" not in side_by_side(hostile, SIGNATURE) + side_by_side_latex(hostile, SIGNATURE)
    assert "\x1b" not in overall_side_by_side([("\x1b[2J", [record("exact-fine", "all", Counts(1, 0, 0))])])
