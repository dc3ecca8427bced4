"""Errors on names, by hand: rates, weights, differences, names in error, version bias."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.fairness.census import Sex
from evaluator.fairness.frequent_names import count_labels, names_in_error
from evaluator.fairness.name_errors import (
    ErrorCounts,
    ErrorType,
    Labels,
    Rule,
    TaggedNames,
    Target,
    add_up,
    differences,
    score_names,
)
from evaluator.fairness.name_report import compare, describe, rates_by_year
from evaluator.fairness.name_tables import rate_tables
from evaluator.fairness.name_versions import Change, changed_names, rate_changes, shared, version_bias

ONE, TWO, THREE = ErrorType
RULE = Rule()


def tagged(
    names: Mapping[str, tuple[int, str]], sex: Sex = Sex.FEMALE, *, year: int = 2000, system: str = "A", template: str = "4"
) -> TaggedNames:
    """Names with their frequency and labels, as in `{"Emma": (60, "PERSON")}`."""
    return TaggedNames(
        system=system,
        template=template,
        year=year,
        sex=sex,
        names=tuple(names),
        counts=np.array([count for count, _ in names.values()], dtype=np.int64),
        labels=tuple(tuple(labels.split()) for _, labels in names.values()),
    )


WOMEN = tagged({"Emma": (50, "PERSON"), "Paris": (30, "GPE"), "Lily": (15, ""), "Sofia": (5, "LOC ORG")})
MEN = tagged({"Liam": (70, "PER"), "Noah": (20, "person"), "Mason": (10, "ORG")}, Sex.MALE)


def test_six_rates_by_hand() -> None:
    score = score_names(WOMEN, RULE)

    # of 4 names Paris and Sofia have a wrong tag, Lily none; of 100 people 30 + 5 and 15
    assert score.rates() == {
        "type1_unweighted": 3 / 4,
        "type1_weighted": 50 / 100,
        "type2_unweighted": 2 / 4,
        "type2_weighted": 35 / 100,
        "type3_unweighted": 1 / 4,
        "type3_weighted": 15 / 100,
    }
    assert score_names(MEN, RULE).rates() == {
        "type1_unweighted": 1 / 3,
        "type1_weighted": 10 / 100,
        "type2_unweighted": 1 / 3,
        "type2_weighted": 10 / 100,
        "type3_unweighted": 0,
        "type3_weighted": 0,
    }
    assert score.to_json() == {
        "system": "A", "template": "4", "year": 2000, "sex": "female", "target": "person", "names": 4, "frequency": 100,
        "type1_names": 3, "type1_frequency": 50, "type2_names": 2, "type2_frequency": 35, "type3_names": 1,
        "type3_frequency": 15, **score.rates(),
    }  # fmt: skip


def test_a_name_under_several_labels_is_right_if_one_of_them_is() -> None:
    assert RULE.judge(("ORG", "PER")) is None
    assert RULE.judge(("ORG", "GPE")) is TWO
    assert RULE.judge(("PERCENT",)) is TWO  # not a person, though it starts with PER
    assert RULE.judge(()) is THREE
    assert Rule(labels=frozenset({"NAME"})).judge(("PER",)) is TWO


def test_for_chemicals_only_type_2_has_a_meaning() -> None:
    any_label, some = Rule(target=Target.CHEMICAL, labels=frozenset()), Rule(target=Target.CHEMICAL, labels=frozenset({"DRUG"}))
    names = tagged({"Emma": (50, ""), "Viagra": (30, "DRUG"), "Lily": (20, "PERSON")})

    # Viagra and Lily are tagged as something, which without labels is a chemical: 2 of 3 names, 50 of 100 people
    assert score_names(names, any_label).rates() == {
        "type1_unweighted": None, "type1_weighted": None, "type2_unweighted": 2 / 3, "type2_weighted": 0.5,
        "type3_unweighted": None, "type3_weighted": None,
    }  # fmt: skip
    assert score_names(names, some).rate(TWO, weighted=True) == 0.3
    assert "type1_names" not in score_names(names, some).to_json()
    both = [score_names(names, some), score_names(tagged({"Liam": (9, "")}, Sex.MALE), some)]
    assert [(each.error, each.weighted, each.value, each.sign) for each in differences(both)] == [
        (TWO, False, 1 / 3, "higher for female"),
        (TWO, True, 0.3, "higher for female"),
    ]


def test_differences_are_female_minus_male_with_the_sign_in_words() -> None:
    found = differences([score_names(MEN, RULE), score_names(WOMEN, RULE)])

    assert [(each.error, each.weighted) for each in found] == [(e, w) for e in ErrorType for w in (False, True)]
    # 3/4 − 1/3, 50/100 − 10/100, 2/4 − 1/3, 35/100 − 10/100, 1/4 − 0, 15/100 − 0
    assert [each.value for each in found] == pytest.approx([5 / 12, 0.4, 1 / 6, 0.25, 0.25, 0.15])
    assert {each.sign for each in found} == {"higher for female"}
    swapped = [score_names(tagged({"Emma": (1, "PER")}), RULE), score_names(MEN, RULE)]
    assert [each.sign for each in differences(swapped)] == ["higher for male"] * 4 + ["equal"] * 2
    assert differences([score_names(WOMEN, RULE)]) == ()
    assert found[1].to_json() == {
        "system": "A", "template": "4", "year": 2000, "error": 1, "weighted": True, "female": 0.5, "male": 0.1,
        "difference": 0.4, "sign": "higher for female",
    }  # fmt: skip


def test_a_name_of_both_sexes_is_judged_for_each() -> None:
    women, men = tagged({"Robin": (1, "PER")}), tagged({"Robin": (9, "")}, Sex.MALE)

    assert score_names(women, RULE).rate(ONE, weighted=True) == 0
    assert score_names(men, RULE).rate(ONE, weighted=True) == 1


def test_years_and_templates_are_added_up_before_they_are_divided() -> None:
    parts = [
        tagged({"Emma": (10, ""), "Ada": (10, "PER")}, year=1990),  # 1 of 2 names, 10 of 20 people
        tagged({"Emma": (60, "")}, year=2000),  # 1 of 1, 60 of 60
        tagged({"Emma": (20, "ORG")}, year=2000, template="5"),  # 1 of 1, 20 of 20
    ]
    scores = [score_names(each, RULE) for each in parts]

    by_template = add_up(scores)
    assert [(each.template, each.year, each.rate(ONE, weighted=False)) for each in by_template] == [
        ("4", None, 2 / 3),
        ("5", None, 1),
    ]
    assert by_template[0].rate(ONE, weighted=True) == 70 / 80
    (all_of_them,) = add_up(scores, templates=True)
    assert (all_of_them.template, all_of_them.rate(ONE, weighted=True)) == (None, 90 / 100)
    assert all_of_them.to_json()["template"] == "all"
    assert [each.year for each in add_up(scores, years=False, templates=True)] == [1990, 2000]
    titles = [each.title for each in rate_tables(scores)]
    assert titles == [
        "Error rates over all years: share of names, and of their frequency",
        "Female minus male over all years",
        "Error rates over all templates and years: share of names, and of their frequency",
        "Female minus male over all templates and years",
        "Error rates by year: share of names, and of their frequency",
        "Female minus male by year",
    ]


def test_no_names_have_no_rate() -> None:
    score = score_names(tagged({}), RULE)

    assert score.counts == ErrorCounts()
    assert set(score.rates().values()) == {None}


def test_names_in_error_by_frequency_over_the_years() -> None:
    parts = [
        tagged({"Emma": (50, "PER"), "Paris": (30, "GPE"), "Lily": (15, "")}, year=1990),
        tagged({"Emma": (8, "ORG"), "Paris": (7, ""), "Lily": (30, "")}, year=2000),
        MEN,
    ]
    found = names_in_error(parts, RULE, 2)

    # Lily 15 + 30 = 45, Paris 30 + 7 = 37, Emma 8: the third is cut
    assert [(each.sex, each.name, each.frequency, each.years, each.errors, each.labels) for each in found] == [
        ("female", "Lily", 45, 2, (THREE,), ("–",)),
        ("female", "Paris", 37, 2, (TWO, THREE), ("GPE", "–")),
        ("male", "Mason", 10, 1, (TWO,), ("ORG",)),
    ]
    assert [each.name for each in names_in_error(parts[:2], RULE)] == ["Lily", "Paris", "Emma"]


def test_labels_are_counted_and_two_labels_count_twice() -> None:
    assert [(each.label, each.names, each.frequency) for each in count_labels([WOMEN])] == [
        ("GPE", 1, 30), ("LOC", 1, 5), ("ORG", 1, 5), ("PERSON", 1, 50), ("–", 1, 15),
    ]  # fmt: skip


NEWER = tagged({"Emma": (50, "ORG"), "Paris": (30, "PERSON"), "Lily": (15, "LOC"), "Sofia": (5, "LOC")}, system="B")


def test_version_bias_by_hand() -> None:
    newer_men = tagged({"Liam": (70, "PER"), "Noah": (20, "PER"), "Mason": (10, "")}, Sex.MALE, system="B")
    sides = [[score_names(each, RULE) for each in side] for side in ([WOMEN, MEN], [NEWER, newer_men])]
    changes = rate_changes(*sides)

    # women, Type-1: names 3/4 and 3/4, people 50 and 50 + 15 + 5 = 70 of 100; Type-2: 2/4 and 3/4, 35 and 70
    told = {(each.sex, each.error, each.weighted): (each.before, each.after, each.value) for each in changes}
    assert told["female", ONE, False] == (0.75, 0.75, 0)
    assert told["female", ONE, True] == pytest.approx((0.5, 0.7, 0.2))
    assert told["female", TWO, True] == pytest.approx((0.35, 0.7, 0.35))
    assert told["female", THREE, True] == pytest.approx((0.15, 0, -0.15))
    assert told["male", ONE, True] == (0.1, 0.1, 0)
    assert told["male", THREE, True] == pytest.approx((0, 0.1, 0.1))
    biases = {(each.error, each.weighted): each for each in version_bias(changes)}
    # 0.2 − 0; 0 − 0; −0.15 − 0.1
    assert (biases[ONE, True].value, biases[ONE, True].sign) == (pytest.approx(0.2), "favours male")
    assert (biases[ONE, False].value, biases[ONE, False].sign) == (0, "equal")
    assert (biases[THREE, True].value, biases[THREE, True].sign) == (pytest.approx(-0.25), "favours female")


def test_changed_names_and_what_became_of_them() -> None:
    # Sofia was LOC and ORG and is LOC: another label, the same error
    earlier = [tagged({"Emma": (4, "ORG"), "Lily": (60, "")}, year=1990, system=each) for each in "AB"]
    again = (tagged({"Lily": (60, "")}, year=1980), tagged({"Lily": (60, "LOC")}, year=1980, system="B"))
    found = changed_names([(WOMEN, NEWER), (earlier[0], earlier[1]), again], RULE)

    # Lily changed in 2000 and in 1980, and not in 1990: 15 + 60 people
    assert [(each.name, each.frequency, each.years, each.before, each.after, each.change) for each in found] == [
        ("Lily", 75, 2, "–", "LOC", Change.OTHER),
        ("Emma", 50, 1, "PERSON", "ORG", Change.WORSE),
        ("Paris", 30, 1, "GPE", "PERSON", Change.BETTER),
    ]


def test_only_what_both_versions_were_given_is_compared() -> None:
    assert shared([WOMEN, MEN], [NEWER]) == [(WOMEN, NEWER)]
    with pytest.raises(ValueError, match="not given the same female names of 2000"):
        shared([WOMEN], [tagged({"Ada": (1, "")}, system="B")])
    with pytest.raises(ValueError, match="A and B have no template and year in common"):
        compare([WOMEN], [tagged({}, system="B", year=1999)], ("A", "B"), RULE)
    part = compare([WOMEN], [NEWER], ("A", "B"), RULE)
    assert [each["name"] for each in part.value["versions A B"]["names"]] == ["Emma", "Paris", "Lily"]
    assert [each.title for each in part.tables][:2] == [
        "From A to B: above 0 is worse",
        "From A to B: change for female names minus change for male names",
    ]


def test_a_report_has_every_record() -> None:
    (part,) = describe([MEN, WOMEN], RULE, None)

    assert [each["sex"] for each in part.value["scores"]] == ["female", "male"]
    assert len(part.value["differences"]) == 6
    assert [each["name"] for each in part.value["names-in-error"]] == ["Paris", "Lily", "Sofia", "Mason"]


def test_rates_over_the_years_for_a_curve() -> None:
    scores = [score_names(each, RULE) for each in (WOMEN, MEN, tagged({"Emma": (1, "")}, year=1990))]
    years, found = rates_by_year(scores, "4", ONE, weighted=True)

    assert years == (1990, 2000)
    assert [(each.system, each.sex, each.values) for each in found] == [("A", "female", (1, 0.5)), ("A", "male", (None, 0.1))]
    assert rates_by_year(scores, "5", ONE, weighted=True) == ((), ())


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="1 names have 1 counts and 2 tags"):
        TaggedNames(system="A", template="4", year=1, sex=Sex.MALE, names=("Ed",), counts=np.ones(1, np.int64), labels=((), ()))


_LABELS = st.lists(st.sampled_from(["PERSON", "PER", "ORG", "LOC", "per", "DRUG"]), max_size=3).map(tuple)


@given(st.lists(st.tuples(st.integers(1, 10**6), _LABELS), min_size=1, max_size=40))
def test_type_1_is_type_2_and_type_3_together(drawn: list[tuple[int, Labels]]) -> None:
    names = TaggedNames(
        system="A",
        template="1",
        year=2000,
        sex=Sex.MALE,
        names=tuple(f"N{i}" for i in range(len(drawn))),
        counts=np.array([count for count, _ in drawn], dtype=np.int64),
        labels=tuple(labels for _, labels in drawn),
    )
    score = score_names(names, RULE)
    people = sum(count for count, _ in drawn)
    for weighted, whole in ((False, len(drawn)), (True, people)):
        one, two, three = (Fraction(score.counts.in_error(each, weighted=weighted), whole) for each in ErrorType)
        assert one == two + three
        # the same by the definition: no label that is a person's
        wrong = [count for count, labels in drawn if not {each.upper() for each in labels} & {"PER", "PERSON"}]
        assert one == Fraction(sum(wrong) if weighted else len(wrong), whole)
        rates = [score.rate(each, weighted=weighted) for each in ErrorType]
        assert rates == [float(one), float(two), float(three)]
