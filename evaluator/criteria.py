"""What is scored, and when a prediction counts as right: a rule for spans times a rule for labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

_APPROXIMATE = re.compile(r"^approximate:(0?\.[0-9]{1,15}|1(?:\.0*)?|0)$")


class Annotations(StrEnum):
    """What a score is about, in the order in which scores are given."""

    ENTITIES = "entities"
    TRIGGERS = "triggers"
    ARGUMENTS = "arguments"
    RELATIONS = "relations"
    EVENTS = "events"
    MODIFICATIONS = "modifications"


class SpanRule(StrEnum):
    """How the spans of a pair must agree."""

    EXACT = "exact"
    RELAXED = "relaxed"
    APPROXIMATE = "approximate"


class LabelRule(StrEnum):
    """How the labels of a pair must agree: equal, under the same topmost label, or not at all."""

    FINE = "fine"
    HIGH = "high"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A span rule and a label rule.

    `threshold` is the least similarity under APPROXIMATE, an exact fraction in (0, 1], so that no rounding decides.
    """

    span: SpanRule = SpanRule.EXACT
    labels: LabelRule = LabelRule.FINE
    threshold: Fraction | None = None

    def __post_init__(self) -> None:
        if (self.span is SpanRule.APPROXIMATE) != (self.threshold is not None):
            raise ValueError("a threshold belongs to approximate spans, and to them only")

    @property
    def span_name(self) -> str:
        """The span rule as it is written in a Score record: `exact`, `relaxed`, `approximate:0.8`."""
        if self.threshold is None:
            return self.span.value
        return f"{self.span.value}:{float(self.threshold)!r}"

    @property
    def name(self) -> str:
        """Span and labels in one word, as in addresses and file names."""
        return f"{self.span_name}-{self.labels.value}"


def parse_span(text: str) -> tuple[SpanRule, Fraction | None]:
    """`exact`, `relaxed` or `approximate:T` with T in (0, 1].

    Raises:
        ValueError: it is none of these; the message says what was expected.
    """
    if text in (SpanRule.EXACT, SpanRule.RELAXED):
        return SpanRule(text), None
    match = _APPROXIMATE.match(text)
    threshold = Fraction(match[1]) if match else Fraction(0)
    if threshold <= 0:
        raise ValueError(f'"{text}" is not exact, relaxed or approximate:T with T above 0 and at most 1')
    return SpanRule.APPROXIMATE, threshold


def parse_criterion(span: str, labels: str) -> Criterion:
    """A criterion from its two words.

    Raises:
        ValueError: one of them is unknown.
    """
    rule, threshold = parse_span(span)
    try:
        return Criterion(rule, LabelRule(labels), threshold)
    except ValueError:
        raise ValueError(f'"{labels}" is not one of {", ".join(LabelRule)}') from None
