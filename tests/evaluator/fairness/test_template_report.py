"""Names taken for chemicals, by hand: two documents, four sentences."""

from __future__ import annotations

import json

import numpy as np
import pytest

from brat.run import Expectations
from evaluator.columnar.adding import Sums
from evaluator.columnar.reading import BothSides, Wishes
from evaluator.criteria import Criterion
from evaluator.fairness.census import Sex
from evaluator.fairness.name_lists import ListError, PopularName, PopularNames
from evaluator.fairness.names_as_chemicals import About, NamesAsChemicals, about_documents, parse_numbered_templates
from evaluator.fairness.sentences import Template
from evaluator.fairness.template_report import outcomes, report_templates, tagged_names
from evaluator.metadata import parse_metadata
from evaluator.plain_tables import as_csv, as_json, as_text
from evaluator.scoring import Scheme

KINDS = frozenset({"TextBound", "Note"})
TEMPLATES = "template\tsentence\n1\t[NAME] takes [CHEMICAL].\n2\t[CHEMICAL] for [NAME]!\n"
METADATA = "document\tgender\tdecade\ttemplate\tname\na\tfemale\t1880\t1\tAda\nb\tmale\t1890\t2\tBo\n"
NAMES = PopularNames({(1880, Sex.FEMALE): [PopularName("Ada", 30)], (1890, Sex.MALE): [PopularName("Bo", 10)]}, "names.tsv")
GOLD = {
    "a.txt": b"Ada takes Advil.\nAda takes Aleve.\n",
    "a.ann": b"T1\tCHEMICAL 10 15\tAdvil\nT2\tCHEMICAL 27 32\tAleve\n",
    "b.txt": b"Advil for Bo!\nAleve for Bo!\n",
    "b.ann": b"T1\tCHEMICAL 0 5\tAdvil\nT2\tCHEMICAL 14 19\tAleve\n",
}
RUN = {
    # Both chemicals are found; the first name is tagged twice over, by itself and with the verb, the second one is not.
    "a.ann": b"T1\tCHEMICAL 0 3\tAda\nT2\tCHEMICAL 1 9\tda takes\nT3\tCHEMICAL 10 15\tAdvil\nT4\tCHEMICAL 27 32\tAleve\n",
    # The first chemical is missed; a false positive touches the second name from before and does not overlap it.
    "b.ann": b"T1\tCHEMICAL 14 19\tAleve\nT2\tCHEMICAL 20 24\tfor \n",
}


def about(documents: list[str]) -> list[About]:
    templates = parse_numbered_templates(TEMPLATES, "templates.tsv")
    return about_documents(documents, parse_metadata(METADATA, "metadata.tsv"), templates, NAMES)


def read(run: dict[str, bytes], known: list[About] | None = None) -> tuple[Sums, NamesAsChemicals]:
    both = BothSides(GOLD, run)
    sums = Sums(both.documents, [Criterion()], Scheme())
    names = NamesAsChemicals(both.documents, known or about(both.documents), "corpus")
    wishes = Wishes(expected=Expectations(kinds=KINDS), texts=True)
    both.read(wishes, lambda tables, place: names.take(sums.take(tables, place)))
    return sums, names


def test_names_are_counted_by_sentence_and_false_positives_on_their_own() -> None:
    sums, names = read(RUN)

    assert names.counts.tolist() == [[2, 1, 2], [2, 0, 0]]
    assert sums.documents[0].tolist() == [[2, 2, 0], [1, 1, 1]]


def test_documents_that_are_no_plain_columns_count_the_same() -> None:
    """A note makes a file one for the ordinary reader."""
    with_notes = {name: data + b"#1\tNote T1\thello\n" for name, data in RUN.items()}

    assert read(with_notes)[1].counts.tolist() == read(RUN)[1].counts.tolist()


def test_a_pair_is_no_false_positive() -> None:
    """A gold chemical that overlaps its own name cannot be; a predicted span that is right never counts against the name."""
    assert read({"a.ann": GOLD["a.ann"], "b.ann": GOLD["b.ann"]})[1].counts[:, 1:].sum() == 0


