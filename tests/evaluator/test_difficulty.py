"""Easiness over runs and what features tell of it, by hand."""

from __future__ import annotations

import random
from math import log

import pytest
from sklearn.metrics import mutual_info_score

from brat.model import Document
from brat.parse import parse
from evaluator.analysis.difficulty import ErrorKind, Instance, find_difficulty
from evaluator.analysis.difficulty_tables import report_difficulty
from evaluator.analysis.information import contribution, entropy, frequency_of, of_hardness, shape_of

TEXT = "Copper acid and lye were mixed."
GOLD = "T1\tX 0 11\tCopper acid\nT2\tY 16 19\tlye\n"


def read(annotations: str) -> dict[str, Document]:
    return {"d": parse(annotations, document_id="d", text=TEXT)[0]}


RUNS = {
    "right": read(GOLD),
    "boundary": read("T1\tX 7 11\tacid\nT2\tY 16 19\tlye\n"),
    "label": read("T1\tZ 0 11\tCopper acid\nT2\tX 16 19\tlye\nT3\tX 25 30\tmixed\n"),
    "both": read("T1\tZ 7 15\tacid and\nT3\tX 25 30\tmixed\n"),
    "nothing": {},
}


def test_by_hand() -> None:
    found = find_difficulty(read(GOLD), RUNS)
    acid, lye = found.instances
    assert (acid.text, acid.exact, acid.relaxed) == ("Copper acid", 0.2, 0.4)
    assert (lye.text, lye.exact, lye.relaxed) == ("lye", 0.4, 0.4)
    assert [(each.kind, each.label, each.text, each.runs) for each in acid.said] == [
        (ErrorKind.BOUNDARY, "X", "acid", 1), (ErrorKind.BOTH, "Z", "acid and", 1), (ErrorKind.LABEL, "Z", "Copper acid", 1),
        (ErrorKind.MISSED, "O", "", 1),
    ]  # fmt: skip
    assert [(each.kind, each.runs) for each in lye.said] == [(ErrorKind.MISSED, 2), (ErrorKind.LABEL, 1)]
    (mixed,) = found.spurious
    assert (mixed.text, mixed.label, mixed.runs) == ("mixed", "X", 2)
    assert found.histogram() == (0, 0, 1, 0, 1, 0, 0, 0, 0, 0)
    assert found.histogram(relaxed=True) == (0, 0, 0, 0, 2, 0, 0, 0, 0, 0)


def test_hard_and_easy_have_their_ends() -> None:
    """METHODS, section 6: hard is [0, .1], easy is [.9, 1]."""

    def of(exact: float) -> Instance:
        return Instance(document="d", label="X", fragments=((0, 1),), text="x", exact=exact, relaxed=exact, said=())

    assert [(of(each).is_hard, of(each).is_easy) for each in (0, 0.1, 0.11, 0.89, 0.9, 1)] == [
        (True, False), (True, False), (False, False), (False, False), (False, True), (False, True)
    ]  # fmt: skip


def test_ten_runs_fill_the_right_bins() -> None:
    for right in range(11):
        runs = {str(i): read(GOLD) if i < right else {} for i in range(10)}
        bins = find_difficulty(read(GOLD), runs).histogram()
        assert bins[min(right, 9)] == 2


def test_one_label_alone() -> None:
    found = find_difficulty(read(GOLD), RUNS, frozenset({"Y"}))
    assert [each.text for each in found.instances] == ["lye"]
    with pytest.raises(ValueError, match="no run"):
        find_difficulty(read(GOLD), {})


def test_gain_by_hand() -> None:
    # Quinlan's weather: H(9 yes, 5 no) = .940 bits; outlook: sunny 2/3, overcast 4/0, rain 3/2: gain .247.
    classes = ["y"] * 2 + ["n"] * 3 + ["y"] * 4 + ["y"] * 3 + ["n"] * 2
    outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    assert entropy(classes) == pytest.approx(0.940286, abs=1e-6)
    found = contribution("outlook", outlook, classes)
    assert (found.values, found.gain) == (3, pytest.approx(0.246750, abs=1e-6))
    assert found.ratio == pytest.approx(0.246750 / 0.940286, abs=1e-6)
    assert contribution("x", ["a"] * 14, classes).gain == 0
    assert contribution("x", outlook, ["y"] * 14).ratio is None
    assert entropy([]) == 0
    with pytest.raises(ValueError, match="1 values of 2 cases"):
        contribution("x", ["a"], ["y", "n"])


def test_gain_is_mutual_information() -> None:
    source = random.Random(1)
    for _ in range(10):
        values, classes = ([source.choice("abcd") for _ in range(50)] for _ in range(2))
        assert contribution("x", values, classes).gain == pytest.approx(mutual_info_score(values, classes) / log(2))


def test_features_of_instances() -> None:
    found = find_difficulty(read(GOLD), RUNS)
    told = {each.feature: each for each in of_hardness(found, read(GOLD), {"lye": 3})}
    assert told["frequency in train"].values == 2
    assert told["label"].ratio is None, "both are between hard and easy: there is nothing to tell"
    assert "frequency in train" not in {each.feature for each in of_hardness(found, read(GOLD))}
    assert (shape_of("Na-23x"), frequency_of(0), frequency_of(4), frequency_of(5)) == ("Aa-0a", "0", "2–4", "5+")
    tables = {each.key: each for each in report_difficulty(found, tuple(told.values()), {"lye": 3}, {}).tables}
    assert tables["by:in train"].rows[0][:2] == ("0", 1)
    assert tables["hard"].rows == ()
