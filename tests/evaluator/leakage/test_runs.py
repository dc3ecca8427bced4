"""What leakage means for runs: strata of a small corpus counted by hand, and the tables of the paper's layout."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brat.model import Argument, Document, Relation, TextBound
from evaluator.criteria import Annotations
from evaluator.leakage.leakage import Leakage, find_leakage
from evaluator.leakage.runs import Known, paper_tables, score_run, stability
from evaluator.scores import Score
from evaluator.scoring import Scheme


def document(id_: str, text: str, *entities: tuple[str, str]) -> Document:
    bounds = []
    for number, (label, string) in enumerate(entities, 1):
        start = text.index(string)
        bounds.append(TextBound(f"T{number}", label, ((start, start + len(string)),), string))
    return Document(id_, tuple(bounds), text)


# Training knows salt as A only (entropy 0) and water as A and B (entropy log10 2 = .301); brine it has never seen.
TRAIN = {
    "a": document("a", "we took salt and water home", ("A", "salt"), ("A", "water")),
    "b": document("b", "then water came by", ("B", "water")),
}
# t1 is from the source of a and says much the same; t2 is new.
GOLD = {
    "t1": document("t1", "we took salt and water out", ("A", "salt"), ("A", "water")),
    "t2": document("t2", "brine froze", ("A", "brine")),
}
MEMORY = {
    "t1": document("t1", "we took salt and water out", ("A", "salt"), ("A", "water")),
    "t2": document("t2", "brine froze"),
}
READER = {
    "t1": document("t1", "we took salt and water out", ("A", "salt"), ("B", "water")),
    "t2": document("t2", "brine froze", ("A", "brine")),
}


@pytest.fixture
def found() -> Leakage:
    sources = {"train": {"a": "s1", "b": "s2"}, "test": {"t1": "s1", "t2": "s3"}}
    return find_leakage({"train": TRAIN, "test": GOLD}, sources)


def scores(found: Leakage, run: dict[str, Document]) -> list[Score]:
    return score_run(found, Known(documents=list(TRAIN.values())), GOLD, run, Scheme())


def counts(records: list[Score], stratification: str) -> dict[str, tuple[int, int, int]]:
    return {
        each.stratum: (each.counts.tp, each.counts.fp, each.counts.fn)
        for each in records
        if (each.stratification, each.labels, each.label) == (stratification, "fine", "all")
    }


def test_strata_counted_by_hand(found: Leakage) -> None:
    memory, reader = scores(found, MEMORY), scores(found, READER)

    assert counts(memory, "all") == {"all": (2, 0, 1)}
    assert counts(memory, "source") == {"seen": (2, 0, 0), "new": (0, 0, 1)}
    # Of t1's six words five are in a, which has six: 5 / 6 = .83, Q4. t2 shares none: Q1.
    assert counts(memory, "similarity") == {"Q4": (2, 0, 0), "Q1": (0, 0, 1)}
    assert counts(memory, "entropy") == {"S1": (1, 0, 0), "S3": (1, 0, 0), "S4": (0, 0, 1)}
    # Water with the wrong label: missed and spurious, both by the string water.
    assert counts(reader, "entropy") == {"S1": (1, 0, 0), "S3": (0, 1, 1), "S4": (1, 0, 0)}


def test_relations_have_strata_of_documents_too(found: Leakage) -> None:
    relation = Relation("R1", "NEAR", Argument("Arg1", "T1"), Argument("Arg2", "T2"))
    gold = GOLD | {"t1": replace(GOLD["t1"], annotations=(*GOLD["t1"].annotations, relation))}
    scheme = Scheme(annotations=(Annotations.ENTITIES, Annotations.RELATIONS))
    records = score_run(found, Known(documents=list(TRAIN.values())), gold, MEMORY, scheme)
    relations = [each for each in records if each.annotations == Annotations.RELATIONS]

    assert {each.stratification for each in relations} == {"all", "source", "similarity", "similarity-quartile"}
    assert counts(relations, "source") == {"seen": (0, 0, 1)}
    entities = [each for each in records if each.annotations == Annotations.ENTITIES]
    assert entities == scores(found, MEMORY)


def test_the_tables_of_the_paper(found: Leakage) -> None:
    runs = [("memory", scores(found, MEMORY)), ("reader", scores(found, READER))]
    tables = paper_tables(runs, "A")

    assert [each.title for each in tables] == [
        "F1 on source new",
        "Changes of F1 by similarity",
        "Changes of F1 by similarity-quartile",
        "Changes of F1 by entropy",
    ]
    # Memory: F .8 on the whole, 0 on what is new: 100 per cent less. Reader: 2/3 and 1.
    assert tables[0].rows[0].figures[:3] == (0, -0.8, 100)
    assert tables[0].rows[1].figures[:2] == (1, pytest.approx(1 / 3))
    ranks = {each.stratum: each for each in stability(runs, tables[3])}
    assert ranks["S4"].swaps == (("memory", "reader"),)
    assert ranks["S3"].swaps == ()


def test_a_group_that_is_not_there_is_told(found: Leakage) -> None:
    with pytest.raises(ValueError, match="COMPOUND is neither a label nor a group of labels; there are A"):
        paper_tables([("memory", scores(found, MEMORY))], "COMPOUND")
