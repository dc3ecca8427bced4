"""Each kind of accident of BRATEval, on the smallest example of it, and what `exact-first` says instead.

BRATEval's figures are its own output (BRATEVAL_SPEC, appendix); ours are counted by hand, beside each case.
"""

from __future__ import annotations

import pytest

from brat.model import Document
from brat.write import write
from evaluator.brateval import TypeMode, compare_entities
from evaluator.criteria import SpanRule, parse_criterion
from evaluator.scoring import score
from tests.evaluator.reference import bounds

RELAXED, EXACT = SpanRule.RELAXED, SpanRule.EXACT


def theirs(gold: str, run: str, span: SpanRule, types: TypeMode = TypeMode.EXACT) -> tuple[int, int, int]:
    rows = compare_entities({"0.ann": gold.encode()}, {"0.ann": run.encode()}, span=span, types=types)
    last = rows[-1].counts
    return last.tp, last.fp, last.fn


def ours(gold: Document, run: Document, span: SpanRule, labels: str = "fine") -> tuple[int, int, int]:
    counts = score({"0": gold}, {"0": run}, [parse_criterion(span.value, labels)]).scores[0].counts
    return counts.tp, counts.fp, counts.fn


@pytest.mark.parametrize(
    ("gold", "run", "span", "brateval", "exact_first"),
    [
        # A01: the first prediction that overlaps is taken, although the second is identical. Ours pairs the identical one
        # and finds the other two overlapping (12-20 and 5-15).
        (["A:0-10", "A:12-20"], ["A:5-15", "A:0-10"], RELAXED, (1, 1, 1), (2, 0, 0)),
        # A06: surplus fragments of a prediction are free; for us the sets of fragments differ.
        (["A:0-5"], ["A:0-5;9-12"], EXACT, (1, 0, 0), (0, 1, 1)),
        # A08: an empty span overlaps what it touches from inside; for us it shares no character.
        (["A:3-8"], ["A:5-5"], RELAXED, (1, 0, 0), (0, 1, 1)),
        # A51: a repeated prediction costs a false positive; for us it is reported and counted once.
        (["A:0-5"], ["A:0-5", "A:0-5"], EXACT, (1, 1, 0), (1, 0, 0)),
        (["A:0-5", "A:0-5"], ["A:0-5"], EXACT, (1, 0, 1), (1, 0, 0)),
        # No accident: one prediction matches one gold entity in both.
        (["A:0-5", "A:6-9"], ["A:0-9"], RELAXED, (1, 0, 1), (1, 0, 1)),
    ],
)
def test_an_accident(
    gold: list[str], run: list[str], span: SpanRule, brateval: tuple[int, int, int], exact_first: tuple[int, int, int]
) -> None:
    documents = Document("0", bounds(*gold)), Document("0", bounds(*run))

    assert theirs(write(documents[0]), write(documents[1]), span) == brateval
    assert ours(*documents, span) == exact_first


def test_renaming_ids_changes_their_figures_and_not_ours() -> None:
    gold = Document("0", bounds("A:0-10", "A:12-20"))
    one = "T1\tA 5 15\tx\nT2\tA 0 10\tx\n"
    other = "T2\tA 5 15\tx\nT1\tA 0 10\tx\n"

    assert [theirs(write(gold), each, RELAXED) for each in (one, other)] == [(1, 1, 1), (2, 0, 0)]
    assert ours(gold, Document("0", bounds("A:5-15", "A:0-10")), RELAXED) == (2, 0, 0)


def test_a_second_line_with_an_id_hides_the_first() -> None:
    # A15: of two predictions with one id BRATEval sees the last; with us the run is rejected when it is checked.
    assert theirs("T1\tA 0 5\tx\n", "T1\tA 0 5\tx\nT1\tA 6 9\tx\n", EXACT) == (0, 1, 1)


def test_under_any_label_the_same_label_is_preferred() -> None:
    # A23: under INEXACT the first of two equal spans is taken, whatever its label: B for A, and A for B. Per label:
    gold, run = "T1\tA 0 5\tx\nT2\tB 0 5\tx\n", "T2\tA 0 5\tx\nT1\tB 0 5\tx\n"
    rows = compare_entities({"0.ann": gold.encode()}, {"0.ann": run.encode()}, types=TypeMode.INEXACT)

    assert {row.label: row.counts.tp for row in rows} == {"A": 1, "B": 1, "all": 2}
    assert ours(Document("0", bounds("A:0-5", "B:0-5")), Document("0", bounds("A:0-5", "B:0-5")), EXACT, "any") == (2, 0, 0)
