"""BRAT runs on sentences with names, and the sentences themselves."""

from __future__ import annotations

import pytest

from brat.model import Document, TextBound
from brat.parse import parse
from brat.write import write
from evaluator.fairness.census import CensusError, Sex, parse_census
from evaluator.fairness.name_errors import Labels, Rule, score_names
from evaluator.fairness.name_predictions import Place, PredictionsError, Wanted
from evaluator.fairness.name_runs import places_in, read_run
from evaluator.fairness.name_sentences import NAME, TEMPLATES, parse_templates, write_names
from evaluator.fairness.names_in_data import distinct_names, find_names
from evaluator.metadata import Metadata, MetadataError, parse_metadata

CENSUS = parse_census(b"2018,F,Emma,9\n2018,F,Ava,8\n2018,F,Lee,7\n2018,M,Liam,5\n2018,M,Lee,2\n1880,F,Mary,9\n", "names.csv")
HERE = Place(system="mine", template="4", year=2018, sex=Sex.FEMALE)
(GOLD, _) = (each.document for each in write_names(CENSUS, {"4": "[NAME] is a person"}, [2018]))


def spans(*given: tuple[str, int, int]) -> Document:
    return Document("d", tuple(TextBound(f"T{i}", label, ((a, b),)) for i, (label, a, b) in enumerate(given)))


def found(run: Document, gold: Document = GOLD, wanted: Wanted = Wanted()) -> dict[str, Labels]:  # noqa: B008 - frozen
    (tagged,) = read_run({"d": gold}, {"d": run}, {"d": HERE}, CENSUS, wanted)
    return dict(zip(tagged.names, tagged.labels, strict=True))


def test_documents_have_a_sentence_a_line_and_a_span_on_every_name() -> None:
    documents = list(write_names(CENSUS, {"4": TEMPLATES[3], "7": "See, [NAME]!"}, [1880, 2018][1:], 2))

    assert [each.document.id for each in documents] == [
        "template4_female2018", "template4_male2018", "template7_female2018", "template7_male2018",
    ]  # fmt: skip
    assert documents[0].document.text == "Emma is a human being\nAva is a human being\n"
    assert documents[3].document.text == "See, Liam!\nSee, Lee!\n"
    assert documents[3].metadata == {
        "document": "template7_male2018", "template": "7", "year": "2018", "sex": "male", "decade": "2010",
    }  # fmt: skip
    for each in documents:
        text = each.document.text or ""
        assert all(text[a:b] == span.text for span in each.document.text_bounds for a, b in span.fragments)
        again, problems = parse(write(each.document), document_id=each.document.id, text=text)
        assert not problems
        assert list(again.text_bounds) == list(each.document.text_bounds)


def test_the_templates_start_with_the_name_and_are_nine() -> None:
    assert len(set(TEMPLATES)) == 9
    assert all(each.startswith(NAME) and each.count(NAME) == 1 for each in TEMPLATES)
    assert parse_templates("\n".join(TEMPLATES)) == TEMPLATES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[NAME]\n\nNobody\n", r"^t\.txt:3: \[NAME\] is expected once, as in `\[NAME\] is a human being`: 'Nobody'"),
        ("[NAME] and [NAME]\n", r"^t\.txt:1: "),
        ("\n", r"^t\.txt: there is no template"),
    ],
)
def test_templates_that_are_none(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_templates(text, "t.txt")


def test_gold_as_a_run_makes_no_error() -> None:
    documents = {each.document.id: each for each in write_names(CENSUS, dict(enumerate_templates()), [2018])}
    gold = {id_: each.document for id_, each in documents.items()}
    places = {
        id_: Place(system="gold", template=each.template, year=each.year, sex=each.sex) for id_, each in documents.items()
    }
    tagged = read_run(gold, gold, places, CENSUS, Wanted())

    assert len(tagged) == 18
    assert {score_names(each, Rule()).counts.names_2 + score_names(each, Rule()).counts.names_3 for each in tagged} == {0}
    nothing = read_run(gold, {}, places, CENSUS, Wanted(templates=frozenset({"4"})))
    assert [score_names(each, Rule()).counts.names_3 for each in nothing] == [3, 2]


def enumerate_templates() -> list[tuple[str, str]]:
    return [(str(i), each) for i, each in enumerate(TEMPLATES, 1)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # Emma lies at 0–4, Ava at 17 + ... : "Emma is a person\n" has 17 characters, "Ava is a person\n" 16
        ([("PER", 0, 4), ("ORG", 17, 20), ("GPE", 33, 36)], {"Emma": ("PER",), "Ava": ("ORG",), "Lee": ("GPE",)}),
        ([("PER", 3, 9)], {"Emma": ("PER",), "Ava": (), "Lee": ()}),  # its last letter
        ([("PER", 4, 9)], {"Emma": (), "Ava": (), "Lee": ()}),  # from where it ends
        ([("PER", 5, 17)], {"Emma": (), "Ava": (), "Lee": ()}),  # to where Ava begins
        ([("ORG", 0, 36)], {"Emma": ("ORG",), "Ava": ("ORG",), "Lee": ("ORG",)}),  # over all of them
        ([("PER", 0, 4), ("ORG", 0, 16), ("PER", 1, 2)], {"Emma": ("PER", "ORG"), "Ava": (), "Lee": ()}),  # two of a label
        ([("PER", 2, 2)], {"Emma": (), "Ava": (), "Lee": ()}),  # an empty span has no character
    ],
)
def test_spans_that_overlap_a_name(given: list[tuple[str, int, int]], expected: dict[str, Labels]) -> None:
    assert found(spans(*given)) == expected


