"""BRATEval's CompareRelations, case for case: the oracle, and the nine tables shipped with the program."""

from __future__ import annotations

import pytest

from evaluator.brateval import Aborted, compare_relations
from evaluator.report import figure
from tests.oracle.cases import Options, annotation_files, calls, names, options
from tests.shared import shared


def relation_rows(
    gold: dict[str, bytes], run: dict[str, bytes], chosen: Options, conf: bytes | None = None, *, full: bool = False
) -> list[list[object]] | None:
    try:
        found = compare_relations(
            gold, run, span=chosen.span, threshold=chosen.threshold, types=chosen.types, conf=conf, full_taxonomy=full
        )
    except Aborted:
        return None
    return [
        [r.label, r.counts.tp, r.counts.fp, r.counts.fn, figure(r.precision), figure(r.recall), figure(r.f1), r.fpm, r.fnm]
        for r in found
    ]


@pytest.mark.parametrize("name", names() or ["missing"])
def test_a_case_of_the_oracle(name: str) -> None:
    case = shared("oracle", name)
    gold, run = annotation_files(case / "gold"), annotation_files(case / "run")
    different = []
    for call in calls(case, "CompareRelations"):
        conf = (case / "annotation.conf").read_bytes() if call["conf"] else None
        found = relation_rows(gold, run, options(str(call["span"]), str(call["type"])), conf, full=bool(call["full_taxonomy"]))
        if found != call["rows"]:
            different.append((call["span"], call["type"], call["conf"]))

    assert different == []


def test_the_oracle_has_relations() -> None:
    assert sum(len(list(calls(shared("oracle", name), "CompareRelations"))) for name in names()) > 100


@pytest.mark.parametrize("span", ["exact", "overlap", "approx0.8"])
@pytest.mark.parametrize("types", ["exact", "inexact", "hierarchical"])
def test_a_table_shipped_with_the_program(span: str, types: str) -> None:
    sample = shared("data", "chemu-sample")
    printed = (sample / "brateval-output" / f"ee-gt-test-{span}-{types}.txt").read_text().splitlines()
    expected = [line for line in printed[printed.index("Summary:") + 1 :] if line]
    gold, run = annotation_files(sample / "ee" / "gold"), annotation_files(sample / "ee" / "run")
    found = relation_rows(gold, run, options(span, types))
    names_ = ("tp", "fp", "fn", "precision", "recall", "f1", "fpm", "fnm")

    assert found is not None
    assert ["|".join([str(row[0]), *(f"{n}:{v}" for n, v in zip(names_, row[1:], strict=True))]) for row in found] == expected
