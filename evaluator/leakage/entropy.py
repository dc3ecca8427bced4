"""What training says an entity string is, and how sure it is of that (ChEMU 2020, section 9.3).

For a string e, over training (train and dev), p is the distribution of the labels that its occurrences carry, occurrences
that carry none among them, and E(e) = −Σ p log₁₀ p. An occurrence carries none where the string stands at token boundaries
and no gold entity overlaps it; one inside a longer entity is not counted. A span with two labels counts once for each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from brat.model import Document
from evaluator.leakage.mentions import Mention, mentions
from evaluator.leakage.occurrences import StringIndex
from evaluator.strata.entropy import STRATA, set_of

UNSEEN = 1.0
"""The entropy of a string that does not occur in training, by definition."""


@dataclass(frozen=True, slots=True)
class Labelling:
    """What the occurrences of a string carry.

    Attributes:
        labels: how many carry each label.
        outside: how many carry none (`O`).
    """

    labels: Mapping[str, int]
    outside: int = 0

    @property
    def occurrences(self) -> int:
        """All of them."""
        return sum(self.labels.values()) + self.outside

    @property
    def entropy(self) -> float:
        """E(e), base 10: from 0 for one category to log₁₀ of their number; 1 by definition where there is no occurrence."""
        return entropy_of([*self.labels.values(), self.outside])


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropySet:
    """The part of a test set that is in one of S1 to S4: different strings, and annotations."""

    name: str
    strings: int
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A string that training has and that is in another set when the test set itself is asked.

    Attributes:
        string: as it stands in test.
        mentions: its annotations in test.
        set, test_set: where training and where test put it.
        labelling, test_labelling: what its occurrences carry in both.
    """

    string: str
    mentions: int
    set: str
    test_set: str
    labelling: Labelling
    test_labelling: Labelling


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySets:
    """The entities of a test set by the entropy of their strings.

    Attributes:
        entropies: of every different string of the test set.
        sets: S1 {0}, S2 (0, .25), S3 [.25, 1), S4 1 and more, and unseen.
        unseen: how many of the strings do not occur in training.
        only_outside: how many occur in training, but never as an entity; their entropy is 0, and memory gets them wrong.
        moves: the strings that change sets, those with most annotations first.
    """

    entropies: Mapping[str, float]
    sets: tuple[EntropySet, ...]
    unseen: int
    only_outside: int
    moves: tuple[Move, ...]


def entropy_of(counts: Iterable[int]) -> float:
    """−Σ p log₁₀ p of a distribution given as counts; 1 where all of them are 0."""
    positive = [each for each in counts if each]
    total = sum(positive)
    if not total:
        return UNSEEN
    if len(positive) == 1:
        return 0.0
    return -math.fsum(each / total * math.log10(each / total) for each in positive)


def label_strings(strings: Iterable[str], documents: Iterable[Document], ignored: Collection[str] = ()) -> dict[str, Labelling]:
    """What the occurrences of strings carry in documents; one walk over each text finds all of them.

    Args:
        strings: white space collapsed, case kept, as `evaluator.leakage.mentions` makes them.
        documents: of training. In one without text only its annotations are seen.
        ignored: labels that are not those of entities; what carries one of them carries none.
    """
    wanted = dict.fromkeys(strings)
    index = StringIndex(wanted)
    labels: dict[str, Counter[str]] = {string: Counter() for string in wanted}
    outside: Counter[str] = Counter()
    for document in documents:
        found = mentions(document, ignored)
        for each in found:
            if each.string in labels:
                labels[each.string][each.label] += 1
        if document.text is not None:
            outside.update(_outside(index, document.text, found))
    return {string: Labelling(dict(sorted(labels[string].items())), outside[string]) for string in wanted}


def _outside(index: StringIndex, text: str, found: Iterable[Mention]) -> Iterable[str]:
    """The strings that stand where no entity is, as often as they do."""
    covered = bytearray(len(text))
    for each in found:
        for start, end in each.fragments:
            covered[start:end] = b"\1" * (min(end, len(text)) - start)
    return (string for string, (start, end) in index.find(text) if covered.find(1, start, end) < 0)


def find_sets(known: Iterable[Document], test: Iterable[Document], ignored: Collection[str] = ()) -> EntitySets:
    """The entities of a test set by what training says of their strings.

    Args:
        known: train and dev.
        test: the test documents.
        ignored: labels that are not those of entities.
    """
    test = list(test)
    counts = Counter(each.string for document in test for each in mentions(document, ignored))
    training = label_strings(sorted(counts), known, ignored)
    here = label_strings(sorted(counts), test, ignored)
    place = {string: set_of(each.entropy) for string, each in training.items()}
    moves = [
        Move(
            string=string,
            mentions=counts[string],
            set=place[string],
            test_set=set_of(here[string].entropy),
            labelling=labelling,
            test_labelling=here[string],
        )
        for string, labelling in training.items()
        if labelling.occurrences and set_of(here[string].entropy) != place[string]
    ]
    moves.sort(key=lambda each: (-each.mentions, each.string))
    return EntitySets(
        entropies={string: each.entropy for string, each in training.items()},
        sets=tuple(
            EntropySet(
                name=name,
                strings=sum(each == name for each in place.values()),
                mentions=sum(counts[string] for string, each in place.items() if each == name),
            )
            for name in STRATA
        ),
        unseen=sum(not each.occurrences for each in training.values()),
        only_outside=sum(bool(each.outside) and not each.labels for each in training.values()),
        moves=tuple(moves),
    )
