"""All of it together: on the demonstration corpus, whose leaks are known, and as reports."""

from __future__ import annotations

import csv
import io
import json

import pytest

from app.demo.corpus import DemoCorpus, generate
from evaluator.leakage.approximate import Sketch
from evaluator.leakage.leakage import Leakage, Options, find_leakage
from evaluator.leakage.report import report_leakage, report_split
from evaluator.leakage.split import propose
from evaluator.leakage.tables import tables_of
from evaluator.plain_tables import FORMATS, as_csv, as_json, as_latex, as_text
from tests.evaluator.leakage.documents import document

SIGNATURE = {"assay": "1", "vectors": "binary-lower", "ignored": ["A", "B"], "digest-train": "0123456789abcdef", "none": ""}


@pytest.fixture(scope="module")
def demo() -> DemoCorpus:
    return generate()


def _leakage(demo: DemoCorpus, test: str, options: Options | None = None) -> Leakage:
    names = {"train": "train", "dev": "dev", "test": test}
    sources = {split: {id_: demo.about[id_].source for id_ in demo.splits[name]} for split, name in names.items()}
    scale = {id_: about.scale for id_, about in demo.about.items()}
    return find_leakage({split: demo.splits[name] for split, name in names.items()}, sources, {"scale": scale}, options)


@pytest.fixture(scope="module")
def found(demo: DemoCorpus) -> Leakage:
    return _leakage(demo, "test")


@pytest.mark.parametrize("test", ["test", "test-2"])
def test_what_is_planted_in_the_demonstration_is_reported_and_nothing_else(demo: DemoCorpus, test: str) -> None:
    found, planted = _leakage(demo, test), demo.planted
    near = {each for each in planted.near_copies if each[0] in demo.splits[test]}

    assert {(each.documents[1], each.documents[0]) for each in found.copies if each.across} == near
    assert all(each.splits == ("train", "test") and not each.exact for each in found.copies if each.across)
    assert [each.documents for each in found.copies if not each.across] == planted.exact_copies
    assert all(each.exact for each in found.copies if not each.across)
    assert found.sources is not None
    assert [each.source for each in found.sources.shared] == planted.shared_sources[test]
    assert found.sources.in_all("dev", "test") == 0
    shared = set(planted.shared_sources[test])
    assert list(found.sources.new) == [id_ for id_ in demo.splits[test] if demo.about[id_].source not in shared]
    assert list(found.clean) == [id_ for id_ in found.sources.new if id_ not in {copy for copy, _ in near}]
    assert {each.document for each in found.similarity.neighbours if each.similarity > 0.9} == {copy for copy, _ in near}
    assert {(each.document, each.nearest) for each in found.similarity.neighbours if each.similarity > 0.9} == near


def test_reserved_strings_of_the_demonstration_were_not_seen(demo: DemoCorpus, found: Leakage) -> None:
    reserved = demo.planted.reserved & found.entities.entropies.keys()

    assert reserved
    assert all(found.entities.entropies[each] == 1.0 for each in reserved)
    assert sum(each.mentions for each in found.entities.sets) == found.seen[0].mentions


def test_what_is_ignored_is_no_entity_but_counts_among_labels(demo: DemoCorpus, found: Leakage) -> None:
    fewer = _leakage(demo, "test", Options(ignored=frozenset({"REACTION_STEP", "WORKUP"}), sketch=Sketch()))

    assert fewer.fairness == found.fairness
    assert fewer.seen[0].mentions < found.seen[0].mentions
    assert fewer.options["ignored"] == ["REACTION_STEP", "WORKUP"]
    assert fewer.similarity.method == fewer.options["nearest"] == "minhash-lsh-42x3-seed-1"
    assert [each.name for each in found.fairness] == ["label", "scale"]