def test_figures_by_hand() -> None:
    """Female: tp 2, fp 2, fn 0, so P 1/2 and R 1; one name of two tagged. Male: tp 1, fp 1, fn 1, none of two.

    All: 1 of 4 sentences; weighted (30 × 1/2 + 10 × 0) / 40 = 3/8.
    """
    known = about(["a", "b"])
    sums, names = read(RUN)
    found = outcomes(known, sums.documents[0], names.counts)
    whole, female, male = found[:3]

    assert (whole.share, whole.weighted, whole.spurious) == (1 / 4, 3 / 8, 2)
    assert (female.group, female.counts.precision, female.counts.recall, female.share) == ("female", 1 / 2, 1.0, 1 / 2)
    assert (male.group, male.counts.precision, male.counts.recall, male.share) == ("male", 1 / 2, 1 / 2, 0.0)
    cuts = ["all", "gender", "gender", "decade", "decade", "template", "template", "gender×decade", "gender×decade"]
    assert [each.cut for each in found] == cuts
    report = report_templates(found, tagged_names(known, names.counts), Criterion(), {"assay": "1"})
    value = json.loads(as_json(report))
    difference = value["differences"][0]
    assert difference == {
        "groups": "female − male",
        "precision": 0.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3 - 1 / 2),
        "share": 0.5,
        "weighted": 0.5,
    }
    assert value["outcomes"][1]["false_positives_on_names"] == 2
    assert "gender,3,female − male,recall,0.5" in as_csv(report)
    assert "female − male" in as_text(report)


def test_the_order_of_names_is_by_share_or_by_people() -> None:
    """Ann is tagged always and has 10 people; Mary half the time, 1,000; Zoe, of whom there are 5 in one decade, never."""
    template = Template("", " ", "", name_first=True)

    def of(name: str, decade: str, weight: int) -> About:
        return About(gender="female", decade=decade, template="1", name=name, sentence=template, weight=weight)

    known = [of("Ann", "1880", 4), of("Ann", "1890", 6), of("Mary", "1880", 1_000), of("Zoe", "1880", 5)]
    found = tagged_names(known, np.array([[2, 2, 2], [2, 2, 2], [4, 2, 2], [2, 0, 0]]))
    tables = {each.key: each for each in report_templates([], found, Criterion(), {}).tables}

    assert [(each.name, each.share, each.people, each.weighted) for each in found] == [
        ("Ann", 1.0, 10, 10.0),
        ("Mary", 0.5, 1_000, 500.0),
    ]
    assert [row[0] for row in tables["names"].rows] == ["Ann", "Mary"]
    assert [row[0] for row in tables["names-weighted"].rows] == ["Mary", "Ann"]


@pytest.mark.parametrize(
    ("metadata", "names", "message"),
    [
        ("document\tgender\nb\tmale\n", NAMES, "metadata.tsv: document a has no gender, decade, template, name"),
        (METADATA.replace("\t1\tAda", "\t7\tAda"), NAMES, "metadata.tsv: document a is of template 7; there are 1, 2"),
        (METADATA.replace("Ada", "Eve"), NAMES, "names.tsv: Eve, female, 1880 is expected, the name of document a"),
    ],
)
def test_a_corpus_of_another_kind_is_told(metadata: str, names: PopularNames, message: str) -> None:
    templates = parse_numbered_templates(TEMPLATES, "templates.tsv")
    with pytest.raises(ListError) as told:
        about_documents(["a", "b"], parse_metadata(metadata, "metadata.tsv"), templates, names)
    assert str(told.value).startswith(message)


def test_a_name_that_is_not_where_the_template_says_is_told() -> None:
    wrong = parse_numbered_templates(TEMPLATES.replace("takes", "eats"), "templates.tsv")
    known = about_documents(["a", "b"], parse_metadata(METADATA), wrong, NAMES)

    with pytest.raises(ListError, match="corpus: document a: Ada is expected at 1, by the template"):
        read(RUN, known)
    with pytest.raises(ListError, match="t:2: a number that is there once"):
        parse_numbered_templates("1\t[NAME] [CHEMICAL]\n1\t[NAME] [CHEMICAL]", "t")
    with pytest.raises(ListError, match="t:1: a sentence with"):
        parse_numbered_templates("1\t[NAME]", "t")


@pytest.mark.parametrize("text", ["", "template\tsentence\n", "\n\n"])
def test_no_templates_are_told_as_such(text: str) -> None:
    with pytest.raises(ListError, match=r"templates\.tsv: there is no template"):
        parse_numbered_templates(text, "templates.tsv")
