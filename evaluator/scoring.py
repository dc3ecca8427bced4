"""The whole way from two sets of documents to scores, for the command line and the server alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from brat.model import Document, TextBound
from evaluator.criteria import Annotations, Criterion
from evaluator.event_tables import Events, build_events
from evaluator.events import argument_part, compare_events, event_part, modification_part
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching, Partners, match, partners_of
from evaluator.pairing import label_classes
from evaluator.relations import Relations, build_relations, relation_part
from evaluator.scores import Part, Score, tally
from evaluator.tables import Flags, Tables, build_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """What is counted, and which labels lie under which.

    Attributes:
        annotations: what scores are given of. Arguments are those of the relations and the events among these.
        triggers: the labels of text-bound annotations that are triggers, and so no entities. Where there are none, there are
            no scores of triggers, nor of arguments given right triggers.
        hierarchy: of the labels of text-bound annotations and events.
        relations: of the labels of relations.
        only, ignore: labels that are counted (all when empty), and labels that are not; arguments and modifications are
            counted with their relation or event. What is not counted is matched all the same, for others to hang on.
    """

    annotations: tuple[Annotations, ...] = (Annotations.ENTITIES,)
    triggers: frozenset[str] = frozenset()
    hierarchy: Hierarchy = field(default_factory=Hierarchy)
    relations: Hierarchy = field(default_factory=Hierarchy)
    only: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()

    def counted(self, labels: Sequence[str]) -> Flags:
        """[labels] which are counted."""
        return np.array([each not in self.ignore and (not self.only or each in self.only) for each in labels], dtype=bool)


@dataclass(frozen=True, slots=True)
class Scored:
    """The tables, one matching a criterion, and the scores: all of the first criterion, then of the next."""

    tables: Tables
    matchings: tuple[Matching, ...]
    scores: tuple[Score, ...]


def score(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    criteria: Iterable[Criterion],
    scheme: Scheme | None = None,
) -> Scored:
    """Match a run against gold under every criterion and add up. Documents that only the run has are left out.

    Of each criterion, the scores are in the order of `Annotations`. Only text-bound annotations are matched: relations and
    events follow from their matching.
    """
    scheme = scheme or Scheme()
    tables = build_tables(gold, run)
    asked = set(scheme.annotations)
    relations = build_relations(tables, gold, run) if Annotations.RELATIONS in asked else None
    events = build_events(tables, gold, run) if asked & {Annotations.EVENTS, Annotations.MODIFICATIONS} else None
    matchings = tuple(match(tables, each, scheme.hierarchy, scheme.triggers) for each in criteria)
    scores: list[Score] = []
    for matching in matchings:
        parts = _Parts(scheme, tables, matching)
        parts.add_text_bounds()
        if relations is not None or events is not None:
            partners = partners_of(tables, matching)
            if relations is not None:
                parts.add_relations(relations, partners)
            if events is not None:
                parts.add_events(events, partners)
        scores += parts.tally()
    return Scored(tables, matchings, tuple(scores))


@dataclass(slots=True)
class _Parts:
    """What is counted under one criterion, by what it is."""

    scheme: Scheme
    tables: Tables
    matching: Matching
    found: dict[Annotations, list[Part]] = field(default_factory=dict)

    def tally(self) -> Iterator[Score]:
        """The scores of what is asked for, in the order of `Annotations`."""
        for each in Annotations:
            if each in self.scheme.annotations and each in self.found:
                yield from tally(each, self.matching.criterion, *self.found[each])

    def add_text_bounds(self) -> None:
        scheme, labels = self.scheme, self.tables.labels
        counted = scheme.counted(labels)
        triggers = np.array([each in scheme.triggers for each in labels], dtype=bool)
        self._add(Annotations.ENTITIES, self._text_bounds(counted & ~triggers))
        if scheme.triggers:
            self._add(Annotations.TRIGGERS, self._text_bounds(counted & triggers))

    def add_relations(self, relations: Relations, partners: Partners) -> None:
        scheme = self.scheme
        classes = label_classes(relations.labels, self.matching.criterion.labels, scheme.relations)
        counted = scheme.counted(relations.labels)

        def part(*, given_triggers: bool) -> Part:
            return relation_part(relations, partners, classes, scheme.relations, counted=counted, given_triggers=given_triggers)

        self._add(Annotations.RELATIONS, part(given_triggers=False))
        if scheme.triggers:
            self._add(Annotations.ARGUMENTS, part(given_triggers=True))

    def add_events(self, events: Events, partners: Partners) -> None:
        scheme = self.scheme
        classes = label_classes(events.labels, self.matching.criterion.labels, scheme.hierarchy)
        looks = compare_events(events, partners, classes, counted=scheme.counted(events.labels))
        self._add(Annotations.EVENTS, event_part(looks, scheme.hierarchy))
        if scheme.triggers:
            self._add(Annotations.ARGUMENTS, argument_part(looks))
        if events.modifications:
            self._add(Annotations.MODIFICATIONS, modification_part(looks))

    def _add(self, annotations: Annotations, part: Part) -> None:
        self.found.setdefault(annotations, []).append(part)

    def _text_bounds(self, wanted: Flags) -> Part:
        """Those whose label is wanted; a pair counts only where both labels are."""
        gold, run, matching = self.tables.gold, self.tables.run, self.matching
        g, r = wanted[gold.label], wanted[run.label]
        both = g[matching.gold] & r[matching.run]
        return Part(
            labels=self.tables.labels,
            gold=gold.label[g],
            run=run.label[r],
            pairs_gold=(np.cumsum(g) - 1)[matching.gold[both]],
            pairs_run=(np.cumsum(r) - 1)[matching.run[both]],
            hierarchy=self.scheme.hierarchy,
        )


def keep_labels(documents: Mapping[str, Document], only: frozenset[str], ignore: frozenset[str]) -> dict[str, Document]:
    """The documents with those text-bound annotations whose label is in `only` (when not empty) and not in `ignore`."""
    return {
        id_: Document(
            id_,
            tuple(
                a
                for a in each.annotations
                if not isinstance(a, TextBound) or (a.label not in ignore and (not only or a.label in only))
            ),
            each.text,
        )
        for id_, each in documents.items()
    }
