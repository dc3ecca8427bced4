"""What a feature tells of a class: information gain and gain ratio, base 2 (Entity error analysis; METHODS, section 4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from brat.model import Document
from evaluator.analysis.difficulty import Difficulty, Instance
from evaluator.tokens import sentence_numbers, split_sentences

_RUNS = ((re.compile(r"[A-Z]+"), "A"), (re.compile(r"[a-z]+"), "a"), (re.compile(r"[0-9]+"), "0"))
_AFFIX = 3
SOME, BETWEEN = "hard", "between"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What a feature tells.

    Attributes:
        feature: its name.
        values: how many it has.
        gain: H(class) − H(class | feature), in bits.
        ratio: gain over H(class); None where there is nothing to tell.
    """

    feature: str
    values: int
    gain: float
    ratio: float | None


def entropy(classes: Sequence[Hashable]) -> float:
    """−Σ p log2 p."""
    total = len(classes)
    return -sum(count / total * log2(count / total) for count in Counter(classes).values()) if total else 0.0


def contribution(feature: str, values: Sequence[Hashable], classes: Sequence[Hashable]) -> Contribution:
    """I(C; F) = H(C) − H(C | F), and I / H(C).

    Args:
        feature: its name.
        values: of each case.
        classes: of each case.

    Raises:
        ValueError: there are more of one than of the other.
    """
    if len(values) != len(classes):
        raise ValueError(f"{len(values)} values of {len(classes)} cases")
    parts: dict[Hashable, list[Hashable]] = {}
    for value, each in zip(values, classes, strict=True):
        parts.setdefault(value, []).append(each)
    whole = entropy(classes)
    rest = sum(len(part) / len(classes) * entropy(part) for part in parts.values())
    gain = max(0.0, whole - rest)
    return Contribution(feature=feature, values=len(parts), gain=gain, ratio=gain / whole if whole else None)


def of_hardness(
    found: Difficulty, gold: Mapping[str, Document], seen: Mapping[str, int] | None = None
) -> tuple[Contribution, ...]:
    """What features of instances tell of whether they are hard, easy or between, the largest gain first.

    Args:
        found: the instances.
        gold: their documents.
        seen: how often each string was an entity in train; None where train is not known.
    """
    classes = [SOME if each.is_hard else "easy" if each.is_easy else BETWEEN for each in found.instances]
    places = _sentence_places(found.instances, gold)
    features: dict[str, Callable[[int, Instance], Hashable]] = {
        "label": lambda _, each: each.label,
        "words": lambda _, each: min(len(each.text.split()), 6),
        "characters": lambda _, each: min(len(each.text) // 5, 10),
        "shape": lambda _, each: shape_of(each.text),
        "prefix": lambda _, each: each.text[:_AFFIX].lower(),
        "suffix": lambda _, each: each.text[-_AFFIX:].lower(),
        "fragments": lambda _, each: len(each.fragments),
        "place in the sentence": lambda i, _: places[i],
    }
    if seen is not None:
        known = seen
        features["frequency in train"] = lambda _, each: frequency_of(known.get(each.text, 0))
    told = [
        contribution(name, [of(i, each) for i, each in enumerate(found.instances)], classes) for name, of in features.items()
    ]
    return tuple(sorted(told, key=lambda each: (-each.gain, each.feature)))


def shape_of(text: str) -> str:
    """Runs of capitals, small letters and digits as one sign each."""
    for pattern, sign in _RUNS:
        text = pattern.sub(sign, text)
    return text


def frequency_of(count: int) -> str:
    """How often something was seen, in four classes."""
    return "0" if not count else "1" if count == 1 else "2–4" if count < 5 else "5+"


def _sentence_places(instances: Sequence[Instance], gold: Mapping[str, Document]) -> list[str]:
    """In which third of its sentence each instance begins."""
    sentences = {id_: split_sentences(document.text or "") or [(0, 1)] for id_, document in gold.items()}
    found = []
    for each in instances:
        own = sentences[each.document]
        start, end = own[sentence_numbers(own, [each.fragments[0][0]])[0]]
        third = (each.fragments[0][0] - start) * 3 // max(1, end - start)
        found.append(("first", "second", "last")[max(0, min(2, third))])
    return found
