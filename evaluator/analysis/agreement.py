"""How far annotators agree (METHODS, section 1): F1 with each as reference, Cohen's kappa, Krippendorff's alpha.

What is labelled is a unit: a span that at least one annotator marked, or two spans that at least one linked. An annotator who
did not says `O` of it, so that no unit is one that nobody marked. Several labels that an annotator gave one unit are one
category, `A+B`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from brat.model import Document, Event, Fragment, Relation, covered_text, role_name
from evaluator.criteria import Annotations, Criterion, LabelRule, SpanRule
from evaluator.scores import ALL, Score
from evaluator.scoring import Scheme, score

OUTSIDE = "O"
Span: TypeAlias = tuple[Fragment, ...]
Unit: TypeAlias = tuple[str, tuple[Span, ...]]
"""A document, and a span, or the two spans of a link."""
Labelled: TypeAlias = Mapping[str, Mapping[str, Document]]
"""Documents by id, by annotator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Agreement of two annotators on the units that at least one of them marked.

    Attributes:
        label: all categories, or one against all others.
        units: how many.
        agreed: how many both gave the same category.
        observed, expected: the share that they agree on, and that of two who label at random as often as they do.
        kappa: None where chance alone agrees on all, or where there is no unit.
    """

    label: str
    units: int
    agreed: int
    observed: float | None
    expected: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two annotators on one kind of annotations."""

    first: str
    second: str
    kind: Annotations
    kappas: tuple[Kappa, ...]
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A unit that not all gave the same category: what each says, in the order of the annotators."""

    kind: Annotations
    document: str
    spans: tuple[Span, ...]
    text: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What annotators agree on.

    Attributes:
        annotators: in the order that was given.
        pairs: every two of them, on every kind.
        alphas: Krippendorff's, nominal, over all annotators, by kind; None where it is undefined.
        disagreements: to be read, by document and place.
    """

    annotators: tuple[str, ...]
    pairs: tuple[Pair, ...]
    alphas: tuple[tuple[Annotations, float | None], ...]
    disagreements: tuple[Disagreement, ...]


def find_agreement(
    annotated: Labelled,
    triggers: frozenset[str] = frozenset(),
    criteria: Sequence[Criterion] = (Criterion(), Criterion(SpanRule.RELAXED, LabelRule.FINE)),
) -> Agreement:
    """Compare two annotators or more; a document that one of them lacks is empty there.

    Args:
        annotated: the documents of each; texts are taken from the first that has one.
        triggers: labels that are those of triggers.
        criteria: of F1; kappa and alpha are of exact spans.

    Raises:
        ValueError: there are fewer than two annotators.
    """
    names = tuple(annotated)
    if len(names) < 2:
        raise ValueError("two annotators are needed to agree")
    ids = sorted({id_ for documents in annotated.values() for id_ in documents})
    everyone = {name: {id_: annotated[name].get(id_, Document(id_)) for id_ in ids} for name in names}
    kinds = [Annotations.ENTITIES, Annotations.TRIGGERS, Annotations.RELATIONS]
    said = {kind: {name: _units(everyone[name], kind, triggers) for name in names} for kind in kinds}
    used = [kind for kind in kinds if any(said[kind].values())]
    pairs, alphas = [], []
    disagreements: list[Disagreement] = []
    for kind in used:
        for first, second in combinations(names, 2):
            scheme = Scheme(annotations=(kind,), triggers=triggers)
            scores = score(everyone[first], everyone[second], criteria, scheme).scores
            kappas = cohens_kappas(said[kind][first], said[kind][second])
            pairs.append(Pair(first=first, second=second, kind=kind, kappas=tuple(kappas), scores=tuple(scores)))
        alphas.append((kind, krippendorffs_alpha(list(said[kind].values()))))
        disagreements += _disagreements(kind, said[kind], everyone)
    return Agreement(annotators=names, pairs=tuple(pairs), alphas=tuple(alphas), disagreements=tuple(disagreements))


