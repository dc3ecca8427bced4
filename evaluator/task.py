"""A shared task as data: labels, tracks, phases and criteria. `evaluator.task_file` reads it from a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from brat.conf import Configuration
from brat.run import Expectations
from evaluator.criteria import Annotations, Criterion
from evaluator.fairness.name_errors import Rule
from evaluator.hierarchy import Hierarchy


class Split(StrEnum):
    """The parts of a corpus."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


PUBLIC_SPLITS = frozenset({Split.TRAIN, Split.DEV})


class Disclosure(StrEnum):
    """What a phase tells a team of the scores of its runs while it is open."""

    FULL = "full"
    HEADLINE = "headline"
    NOTHING = "nothing"


class Release(StrEnum):
    """Which files of its split a phase hands out when it opens: the texts, the entities too, or all annotations."""

    TEXT = "text"
    ENTITIES = "entities"
    EVERYTHING = "everything"


class Layer(StrEnum):
    """What a track gives to teams and asks of them."""

    TEXT = "text"
    ENTITIES = "entities"
    TRIGGERS = "triggers"
    RELATIONS = "relations"
    EVENTS = "events"
    ATTRIBUTES = "attributes"


class Figure(StrEnum):
    """What a leaderboard is ranked by."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"


_KINDS: Mapping[Layer, frozenset[str]] = {
    Layer.TEXT: frozenset(),
    Layer.ENTITIES: frozenset({"TextBound"}),
    Layer.TRIGGERS: frozenset({"TextBound"}),
    Layer.RELATIONS: frozenset({"TextBound", "Relation"}),
    Layer.EVENTS: frozenset({"TextBound", "Event", "Attribute"}),
    Layer.ATTRIBUTES: frozenset({"Attribute"}),
}
_COUNTED: Mapping[Layer, tuple[Annotations, ...]] = {
    Layer.ENTITIES: (Annotations.ENTITIES,),
    Layer.TRIGGERS: (Annotations.TRIGGERS,),
    Layer.RELATIONS: (Annotations.ARGUMENTS, Annotations.RELATIONS),
    Layer.EVENTS: (Annotations.TRIGGERS, Annotations.ARGUMENTS, Annotations.EVENTS, Annotations.MODIFICATIONS),
}
_FIRST = (Annotations.EVENTS, Annotations.RELATIONS, Annotations.TRIGGERS, Annotations.ENTITIES)
"""What the board of a track is about: the first of these that it asks for, since it rests on all that come after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One problem of a task: what teams are given, and what they are asked.

    `labels` are the labels of entities that are asked for; empty means every one of the task.
    """

    id: str
    title: str
    description: str = ""
    given: tuple[Layer, ...] = (Layer.TEXT,)
    asks: tuple[Layer, ...] = (Layer.ENTITIES,)
    labels: tuple[str, ...] = ()

    @property
    def gives_entities(self) -> bool:
        """Whether teams get the entities of gold."""
        return Layer.ENTITIES in self.given

    @property
    def counted(self) -> tuple[Annotations, ...]:
        """What the scores of its runs are about, in the order in which it is counted."""
        wanted = {each for layer in self.asks for each in _COUNTED.get(layer, ())}
        return tuple(each for each in Annotations if each in wanted)

    @property
    def primary(self) -> Annotations:
        """What its board ranks by."""
        return next(each for each in _FIRST if each in self.counted)

    def is_told_by(self, release: Release) -> bool:
        """Whether files of this kind hold something that the track asks for."""
        match release:
            case Release.TEXT:
                return False
            case Release.ENTITIES:
                return Layer.ENTITIES in self.asks
            case Release.EVERYTHING:
                return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A window in which runs on one split are taken.

    `split` names a set of documents: train, dev, test, test-2 and so on. `opens` and `closes` are in UTC; `open` opens the
    phase when the task is installed. `releases` is what it hands out of the split from then on. `quota` is how many scored
    runs a team may have in a track, None for no limit, within `quota_days` days if these are given.
    """

    id: str
    title: str
    split: str
    tracks: tuple[str, ...]
    tells: Disclosure
    releases: Release = Release.TEXT
    open: bool = False
    opens: datetime | None = None
    closes: datetime | None = None
    grace_minutes: int = 30
    quota: int | None = None
    quota_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDefinition:
    """Everything about a task that does not change while it runs.

    Attributes:
        configuration: the sections of annotation.conf.
        labels: definition of each label of entities and triggers, in the order of annotation.conf.
        relations: definition of each label of relations, likewise.
        criteria: what every run is scored under; the first is the primary one.
        figure: what boards are ranked by, under the primary criterion.
        headline_places: decimals that a phase which tells the headline only gives.
        undefined_as_zero: print 0 for a figure with nothing to divide by, as BRATEval does.
        missing_as_empty: a document missing from a run counts as empty.
        raised: codes of warnings that are errors here.
        names: where its documents are about people's names: when a tag of a name is an error.
        gold_public: whether annotations of a blind split may be downloaded once all its phases have closed.
    """

    id: str
    version: str
    title: str
    summary: str
    configuration: Configuration
    hierarchy: Hierarchy
    labels: Mapping[str, str]
    relations: Mapping[str, str]
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    criteria: tuple[Criterion, ...]
    figure: Figure = Figure.F1
    headline_places: int = 2
    undefined_as_zero: bool = False
    missing_as_empty: bool = False
    raised: frozenset[str] = frozenset()
    names: Rule | None = None
    gold_public: bool = False

    def track(self, id_: str) -> Track | None:
        """The track of that id."""
        return next((each for each in self.tracks if each.id == id_), None)

    def phase(self, id_: str) -> Phase | None:
        """The phase of that id."""
        return next((each for each in self.phases if each.id == id_), None)

    @property
    def triggers(self) -> frozenset[str]:
        """The labels of triggers: those of the section [events]. All others are labels of entities."""
        return frozenset(node.label for node in self.configuration.events)

    @property
    def entity_labels(self) -> frozenset[str]:
        """The labels of entities."""
        return frozenset(self.labels) - self.triggers

    def asked_labels(self, track: Track) -> frozenset[str]:
        """The labels of text-bound annotations that runs of a track are scored on."""
        asked = frozenset[str]()
        if Layer.ENTITIES in track.asks:
            asked |= frozenset(track.labels) or self.entity_labels
        if Layer.TRIGGERS in track.asks or Layer.EVENTS in track.asks:
            asked |= self.labels.keys() & self.triggers
        return asked

    def welcome_labels(self, track: Track) -> frozenset[str]:
        """The labels that a run of a track may have: what is asked, and what is given since relations refer to it."""
        given = self.entity_labels if track.gives_entities else frozenset()
        return self.asked_labels(track) | given

    def expectations(self, track: Track) -> Expectations:
        """What a run of the track is checked against."""
        known = frozenset(self.labels)
        return Expectations(
            labels=known,
            ignored_labels=known - self.welcome_labels(track),
            kinds=frozenset[str]().union(*(_KINDS[each] for each in (*track.asks, *track.given))),
            missing_as_empty=self.missing_as_empty,
            raised=self.raised,
            relations=self.configuration.relation_types() if Layer.RELATIONS in track.asks else None,
            events=self.configuration.event_roles() if Layer.EVENTS in track.asks else None,
            given_labels=self.entity_labels if track.gives_entities else frozenset(),
        )
