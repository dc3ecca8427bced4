"""Counts, rows by label and by group, the signature, and how figures are told."""

from __future__ import annotations

import csv
import io
import json

import pytest

from brat.corpus import read_corpus
from brat.files import pack_zip, read_bytes
from brat.model import Document
from evaluator.criteria import parse_criterion, parse_span
from evaluator.hierarchy import Hierarchy
from evaluator.report import FORMATS, as_csv, as_json, as_latex, as_table, figure
from evaluator.scores import Counts, Score
from evaluator.scoring import Scheme, keep_labels, score
from evaluator.signature import Signature, digest_documents
from tests.evaluator.reference import bounds

HIERARCHY = Hierarchy({"A": None, "A1": "A", "A2": "A", "B": None})


def rows(labels: str, gold: list[str], run: list[str]) -> dict[str, tuple[int, int, int]]:
    found = score(
        {"d": Document("d", bounds(*gold))},
        {"d": Document("d", bounds(*run))},
        [parse_criterion("exact", labels)],
        Scheme(hierarchy=HIERARCHY),
    )
    return {each.label: (each.counts.tp, each.counts.fp, each.counts.fn) for each in found.scores}


def test_counts_divide_last() -> None:
    counts = Counts(1, 1, 0) + Counts(2, 0, 3)

    assert counts == Counts(3, 1, 3)
    assert (counts.precision, counts.recall, counts.f1) == (3 / 4, 3 / 6, 6 / 10)


def test_nothing_to_divide_is_undefined() -> None:
    assert (Counts().precision, Counts().recall, Counts().f1) == (None, None, None)
    assert (Counts(fn=2).precision, Counts(fn=2).recall, Counts(fn=2).f1) == (None, 0.0, 0.0)


GOLD = ["A1:0-5", "A1:6-9", "B:10-12", "A:20-22"]
RUN = ["A2:0-5", "A1:6-9", "A1:10-12", "Z:30-31"]


def test_fine_rows_have_labels_and_sums_of_groups() -> None:
    # By hand: only A1 6-9 is right. A1 0-5 is missed, A2 is wrong, B is missed, A is missed, A1 10-12 and Z are wrong.
    assert rows("fine", GOLD, RUN) == {
        "all": (1, 3, 3),
        "A1": (1, 1, 1),
        "A2": (0, 1, 0),
        "A": (1, 2, 2),
        "B": (0, 0, 1),
        "Z": (0, 1, 0),
    }


def test_high_rows_are_topmost_labels() -> None:
    assert rows("high", GOLD, RUN) == {"all": (2, 2, 2), "A": (2, 1, 1), "B": (0, 0, 1), "Z": (0, 1, 0)}


def test_any_rows_count_pairs_for_the_gold_label() -> None:
    assert rows("any", GOLD, RUN) == {
        "all": (3, 1, 1),
        "A": (0, 0, 1),
        "A1": (2, 0, 0),
        "A2": (0, 0, 0),
        "B": (1, 0, 0),
        "Z": (0, 1, 0),
    }


def test_documents_of_the_run_only_are_left_out_and_missing_ones_are_empty() -> None:
    gold = {"d": Document("d", bounds("A:0-5")), "e": Document("e", bounds("A:0-5"))}
    run = {"d": Document("d", bounds("A:0-5")), "z": Document("z", bounds("A:0-5"))}

    assert score(gold, run, [parse_criterion("exact", "fine")]).scores[0].counts == Counts(1, 0, 1)


def test_only_and_ignore() -> None:
    documents = {"d": Document("d", bounds("A:0-5", "B:0-5", "C:0-5"))}

    def labels(only: set[str], ignore: set[str]) -> list[str]:
        return [each.label for each in keep_labels(documents, frozenset(only), frozenset(ignore))["d"].text_bounds]

    assert labels(set(), {"B"}) == ["A", "C"]
    assert labels({"A", "B"}, {"B"}) == ["A"]


@pytest.mark.parametrize(
    "text", ["approximate:0", "approximate:1.5", "approximate:", "approximate:-1", "EXACT", "", "approximate:1e-1"]
)
def test_a_span_rule_that_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not exact, relaxed or approximate"):
        parse_span(text)


