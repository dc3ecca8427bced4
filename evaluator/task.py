"""A shared task as data: what a bundle's task.toml and annotation.conf say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from brat.conf import Configuration, parse_conf
from brat.problems import WARNINGS, has_errors
from brat.run import Expectations
from evaluator.criteria import Criterion, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.toml_table import Table, TaskError

_DEFAULT_QUOTA = 3  # no team of ChEMU 2020 had more than three runs a track
_KINDS = {"entities": "TextBound", "relations": "Relation", "events": "Event", "attributes": "Attribute"}


class Split(StrEnum):
    """The parts of a corpus."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


_PUBLIC_SPLITS = (Split.TRAIN, Split.DEV)


class Disclosure(StrEnum):
    """What a phase tells a team of the scores of its runs while it is open."""

    FULL = "full"
    HEADLINE = "headline"
    NOTHING = "nothing"


class Figure(StrEnum):
    """What a leaderboard is ranked by."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One problem of a task. `labels` are those asked for; empty means every label of the task."""

    id: str
    title: str
    description: str = ""
    asks: tuple[str, ...] = ("entities",)
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A window in which runs on one split are taken.

    `split` names a set of documents: train, dev, test, test-2 and so on. `opens` and `closes` are in UTC; `open` opens the
    phase when the task is installed. `quota` is how many scored runs a team may have in a track, None for no limit, within
    `quota_days` days if these are given.
    """

    id: str
    title: str
    split: str
    tracks: tuple[str, ...]
    tells: Disclosure
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
        labels: definition of each label, in the order of annotation.conf.
        criteria: what every run is scored under; the first is the primary one.
        figure: what boards are ranked by, under the primary criterion.
        headline_places: decimals that a phase which tells the headline only gives.
        undefined_as_zero: print 0 for a figure with nothing to divide by, as BRATEval does.
        missing_as_empty: a document missing from a run counts as empty.
        raised: codes of warnings that are errors here.
        gold_public: whether annotations of a blind split may be downloaded once all its phases have closed.
    """

    id: str
    version: str
    title: str
    summary: str
    conf: str
    hierarchy: Hierarchy
    labels: Mapping[str, str]
    tracks: tuple[Track, ...]
    phases: tuple[Phase, ...]
    criteria: tuple[Criterion, ...]
    figure: Figure = Figure.F1
    headline_places: int = 2
    undefined_as_zero: bool = False
    missing_as_empty: bool = False
    raised: frozenset[str] = frozenset()
    gold_public: bool = False

    def track(self, id_: str) -> Track | None:
        """The track of that id."""
        return next((each for each in self.tracks if each.id == id_), None)

    def phase(self, id_: str) -> Phase | None:
        """The phase of that id."""
        return next((each for each in self.phases if each.id == id_), None)

    def expectations(self, track: Track) -> Expectations:
        """What a run of the track is checked against."""
        known = frozenset(self.labels)
        asked = frozenset(track.labels) or known
        return Expectations(
            labels=known,
            ignored_labels=known - asked,
            kinds=frozenset(_KINDS[each] for each in track.asks),
            missing_as_empty=self.missing_as_empty,
            raised=self.raised,
        )


