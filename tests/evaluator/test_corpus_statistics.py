"""What a corpus holds: by hand, beside scipy, and as it is known of ChEMU's sample."""

from __future__ import annotations

import pytest
from scipy.stats.contingency import association

from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Document
from brat.parse import parse
from evaluator.analysis.corpus_statistics import Spread, describe_corpus
from evaluator.analysis.statistics_tables import report_statistics
from tests.shared import shared

TRIGGERS = frozenset({"REACTION_STEP", "WORKUP"})


def read(id_: str, text: str, annotations: str = "") -> Document:
    return parse(annotations, document_id=id_, text=text)[0]


def test_texts_by_hand() -> None:
    documents = {"a": read("a", "One two. Three, 4!"), "b": read("b", "Five"), "c": read("c", "")}
    (found,) = describe_corpus({"train": documents}).splits
    assert found.documents == 3
    assert found.sentences == Spread(total=3, low=0, high=2, median=1.0, mean=1.0)
    assert found.words == Spread(total=5, low=0, high=4, median=1.0, mean=5 / 3)
    (empty,) = describe_corpus({"train": {}}).splits
    assert (empty.words.total, empty.words.low, empty.words.mean) == (0, None, None)


def test_instances_by_hand() -> None:
    annotations = "T1\tA 0 3\tOne\nT2\tGO 4 7\ttwo\nE1\tGO:T2 Theme:T1 Theme2:T1 Cause:T1\nR1\tL Arg1:T1 Arg2:T2\n"
    (found,) = describe_corpus({"x": {"a": read("a", "One two", annotations)}}, frozenset({"GO"})).splits
    assert dict(found.instances) == {
        ("entities", "all"): 1, ("entities", "A"): 1, ("triggers", "all"): 1, ("triggers", "GO"): 1,
        ("relations", "all"): 1, ("relations", "L"): 1, ("events", "all"): 1, ("events", "GO"): 1,
        ("arguments", "all"): 3, ("arguments", "Cause"): 1, ("arguments", "Theme"): 2,
    }  # fmt: skip


def test_splits_that_are_alike_and_that_are_not() -> None:
    def split(name: str, of_a: int, of_b: int) -> dict[str, Document]:
        count = of_a + of_b
        lines = "".join(f"T{i}\t{'A' if i < of_a else 'B'} {2 * i} {2 * i + 1}\tx\n" for i in range(count))
        return {name: read(name, "x " * count, lines)}

    alike = describe_corpus({"train": split("r", 30, 10), "test": split("t", 15, 5)}).likeness[0]
    assert (alike.statistic, alike.p, alike.effect) == (pytest.approx(0), pytest.approx(1), pytest.approx(0))
    # 30, 10 and 5, 15: expected 35 * 2/3 = 23.33 and so on; the sum of (o - e)^2 / e is 13.7142857, V = sqrt(that / 60).
    other = describe_corpus({"train": split("r", 30, 10), "test": split("t", 5, 15)}).likeness[0]
    assert other.statistic == pytest.approx(13.7142857)
    assert other.effect == pytest.approx((13.7142857 / 60) ** 0.5)
    assert other.effect == pytest.approx(float(association([[30, 5], [10, 15]], method="cramer")))
    assert other.smallest == pytest.approx(25 * 20 / 60)
    assert other.fairness.largest is not None
    assert other.fairness.largest.difference == pytest.approx(0.5)
    assert describe_corpus({"train": split("r", 3, 0), "test": split("t", 4, 0)}).likeness[0].p is None
    tables = report_statistics(describe_corpus({"train": split("r", 3, 1), "test": split("t", 4, 2)}), {}).tables
    assert [each.key for each in tables] == ["texts", "instances", "shares:label", "test:label"]
    assert tables[1].rows[0] == ("entities", "all", 4, 6, 10)


def test_the_sample_of_chemu() -> None:
    """770 entities in 10 labels, 1,062 with triggers, ARG1 432, ARGM 226 (the issue; DATA.md)."""
    documents = read_corpus(read_path(shared("data", "chemu-sample", "ee", "gold"))).documents
    (found,) = describe_corpus({"sample": documents}, TRIGGERS).splits
    instances = found.instances
    assert found.documents == 50
    assert instances["entities", "all"] == 770
    assert sum(kind == "entities" for kind, _ in instances) - 1 == 10
    assert instances["entities", "all"] + instances["triggers", "all"] == 1062
    assert (instances["relations", "ARG1"], instances["relations", "ARGM"]) == (432, 226)
