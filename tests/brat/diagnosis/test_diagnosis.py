"""Diagnosis and repair on documents of any kind: they never fail, never lose a line, and judge by the right spans too."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.diagnosis.countings import COUNTINGS, MARKERS, PAIRS
from brat.diagnosis.explain import diagnose
from brat.diagnosis.fits import drifting, nearby, steady
from brat.diagnosis.hypotheses import Hypothesis, counted, in_place, moved
from brat.diagnosis.repair import repair
from brat.diagnosis.rulers import lay
from brat.files import pack_zip, read_bytes
from brat.model import Document, TextBound

TEXT = "alpha beta\ngamma é 😀 delta &amp; epsilon. Zeta (eta) theta\r\niota"
HYPOTHESES: tuple[Hypothesis, ...] = (
    *(counted(each) for each in (*COUNTINGS, *PAIRS)),
    *(counted(each.counting(growth)) for each in MARKERS for growth in (-1, 2)),
    *in_place(),
    moved((0, -1)),
    moved((7, 7)),
    steady(),
    drifting(0.1),
    drifting(-0.2),
    nearby(),
)

offsets = st.integers(-3, len(TEXT) + 9)
columns = st.none() | st.sampled_from(["", " ", "a", "alpha", "é", "😀 delta", "(eta)", "iota", "A & B"]) | st.text(max_size=8)
bounds = st.builds(
    TextBound,
    st.just("T1"),
    st.just("A"),
    st.lists(st.tuples(offsets, offsets), min_size=1, max_size=3).map(tuple),
    columns.map(lambda text: None if text is None else text.replace("\n", " ").replace("\r", " ").replace("\t", " ")),
)


def run_of(spans: list[tuple[int, int, str]]) -> dict[str, bytes]:
    return {"d.ann": "".join(f"T{i}\tA {start} {end}\t{text}\n" for i, (start, end, text) in enumerate(spans, 1)).encode()}


@given(st.lists(bounds, max_size=6))
@settings(max_examples=60)
def test_no_hypothesis_fails_on_any_spans(spans: list[TextBound]) -> None:
    for each in HYPOTHESES:
        placed = each.place(TEXT, spans)
        assert len(placed) == len(spans)
        assert all(one is None or len(one.fragments) >= 1 for one in placed)
    diagnose([Document("d", tuple(spans), TEXT)] * 3)


@given(st.lists(st.tuples(offsets, offsets, st.sampled_from(["", "alpha", "é", "iota", "x"])), max_size=8), st.booleans())
@settings(max_examples=60)
def test_a_repair_keeps_every_line_that_it_does_not_change(spans: list[tuple[int, int, str]], mark: bool) -> None:
    files = run_of(spans)
    files["d.ann"] = (b"\xef\xbb\xbf" if mark else b"") + files["d.ann"] + b"nonsense\r\n#1\tNote T1\tx\ty"
    for each in HYPOTHESES[::5]:
        repaired = repair(files, {"d": TEXT}, each)
        before, after = files["d.ann"].split(b"\n"), repaired.files["d.ann"].split(b"\n")
        changed = {one.line for one in repaired.changes}

        assert len(before) == len(after)
        assert all(a == b for number, (a, b) in enumerate(zip(before, after, strict=True), 1) if number not in changed)
        assert repaired.files["d.ann"].startswith(b"\xef\xbb\xbf") == mark


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.integers(0, 5)), max_size=4))
def test_a_ruler_turns_back_what_was_counted_with_it(drawn: list[tuple[int, int, int]]) -> None:
    steps, free = [], 0
    for gap, length, width in drawn:
        steps.append((free + gap, length, width))
        free += gap + length
    ruler = lay(steps)

    def count(real: int) -> int:
        return real + sum(width - length for position, length, width in steps if position + length <= real)

    inside = {place for position, length, _ in steps for place in range(position + 1, position + length)}
    for real in range(free + 5):
        if real not in inside:
            counted_as = count(real)
            assert real in {start for start, _ in ruler.place((counted_as, counted_as))}


def test_a_span_with_an_empty_text_column_beside_a_wrong_one() -> None:
    files = {"d.ann": b"T1\tX 0 5\t\nT2\tX 6 10\tzzzz\n"}

    assert diagnose(read_corpus(files, {"d": TEXT}).documents.values()).explanations == ()


def test_wrong_spans_that_alternate_with_right_ones_are_seen() -> None:
    # 602 spans, every second one off by one: thinning them evenly would see one kind only.
    text = "".join(f"w{i:04} " for i in range(602))
    spans = [(6 * i + (i % 2), 6 * i + 5 + (i % 2), f"w{i:04}") for i in range(602)]
    found = diagnose(read_corpus(run_of(spans), {"d": text}).documents.values())

    # As many right spans would be made wrong as wrong ones right: a shift explains nothing here, and a guess is offered.
    assert [each.code for each in found.explanations] == ["nearby"]
    assert (found.explanations[0].explained, found.explanations[0].of) == (301, 301)


@pytest.mark.parametrize("much", ["x" * 100_000, "a" + "\u0315\u0300\u0327\u05b0" * 20_000])
def test_what_is_no_entity_is_not_looked_at(much: str) -> None:
    files = {"d.ann": f"T1\tX 0 5\t{much}\nT2\tX 6 10\tzzzz\n".encode()}
    documents = read_corpus(files, {"d": TEXT}).documents

    assert diagnose(documents.values()).explanations == ()


def test_a_corrected_run_can_be_uploaded_whatever_is_in_it() -> None:
    data = b"T1\tX 1 6\talpha\n#1\tNote T1\t" + b"x" * 8_000_000 + b"\n"

    assert read_bytes(pack_zip([("d.ann", data)]), "corrected.zip")["d.ann"] == data


def test_where_it_is_not_sure_a_rule_moves_nothing_alone() -> None:
    # A single document whose one span agrees nowhere: half of the evidence is none.
    files = run_of([(2, 7, "alpha"), (40, 44, "nowhere")])
    found = diagnose(read_corpus(files, {"d": TEXT}).documents.values())

    assert found.explanations == ()


def test_a_span_that_agrees_is_not_moved_to_where_only_a_lenient_eye_agrees() -> None:
    text = "caf\u00e9 na\u00efve x  y zeta"
    # Two spans in the normal form NFD, and one whose two blanks agree as they are.
    files = {"d.ann": b"T1\tA 6 12\tnai\xcc\x88ve\nT2\tA 18 22\tzeta\nT3\tA 11 15\tx  y\n"}
    hypothesis = counted(next(each for each in COUNTINGS if each.code == "nfd"))
    repaired = repair(files, {"d": text}, hypothesis)

    assert repaired.files["d.ann"].split(b"\n")[1:3] == [b"T2\tA 16 20\tzeta", b"T3\tA 11 15\tx  y"]