def test_without_dev_sources_and_entities() -> None:
    found = find_leakage({"test": {"x": document("one two")}, "train": {"y": document("one three")}})

    assert found.sources is None
    assert found.clean == ("x",)
    assert [each.where for each in found.seen] == ["train", "train"]
    assert "–" in as_text(report_leakage(found, {}))


@pytest.mark.parametrize("splits", [{"train": {}}, {"test": {}}, {"train": {}, "test": {}, "other": {}}])
def test_splits_must_be_called_so(splits: dict[str, dict[str, object]]) -> None:
    with pytest.raises(ValueError, match="the splits are train, test and perhaps dev"):
        find_leakage(splits)  # type: ignore[arg-type]


def test_json_holds_everything_at_full_precision(found: Leakage) -> None:
    told = json.loads(as_json(report_leakage(found, SIGNATURE)))

    assert told["signature"] == SIGNATURE
    assert len(told["leakage"]["similarity"]["neighbours"]) == found.documents["test"]
    assert told["leakage"]["similarity"]["neighbours"][0]["similarity"] == found.similarity.neighbours[0].similarity
    assert told["leakage"] == json.loads(json.dumps(found.to_json()))


def test_csv_has_a_line_for_every_cell(found: Leakage) -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(report_leakage(found, SIGNATURE)))))

    def value(table: str, name: str, column: str) -> str:
        return next(each["value"] for each in lines if (each["table"], each["name"], each["column"]) == (table, name, column))

    assert value("source-overlap", "train and test", "sources") == "20"
    assert value("similarity", "Q4", "documents") == "4"
    assert float(value("similarity", "Q3", "share")) == 0.92
    assert value("fairness:label", "SOLVENT", "train") == "120"
    assert value("fairness:label", "SOLVENT", "train share").startswith("0.05")
    assert len([each for each in lines if each["table"] == "copies"]) == 5 * 5
    assert {each.key for each in tables_of(found) if each.rows} == {each["table"] for each in lines}


def test_latex_has_a_tabular_for_every_table(found: Leakage) -> None:
    latex = as_latex(report_leakage(found, SIGNATURE))

    assert latex.startswith("% signature assay:1|vectors:binary-lower|ignored:A,B|digest-train:0123456789ab\n")
    assert latex.count("\\begin{tabular}") == latex.count("\\bottomrule") == len(list(tables_of(found)))
    assert "{REACTION\\_STEP}" in latex


def test_text_cuts_long_tables_only(found: Leakage) -> None:
    report = report_leakage(found, SIGNATURE)
    text = as_text(report, 2)

    assert "… and 28 more\n" in text  # of 30 test documents with a source of their own
    assert all(f"\n{label} " in text for label in ("SOLVENT", "YIELD_PERCENT", "REACTION_STEP"))
    assert "\n… and" not in as_text(report, None)
    assert text.endswith("signature assay:1|vectors:binary-lower|ignored:A,B|digest-train:0123456789ab\n")


def test_nothing_in_a_report_moves_the_cursor_or_is_taken_for_a_formula() -> None:
    train = {"a\x1b[31m": document("=1+1 x x", ("=cmd", "=1+1"))}
    found = find_leakage({"train": train, "test": {"=b": document("=1+1 x", ("=cmd", "=1+1"))}})
    report = report_leakage(found, {})

    assert "\x1b" not in as_text(report) + as_latex(report)
    assert ",=" not in as_csv(report)
    assert "'=b" in as_csv(report)


def test_a_proposed_split_in_every_format(demo: DemoCorpus) -> None:
    documents = demo.splits["train"]
    report = report_split(propose(documents, {id_: demo.about[id_].source for id_ in documents}, []), SIGNATURE)
    told = {name: make(report) for name, make in FORMATS.items()}

    assert told["table"].startswith("Proposed split: 40 groups that stay together, the largest of 3\n")
    assert json.loads(told["json"])["split"]["groups"] == 40
    assert "parts,1,train,asked for,72" in told["csv"]
    assert told["latex"].count("\\begin{tabular}") == 2
