"""Synthetic sentences: what is crossed with what, and where names and chemicals stand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.parse import parse
from evaluator.fairness.census import Sex, parse_census, read_census
from evaluator.fairness.name_lists import (
    DECADES,
    ListError,
    PopularName,
    PopularNames,
    own_text,
    parse_names,
    popular_names,
    write_names_table,
)
from evaluator.fairness.sentences import Design, Template, parse_chemicals, parse_templates, write_sentences
from tests.shared import shared

NAMES = PopularNames(
    {
        (decade, sex): [PopularName(f"{sex.value.title()}{letter}", 9 - i) for i, letter in enumerate("abc")]
        for decade in (1880, 1890)
        for sex in Sex
    }
)


def design(**more: object) -> Design:
    given_ = {
        "templates": parse_templates("[NAME] takes [CHEMICAL].\n[CHEMICAL]: ask [NAME]!"),
        "chemicals": parse_chemicals("Aspirin\tbrand\nβ-carotene\tgeneric"),
        "names": NAMES,
        "top": 2,
        "decades": (1880, 1890),
    }
    return Design(**(given_ | more))  # type: ignore[arg-type]


def test_a_document_by_hand() -> None:
    """`Femalea takes Aspirin.` has 22 code points, so the second line begins at 23."""
    first = next(write_sentences(design()))

    assert first.row == ("female-1880-1-Femalea", "female", "1880", "1", "Femalea")
    assert first.text == "Femalea takes Aspirin.\nFemalea takes β-carotene.\n"
    assert first.annotations == "T1\tCHEMICAL 14 21\tAspirin\nT2\tCHEMICAL 37 47\tβ-carotene\n"


def test_everything_is_crossed() -> None:
    """2 genders × 2 decades × 2 templates × 2 names."""
    found = list(write_sentences(design()))

    assert len(found) == len({each.id for each in found}) == 16
    assert Counter((each.gender, each.decade, each.template) for each in found) == dict.fromkeys(
        ((sex, decade, template) for sex in Sex for decade in (1880, 1890) for template in (1, 2)), 2
    )
    assert {each.name for each in found} == {"Femalea", "Femaleb", "Malea", "Maleb"}


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="[]\t"), max_size=9),
    st.sampled_from(["Mary", "José", "Al"]),
    st.lists(st.sampled_from(["Advil", "β-carotene", "co trimoxazole", "Al"]), min_size=1, max_size=4, unique=True),
    st.booleans(),
)
def test_every_span_covers_its_chemical_and_the_name_stands_where_the_template_says(
    around: str, name: str, chemicals: list[str], name_first: bool
) -> None:
    template = Template(around, f" {around}", around[::-1], name_first)
    names = PopularNames({(1880, sex): [PopularName(name, 1)] for sex in Sex})
    for each in write_sentences(
        design(templates=[template], chemicals=parse_chemicals("\n".join(chemicals)), names=names, top=1, decades=(1880,))
    ):
        corpus = read_corpus({"d.txt": each.text.encode(), "d.ann": each.annotations.encode()})
        assert not corpus.problems
        bounds = list(corpus.documents["d"].text_bounds)
        assert [one.text for one in bounds] == chemicals
        for one in bounds:
            start = template.name_start(len(name), one.fragments[0])
            assert each.text[start : start + len(name)] == name


def test_a_part_is_a_part_of_the_whole_and_equal_seeds_give_equal_samples() -> None:
    whole = {each.id: each for each in write_sentences(design())}
    part = list(write_sentences(design(top=1, decades=(1890,))))
    one, again, other = ([each.text for each in write_sentences(design(sample=8, seed=seed))] for seed in (1, 1, 2))

    assert all(whole[each.id] == each for each in part)
    assert one == again != other
    assert len(one) == 8  # one sentence for each of 2 genders, 2 decades and 2 templates


def test_a_sample_is_spread_evenly() -> None:
    """A default sample of 2,800: 20 for each of 140 combinations, in two documents of ten lines."""
    found = list(
        write_sentences(
            Design(
                templates=parse_templates(own_text("templates.txt")),
                chemicals=parse_chemicals(own_text("chemicals.tsv")),
                names=parse_names(own_text("names.tsv")),
                top=200,
                decades=DECADES,
                sample=2_800,
            )
        )
    )

    assert Counter((each.gender, each.decade, each.template) for each in found).most_common()[-1][1] == 2
    assert len(found) == 280
    assert {len(parse(each.annotations, document_id="d")[0].annotations) for each in found} == {10}


@pytest.mark.parametrize(("top", "chemicals"), [(1, 1), (1, 13), (2, 4), (3, 12), (3, 25)])
def test_a_sample_has_the_number_that_is_asked_for_up_to_everything(top: int, chemicals: int) -> None:
    """2 genders × 2 decades × 2 templates × names × chemicals, and every number from one a combination to more than all."""
    given_ = {"top": top, "chemicals": parse_chemicals("\n".join(f"c{i}" for i in range(chemicals)))}
    every = 8 * top * chemicals
    for sample in {8, 9, 15, 16, 17, 8 * top * min(10, chemicals) + 3, every - 1, every, every + 1, 10 * every}:
        if sample < 8:
            continue
        wanted = min(sample, every)
        found = [(each, each.text.count("\n")) for each in write_sentences(design(**given_, sample=sample))]
        cells: Counter[tuple[Sex, int, int]] = Counter()
        genders: Counter[Sex] = Counter()
        lengths: dict[tuple[Sex, int, int], set[int]] = {}
        for each, lines in found:
            cell = (each.gender, each.decade, each.template)
            cells[cell] += lines
            genders[each.gender] += lines
            lengths.setdefault(cell, set()).add(lines)
        assert design(**given_, sample=sample).sentences == cells.total() == wanted
        assert len(cells) == 8
        assert max(cells.values()) - min(cells.values()) == (1 if wanted % 8 else 0)
        assert abs(genders[Sex.FEMALE] - genders[Sex.MALE]) == wanted % 2
        assert all(max(one) - min(one) <= 1 and min(one) > 0 for one in lengths.values())
        assert len({each.id for each, _ in found}) == len(found)
    assert list(write_sentences(design(**given_, sample=every))) == list(write_sentences(design(**given_)))


def test_own_lists_are_what_they_are_said_to_be() -> None:
    chemicals, templates = parse_chemicals(own_text("chemicals.tsv")), parse_templates(own_text("templates.txt"))
    names = parse_names(own_text("names.tsv"))

    assert Counter(each.kind for each in chemicals) == {"brand": 100, "generic": 100}
    assert len({each.name.casefold() for each in chemicals}) == 200
    assert [each.name_first for each in templates] == [True, True, False, True, True]
    assert [bool(each.before) for each in templates] == [False, True, False, True, False]
    assert templates[4].between.startswith(",")
    assert {key: len(found) for key, found in names.lists.items()} == {(d, s): 200 for d in DECADES for s in Sex}
    assert len(templates) * len(chemicals) * 200 * 2 * len(DECADES) == 5_600_000


def test_own_names_are_those_of_the_census() -> None:
    census = read_census(shared("data", "names", "ssa-1880-2018.csv.xz"))
    names = popular_names(census)

    assert write_names_table(names) == own_text("names.tsv")
    # Mary, 1880 to 1889: 7065 + 6919 + 8148 + 8012 + 9217 + 9128 + 9889 + 9888 + 11754 + 11648
    assert names.lists[1880, Sex.FEMALE][0] == PopularName("Mary", 91_668)


def test_names_of_a_decade_add_up_its_years() -> None:
    """Ann 5 + 1, Bea 4; in the next decade Bea alone. The layout of the table is read back."""
    census = parse_census(b"1880,F,Ann,5\n1880,F,Bea,4\n1889,F,Ann,1\n1890,F,Bea,7\n1880,M,Al,1\n1890,M,Al,1\n", "names.csv")
    names = popular_names(census, decades=(1880, 1890, 1900))

    assert names.lists[1880, Sex.FEMALE] == [PopularName("Ann", 6), PopularName("Bea", 4)]
    assert names.decades == (1880, 1890)
    assert popular_names(census, top=1).lists[1880, Sex.FEMALE] == [PopularName("Ann", 6)]
    assert parse_names(write_names_table(names)).lists == names.lists


@pytest.mark.parametrize(
    ("parse_list", "text", "message"),
    [
        (parse_templates, "[NAME] takes [CHEMICAL]\n[NAME] takes it", "f:2:1: a sentence with [NAME] and [CHEMICAL] once each"),
        (parse_templates, "[NAME] [NAME] [CHEMICAL]", "f:1:8: a sentence"),
        (parse_templates, "  [NAME] \t[CHEMICAL]", "f:1:10: a sentence"),
        (parse_templates, "\n", "f: a line with"),
        (parse_chemicals, "Advil\tbrand\nAleve\ttrade", "f:2:7: a chemical, and after a tab brand, generic or nothing"),
        (parse_chemicals, "Advil\nAdvil", "f:2:1: Advil is there a second time"),
        (parse_chemicals, "chemical\tkind\n", "f: a chemical a line is expected"),
        (parse_names, "decade\tsex\tname\tcount\n1880\tF\tMary\t1", "f:2:6: decade, sex, name and count"),
        (parse_names, "1885\tfemale\tMary\t1", "f:1:1: decade"),
        (parse_names, "1880\tfemale\tMary\t0", "f:1:18: decade"),
        (parse_names, "1880\tfemale\t \t1", "f:1:13: decade"),
        (parse_names, "1880\tfemale\tMary\t1000000000", "f:1:18: decade"),
        (parse_names, "1880\tfemale\tMary\t" + "9" * 400, "f:1:18: decade"),
        (parse_names, "1880\tfemale\tMary\t" + "9" * 6_000, "f:1:18: decade"),
        (parse_names, "1880\tmale\tAl\t1\n1880\tmale\t Al\t2", "f:2:12: Al is among the male names of 1880 a second"),
        (parse_names, "1880\tfemale\tMary", "f:1:1: decade"),
        (
            parse_names,
            "1880\tfemale\tMary\t1\n1880\tfemale\tMary\t2",
            "f:2:13: Mary is among the female names of 1880 a second time",
        ),
        (parse_names, "", "f: there is no name"),
    ],
)
def test_a_bad_list_is_told_with_file_line_and_what_was_expected(parse_list: object, text: str, message: str) -> None:
    with pytest.raises(ListError) as told:
        parse_list(text, "f")  # type: ignore[operator]
    assert str(told.value).startswith(message)


@pytest.mark.parametrize("bad", ["\0", "\x0b", "\x0c", "\r", "\x1b", "\x1c", "\x7f", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize(
    ("parse_list", "lines"),
    [
        (parse_templates, "[NAME] has [CHEMICAL].\nSo?{} [NAME] has [CHEMICAL].\n"),
        (parse_chemicals, "Advil\nAle{}ve\tbrand\n"),
        (parse_names, "1880\tmale\tAl\t1\n188{}0\tmale\tBo\t1\n"),
    ],
)
def test_a_control_character_is_told_with_its_place(parse_list: object, lines: str, bad: str) -> None:
    with pytest.raises(ListError) as told:
        parse_list(lines.format(bad), "f")  # type: ignore[operator]
    assert str(told.value) == f"f:2:4: a control character: {bad!r}"


@pytest.mark.parametrize("name", [" Mary", "Mary ", " Mary ", "\u00a0Mary\u3000"])
def test_blanks_around_a_name_are_no_part_of_it(name: str) -> None:
    found = parse_names(f"\ufeffdecade\tsex\tname\tcount\r\n1880\tfemale\t{name}\t999999999\r\n")

    assert found.lists == {(1880, Sex.FEMALE): [PopularName("Mary", 999_999_999)]}


def test_what_cannot_be_crossed_is_told() -> None:
    pair = {(1880, sex): [PopularName("Ann", 1), PopularName("ANN", 1)] for sex in Sex}

    with pytest.raises(ListError, match=r"4 female names of 1880 are expected, and it has 3"):
        design(top=4)
    with pytest.raises(ListError, match="differ in case only"):
        design(names=PopularNames(pair), decades=(1880,))
    with pytest.raises(ListError, match="part of that of a file: 'a/b'"):
        design(names=PopularNames({(1880, sex): [PopularName("a/b", 1)] for sex in Sex}), top=1, decades=(1880,))
    with pytest.raises(ListError, match="blanks around it: ' Ann'"):
        design(names=PopularNames({(1880, sex): [PopularName(" Ann", 1)] for sex in Sex}), top=1, decades=(1880,))
    with pytest.raises(ListError, match="Ann: the count has more than 9 digits"):
        design(names=PopularNames({(1880, sex): [PopularName("Ann", 10**400)] for sex in Sex}), top=1, decades=(1880,))
    with pytest.raises(ValueError, match="at least 8 sentences"):
        design(sample=7)
