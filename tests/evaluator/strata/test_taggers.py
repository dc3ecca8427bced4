"""What entropy strata say of taggers: one that has learnt strings by heart, and one that never looks at the text."""

from __future__ import annotations

import pytest

from baselines import dictionary, protocol
from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Document, TextBound
from evaluator.criteria import Criterion
from evaluator.leakage.entropy import label_strings
from evaluator.matching import match
from evaluator.scoring import Scheme
from evaluator.strata.entropy import by_entropy, distinct_strings
from evaluator.strata.tallying import score_strata
from evaluator.tables import build_tables
from tests.shared import shared

Corpus = dict[str, Document]


def figures(train: Corpus, gold: Corpus, run: Corpus) -> dict[str, float | None]:
    """Exact F1 on S1 to S4, of all labels."""
    tables = build_tables(gold, run)
    known = label_strings(distinct_strings(tables), train.values())
    strata = by_entropy(lambda string: known[string].entropy, tables)
    found = score_strata(gold, run, tables, [match(tables, Criterion())], [strata], Scheme())
    return {each.stratum: each.counts.f1 for each in found if each.label == "all"}


def memorise(train: Corpus, test: Corpus) -> Corpus:
    """The run of the memoriser."""
    model = dictionary.train(protocol.Corpus(train), dictionary.Settings(), protocol.Quiet())
    return dictionary.predict(model, test, protocol.Quiet())


def sentence(id_: str, word: str, label: str | None) -> Document:
    """`We took WORD today`, the word annotated or not."""
    text = f"We took {word} today"
    bound = (TextBound("T1", label, ((8, 8 + len(word)),), word),) if label else ()
    return Document(id_, bound, text)


def corpus(*words: tuple[str, str | None]) -> Corpus:
    return {f"d{i:02}": sentence(f"d{i:02}", word, label) for i, (word, label) in enumerate(words)}


# E of metal is 0 (S1). Of argon: 1 in 16 is O, E = -(15/16 log 15/16 + 1/16 log 1/16) = .1016 (S2). Of boron: half and half,
# E = log 2 = .3010 (S3). Radon and xenon are not in train (S4). All words have five letters.
TRAIN = corpus(
    *[("metal", "DRUG")] * 4, *[("argon", "DRUG")] * 15, ("argon", None), *[("boron", "DRUG")] * 2, *[("boron", None)] * 2
)  # fmt: skip
SETS = {"S1": "metal", "S2": "argon", "S3": "boron", "S4": "radon"}


def test_a_tagger_that_only_memorises_has_s1_and_nothing_of_s4() -> None:
    test = corpus(*[(word, "DRUG") for word in SETS.values()], ("xenon", "DRUG"))
    found = figures(TRAIN, test, memorise(TRAIN, test))

    # Boron is as often a drug as it is none; the tie goes to the label.
    assert found == {"S1": 1.0, "S2": 1.0, "S3": 1.0, "S4": 0.0}


def test_a_tagger_that_ignores_the_text_scores_the_same_everywhere() -> None:
    # Two in three sentences hold a drug, whatever the word; the tagger always tags the third word. In every set it has 2 true
    # positives and 1 false positive: F1 = 4 / 5. The memorising one has the same but for S4, where it says nothing.
    test = corpus(*[(word, label) for word in SETS.values() for label in ("DRUG", "DRUG", None)])
    blind = {id_: Document(id_, (TextBound("T1", "DRUG", ((8, 13),), None),), each.text) for id_, each in test.items()}

    assert figures(TRAIN, test, blind) == dict.fromkeys(SETS, 0.8)
    assert figures(TRAIN, test, memorise(TRAIN, test)) == {"S1": 0.8, "S2": 0.8, "S3": 0.8, "S4": 0.0}


def test_on_ddi_memory_is_worth_much_on_s1_and_nothing_on_s4() -> None:
    train, test = (read_corpus(read_path(shared("data", "ddi2013", each))).documents for each in ("train", "test"))
    found = figures(train, test, memorise(train, test))
    # Half of all gold annotations, whatever they are: the same share of every set is found, and nothing else is said.
    half = {
        id_: Document(id_, tuple(b for i, b in enumerate(each.text_bounds) if (i + int(id_.encode().hex(), 16)) % 2), each.text)
        for id_, each in test.items()
    }
    chance = figures(train, test, half)

    assert found["S4"] == 0
    assert found["S1"] is not None
    assert found["S1"] > 0.8
    for each in chance.values():
        assert each == pytest.approx(2 / 3, abs=0.06)
