"""Agreement by hand, and beside scikit-learn."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import cohen_kappa_score

from brat.model import Document
from brat.parse import parse
from evaluator.analysis.agreement import cohens_kappa, find_agreement, krippendorffs_alpha
from evaluator.criteria import Annotations

TEXT = "acid and lye"


def read(annotations: str) -> dict[str, Document]:
    return {"d": parse(annotations, document_id="d", text=TEXT)[0]}


def test_two_by_two_by_hand() -> None:
    # 20 both yes, 5 only the first, 10 only the second, 15 both no: observed .7, expected .5 * .6 + .5 * .4 = .5.
    said = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = cohens_kappa(said, "all")
    assert (found.units, found.agreed, found.observed, found.expected) == (50, 35, 0.7, 0.5)
    assert found.kappa == pytest.approx(0.4)


def test_it_is_undefined_where_chance_agrees_on_all() -> None:
    assert cohens_kappa([("y", "y")] * 3, "all").kappa is None
    assert cohens_kappa([], "all").kappa is None
    assert krippendorffs_alpha([{}, {}]) is None
    assert krippendorffs_alpha([{("d", ()): "y"}, {("d", ()): "y"}]) is None


def test_as_scikit_learn_has_it() -> None:
    source = random.Random(1)
    for _ in range(20):
        said = [(source.choice("abc"), source.choice("abc")) for _ in range(30)]
        expected = cohen_kappa_score([a for a, _ in said], [b for _, b in said])
        assert cohens_kappa(said, "all").kappa == pytest.approx(expected)


def test_alpha_of_krippendorffs_own_example() -> None:
    """Ten units, binary, two observers, no missing data (Computing Krippendorff's Alpha-Reliability, 2011, B): .095."""
    meg, owen = "0100000010", "1110010000"
    said = [{(str(i), ()): each for i, each in enumerate(one)} for one in (meg, owen)]
    assert krippendorffs_alpha(said) == pytest.approx(0.095, abs=5e-4)


def test_alpha_of_three_by_hand() -> None:
    # Two units, aab and aaa: observed 4 / 2 = 2; n = 6, of which 5 a and 1 b: expected 36 - 26 = 10; 1 - 5 * 2 / 10 = 0.
    said = [{("1", ()): a, ("2", ()): b} for a, b in (("a", "a"), ("a", "a"), ("b", "a"))]
    assert krippendorffs_alpha(said) == pytest.approx(0)


def test_annotators_of_one_text() -> None:
    one = read("T1\tX 0 4\tacid\nT2\tY 9 12\tlye\nT3\tGO 5 8\tand\nR1\tL Arg1:T3 Arg2:T1\n")
    two = read("T1\tX 0 4\tacid\nT2\tX 9 12\tlye\nT3\tGO 5 8\tand\nR1\tM Arg1:T3 Arg2:T1\n")
    three = read("T1\tX 0 3\taci\nT9\tZ 0 4\tacid\nT2\tX 0 4\tacid\n")
    found = find_agreement({"one": one, "two": two, "three": three}, frozenset({"GO"}))
    assert [(each.first, each.second) for each in found.pairs if each.kind is Annotations.TRIGGERS] == [
        ("one", "two"), ("one", "three"), ("two", "three")
    ]  # fmt: skip
    kappas = {(each.first, each.second, each.kind): each.kappas[0] for each in found.pairs}
    first = kappas["one", "two", Annotations.ENTITIES]
    # acid: X and X; lye: Y and X. Observed .5; expected X .5 * 1 = .5: kappa 0.
    assert (first.units, first.agreed, first.kappa) == (2, 1, 0)
    assert kappas["one", "three", Annotations.ENTITIES].units == 3
    said = {(each.kind, each.text): each.said for each in found.disagreements}
    assert said[Annotations.ENTITIES, "acid"] == ("X", "X", "X+Z")
    assert said[Annotations.ENTITIES, "lye"] == ("Y", "X", "O")
    assert said[Annotations.RELATIONS, "and → acid"] == ("L", "M", "O")
    f1 = {each.span: each.counts.f1 for each in found.pairs[0].scores if each.label == "all"}
    assert f1 == {"exact": 0.5, "relaxed": 0.5}
    with pytest.raises(ValueError, match="two annotators"):
        find_agreement({"one": one})