def parse_task(toml: str, conf: str) -> TaskDefinition:
    """A task from the text of its task.toml and annotation.conf.

    Raises:
        TaskError: something is missing, unknown or contradictory.
    """
    try:
        data = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as bad:
        raise TaskError(f"task.toml: {bad}") from bad
    configuration, problems = parse_conf(conf)
    if has_errors(problems):
        raise TaskError("\n".join(str(each) for each in problems))
    top = Table("task.toml", data)
    scoring = top.table("scoring")
    tracks = tuple(_track(each) for each in top.tables("tracks"))
    phases = tuple(_phase(each, {track.id for track in tracks}) for each in top.tables("phases"))
    for kind, ids in (("tracks", [t.id for t in tracks]), ("phases", [p.id for p in phases])):
        if not ids or len(set(ids)) < len(ids):
            raise TaskError(f"task.toml: {kind}: expected at least one, each with an id of its own, found {ids}")
    definition = TaskDefinition(
        id=top.id("id"),
        version=top.text("version"),
        title=top.text("title"),
        summary=top.text("summary", ""),
        conf=conf,
        hierarchy=_hierarchy(configuration),
        labels=_labels(configuration, top.table("labels")),
        tracks=tracks,
        phases=phases,
        criteria=_criteria(scoring),
        figure=scoring.choice("figure", Figure, Figure.F1),
        headline_places=scoring.whole("headline_places", 2),
        undefined_as_zero=scoring.flag("undefined_as_zero"),
        missing_as_empty=scoring.flag("missing_as_empty"),
        raised=frozenset(scoring.texts("errors", ())),
        gold_public=top.flag("gold_public"),
    )
    unknown = sorted(definition.raised - WARNINGS.keys())
    if unknown:
        raise TaskError(
            f"task.toml: scoring.errors: {unknown[0]} is not a warning; the codes are {', '.join(sorted(WARNINGS))}"
        )
    for track in tracks:
        strange = sorted(set(track.labels) - definition.labels.keys())
        if strange:
            raise TaskError(f"task.toml: tracks.{track.id}.labels: {strange[0]} is not in annotation.conf")
    scoring.done()
    top.done()
    return definition


def _hierarchy(configuration: Configuration) -> Hierarchy:
    return Hierarchy(configuration.parents())


def _labels(configuration: Configuration, table: Table) -> dict[str, str]:
    nodes = configuration.entities + configuration.events
    labels = {node.label: table.text(node.label, "") for node in nodes if node.selectable}
    for node in nodes:  # a group may be explained too
        table.text(node.label, "")
    table.done()
    if not labels:
        raise TaskError("annotation.conf: no label in [entities]")
    return labels


def _criteria(scoring: Table) -> tuple[Criterion, ...]:
    spans, labels = scoring.texts("spans", ("exact", "relaxed")), scoring.texts("labels", ("fine", "high"))
    try:
        return tuple(parse_criterion(span, label) for label in labels for span in spans)
    except ValueError as bad:
        raise TaskError(f"task.toml: scoring: {bad}") from bad


def _track(table: Table) -> Track:
    track = Track(
        id=table.id("id"),
        title=table.text("title"),
        description=table.text("description", ""),
        asks=table.texts("asks", ("entities",)),
        labels=table.texts("labels", ()),
    )
    unknown = sorted(set(track.asks) - _KINDS.keys())
    if unknown:
        raise TaskError(f"task.toml: tracks.{track.id}.asks: {unknown[0]} is not one of {', '.join(_KINDS)}")
    table.done()
    return track


def _unless_0(number: int) -> int | None:
    """A number, or None for 0, which stands for no limit."""
    return number or None


def _phase(table: Table, tracks: set[str]) -> Phase:
    split = table.id("split")
    default = Disclosure.FULL if split == Split.DEV else Disclosure.NOTHING
    phase = Phase(
        id=table.id("id"),
        title=table.text("title"),
        split=split,
        tracks=table.texts("tracks"),
        tells=table.choice("tells", Disclosure, default),
        open=table.flag("open"),
        opens=table.moment("opens"),
        closes=table.moment("closes"),
        grace_minutes=table.whole("grace_minutes", 30),
        quota=_unless_0(table.whole("quota", 0 if split in _PUBLIC_SPLITS else _DEFAULT_QUOTA)),
        quota_days=_unless_0(table.whole("quota_days", 0)),
    )
    unknown = sorted(set(phase.tracks) - tracks)
    if phase.opens and phase.closes and phase.opens >= phase.closes:
        raise TaskError(f"task.toml: phases.{phase.id}: closes must be after opens")
    if unknown or not phase.tracks:
        raise TaskError(f"task.toml: phases.{phase.id}.tracks: expected some of {', '.join(sorted(tracks))}")
    table.done()
    return phase
