"""Bundles: the shipped ones with their samples, and what a bad one is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tasks
from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.scoring import score
from evaluator.task import Disclosure, parse_task
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
    scored = score(gold.documents, run.documents, definition.criteria, definition.hierarchy)
    found = {f"{s.span}-{s.labels}": [s.counts.tp, s.counts.fp, s.counts.fn] for s in scored.scores if s.label == "all"}

    assert (gold.problems, run.problems) == ((), ())
    assert found == json.loads((folder / "sample" / "expected.json").read_text())


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
        ('title = "NER"', 'title = "NER"\nlabels = ["Z"]', "Z is not in annotation.conf"),
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
