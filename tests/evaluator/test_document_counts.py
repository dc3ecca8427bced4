"""Counts of documents are those of each document scored alone, and add up to the scores of all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from brat.model import Document
from evaluator.document_counts import count_documents
from evaluator.scores import ALL, Counts
from evaluator.scoring import Scheme, score
from tests.evaluator.linked import CRITERIA
from tests.evaluator.strata.test_linked import SCHEMES, corpora


@settings(max_examples=25, deadline=None)
@given(corpora(), st.sampled_from(SCHEMES))
def test_they_are_those_of_each_document_alone(both: tuple[dict[str, Document], dict[str, Document]], scheme: Scheme) -> None:
    gold, run = both
    scored = score(gold, run, CRITERIA, scheme)
    found = {
        (each.annotations.value, each.criterion): each
        for each in count_documents(gold, run, scored.tables, scored.matchings, scheme)
    }
    for number, id_ in enumerate(scored.tables.documents):
        alone = score({id_: gold[id_]}, {id_: run[id_]} if id_ in run else {}, CRITERIA, scheme)
        for (kind, criterion), each in found.items():
            expected = [
                one.counts
                for one in alone.scores
                if (one.annotations, one.span, one.labels, one.label)
                == (kind, criterion.span_name, criterion.labels.value, ALL)
            ]
            assert [Counts(*each.counts[number].tolist())] == (expected or [Counts()])
    totals = {(one.annotations, one.span, one.labels): one.counts for one in scored.scores if one.label == ALL}
    assert {(name, each.span_name, each.labels.value): one.total for (name, each), one in found.items()} == totals
