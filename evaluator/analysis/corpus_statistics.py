"""What a corpus holds, and whether its splits are alike (ChEMU 2020, Tables 1, 3 and 4, Figures 4 and 5; METHODS, section 1).

A word is a token that has a letter or a digit; sentences and tokens are those of `evaluator.tokens`. The paper has NLTK count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from brat.model import Document, Event, Relation, role_name
from evaluator.leakage.fairness import Fairness, compare_attribute, compare_labels
from evaluator.scores import ALL
from evaluator.tokens import split_sentences, split_tokens

ENTITIES, TRIGGERS, RELATIONS, EVENTS, ARGUMENTS = "entities", "triggers", "relations", "events", "arguments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Of a number of each document; None where there is no document."""

    total: int
    low: int | None
    high: int | None
    median: float | None
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitStatistics:
    """A split, or all of them together.

    Attributes:
        name: of the split, or `all`.
        documents: how many.
        sentences, words: of them.
        instances: by kind and label, how many annotations; under `all` the sum of a kind.
    """

    name: str
    documents: int
    sentences: Spread
    words: Spread
    instances: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Whether the values of something are distributed alike over splits.

    Attributes:
        fairness: the counts, and the largest difference of two shares.
        statistic, freedom, p: of Pearson's chi-squared test; None where there are fewer than two splits or values.
        effect: Cramér's V, from 0, alike, to 1.
        smallest: the smallest number that is expected in a cell: under 5 the test is rough.
    """

    fairness: Fairness
    statistic: float | None = None
    freedom: int | None = None
    p: float | None = None
    effect: float | None = None
    smallest: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistics:
    """Each split, then all together if there are several; and what was compared over splits: labels, then attributes."""

    splits: tuple[SplitStatistics, ...]
    likeness: tuple[Likeness, ...]


def describe_corpus(
    splits: Mapping[str, Mapping[str, Document]],
    triggers: frozenset[str] = frozenset(),
    attributes: Mapping[str, Mapping[str, str]] | None = None,
) -> CorpusStatistics:
    """Count what is in a corpus.

    Args:
        splits: documents with texts by id, by split.
        triggers: labels that are those of triggers.
        attributes: of each attribute by name, its value for every document that has one.
    """
    found = [_split(name, list(each.values()), triggers) for name, each in splits.items()]
    if len(found) > 1:
        found.append(_split(ALL, [document for each in splits.values() for document in each.values()], triggers))
    compared = [compare_labels({name: each.values() for name, each in splits.items()})]
    compared += [compare_attribute(name, splits, values) for name, values in (attributes or {}).items()]
    return CorpusStatistics(splits=tuple(found), likeness=tuple(_test(each) for each in compared))


def _split(name: str, documents: Sequence[Document], triggers: frozenset[str]) -> SplitStatistics:
    texts = [each.text or "" for each in documents]
    return SplitStatistics(
        name=name,
        documents=len(documents),
        sentences=_spread(texts, lambda text: len(split_sentences(text))),
        words=_spread(texts, lambda text: sum(text[start].isalnum() for start, _ in split_tokens(text))),
        instances=_instances(documents, triggers),
    )


def _spread(texts: Sequence[str], count: Callable[[str], int]) -> Spread:
    counts = [count(each) for each in texts]
    if not counts:
        return Spread(total=0, low=None, high=None, median=None, mean=None)
    return Spread(total=sum(counts), low=min(counts), high=max(counts), median=float(median(counts)), mean=fmean(counts))


def _instances(documents: Sequence[Document], triggers: frozenset[str]) -> dict[tuple[str, str], int]:
    """Annotations by kind and label, in the order of kinds; an argument is one role of one event."""
    found: Counter[tuple[str, str]] = Counter()
    for document in documents:
        for bound in document.text_bounds:
            found[TRIGGERS if bound.label in triggers else ENTITIES, bound.label] += 1
        for each in document.annotations:
            if isinstance(each, Relation):
                found[RELATIONS, each.label] += 1
            elif isinstance(each, Event):
                found[EVENTS, each.label] += 1
                found.update((ARGUMENTS, role_name(argument.role)) for argument in each.arguments)
    told: dict[tuple[str, str], int] = {}
    for kind in (ENTITIES, TRIGGERS, RELATIONS, EVENTS, ARGUMENTS):
        own = {label: count for (other, label), count in sorted(found.items()) if other == kind}
        if own:
            told[kind, ALL] = sum(own.values())
            told.update({(kind, label): count for label, count in own.items()})
    return told


def _test(fairness: Fairness) -> Likeness:
    """Pearson's chi-squared over the table of values and splits that have any, with Cramér's V."""
    counts = np.array(fairness.counts, dtype=np.float64).reshape(len(fairness.values), len(fairness.splits))
    counts = counts[:, counts.sum(axis=0) > 0]
    counts = counts[counts.sum(axis=1) > 0]
    if min(counts.shape) < 2:
        return Likeness(fairness=fairness)
    from scipy.stats import chi2_contingency  # noqa: PLC0415 - it takes most of a second to load

    statistic, p, freedom, expected = chi2_contingency(counts, correction=False)
    effect = float(np.sqrt(statistic / (counts.sum() * (min(counts.shape) - 1))))
    return Likeness(
        fairness=fairness,
        statistic=float(statistic),
        freedom=int(freedom),
        p=float(p),
        effect=effect,
        smallest=float(expected.min()),
    )
