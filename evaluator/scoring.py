"""The whole way from two sets of documents to scores, for the command line and the server alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from brat.model import Document, TextBound
from evaluator.criteria import Annotations, Criterion, LabelRule
from evaluator.event_tables import Events, build_events
from evaluator.events import argument_part, compare_events, event_part, modification_part
from evaluator.hierarchy import Hierarchy
from evaluator.matching import Matching, Partners, match, partners_of
from evaluator.pairing import label_classes
from evaluator.relations import Relations, build_relations, relation_part
from evaluator.scores import Part, Score, tally
from evaluator.tables import Flags, Tables, build_tables

_KindAndPart: TypeAlias = tuple[Annotations, Part]


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
    counted = lay_out(gold, run, tables, scheme)
    matchings = tuple(match(tables, each, scheme.hierarchy, scheme.triggers) for each in criteria)
    scores = [
        each
        for matching in matchings
        for kind, parts in counted.parts(matching).items()
        for each in tally(kind, matching.criterion, *parts)
    ]
    return Scored(tables, matchings, tuple(scores))


def lay_out(gold: Mapping[str, Document], run: Mapping[str, Document], tables: Tables, scheme: Scheme) -> Counted:
    """What a scheme counts in the documents that `tables` were built from."""
    asked = set(scheme.annotations)
    relations = build_relations(tables, gold, run) if Annotations.RELATIONS in asked else None
    events = build_events(tables, gold, run) if asked & {Annotations.EVENTS, Annotations.MODIFICATIONS} else None
    return Counted(scheme, tables, relations, events)


@dataclass(frozen=True, slots=True)
class Counted:
    """What a scheme counts, laid out once for all matchings; relations and events are None where it asks for none."""

    scheme: Scheme
    tables: Tables
    relations: Relations | None
    events: Events | None

    def parts(self, matching: Matching) -> dict[Annotations, list[Part]]:
        """What is counted under a criterion, by what it is, in the order of `Annotations`.

        Left out is what has no part: what hangs on triggers where the scheme has none, and modifications that nobody made.
        """
        found: dict[Annotations, list[Part]] = {each: [] for each in Annotations if each in self.scheme.annotations}
        for kind, part in self._all_parts(matching):
            if kind in found:
                found[kind].append(part)
        return {kind: parts for kind, parts in found.items() if parts}

    def _all_parts(self, matching: Matching) -> Iterator[_KindAndPart]:
        yield from self._text_bounds(matching)
        if self.relations is not None or self.events is not None:
            partners = partners_of(self.tables, matching)
            if self.relations is not None:
                yield from self._of_relations(self.relations, partners, matching.criterion.labels)
            if self.events is not None:
                yield from self._of_events(self.events, partners, matching.criterion.labels)

    def _text_bounds(self, matching: Matching) -> Iterator[_KindAndPart]:
        scheme, labels = self.scheme, self.tables.labels
        counted = scheme.counted(labels)
        triggers = np.array([each in scheme.triggers for each in labels], dtype=bool)
        yield Annotations.ENTITIES, _text_bound_part(self.tables, matching, scheme.hierarchy, counted & ~triggers)
        if scheme.triggers:
            yield Annotations.TRIGGERS, _text_bound_part(self.tables, matching, scheme.hierarchy, counted & triggers)

    def _of_relations(self, relations: Relations, partners: Partners, rule: LabelRule) -> Iterator[_KindAndPart]:
        scheme = self.scheme
        classes = label_classes(relations.labels, rule, scheme.relations)
        counted = scheme.counted(relations.labels)

        def part(*, given_triggers: bool) -> Part:
            return relation_part(relations, partners, classes, scheme.relations, counted=counted, given_triggers=given_triggers)

        yield Annotations.RELATIONS, part(given_triggers=False)
        if scheme.triggers:
            yield Annotations.ARGUMENTS, part(given_triggers=True)

    def _of_events(self, events: Events, partners: Partners, rule: LabelRule) -> Iterator[_KindAndPart]:
        scheme = self.scheme
        classes = label_classes(events.labels, rule, scheme.hierarchy)
        looks = compare_events(events, partners, classes, counted=scheme.counted(events.labels))
        yield Annotations.EVENTS, event_part(looks, scheme.hierarchy)
        if scheme.triggers:
            yield Annotations.ARGUMENTS, argument_part(looks)
        if events.modifications:
            yield Annotations.MODIFICATIONS, modification_part(looks)


def _text_bound_part(tables: Tables, matching: Matching, hierarchy: Hierarchy, wanted: Flags) -> Part:
    """Those whose label is wanted; a pair counts only where both labels are."""
    gold, run = tables.gold, tables.run
    g, r = wanted[gold.label], wanted[run.label]
    both = g[matching.gold] & r[matching.run]
    return Part(
        labels=tables.labels,
        gold=gold.label[g],
        run=run.label[r],
        gold_row=np.flatnonzero(g),
        run_row=np.flatnonzero(r),
        pairs_gold=(np.cumsum(g) - 1)[matching.gold[both]],
        pairs_run=(np.cumsum(r) - 1)[matching.run[both]],
        hierarchy=hierarchy,
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
