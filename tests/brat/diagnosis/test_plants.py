"""Every fault that is named, planted in real runs: it is found first, and the corrected run is the run before.

The right answer is the run as it was before the fault was planted: the sample run of ChEMU, and the gold of ProfNER, whose
texts have emoji.
"""

from __future__ import annotations

from functools import cache

import pytest

from brat.corpus import read_corpus
from brat.diagnosis.explain import Diagnosis, diagnose
from brat.diagnosis.repair import repair
from brat.files import read_path
from tests.brat.diagnosis.plants import (
    COUNTS,
    PAIRS,
    REWRITINGS,
    Documents,
    as_files,
    count_otherwise,
    disturb,
    join_texts,
    widen,
)
from tests.shared import shared

CORPORA = ("chemu", "profner")
NOT_THERE = {("chemu", "utf16-units"), ("chemu", "nfd"), ("chemu", "nfc")}
"""The texts of ChEMU have no character that these would count otherwise."""


@cache
def documents_of(corpus: str) -> Documents:
    if corpus == "profner":
        found = read_corpus(read_path(shared("data/profner/gold"))).documents
        return {id_: each for id_, each in found.items() if each.text is not None}
    texts = read_corpus(read_path(shared("data/chemu-sample/ner/gold"))).texts
    run = {name: data for name, data in read_path(shared("data/chemu-sample/ner/run")).items() if name.endswith(".ann")}
    return dict(read_corpus(run, texts).documents)


def find_and_repair(wrong: Documents) -> tuple[Diagnosis, Documents]:
    texts = {id_: each.text or "" for id_, each in wrong.items()}
    files = as_files(wrong)
    found = diagnose(read_corpus(files, texts).documents.values())
    if not found.hypotheses:
        return found, wrong
    return found, dict(read_corpus(repair(files, texts, found.hypotheses[0]).files, texts).documents)


def differing(one: Documents, two: Documents, without: set[tuple[str, str]] = frozenset()) -> list[tuple[str, str]]:  # type: ignore[assignment]
    """The spans, by document and id, that are not the same in both."""
    return [
        (id_, each.id)
        for id_, document in one.items()
        for each, other in zip(document.text_bounds, two[id_].text_bounds, strict=True)
        if each != other and (id_, each.id) not in without
    ]


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_run_without_a_fault_has_no_diagnosis(corpus: str) -> None:
    assert diagnose(documents_of(corpus).values()).explanations == ()


@pytest.mark.parametrize(("corpus", "fault"), [(c, f) for c in CORPORA for f in COUNTS if (c, f) not in NOT_THERE])
def test_another_way_of_counting_is_named_and_undone(corpus: str, fault: str) -> None:
    code, start, end = COUNTS[fault]
    before = documents_of(corpus)
    found, repaired = find_and_repair(count_otherwise(before, start, end))

    assert found.explanations[0].code == code
    # Five spans of the ChEMU run have text columns of their own; nothing can explain those.
    assert found.explanations[0].of - found.explanations[0].explained <= (5 if corpus == "chemu" else 0)
    assert differing(before, repaired) == []


@pytest.mark.parametrize(("corpus", "fault"), [(c, f) for c in CORPORA for f in COUNTS if (c, f) not in NOT_THERE])
def test_it_is_named_and_undone_among_other_errors(corpus: str, fault: str) -> None:
    code, start, end = COUNTS[fault]
    before = documents_of(corpus)
    wrong, touched = disturb(count_otherwise(before, start, end), 0.1)
    found, repaired = find_and_repair(wrong)

    assert len(touched) > 60
    assert found.explanations[0].code == code
    assert differing(before, repaired, touched) == []


@pytest.mark.parametrize("fault", PAIRS)
def test_two_faults_at_once_are_named_and_undone(fault: str) -> None:
    code, start, end = PAIRS[fault]
    before = documents_of("profner")
    found, repaired = find_and_repair(count_otherwise(before, start, end))

    assert found.explanations[0].code == code
    assert differing(before, repaired) == []


def test_offsets_in_joined_texts_are_a_shift_for_each_document() -> None:
    before = documents_of("chemu")
    found, repaired = find_and_repair(join_texts(before))

    assert found.explanations[0].code == "shift"
    assert len(differing(before, repaired)) <= 5  # spans whose text columns were odd before


@pytest.mark.parametrize(("corpus", "fault"), [(c, f) for c in CORPORA for f in REWRITINGS if (c, f) not in NOT_THERE])
def test_another_text_is_named_and_its_offsets_are_brought_back(corpus: str, fault: str) -> None:
    rewriting = REWRITINGS[fault]
    right, wrong = rewriting.apply(documents_of(corpus))
    found, repaired = find_and_repair(wrong)

    assert found.explanations[0].code == rewriting.code
    assert differing(right, repaired) == []


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(("code", "characters"), [("surrounding-blanks", " \n"), ("surrounding-punctuation", ".,;:()[]#@ ")])
def test_what_surrounds_spans_is_named_and_taken_off(corpus: str, code: str, characters: str) -> None:
    before = documents_of(corpus)
    odd = {
        (id_, each.id)
        for id_, each in ((id_, one) for id_, d in before.items() for one in d.text_bounds)
        if _is_odd(before, id_, each.id)
    }
    found, repaired = find_and_repair(widen(before, characters))

    assert found.explanations[0].code == code
    assert differing(before, repaired, odd) == []


def _is_odd(documents: Documents, id_: str, span_id: str) -> bool:
    text = documents[id_].text or ""
    each = next(one for one in documents[id_].text_bounds if one.id == span_id)
    return " ".join(text[start:end] for start, end in each.fragments) != each.text


def test_half_of_the_documents_may_be_right() -> None:
    before = documents_of("chemu")
    code, start, end = COUNTS["utf8-bytes"]
    wrong = count_otherwise({id_: each for number, (id_, each) in enumerate(before.items()) if number % 2}, start, end)
    found, repaired = find_and_repair({**before, **wrong})

    assert found.explanations[0].code == code
    assert differing(before, repaired) == []


@pytest.mark.parametrize(
    "corpus", ["ddi2013/train", "ddi2013/test", "chemu-sample/ee/gold", "brat-corpora/wlp", "brat-corpora/risec"]
)
def test_no_real_corpus_gets_a_diagnosis(corpus: str) -> None:
    documents = read_corpus(read_path(shared("data") / corpus)).documents.values()

    assert diagnose(documents).explanations == ()


@pytest.mark.parametrize("run", ["racai-bl", "racai-c1", "racai-c4"])
def test_no_real_run_gets_a_diagnosis(run: str) -> None:
    texts = {}
    for name in ("train-set", "dev-set"):
        texts |= read_corpus(read_path(shared(f"data/pharmaconer/{name}.zip"))).texts
    documents = read_corpus(read_path(shared(f"data/pharmaconer/runs/{run}.zip")), texts).documents

    assert len(documents) == 750
    assert diagnose(documents.values()).explanations == ()
