"""Bundles: the shipped ones with their samples, and what a bad one is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tasks
from brat.corpus import read_corpus
from brat.files import read_path
from brat.run import check_run
from evaluator.criteria import parse_criterion
from evaluator.scheme import gold_of_track, scheme_of
from evaluator.scoring import Scheme, score
from evaluator.task import Disclosure, Release
from evaluator.task_file import parse_task
from evaluator.toml_table import TaskError

BUNDLES = sorted(each.parent for each in Path(tasks.__file__).parent.glob("*/task.toml"))
CONF = "[entities]\nA\n\tB\n"
GOOD = """
id = "t"
version = "1"
title = "T"
[[tracks]]
id = "ner"
title = "NER"
[[phases]]
id = "dev"
title = "Dev"
split = "dev"
tracks = ["ner"]
"""


@pytest.mark.parametrize("folder", BUNDLES, ids=[each.name for each in BUNDLES])
def test_a_bundle_loads_and_explains_its_labels(folder: Path) -> None:
    definition = parse_task((folder / "task.toml").read_text(), (folder / "annotation.conf").read_text())

    assert definition.id == folder.name
    assert all(definition.labels.values())
    assert (folder / "README.md").is_file()


def test_the_sample_of_chemu_scores_as_expected() -> None:
    # sample/expected.json was counted by hand: of 9 gold and 8 predicted entities 5 agree in span and label; one more has
    # another fine label under the same high label; two more overlap.
    folder = Path(tasks.__file__).parent / "chemu2020"
    definition = parse_task((folder / "task.toml").read_text(), (folder / "annotation.conf").read_text())
    gold = read_corpus(read_path(folder / "sample" / "gold"))
    run = read_corpus(read_path(folder / "sample" / "run"), gold.texts)
    scored = score(gold.documents, run.documents, definition.criteria, Scheme(hierarchy=definition.hierarchy))
    found = {f"{s.span}-{s.labels}": [s.counts.tp, s.counts.fp, s.counts.fn] for s in scored.scores if s.label == "all"}

    assert (gold.problems, run.problems) == ((), ())
    assert found == json.loads((folder / "sample" / "expected.json").read_text())


@pytest.mark.parametrize("track", ["ee", "e2e"])
def test_the_steps_of_the_sample_score_as_expected(track: str) -> None:
    # sample-ee/expected.json was counted by hand: of 8 gold relations the run has one exactly right, three more where spans
    # may overlap, and one more with a compound of another label under the same high one. One is missed, one has the wrong
    # trigger, and one percentage is not there. BRATEval's CompareRelations gives the same two rows of fine labels.
    folder = Path(tasks.__file__).parent / "chemu2020"
    definition = parse_task((folder / "task.toml").read_text(), (folder / "annotation.conf").read_text())
    asked = definition.track(track)
    assert asked is not None
    gold = read_corpus(read_path(folder / "sample-ee" / "gold"))
    run = check_run(
        read_corpus(read_path(folder / "sample-ee" / "run"), gold.texts), gold.texts, definition.expectations(asked)
    )
    scored = score(
        gold_of_track(gold.documents, definition, asked), run.documents, definition.criteria, scheme_of(definition, asked)
    )
    found = {
        f"{s.annotations}-{s.span}-{s.labels}": [s.counts.tp, s.counts.fp, s.counts.fn]
        for s in scored.scores
        if s.label == "all" and s.annotations in ("triggers", "relations")
    }

    assert gold.problems == ()
    assert found == json.loads((folder / "sample-ee" / "expected.json").read_text())


def test_the_lab_of_chemu() -> None:
    # METHODS, section 1, tracks: phase 1 releases texts and takes tracks 1 and 3, phase 2 gold entities and takes track 2.
    folder = Path(tasks.__file__).parent / "chemu2020"
    definition = parse_task((folder / "task.toml").read_text(), (folder / "annotation.conf").read_text())

    assert [(each.tracks, each.releases, each.quota) for each in definition.phases] == [
        (("ner", "e2e"), Release.TEXT, 3),
        (("ee",), Release.ENTITIES, 3),
    ]
    assert [each.primary for each in definition.tracks] == ["entities", "relations", "relations"]
    assert definition.triggers == {"REACTION_STEP", "WORKUP"}


STEPS = """
[[tracks]]
id = "ee"
title = "EE"
given = ["text", "entities"]
asks = ["relations"]
"""
LINKED = CONF + "[relations]\nR\tArg1:A, Arg2:B\n"


def test_a_phase_hands_out_what_its_tracks_give() -> None:
    definition = parse_task(GOOD.replace('split = "dev"', 'split = "test"').replace('["ner"]', '["ee"]') + STEPS, LINKED)
    assert definition.phases[0].releases is Release.ENTITIES


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (GOOD + 'releases = "entities"', "the track ner asks for what the phase hands out"),
        (GOOD.replace('["ner"]', '["ee"]') + 'releases = "text"' + STEPS, "the track ee gives entities"),
        (GOOD.replace('["ner"]', '["ner", "ee"]') + STEPS, "the track ner asks for what the phase hands out"),
        (
            GOOD + 'open = true\n[[phases]]\nid = "two"\ntitle = "2"\nsplit = "test"\ntracks = ["ee"]\nopen = true' + STEPS,
            "phases.two: it releases what dev asks for (ner); expected it to open after",
        ),
        (GOOD + STEPS.replace('["text", "entities"]', '["entities"]'), "expected"),
        (GOOD + STEPS.replace('["text", "entities"]', '["text"]'), "relations hang on entities"),
        (GOOD + STEPS.replace('["relations"]', '["relations", "entities"]'), "that is not given"),
        (GOOD + STEPS.replace('["relations"]', '["triggers"]'), "has none in [events]"),
        (GOOD + STEPS.replace('["relations"]', '["attributes"]'), "expected something to be scored"),
    ],
)
def test_what_tracks_and_phases_cannot_be(toml: str, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        parse_task(toml.replace('split = "dev"', 'split = "test"'), LINKED)


def test_phases_in_order_by_their_dates() -> None:
    second = '\n[[phases]]\nid = "two"\ntitle = "2"\nsplit = "test"\ntracks = ["ee"]\nopens = {}' + STEPS
    first = GOOD.replace('split = "dev"', 'split = "test"') + "opens = 2026-01-01T00:00:00Z\ncloses = 2026-02-01T00:00:00Z"
    assert parse_task(first + second.format("2026-02-01T00:30:00Z"), LINKED).phases[1].opens is not None
    with pytest.raises(TaskError, match="expected it to open after that phase has closed"):
        parse_task(first + second.format("2026-02-01T00:29:00Z"), LINKED)


def test_the_hierarchy_of_chemu_is_that_of_the_paper() -> None:
    # METHODS, section 1, from the paper's Table 2 and Figure 7.
    folder = Path(tasks.__file__).parent / "chemu2020"
    hierarchy = parse_task((folder / "task.toml").read_text(), (folder / "annotation.conf").read_text()).hierarchy

    assert {group: hierarchy.members(group, hierarchy.parents)[1:] for group in hierarchy.groups} == {
        "COMPOUND": ["STARTING_MATERIAL", "REAGENT_CATALYST", "REACTION_PRODUCT", "SOLVENT", "OTHER_COMPOUND"],
        "CONDITION": ["TIME", "TEMPERATURE"],
        "YIELD": ["YIELD_PERCENT", "YIELD_OTHER"],
    }
    assert hierarchy.topmost("EXAMPLE_LABEL") == "EXAMPLE_LABEL"


def test_defaults() -> None:
    definition = parse_task(GOOD, CONF)

    assert [each.name for each in definition.criteria] == ["exact-fine", "relaxed-fine", "exact-high", "relaxed-high"]
    assert definition.phases[0].tells is Disclosure.FULL
    blind = parse_task(GOOD.replace('split = "dev"', 'split = "test"'), CONF)
    assert blind.phases[0].tells is Disclosure.NOTHING


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "t"', "", "id is missing"),
        ('id = "t"', 'id = "T T"', "id: expected lower-case"),
        ('version = "1"', "version = 1", "version: expected str, found 1"),
        ('version = "1"', 'version = "1"\ncolour = "red"', "unknown key colour"),
        ('tracks = ["ner"]', 'tracks = ["re"]', "phases.dev.tracks: expected some of ner"),
        ('tracks = ["ner"]', 'tracks = ["ner"]\ntells = "all"', "tells: expected one of full, headline, nothing"),
        ('title = "NER"', 'title = "NER"\nasks = ["cats"]', "cats is not one of"),
        ('title = "NER"', 'title = "NER"\nlabels = ["Z"]', "Z is not an entity of annotation.conf"),
        ("[[tracks]]", '[scoring]\nspans = ["near"]\n[[tracks]]', '"near" is not exact'),
        ("[[tracks]]", '[scoring]\nerrors = ["oops"]\n[[tracks]]', "oops is not a warning"),
        ("[[tracks]]", "[scoring\n[[tracks]]", "task.toml:"),
        ("[[tracks]]", '[labels]\nQ = "?"\n[[tracks]]', "unknown key Q"),
    ],
)
def test_what_a_bad_bundle_is_told(old: str, new: str, message: str) -> None:
    with pytest.raises(TaskError, match=message.replace("[", "\\[")):
        parse_task(GOOD.replace(old, new), CONF)


def test_a_conf_with_a_bad_line_is_told() -> None:
    with pytest.raises(TaskError, match=r"annotation\.conf:3:3"):
        parse_task(GOOD, "[entities]\nA\n\t\tB\n")


EVENTFUL = "[entities]\nP\nQ\n[relations]\nRR\tArg1:BIND, Arg2:P\n[events]\nBIND\tTheme:<ANY>, Cause?:<ANY>\n"
NESTED = (
    "T1\tP 0 4\tabcd\nT2\tQ 5 9\tefgh\nT3\tBIND 10 14\tijkl\nT4\tBIND 15 19\tmnop\n"
    "E1\tBIND:T3 Theme:T1 Cause:T2\nE2\tBIND:T4 Theme:E1\nR1\tRR Arg1:E1 Arg2:T1\n"
)


@pytest.mark.parametrize(
    "track",
    [
        'asks = ["entities", "events"]\nlabels = ["P"]',
        'asks = ["entities", "relations"]',
        'given = ["text", "entities"]\nasks = ["relations"]',
        'given = ["text", "entities"]\nasks = ["triggers", "relations", "events"]',
    ],
)
def test_gold_against_gold_is_right_in_every_track(track: str) -> None:
    # Gold was cut by labels alone and a run by kinds and by what rests on them: a perfect run missed relations to events.
    definition = parse_task(GOOD.replace('title = "NER"', 'title = "NER"\n' + track), EVENTFUL)
    asked = definition.tracks[0]
    files = {"d.txt": b"abcd efgh ijkl mnop", "d.ann": NESTED.encode()}
    gold = read_corpus(files)
    run = check_run(read_corpus(files, gold.texts), gold.texts, definition.expectations(asked))
    scored = score(
        gold_of_track(gold.documents, definition, asked), run.documents, definition.criteria, scheme_of(definition, asked)
    )
    totals = [each.counts for each in scored.scores if each.label == "all"]

    assert totals
    assert all((each.fp, each.fn) == (0, 0) for each in totals)


def test_a_trigger_is_no_partner_of_an_entity() -> None:
    # Under any labels, the entity on the trigger's span came first by its name and took the run's only trigger.
    definition = parse_task(GOOD + STEPS.replace('["relations"]', '["triggers", "relations"]'), TRIGGERED)
    gold = read_corpus(
        {"d.txt": b"abcd efgh", "d.ann": b"T1\tSTEP 0 4\tabcd\nT2\tA 0 4\tabcd\nT3\tA 5 9\tefgh\nR1\tR Arg1:T1 Arg2:T3\n"}
    )
    run = read_corpus({"d.ann": b"T1\tWORK 0 4\tabcd\nT3\tA 5 9\tefgh\nR1\tR Arg1:T1 Arg2:T3\n"}, gold.texts)
    asked = definition.tracks[1]
    scored = score(gold.documents, run.documents, [parse_criterion("exact", "any")], scheme_of(definition, asked))
    found = {s.annotations: (s.counts.tp, s.counts.fp, s.counts.fn) for s in scored.scores if s.label == "all"}

    assert found == {"triggers": (1, 0, 0), "arguments": (1, 0, 0), "relations": (1, 0, 0)}


TRIGGERED = "[entities]\nA\nB\n[relations]\nR\tArg1:STEP|WORK, Arg2:A\n[events]\nSTEP\nWORK\n"
