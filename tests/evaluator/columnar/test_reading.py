"""Whatever is in the files: blocks of columns give the scores, the problems and the digests of the ordinary way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.corpus import read_corpus
from brat.model import Document, TextBound
from brat.run import Expectations, check_run
from brat.write import write
from evaluator.columnar import reading
from evaluator.columnar.adding import Sums
from evaluator.columnar.reading import BothSides, Read, Wishes
from evaluator.criteria import Criterion, parse_criterion
from evaluator.document_counts import count_documents
from evaluator.hierarchy import Hierarchy
from evaluator.scores import Score
from evaluator.scoring import Scheme, keep_labels, score
from evaluator.signature import digest_documents, digest_texts
from evaluator.strata.groups import by_group
from evaluator.strata.model import Strata, cross
from evaluator.strata.tallying import score_strata
from evaluator.tables import build_tables
from tests.strategies import LABELS, PARENTS, TEXT, documents, entities

KINDS = frozenset({"TextBound", "Relation", "Event", "Attribute", "Normalization", "Note", "Equiv"})
CRITERIA = [parse_criterion(s, l) for s in ("exact", "relaxed", "approximate:0.5") for l in ("fine", "high", "any")]  # noqa: E741
SCHEME = Scheme(hierarchy=Hierarchy(PARENTS))
IDS = ("d1", "d2", "d3", "é4")
GENDER = {"d1": "female", "d2": "male", "d3": "female"}
DECADE = {"d1": "1880", "d2": "1990", "é4": "1990", "other": "2000"}
PLAIN = "A drug. Another drug\nAnd DrugA of iNdoMet, the first one."


@st.composite
def plain_entities(draw: st.DrawFn, text: str) -> str:
    """Lines that are right, or nearly so: moved offsets, wrong texts, equal ids and equal spans."""
    lines: list[str] = []
    for number in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 8)) | st.integers(0, len(text) + 1))
        column = draw(st.sampled_from([text[start:end]] * 9 + ["x"])).replace("\n", " ")
        id_ = draw(st.sampled_from([number + 1] * 19 + [1]))
        lines.append(f"T{id_}\t{draw(st.sampled_from(LABELS))} {start} {end}\t{column}\n")
    return "".join(lines)


@st.composite
def annotation_files(draw: st.DrawFn, text: str) -> bytes:
    kind = draw(st.sampled_from(["plain"] * 4 + ["entities", "any", "text", "bytes"]))
    if kind == "plain":
        return draw(plain_entities(text)).encode()
    if kind == "entities":
        return write(Document("d", draw(entities()))).encode()
    if kind == "any":
        return write(draw(documents)).encode()
    return draw(st.binary(max_size=20)) if kind == "bytes" else draw(st.text(max_size=20)).encode("utf-8", "surrogatepass")


@st.composite
def sides(draw: st.DrawFn) -> tuple[dict[str, bytes], dict[str, bytes]]:
    gold: dict[str, bytes] = {}
    run: dict[str, bytes] = {}
    for id_ in IDS[: draw(st.integers(1, len(IDS)))]:
        text = draw(st.sampled_from([TEXT, PLAIN, PLAIN, ""]))
        gold[f"{id_}.ann"] = draw(annotation_files(text))
        if draw(st.integers(0, 9)):
            gold[f"{id_}.txt"] = text.encode() if draw(st.integers(0, 9)) else draw(st.binary(max_size=4))
        if not draw(st.integers(0, 9)):
            del gold[f"{id_}.ann"]
        if draw(st.integers(0, 5)):
            run[f"{id_}.ann"] = draw(st.just(gold.get(f"{id_}.ann", b"")) | annotation_files(text))
        if not draw(st.integers(0, 9)):
            run[f"{id_}.a1"] = run.pop(f"{id_}.ann", b"")
            run[f"{id_}.a2"] = draw(annotation_files(text))
    if not draw(st.integers(0, 5)):
        run["other.ann"] = b"T1\tA1 0 1\tA\n"
        gold["notes.pdf"] = b""
    return gold, run


def stratify(ids: list[str]) -> list[Strata]:
    tables = replace(build_tables({}, {}), documents=tuple(ids))
    single = [by_group("gender", GENDER, tables), by_group("decade", DECADE, tables)]
    return [*single, cross(*single)]


def in_blocks(gold: Mapping[str, bytes], run: Mapping[str, bytes], wishes: Wishes) -> tuple[Read, Sums]:
    both = BothSides(gold, run)
    sums = Sums(both.documents, CRITERIA, SCHEME, stratify(both.documents))
    return both.read(wishes, sums.take), sums


@settings(max_examples=200, deadline=None)
@given(sides(), st.sampled_from([None, frozenset(LABELS), frozenset({"A1"})]), st.sampled_from([(), ("A1", "B1")]), st.data())
def test_blocks_give_what_the_ordinary_way_gives(
    files: tuple[dict[str, bytes], dict[str, bytes]],
    labels: frozenset[str] | None,
    only: tuple[str, ...],
    data: st.DataObject,
) -> None:
    gold, run = files
    expected = Expectations(labels=labels, kinds=KINDS)
    wanted = read_corpus(gold)
    if not wanted.documents:
        return
    texts = {id_: each.text for id_, each in wanted.documents.items()}
    offered = check_run(read_corpus(run, texts), texts, expected)
    wishes = Wishes(expected=expected, only=frozenset(only), texts=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_BLOCK_DOCUMENTS", data.draw(st.integers(1, 4)))
        read, sums = in_blocks(gold, run, wishes)

    assert list(read.gold.problems) == list(wanted.problems)
    assert dict(read.gold.counts) == dict(wanted.counts)
    assert list(read.run.problems) == list(offered.problems)
    assert dict(read.run.counts) == dict(offered.counts)
    assert (read.gold.digests, read.run.digests) == (wanted.digests, offered.digests)
    assert (read.texts != {}) == (wanted.texts != {})
    assert digest_texts(wanted.texts) == digest_documents(read.texts)
    kept = [keep_labels(each.documents, frozenset(only), frozenset()) for each in (wanted, offered)]
    assert {each.label for side in (wanted, offered) for d in side.documents.values() for each in d.text_bounds} == read.labels
    assert (list(sums.scores()), list(sums.strata_scores())) == ordinary(*kept)
    tables = build_tables(*kept)
    scored = score(*kept, CRITERIA, SCHEME)
    for mine, theirs in zip(sums.documents, count_documents(*kept, tables, scored.matchings, SCHEME), strict=True):
        assert mine.tolist() == theirs.counts.tolist()


def ordinary(gold: dict[str, Document], run: dict[str, Document]) -> tuple[list[Score], list[Score]]:
    scored = score(gold, run, CRITERIA, SCHEME)
    tables = scored.tables
    single = [by_group("gender", GENDER, tables), by_group("decade", DECADE, tables)]
    strata = [*single, cross(*single)]
    return list(scored.scores), list(score_strata(gold, run, tables, scored.matchings, strata, SCHEME))


def test_plain_quiet_documents_become_columns_and_others_do_not() -> None:
    """By hand: d1 is plain and right; in d2 the run has a wrong text column; d3 is missing from the run."""
    gold = {f"{id_}.txt": b"alpha beta" for id_ in ("d1", "d2", "d3")}
    gold |= {f"{id_}.ann": b"T1\tA1 0 5\talpha\n" for id_ in ("d1", "d2", "d3")}
    run = {"d1.ann": b"T1\tA1 0 5\talpha\nT2\tA2 6 10\tbeta\n", "d2.ann": b"T1\tA1 0 5\tALPHA\n"}
    read, sums = in_blocks(gold, run, Wishes(expected=Expectations(kinds=KINDS)))

    assert read.columnar == 2
    assert [each.code for each in read.run.problems] == ["text-mismatch", "missing-document"]
    first = next(sums.scores())
    assert (first.counts.tp, first.counts.fp, first.counts.fn) == (2, 1, 1)
    assert [each.tolist() for each in sums.documents[0]] == [[1, 1, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("text", "lines", "code", "columnar"),
    [
        ("some words here. And more", "T1\tA1 0 4\tsome\nT2\tA1 6 10\tords\n", "cut-words", 12),
        ("Größe und Straße", "T1\tA1 0 2\tGr\nT2\tA1 14 16\tße\n", "cut-words", 12),
        ("some words here. And more", "T1\tA1 11 20\there. And\n", "crossed-sentences", 12),
        ("word " * 60, f"T1\tA1 0 259\t{('word ' * 60)[:259]}\n", "long-span", 0),
        ("word", "".join(f"T{i}\tA{i} 0 4\tword\n" for i in range(1, 5_002)), "too-many-annotations", 0),
        ("word", "T1\tA1 0 4\tword\nT2\tA1 0 4\tword\n", "duplicate-annotation", 0),
        ("word", "T1\tA1 0 5\tword\n", "span-outside-text", 0),
    ],
)
def test_what_is_told_of_many_documents_is_told_as_ever(text: str, lines: str, code: str, columnar: int) -> None:
    """Twelve documents each: spans inside words and across sentences are told of where there are ten of them at least."""
    gold = {f"d{i:02}.txt": text.encode() for i in range(12)} | {f"d{i:02}.ann": b"" for i in range(12)}
    run = {f"d{i:02}.ann": lines.encode() for i in range(12)}
    read, _ = in_blocks(gold, run, Wishes(expected=Expectations(kinds=KINDS)))
    texts = dict.fromkeys((path.removesuffix(".txt") for path in gold if path.endswith(".txt")), text)
    told = check_run(read_corpus(run, texts), texts, Expectations(kinds=KINDS)).problems

    assert read.columnar == columnar
    assert code in {each.code for each in told}
    assert list(read.run.problems) == list(told)


def test_stratifications_must_be_by_document_and_of_these_documents() -> None:
    tables = build_tables({"d": Document("d", (TextBound("T1", "A", ((0, 1),), "a"),))}, {})
    by_entity = Strata("source", ("new",), tables.gold.label, tables.run.label)

    with pytest.raises(ValueError, match="by document"):
        Sums(["d"], [Criterion()], Scheme(), [by_entity])
    with pytest.raises(ValueError, match="of these documents"):
        Sums(["d", "e"], [Criterion()], Scheme(), [by_group("gender", {}, tables)])
    with pytest.raises(ValueError, match="entities only"):
        Sums(["d"], [Criterion()], Scheme(triggers=frozenset({"A"})))