def _units(documents: Mapping[str, Document], kind: Annotations, triggers: Collection[str]) -> dict[Unit, str]:
    """The category of each unit of one kind that an annotator marked."""
    found: dict[Unit, set[str]] = {}
    for id_, document in documents.items():
        spans = {each.id: tuple(sorted(each.fragments)) for each in document.text_bounds}
        if kind is Annotations.RELATIONS:
            for label, first, second in _links(document):
                if first in spans and second in spans:
                    found.setdefault((id_, (spans[first], spans[second])), set()).add(label)
            continue
        for each in document.text_bounds:
            if (each.label in triggers) == (kind is Annotations.TRIGGERS):
                found.setdefault((id_, (spans[each.id],)), set()).add(each.label)
    return {unit: "+".join(sorted(labels)) for unit, labels in found.items()}


def _links(document: Document) -> Iterable[tuple[str, str, str]]:
    """Relations, and the arguments of events, as a label from one span to another."""
    triggers = {each.id: each.trigger for each in document.annotations if isinstance(each, Event)}
    for each in document.annotations:
        if isinstance(each, Relation):
            first, second = each.in_order
            yield each.label, triggers.get(first.target, first.target), triggers.get(second.target, second.target)
        elif isinstance(each, Event):
            for argument in each.arguments:
                yield role_name(argument.role), each.trigger, triggers.get(argument.target, argument.target)


def cohens_kappas(first: Mapping[Unit, str], second: Mapping[Unit, str]) -> list[Kappa]:
    """Of all categories, then of each label against the rest, over the units that at least one marked."""
    units = sorted(first.keys() | second.keys())
    said = [(first.get(unit, OUTSIDE), second.get(unit, OUTSIDE)) for unit in units]
    labels = sorted({label for pair in said for each in pair for label in each.split("+")} - {OUTSIDE})
    found = [cohens_kappa(said, ALL)]
    for label in labels:
        found.append(cohens_kappa([(str(label in a.split("+")), str(label in b.split("+"))) for a, b in said], label))
    return found


def cohens_kappa(said: Sequence[tuple[str, str]], label: str) -> Kappa:
    """(observed − expected) / (1 − expected) of two annotators' categories (Cohen 1960)."""
    n = len(said)
    agreed = sum(a == b for a, b in said)
    if not n:
        return Kappa(label=label, units=0, agreed=0, observed=None, expected=None, kappa=None)
    first, second = Counter(a for a, _ in said), Counter(b for _, b in said)
    expected = sum(first[each] * second[each] for each in first) / n**2
    observed = agreed / n
    kappa = (observed - expected) / (1 - expected) if expected < 1 else None
    return Kappa(label=label, units=n, agreed=agreed, observed=observed, expected=expected, kappa=kappa)


def krippendorffs_alpha(said: Sequence[Mapping[Unit, str]]) -> float | None:
    """Nominal alpha of two annotators or more, each of whom says something of every unit (Krippendorff 2004, chapter 11).

    None where there is no unit, or only one category.
    """
    units = sorted(set().union(*said))
    totals: Counter[str] = Counter()
    observed = 0.0
    for unit in units:
        counts = Counter(each.get(unit, OUTSIDE) for each in said)
        size = counts.total()
        totals += counts
        observed += (size**2 - sum(count**2 for count in counts.values())) / (size - 1)
    n = totals.total()
    expected = n**2 - sum(count**2 for count in totals.values())
    return 1 - (n - 1) * observed / expected if expected else None


def _disagreements(kind: Annotations, said: Mapping[str, Mapping[Unit, str]], everyone: Labelled) -> Iterable[Disagreement]:
    for unit in sorted(set().union(*said.values())):
        values = tuple(each.get(unit, OUTSIDE) for each in said.values())
        if len(set(values)) > 1:
            id_, spans = unit
            text = next((each[id_].text for each in everyone.values() if each[id_].text is not None), None)
            covered = " → ".join(covered_text(text, span) for span in spans) if text is not None else ""
            yield Disagreement(kind=kind, document=id_, spans=spans, text=" ".join(covered.split()), said=values)
