"""The demonstration corpus has what it says is planted in it, and its systems have the quality they are known for."""

from __future__ import annotations

import pytest

from app.demo.corpus import SIZES, DemoCorpus, generate
from app.demo.runs import SYSTEMS, predict
from app.demo.steps import entities_of
from brat.corpus import read_corpus
from brat.model import Document
from brat.write import write
from evaluator.criteria import parse_criterion
from evaluator.scoring import score


@pytest.fixture(scope="module")
def corpus() -> DemoCorpus:
    return generate()


def everything(corpus: DemoCorpus) -> dict[str, Document]:
    return {id_: document for documents in corpus.splits.values() for id_, document in documents.items()}


def test_sizes_and_seed(corpus: DemoCorpus) -> None:
    assert {split: len(documents) for split, documents in corpus.splits.items()} == dict(SIZES)
    assert generate().splits == corpus.splits
    assert generate(1).splits != corpus.splits


def test_it_is_valid_brat_without_a_single_problem(corpus: DemoCorpus) -> None:
    for documents in corpus.splits.values():
        files = {f"{id_}.ann": write(each).encode() for id_, each in documents.items()}
        files |= {f"{id_}.txt": (each.text or "").encode() for id_, each in documents.items()}
        read = read_corpus(files)
        assert read.problems == ()
        assert dict(read.documents) == documents


def test_sources_on_both_sides_of_a_split(corpus: DemoCorpus) -> None:
    train = {about.source for about in corpus.about.values() if about.split == "train"}
    for split in ("test", "test-2"):
        sources = {about.source for about in corpus.about.values() if about.split == split}
        assert corpus.planted.shared_sources[split] == sorted(sources & train)
        assert sources & train
        assert sources - train


def test_copies(corpus: DemoCorpus) -> None:
    documents = everything(corpus)
    assert len(corpus.planted.near_copies) == 8
    for copy, original in corpus.planted.near_copies:
        a, b = documents[copy].text or "", documents[original].text or ""
        assert (corpus.about[copy].split[:4], corpus.about[original].split) == ("test", "train")
        assert len(a) == len(b)
        assert sum(x != y for x, y in zip(a, b, strict=True)) == 1
    for first, second in corpus.planted.exact_copies:
        assert documents[first].text == documents[second].text


def test_reserved_entities_occur_in_blind_splits_only(corpus: DemoCorpus) -> None:
    seen = {
        split: {bound.text for document in documents.values() for bound in document.text_bounds}
        for split, documents in corpus.splits.items()
    }
    assert len(corpus.planted.reserved) > 30
    assert corpus.planted.reserved <= seen["test"] | seen["test-2"]
    assert not corpus.planted.reserved & (seen["train"] | seen["dev"])


def test_non_ascii_nested_and_discontinuous(corpus: DemoCorpus) -> None:
    planted = corpus.planted
    assert len(planted.non_ascii) > 50
    assert all(each for each in (planted.nested, planted.discontinuous, planted.astral))
    documents = everything(corpus)
    assert all("𝛼" in (documents[id_].text or "") for id_ in planted.astral)


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_a_system_errs_more_in_the_harder_group_and_not_in_the_other(corpus: DemoCorpus, system: str) -> None:
    documents = {id_: entities_of(each) for id_, each in (corpus.splits["train"] | corpus.splits["test"]).items()}
    run = predict(system, documents, corpus.about, 1)

    def f1(attribute: str, value: str) -> float:
        ids = [id_ for id_ in documents if getattr(corpus.about[id_], attribute) == value]
        counts = (
            score({i: documents[i] for i in ids}, {i: run[i] for i in ids}, [parse_criterion("exact", "fine")]).scores[0].counts
        )
        return counts.f1 or 0.0

    assert f1("scale", "bench") - f1("scale", "pilot") > 0.02
    assert abs(f1("office", "east") - f1("office", "west")) < 0.05


def test_the_careful_system_is_the_best(corpus: DemoCorpus) -> None:
    gold = {id_: entities_of(each) for id_, each in corpus.splits["test"].items()}

    def f1(system: str, span: str) -> float:
        run = predict(system, gold, corpus.about, 1)
        return score(gold, run, [parse_criterion(span, "fine")]).scores[0].counts.f1 or 0.0

    assert f1("careful", "exact") > 0.9
    assert f1("careful", "exact") > f1("label-mixer", "exact") > f1("off-by-some", "exact")
    assert f1("off-by-some", "relaxed") > 0.98, "its faults are all of boundaries"
