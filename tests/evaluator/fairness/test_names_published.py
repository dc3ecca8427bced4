"""The published outputs of five taggers give the published rates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brat.files import read_bytes
from evaluator.fairness.census import Census, Sex, read_census
from evaluator.fairness.frequent_names import count_labels
from evaluator.fairness.name_errors import Rule, TaggedNames, score_names
from evaluator.fairness.name_predictions import Wanted, read_predictions
from evaluator.fairness.names_in_data import distinct_names, find_names
from evaluator.fairness.packed import unpack_xz
from tests.shared import shared

SYSTEMS = ("coreNLP", "flair", "spacy_small", "spacy_medium", "spacy_large")
RATES = [f"type{error}_{weight}" for error in (1, 2, 3) for weight in ("weighted", "unweighted")]


@pytest.fixture(scope="module")
def census() -> Census:
    return read_census(shared("data", "names", "ssa-1880-2018.csv.xz"))


@pytest.fixture(scope="module")
def published(census: Census) -> dict[tuple[str, str], TaggedNames]:
    path: Path = shared("data", "names-in-context", "template-4.tar.xz")
    files = read_bytes(unpack_xz(path.read_bytes()), "template-4.tar")
    found = read_predictions(files, census, Wanted(years=frozenset({2018})), "template-4")
    assert {each.template for each in found} == {"4"}
    return {(each.system, each.sex.value): each for each in found}


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, dict[str, object]]]:
    value = json.loads(shared("data", "names-in-context", "expected-template-4-2018.json").read_text())
    systems: dict[str, dict[str, dict[str, object]]] = value["systems"]
    assert set(systems) == set(SYSTEMS)
    return systems


@pytest.mark.parametrize("sex", list(Sex))
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_six_rates_of_each_system_and_sex_to_full_precision(
    published: dict[tuple[str, str], TaggedNames], expected: dict[str, dict[str, dict[str, object]]], system: str, sex: Sex
) -> None:
    score = score_names(published[system, sex], Rule())
    wanted = expected[system][sex]

    assert score.rates() == {each: wanted[each] for each in RATES}  # five systems × two sexes × six: all 60
    assert score.counts.names == wanted["n_names"]
    assert score.counts.frequency == wanted["total_count"]
    assert (score.counts.names_2, score.counts.names_3) == (wanted["n_type2"], wanted["n_type3"])
    assert (score.counts.frequency_2, score.counts.frequency_3) == (wanted["w_type2"], wanted["w_type3"])


@pytest.mark.parametrize("sex", list(Sex))
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_labels_of_each_system_and_sex(
    published: dict[tuple[str, str], TaggedNames], expected: dict[str, dict[str, dict[str, object]]], system: str, sex: Sex
) -> None:
    found = {each.label: each.names for each in count_labels([published[system, sex]])}
    labels = expected[system][sex]["labels"]
    assert isinstance(labels, dict)

    # Flair's spans are called PER-span there, and what is not tagged ""
    assert found == {label.removesuffix("-span") or "–": count for label, count in labels.items()}


def test_charlotte_is_a_place_to_flair(published: dict[tuple[str, str], TaggedNames]) -> None:
    names = published["flair", "female"]

    assert names.labels[names.names.index("Charlotte")] == ("LOC",)  # the paper's introduction


def test_the_census_has_more_different_female_names(census: Census) -> None:
    (found,) = find_names(distinct_names(census), {})

    # Bias in Data: 62 % of the different names are female, 38 % male
    assert found.female_share is not None
    assert found.male_share is not None
    assert (round(100 * found.female_share), round(100 * found.male_share)) == (62, 38)
