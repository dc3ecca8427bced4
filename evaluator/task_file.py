"""Reading a task from the text of its task.toml and annotation.conf."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from datetime import timedelta

from brat.conf import Configuration, Node, parse_conf
from brat.problems import WARNINGS, has_errors
from evaluator.criteria import Criterion, parse_criterion
from evaluator.fairness.name_errors import PERSON_LABELS, Rule, Target
from evaluator.hierarchy import Hierarchy
from evaluator.task import PUBLIC_SPLITS, Disclosure, Figure, Layer, Phase, Release, Split, TaskDefinition, Track
from evaluator.toml_table import Table, TaskError

_DEFAULT_QUOTA = 3  # no team of ChEMU 2020 had more than three runs a track
_SECTIONS = {Layer.TRIGGERS: "events", Layer.EVENTS: "events", Layer.RELATIONS: "relations"}


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
    tracks = tuple(_track(each, configuration) for each in top.tables("tracks"))
    phases = tuple(_phase(each, tracks) for each in top.tables("phases"))
    for kind, ids in (("tracks", [t.id for t in tracks]), ("phases", [p.id for p in phases])):
        if not ids or len(set(ids)) < len(ids):
            raise TaskError(f"task.toml: {kind}: expected at least one, each with an id of its own, found {ids}")
    definition = TaskDefinition(
        id=top.id("id"),
        version=top.text("version"),
        title=top.text("title"),
        summary=top.text("summary", ""),
        configuration=configuration,
        hierarchy=Hierarchy(configuration.parents()),
        labels=_meanings(configuration.entities + configuration.events, top.table("labels")),
        relations=_meanings(configuration.relations, top.table("relations")),
        tracks=tracks,
        phases=phases,
        criteria=_criteria(scoring),
        figure=scoring.choice("figure", Figure, Figure.F1),
        headline_places=scoring.whole("headline_places", 2),
        undefined_as_zero=scoring.flag("undefined_as_zero"),
        missing_as_empty=scoring.flag("missing_as_empty"),
        raised=frozenset(scoring.texts("errors", ())),
        names=_names(top.table("names")),
        gold_public=top.flag("gold_public"),
    )
    if not any(each.tracks for each in phases):
        raise TaskError("task.toml: phases: expected one that takes runs")
    if not definition.labels:
        raise TaskError("annotation.conf: no label in [entities]")
    unknown = sorted(definition.raised - WARNINGS.keys())
    if unknown:
        raise TaskError(
            f"task.toml: scoring.errors: {unknown[0]} is not a warning; the codes are {', '.join(sorted(WARNINGS))}"
        )
    for track in tracks:
        strange = sorted(set(track.labels) - (definition.labels.keys() - definition.triggers))
        if strange:
            raise TaskError(f"task.toml: tracks.{track.id}.labels: {strange[0]} is not an entity of annotation.conf")
    _check_releases(definition)
    scoring.done()
    top.done()
    return definition


def _meanings(nodes: Sequence[Node], table: Table) -> dict[str, str]:
    meanings = {node.label: table.text(node.label, "") for node in nodes if node.selectable}
    for node in nodes:  # a group may be explained too
        table.text(node.label, "")
    table.done()
    return meanings


def _criteria(scoring: Table) -> tuple[Criterion, ...]:
    spans, labels = scoring.texts("spans", ("exact", "relaxed")), scoring.texts("labels", ("fine", "high"))
    try:
        return tuple(parse_criterion(span, label) for label in labels for span in spans)
    except ValueError as bad:
        raise TaskError(f"task.toml: scoring: {bad}") from bad


def _names(table: Table) -> Rule | None:
    """The rule of [names]; None where there is no such section."""
    if not table.there:
        return None
    target = table.choice("target", Target, Target.PERSON)
    labels = frozenset(each.upper() for each in table.texts("labels", ()))
    table.done()
    return Rule(target=target, labels=labels or (PERSON_LABELS if target is Target.PERSON else frozenset()))


def _track(table: Table, configuration: Configuration) -> Track:
    track = Track(
        id=table.id("id"),
        title=table.text("title"),
        description=table.text("description", ""),
        given=table.choices("given", Layer, (Layer.TEXT,)),
        asks=table.choices("asks", Layer, (Layer.ENTITIES,)),
        labels=table.texts("labels", ()),
    )
    where = f"task.toml: tracks.{track.id}"
    given = {Layer.TEXT, Layer.ENTITIES} if Layer.ENTITIES in track.given else {Layer.TEXT}
    if set(track.given) != given:
        raise TaskError(f'{where}.given: expected ["text"] or ["text", "entities"], found {list(track.given)}')
    if not track.counted or set(track.asks) & set(track.given):
        raise TaskError(f"{where}.asks: expected something to be scored that is not given, found {list(track.asks)}")
    linked = {Layer.RELATIONS, Layer.EVENTS} & set(track.asks)
    if linked and Layer.ENTITIES not in {*track.asks, *track.given}:
        raise TaskError(f"{where}.asks: {min(linked)} hang on entities, which are neither given nor asked for")
    for layer in track.asks:
        section = _SECTIONS.get(layer)
        if section is not None and not getattr(configuration, section):
            raise TaskError(f"{where}.asks: {layer.value} are asked for, and annotation.conf has none in [{section}]")
    table.done()
    return track


def _unless_0(number: int) -> int | None:
    """A number, or None for 0, which stands for no limit."""
    return number or None


def _phase(table: Table, tracks: Sequence[Track]) -> Phase:
    split, taken = table.id("split"), table.texts("tracks")
    gives = any(each.gives_entities for each in tracks if each.id in taken)
    phase = Phase(
        id=table.id("id"),
        title=table.text("title"),
        split=split,
        tracks=taken,
        tells=table.choice("tells", Disclosure, Disclosure.FULL if split == Split.DEV else Disclosure.NOTHING),
        releases=table.choice("releases", Release, Release.ENTITIES if gives else Release.TEXT),
        open=table.flag("open"),
        opens=table.moment("opens"),
        closes=table.moment("closes"),
        grace_minutes=table.whole("grace_minutes", 30),
        quota=_unless_0(table.whole("quota", 0 if split in PUBLIC_SPLITS else _DEFAULT_QUOTA)),
        quota_days=_unless_0(table.whole("quota_days", 0)),
    )
    known = [each.id for each in tracks]
    if phase.opens and phase.closes and phase.opens >= phase.closes:
        raise TaskError(f"task.toml: phases.{phase.id}: closes must be after opens")
    if set(phase.tracks) - set(known) or not (phase.tracks or phase.releases is Release.EVERYTHING):
        raise TaskError(f"task.toml: phases.{phase.id}.tracks: expected some of {', '.join(sorted(known))}")
    table.done()
    return phase


def _check_releases(definition: TaskDefinition) -> None:
    """What a phase releases must suffice for its tracks, and must not be what another open phase asks for."""
    for phase in definition.phases:
        taken = [each for each in definition.tracks if each.id in phase.tracks]
        reason = why_not(phase.releases, taken)
        if phase.split not in PUBLIC_SPLITS and reason:
            raise TaskError(f"task.toml: phases.{phase.id}.releases: {reason}")
        for other in definition.phases:
            asked = [each for each in definition.tracks if each.id in other.tracks and each.is_told_by(phase.releases)]
            begins = phase.open or phase.opens is not None
            ended = (
                other.closes is not None
                and phase.opens is not None
                and other.closes + timedelta(minutes=other.grace_minutes) <= phase.opens
            )
            if phase.split == other.split and phase.split not in PUBLIC_SPLITS and asked and begins and not ended:
                raise TaskError(
                    f"task.toml: phases.{phase.id}: it releases what {other.id} asks for ({asked[0].id}); "
                    "expected it to open after that phase has closed, its minutes of grace included"
                )


def why_not(releases: Release, tracks: Iterable[Track]) -> str:
    """Why a phase that releases this cannot take runs of these tracks; empty where it can."""
    for track in tracks:
        if track.gives_entities and releases is Release.TEXT:
            return f"the track {track.id} gives entities to teams, which a phase that releases text only does not hand out"
        if track.is_told_by(releases):
            return f"the track {track.id} asks for what the phase hands out"
    return ""