def test_approximate_is_decided_in_fractions() -> None:
    # One edit in five characters is a similarity of exactly 0.8; in doubles 1 - 1/5 is, (1 - 0.8) * 5 is not.
    gold = {"d": Document("d", bounds("A:0-5"), "abcde fghij")}
    run = {"d": Document("d", bounds("A:0-4"), "abcde fghij")}

    assert score(gold, run, [parse_criterion("approximate:0.8", "fine")]).scores[0].counts == Counts(1, 0, 0)
    assert score(gold, run, [parse_criterion("approximate:0.81", "fine")]).scores[0].counts == Counts(0, 1, 1)


def test_without_texts_the_text_columns_are_compared() -> None:
    gold, run = (read_corpus({"d.ann": line.encode()}).documents for line in ("T1\tA 0 5\tabcde\n", "T1\tA 0 4\tabcd\n"))

    assert score(gold, run, [parse_criterion("approximate:0.8", "fine")]).scores[0].counts == Counts(1, 0, 0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "–"), (1 / 32, "0.0313"), (3 / 160, "0.0188"), (1.0, "1.0000"), (0.0, "0.0000"), (2 / 3, "0.6667")],
)
def test_figures_are_rounded_half_up_on_their_decimal_form(value: float | None, expected: str) -> None:
    # 1/32 = 0.03125 and 3/160 = 0.01875 exactly; BRATEval prints them so (BRATEVAL_SPEC, section 10).
    assert figure(value) == expected


SIGNATURE = Signature(assay="0", documents=1, criteria=("exact-fine",), matching="exact-first", gold="g" * 64, run="r" * 64)
SCORES = [
    Score(span="exact", labels="fine", label="A_&", counts=Counts(1, 0, 1)),
    Score(span="exact", labels="fine", label="B", counts=Counts()),
]


def test_json_holds_every_field_at_full_precision() -> None:
    value = json.loads(as_json(SCORES, SIGNATURE))

    assert value["signature"]["gold"] == "g" * 64
    assert value["scores"][0] == {
        "annotations": "entities",
        "span": "exact",
        "labels": "fine",
        "matching": "exact-first",
        "stratification": "all",
        "stratum": "all",
        "label": "A_&",
        "tp": 1,
        "fp": 0,
        "fn": 1,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 2 / 3,
    }
    assert value["scores"][1]["f1"] is None


def test_csv_table_and_latex() -> None:
    assert [row["f1"] for row in csv.DictReader(io.StringIO(as_csv(SCORES)))] == [str(2 / 3), ""]
    assert "A_&         1       0       1     1.0000  0.5000  0.6667" in as_table(SCORES, SIGNATURE)
    assert "{A\\_\\&} & 1 & 0 & 1 & 1.0000 & 0.5000 & 0.6667 \\\\" in as_latex(SCORES, SIGNATURE)
    assert "{B} & 0 & 0 & 0 & – & – & – \\\\" in as_latex(SCORES, SIGNATURE)
    assert set(FORMATS) == {"table", "json", "csv", "latex", "side-by-side"}


def test_a_folder_and_a_zip_of_it_have_one_digest() -> None:
    files = {"b.ann": b"", "a.ann": b"T1\tA 0 1\tx\n"}
    zipped = read_bytes(pack_zip([("run/a.ann", files["a.ann"]), ("run/b.ann", b"")]), "run.zip")

    assert digest_documents(read_corpus(files).digests) == digest_documents(read_corpus(zipped).digests)
    assert digest_documents(read_corpus(files).digests) != digest_documents(read_corpus(files | {"a.ann": b""}).digests)


def test_a_hierarchy_without_a_top_is_refused() -> None:
    with pytest.raises(ValueError, match="lies under itself"):
        Hierarchy({"A": "B", "B": "A"})


def test_a_label_called_all_is_told_apart_from_the_sum() -> None:
    assert rows("fine", ["all:0-5"], ["all:0-5", "B:0-5"]) == {"all": (1, 1, 0), "label:all": (1, 0, 0), "B": (0, 1, 0)}


def test_a_label_cannot_move_the_cursor() -> None:
    hostile = Score(span="exact", labels="fine", label="A\x1b[2J", counts=Counts(1, 0, 0))

    assert all("\x1b" not in FORMATS[each]([hostile], SIGNATURE) for each in ("table", "latex", "json"))


def test_thresholds_that_are_equal_are_one_and_others_are_told_apart() -> None:
    assert parse_span("approximate:0.8") == parse_span("approximate:0.80")
    names = {parse_criterion(f"approximate:{each}", "fine").name for each in ("0.1234567", "0.1234568", "1", "1.0")}
    assert names == {"approximate:0.1234567-fine", "approximate:0.1234568-fine", "approximate:1.0-fine"}
