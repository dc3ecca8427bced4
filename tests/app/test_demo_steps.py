"""The steps of the demonstration corpus hang on its texts and entities without changing them, and runs err in them."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import tasks
from app.demo.corpus import SEED, DemoCorpus, generate
from app.demo.runs import MEMORISER, SYSTEMS, TRACKS, pack_run, predict
from app.demo.setup import write_corpus
from app.demo.steps import ROLES, TRIGGERS, add_steps, entities_of
from brat.conf import parse_conf
from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Document, Fragment, Relation, TextBound
from brat.write import write

BEFORE_STEPS = "af12c61a816376931dc4df5bc6650d346a7c430050dedc50f97ac947c46cac55"
RUNS_BEFORE_STEPS = "b9de29f768f16cd2807940b1a2d3de14fd540ac9a145d97f658b5ab140f426ba"
Said = tuple[str, tuple[Fragment, ...]]


@pytest.fixture(scope="module")
def corpus() -> DemoCorpus:
    return generate()


def relations(document: Document) -> Iterator[tuple[Relation, TextBound, TextBound]]:
    """Each relation with its trigger and its entity."""
    bounds = {each.id: each for each in document.text_bounds}
    for each in document.annotations:
        if isinstance(each, Relation):
            yield each, bounds[each.first.target], bounds[each.second.target]


def entities(documents: Mapping[str, Document]) -> dict[str, list[Said]]:
    """Label and place of every entity, by document, in order."""
    return {
        id_: sorted((e.label, e.fragments) for e in each.text_bounds if e.label not in TRIGGERS)
        for id_, each in documents.items()
    }


def triggers(documents: Mapping[str, Document]) -> Counter[tuple[str, Said]]:
    return Counter(
        (id_, (e.label, e.fragments)) for id_, each in documents.items() for e in each.text_bounds if e.label in TRIGGERS
    )


def pairs(documents: Mapping[str, Document]) -> Counter[tuple[str, str, Said, Said]]:
    """Every relation by what it says, whatever the ids."""
    return Counter(
        (id_, r.label, (trigger.label, trigger.fragments), (entity.label, entity.fragments))
        for id_, each in documents.items()
        for r, trigger, entity in relations(each)
    )


def said(document: Document) -> list[str]:
    return [f"{trigger.text} {r.label} {entity.text}" for r, trigger, entity in relations(document)]


def test_texts_and_entities_are_those_from_before_there_were_steps(corpus: DemoCorpus) -> None:
    # Runs, boards and lessons that were made with the corpus stay valid only while its texts and entities do. The digests
    # were taken from the generator as it was without steps.
    digest = hashlib.sha256()
    for documents in corpus.splits.values():
        for id_, each in documents.items():
            digest.update(f"{id_}\n{each.text}\n{write(entities_of(each))}".encode())
    assert digest.hexdigest() == BEFORE_STEPS

    digest = hashlib.sha256()
    for system in SYSTEMS:
        for split in ("dev", "test", "test-2"):
            with zipfile.ZipFile(io.BytesIO(pack_run(system, split, corpus, SEED))) as packed:
                for name in packed.namelist():
                    digest.update(packed.read(name))
    assert digest.hexdigest() == RUNS_BEFORE_STEPS


def test_every_relation_joins_a_trigger_and_an_entity_of_its_sentence(corpus: DemoCorpus) -> None:
    for split, documents in corpus.splits.items():
        found = 0
        for id_, each in documents.items():
            text = each.text or ""
            for relation, trigger, entity in relations(each):
                found += 1
                assert trigger.label in TRIGGERS
                assert ROLES[entity.label] == relation.label
                first, last = sorted((trigger.fragments[0], entity.fragments[0]))
                between = text[first[1] : last[0]]
                assert not re.search(r"\n|\. ", between), id_
        assert found >= 100, split


def test_counts(corpus: DemoCorpus) -> None:
    everything = [each for documents in corpus.splits.values() for each in documents.values()]
    labels = Counter(bound.label for each in everything for bound in each.text_bounds if bound.label in TRIGGERS)
    assert labels == {"REACTION_STEP": 1005, "WORKUP": 500}
    assert Counter(r.label for each in everything for r, _, _ in relations(each)) == {"ARG1": 1612, "ARGM": 621}


def test_ids_go_on_from_those_of_the_entities(corpus: DemoCorpus) -> None:
    for document in corpus.splits["train"].values():
        bounds = list(document.text_bounds)
        assert [each.id for each in bounds] == [f"T{number}" for number in range(1, len(bounds) + 1)]
        assert {each.label for each in bounds[len(list(entities_of(document).text_bounds)) :]} <= set(TRIGGERS)
        assert [r.id for r, _, _ in relations(document)] == [f"R{n}" for n in range(1, len(said(document)) + 1)]


def test_a_sentence_with_two_triggers_shares_its_entities_between_them(corpus: DemoCorpus) -> None:
    document = corpus.splits["train"]["0004"]
    assert said(document)[:5] == [
        "took ARG1 2-fluoroquinoline-5-carbonitrile",
        "took ARG1 1,4-dioxane",
        "let ARG1 CuI",
        "held ARGM -38 °C",
        "stirred ARGM 3 h",
    ]


def test_no_step_in_the_title_nor_where_nothing_is_done() -> None:
    bounds = (TextBound("T1", "REACTION_PRODUCT", ((7, 12),), "ethyl"), TextBound("T2", "TIME", ((35, 38),), "2 h"))
    document = Document("a", bounds, "poured ethyl stirred\nAnd so, after 2 h no ethyl was left. Stirring went on.")
    assert [each.text for each in add_steps(document).text_bounds] == ["ethyl", "2 h", "Stirring"]
    assert said(add_steps(document)) == []


def test_nested_and_discontinuous_entities(corpus: DemoCorpus) -> None:
    everything = {id_: each for documents in corpus.splits.values() for id_, each in documents.items()}
    for id_ in corpus.planted.discontinuous:
        linked = [entity for _, _, entity in relations(everything[id_])]
        assert sum(len(each.fragments) > 1 for each in linked) == 1
        assert sum("bromo" in (each.text or "") and (each.text or "").startswith("3-") for each in linked) >= 1
    salts = 0
    for id_ in corpus.planted.nested:
        linked = [entity for _, trigger, entity in relations(everything[id_]) if trigger.text in ("left", "Obtained")]
        salts += sum((each.text or "").startswith("hydrochloride of ") for each in linked)
        assert all(each.label != "STARTING_MATERIAL" for each in linked), "a step makes the salt, not the base inside it"
    assert salts


@pytest.mark.parametrize("system", list(SYSTEMS))
def test_runs_are_sound_and_keep_to_their_entities(corpus: DemoCorpus, system: str) -> None:
    gold = corpus.splits["test"]
    runs = {track: predict(system, gold, corpus.about, SEED, track) for track in TRACKS}
    for track, run in runs.items():
        read = read_corpus({f"{id_}.ann": write(each).encode() for id_, each in run.items()}, {i: gold[i].text for i in gold})
        assert read.problems == ()
        assert bool(pairs(run)) == bool(triggers(run)) == (track != "ner")
        assert predict(system, gold, corpus.about, SEED, track) == run
    assert entities(runs["ee"]) == entities(gold)
    assert entities(runs["e2e"]) == entities(runs["ner"]) != entities(gold)


def test_the_faults_of_each_system(corpus: DemoCorpus) -> None:
    gold = corpus.splits["train"]
    runs = {system: predict(system, gold, corpus.about, 1, "ee") for system in SYSTEMS}
    steps, links = triggers(gold), pairs(gold)

    careful = runs["careful"]
    lost = steps - triggers(careful)
    assert lost
    assert triggers(careful) < steps
    assert {(id_, trigger) for id_, _, trigger, _ in links - pairs(careful)} == set(lost)

    moved = runs["off-by-some"]
    assert Counter(id_ for id_, _ in triggers(moved)) == Counter(id_ for id_, _ in steps)
    assert triggers(moved) != steps
    assert all(ROLES[entity.label] == r.label for each in moved.values() for r, _, entity in relations(each))

    mixed = runs["label-mixer"]
    places = [Counter((id_, fragments) for id_, (_, fragments) in triggers(each)) for each in (mixed, gold)]
    assert places[0] == places[1]
    assert any(ROLES[entity.label] != r.label for each in mixed.values() for r, _, entity in relations(each))
    ends = [Counter((id_, t[1], e) for id_, _, t, e in pairs(each)) for each in (mixed, gold)]
    assert ends[0] == ends[1]


def test_an_e2e_run_loses_the_relations_of_what_it_lost_and_no_other(corpus: DemoCorpus) -> None:
    gold = corpus.splits["train"]
    run = predict("careful", gold, corpus.about, 1, "e2e")
    kept, lost = entities(run), triggers(gold) - triggers(run)
    missing = pairs(gold) - pairs(run)
    assert pairs(run) < pairs(gold)
    assert all(entity not in kept[id_] or (id_, trigger) in lost for id_, _, trigger, entity in missing)
    assert any((id_, trigger) not in lost for id_, _, trigger, _ in missing)


def test_the_folder_has_runs_of_every_track(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    names = {each.name for each in (tmp_path / "runs").iterdir()}
    assert names == {
        f"{system}-{split}{track}.zip"
        for system in SYSTEMS
        for split in ("dev", "test", "test-2")
        for track in ("", "-ee", "-e2e")
    } | {f"{MEMORISER}-{split}.zip" for split in ("dev", "test", "test-2")}
    assert "REACTION_STEP" in (tmp_path / "train" / "0004.ann").read_text("utf-8")


@pytest.mark.parametrize("task", ["demo", "chemu2020"])
def test_relations_have_the_arguments_that_the_tasks_allow(corpus: DemoCorpus, task: str) -> None:
    folder = Path(tasks.__file__).parent / task
    configuration, problems = parse_conf((folder / "annotation.conf").read_text("utf-8"))
    allowed = {node.label: dict(node.arguments) for node in configuration.relations}
    assert problems == []
    assert [node.label for node in configuration.events] == list(TRIGGERS)
    documents = [each for split in corpus.splits.values() for each in split.values()]
    if (folder / "sample-ee").is_dir():
        gold = read_corpus(read_path(folder / "sample-ee" / "gold"))
        run = read_corpus(read_path(folder / "sample-ee" / "run"), gold.texts)
        assert (gold.problems, run.problems) == ((), ())
        documents += [*gold.documents.values(), *run.documents.values()]
    for document in documents:
        for relation, trigger, entity in relations(document):
            assert trigger.label in allowed[relation.label]["Arg1"]
            assert entity.label in allowed[relation.label]["Arg2"]