def test_a_discontinuous_span_counts_for_each_name_it_touches() -> None:
    run = Document("d", (TextBound("T1", "ORG", ((0, 2), (34, 40))),))
    assert found(run) == {"Emma": ("ORG",), "Ava": (), "Lee": ("ORG",)}


def test_the_most_frequent_names_only_and_names_in_any_order() -> None:
    assert found(spans(), wanted=Wanted(most=1)) == {"Emma": ()}
    text = "Lee\nEmma\n"
    gold = Document("d", (TextBound("T1", "PERSON", ((0, 3),)), TextBound("T2", "PERSON", ((4, 8),))), text)
    assert found(spans(("PER", 0, 3)), gold) == {"Emma": (), "Lee": ("PER",)}


def _gold(text: str, *names: tuple[int, int]) -> Document:
    return Document("d", tuple(TextBound(f"T{i}", "PERSON", (each,)) for i, each in enumerate(names)), text)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (_gold("Zoe\n", (0, 3)), "^names.csv: 'Zoe' is not among the female names of 2018"),
        (_gold("Ava\nAva\n", (0, 3), (4, 7)), "^d: Ava is among the female names of 2018 a second time"),
        (_gold("Emma\n", (0, 4), (2, 4)), "^d: two names overlap"),
    ],
)
def test_gold_that_does_not_fit(gold: Document, message: str) -> None:
    with pytest.raises(PredictionsError, match=message):
        found(spans(), gold)


def test_documents_about_nothing_and_nothing_that_is_asked_for() -> None:
    with pytest.raises(PredictionsError, match=r"^d: the metadata has no row for this document"):
        read_run({"d": GOLD}, {}, {}, CENSUS, Wanted())
    with pytest.raises(PredictionsError, match=r"^mine: nothing of what is asked for"):
        read_run({"d": GOLD}, {}, {"d": HERE}, CENSUS, Wanted(years=frozenset({1900})))
    with pytest.raises(CensusError, match="there are no male names of 1880"):
        read_run({"d": GOLD}, {}, {"d": Place(system="m", template="1", year=1880, sex=Sex.MALE)}, CENSUS, Wanted())


def metadata(rows: str) -> Metadata:
    return parse_metadata(f"document\ttemplate\tyear\tsex\n{rows}", "metadata.tsv")


def test_what_documents_are_about() -> None:
    assert places_in(metadata("d\t4\t2018\tfemale\n"), "mine") == {"d": HERE}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("d\t4\t2018\t\n", "metadata.tsv: document d has no sex"),
        ("d\t\t\tmale\n", "metadata.tsv: document d has no template and no year"),
        ("d\t4\t2018\tF\n", "document d: a year, and female or male, are expected: 2018, F"),
        ("d\t4\tlate\tmale\n", "document d: a year, and female or male, are expected: late, male"),
    ],
)
def test_metadata_that_does_not_say_it(rows: str, message: str) -> None:
    with pytest.raises(PredictionsError, match=message):
        places_in(metadata(rows), "mine")
    with pytest.raises(MetadataError, match="no column is called template"):
        places_in(parse_metadata("document\tyear\nd\t2018\n"), "mine")


def test_bias_in_data_by_hand() -> None:
    names = distinct_names(CENSUS)
    assert {sex: sorted(each) for sex, each in names.items()} == {
        Sex.FEMALE: ["Ava", "Emma", "Lee", "Mary"], Sex.MALE: ["Lee", "Liam"],
    }  # fmt: skip
    one = Document("a", (TextBound("T1", "PER", ((0, 8),)), TextBound("T2", "LOC", ((13, 16),))), "Emma Lee met Ava, not liam.")
    two = Document("b", (), "MARY saw Emma. Liams left.")
    census, words, entities, test_words, test_entities = find_names(names, {"train": [one, two], "test": [two]})

    assert (census.place, census.female, census.male, census.female_share) == ("census", 4, 2, 4 / 6)
    # words: Emma, Lee and Ava of the female, Lee of the male; liam, MARY and Liams are other words
    assert (words.place, words.among, words.female, words.male, words.female_share) == ("train", "words", 3, 1, 3 / 4)
    assert (entities.among, entities.female, entities.male, entities.male_share) == ("entities", 3, 1, 1 / 4)
    assert (test_words.place, test_words.female, test_words.male) == ("test", 1, 0)
    assert (test_entities.female, test_entities.female_share, test_entities.male_share) == (0, None, None)
    (_, _, persons) = find_names(names, {"train": [one]}, {"PER"})
    assert (persons.female, persons.male) == (2, 1)  # Emma, Lee; Lee
    assert distinct_names(CENSUS, [1880]) == {Sex.FEMALE: frozenset({"Mary"}), Sex.MALE: frozenset()}
