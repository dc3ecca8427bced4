"""Candidates for faults in gold: each kind by hand, and thirty planted ones in the demonstration."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from app.demo.corpus import generate
from brat.model import Document, TextBound
from evaluator.analysis.difficulty import find_difficulty
from evaluator.analysis.gold_faults import Candidate, Fault, find_faults

TRIGGERS = frozenset({"REACTION_STEP", "WORKUP"})
Bound = tuple[str, str]
Place = tuple[str, tuple[int, int]]


def document(text: str, *bounds: Bound, id_: str = "d") -> Document:
    """The first places of these strings, with labels."""
    made, at = [], 0
    for number, (string, label) in enumerate(bounds, 1):
        start = text.index(string, at)
        at = start + len(string)
        made.append(TextBound(f"T{number}", label, ((start, at),), string))
    return Document(id_, tuple(made), text)


def kinds(*documents: Document) -> list[tuple[Fault, str, str, str]]:
    found = find_faults({each.id: each for each in documents})
    return [(each.kind, each.text, each.label, each.instead) for each in found]


def test_another_label_and_none() -> None:
    one = document("lye, lye, lye, lye, lye", ("lye", "X"), ("lye", "X"), ("lye", "X"), ("lye", "Y"))
    assert kinds(one) == [(Fault.LABEL, "lye", "Y", "X"), (Fault.MISSING, "lye", "O", "X")]
    other = document("lye or lye or lye or", ("lye", "X"), id_="e")
    assert kinds(other) == [(Fault.EXTRA, "lye", "X", "O")]
    assert kinds(document("lye and lye", ("lye", "X"))) == [], "one against one says nothing"


def test_other_boundaries() -> None:
    whole = document("acetic acid, acetic acid, acetic acid.", *[("acetic acid", "X")] * 3)
    short = document("some acetic acid was", ("acid", "X"), id_="e")
    assert kinds(whole, short) == [(Fault.BOUNDARY, "acid", "X", "X acetic acid")]
    usual = document("acid, acid, acid and nitric acid", *[("acid", "X")] * 3, ("nitric acid", "X"), id_="e")
    assert kinds(usual) == [], "a longer name has its own right"


def test_a_coordination_that_is_cut_short() -> None:
    text = "Levels of LMP1 and 2, of LMP3 and 4, and of acid and 7"
    one = document(text, ("LMP1", "X"), ("LMP3 and 4", "X"), ("acid", "X"))
    assert kinds(one) == [(Fault.COORDINATION, "LMP1", "X", "X LMP1 and 2")]


def test_what_most_runs_say() -> None:
    gold = {"d": document("lye was mixed with oil", ("lye", "X"))}
    runs = {str(i): {"d": document("lye was mixed with oil", ("lye", "Y"), ("oil", "X"))} for i in range(3)}
    runs["3"] = gold
    assert find_faults(gold) == []
    found = find_faults(gold, (), find_difficulty(gold, {key: runs[key] for key in "012"}))
    assert [(each.kind, each.text, each.instead) for each in found] == [
        (Fault.RUNS, "lye", "Y lye"), (Fault.RUNS, "oil", "X")
    ]  # fmt: skip
    assert [each.text for each in find_faults(gold, (), find_difficulty(gold, runs))] == ["oil"], "a run that is right speaks"


def test_thirty_planted_faults_are_found() -> None:
    """Labels changed, annotations dropped and cut, of strings that occur four times or more: precision at 30, and recall."""
    clean = generate().splits["train"]
    planted, faulty = plant(clean, random.Random(1))
    found = find_faults(faulty, TRIGGERS)
    hits = [any(overlap(each, place) for place in planted) for each in found[:30]]
    assert sum(hits) / 30 >= 0.9
    recalled = [any(overlap(each, place) for each in found) for place in planted]
    assert sum(recalled) / 30 >= 0.9


def overlap(candidate: Candidate, place: Place) -> bool:
    document, (start, end) = place
    return candidate.document == document and any(a < end and start < b for a, b in candidate.fragments)


def plant(
    documents: dict[str, Document], source: random.Random
) -> tuple[list[tuple[str, tuple[int, int]]], dict[str, Document]]:
    def plain(one: Document) -> list[TextBound]:
        return [each for each in one.text_bounds if each.label not in TRIGGERS and len(each.fragments) == 1]

    counts = Counter((each.text, each.label) for one in documents.values() for each in plain(one))
    labels = sorted({label for _, label in counts})
    often = [(id_, each) for id_, one in documents.items() for each in plain(one) if counts[each.text, each.label] >= 4]
    faulty, places = dict(documents), []
    for number, (id_, bound) in enumerate(source.sample(often, 30)):
        start, end = bound.fragments[0]
        first = (bound.text or "").split()[0]
        changed: TextBound | None = None
        if number % 3 == 0:
            changed = replace(bound, label=source.choice([each for each in labels if each != bound.label]))
        elif number % 3 == 1 and len(first) < end - start:
            changed = replace(bound, fragments=((start, start + len(first)),), text=first)
        kept = (changed if each is bound else each for each in faulty[id_].annotations)
        faulty[id_] = replace(faulty[id_], annotations=tuple(each for each in kept if each is not None))
        places.append((id_, (start, end)))
    return places, faulty
