"""`assay score GOLD RUN`: the numbers of the server, offline."""

from __future__ import annotations

import gc
import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import click

from app.cli import inputs
from app.version import VERSION
from brat.conf import Configuration
from brat.corpus import Corpus
from brat.files import Files
from brat.model import Event, Relation, TextBound
from evaluator.brateval import Aborted, TypeMode, compare_entities, compare_relations
from evaluator.criteria import Annotations, Criterion, LabelRule, SpanRule, parse_span
from evaluator.hierarchy import Hierarchy
from evaluator.references import trigger_labels
from evaluator.report import FORMATS, Record
from evaluator.report_side_by_side import side_by_side
from evaluator.scheme import gold_of_track, lacking, scheme_of, sign
from evaluator.scores import MatchingRule
from evaluator.scoring import Scheme, keep_labels
from evaluator.scoring import score as score_documents
from evaluator.signature import Signature, digest_documents, digest_hierarchies, digest_texts, digest_value
from evaluator.task import TaskDefinition, Track

_Mode = TypeVar("_Mode", bound=StrEnum)
_OF_RELATIONS = (Annotations.TRIGGERS, Annotations.ARGUMENTS, Annotations.RELATIONS)
_OF_EVENTS = (Annotations.TRIGGERS, Annotations.ARGUMENTS, Annotations.EVENTS, Annotations.MODIFICATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choices:
    gold: Path
    run: Path
    task: Path | None
    conf: Path | None
    spans: tuple[str, ...]
    labels: tuple[str, ...]
    only: frozenset[str]
    ignore: frozenset[str]
    relations: bool
    events: bool
    track: str | None = None

    @property
    def annotations(self) -> tuple[Annotations, ...]:
        """What is scored: entities, unless relations or events are."""
        asked = (*(_OF_RELATIONS if self.relations else ()), *(_OF_EVENTS if self.events else ()))
        return tuple(each for each in Annotations if each in asked) or (Annotations.ENTITIES,)


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle with the labels and criteria."
)
@click.option("--track", help="With --task: what this track asks for, as the server scores it.")
@click.option(
    "--conf", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="annotation.conf with the hierarchy."
)
@click.option("--span", "spans", multiple=True, help="exact, relaxed or approximate:T; may be repeated.")
@click.option("--labels", multiple=True, help="fine, high or any; under brateval fine, any or hierarchical; may be repeated.")
@click.option("--only", multiple=True, metavar="LABEL", help="Score these labels only; may be repeated.")
@click.option("--ignore", multiple=True, metavar="LABEL", help="Leave these labels out; may be repeated.")
@click.option("--matching", type=click.Choice([each.value for each in MatchingRule]), default=MatchingRule.EXACT_FIRST.value)
@click.option("--full-taxonomy", is_flag=True, help="With brateval: also rows of the hierarchy in which nothing was counted.")
@click.option(
    "--relations", is_flag=True, help="Relations, arguments given right triggers, triggers; with brateval as it prints them."
)
@click.option("--events", is_flag=True, help="Events, arguments given right triggers, triggers, modifications.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def score(  # noqa: PLR0913 - one parameter an option
    gold: Path,
    run: Path,
    *,
    task: Path | None,
    track: str | None,
    conf: Path | None,
    spans: tuple[str, ...],
    labels: tuple[str, ...],
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    matching: str,
    full_taxonomy: bool,
    relations: bool,
    events: bool,
    format_: str,
) -> None:
    """Score RUN against GOLD.

    Each is a folder, an archive or one .ann file. Exit status 1 when the run has errors, with the problems on standard
    error and nothing on standard output; 2 for wrong usage.

    Triggers are the labels under [events] of the task or --conf; else those of the events of GOLD, or those that begin
    relations in it and never end one. With --relations or --events, --only and --ignore name labels of triggers, relations
    and events; entities are then matched whatever their labels.
    """
    gc.disable()  # a short process that makes many objects and no cycles: a quarter faster
    if task and conf:
        raise click.UsageError("--task and --conf exclude one another")
    choices = _Choices(
        gold=gold,
        run=run,
        task=task,
        conf=conf,
        spans=spans,
        labels=labels,
        only=frozenset(only),
        ignore=frozenset(ignore),
        relations=relations,
        events=events,
        track=track,
    )
    if track and (not task or relations or events or only or ignore or matching == MatchingRule.BRATEVAL):
        raise click.UsageError("--track goes with --task, and says itself what is scored, by exact-first")
    if matching == MatchingRule.BRATEVAL:
        (records, signature), hierarchy = _as_brateval(choices, full_taxonomy=full_taxonomy), None
    elif full_taxonomy:
        raise click.UsageError("--full-taxonomy belongs to --matching brateval")
    else:
        records, signature, hierarchy = _exact_first(choices)
    if format_ == "side-by-side":
        click.echo(side_by_side(records, signature, hierarchy), nl=False)
    else:
        click.echo(FORMATS[format_](records, signature), nl=False)
    if format_ == "json":
        click.echo()


def _by_track(choices: _Choices, task: TaskDefinition, track: Track) -> tuple[list[Record], Signature]:
    """The numbers of the server, for a track of a task."""
    gold, run = inputs.read_both(choices.gold, choices.run, task.expectations(track))
    for layer in lacking(gold.documents, task, track):
        click.echo(f"warning: {track.id} asks for {layer.value}, and {choices.gold} has none", err=True)
    criteria = _criteria(choices, task)
    scored = score_documents(gold_of_track(gold.documents, task, track), run.documents, criteria, scheme_of(task, track))
    signature = sign(task, track, criteria, run, gold=digest_documents(gold.digests), assay=VERSION)
    return list(scored.scores), signature


def _spans(given: tuple[str, ...], default: tuple[str, ...]) -> list[Criterion]:
    try:
        parsed = dict.fromkeys(parse_span(each) for each in given or default)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--span") from bad
    return [Criterion(rule, LabelRule.FINE, threshold) for rule, threshold in parsed]


def _exact_first(choices: _Choices) -> tuple[list[Record], Signature, Hierarchy]:
    task = inputs.read_task(choices.task) if choices.task else None
    if task is not None and choices.track:
        return *_by_track(choices, task, inputs.find_track(task, choices.track)), task.hierarchy
    if task is not None:
        configuration, hierarchy = task.configuration, task.hierarchy
    else:
        configuration = inputs.read_conf(choices.conf) if choices.conf else Configuration()
        hierarchy = Hierarchy(configuration.parents())
    criteria = _criteria(choices, task)
    gold, run = inputs.read_both(choices.gold, choices.run, inputs.expected_offline(task, choices.ignore))
    _tell_unknown_labels(choices, gold, run)
    scheme = _scheme(choices, configuration, hierarchy, gold)
    plain = choices.annotations == (Annotations.ENTITIES,)
    wanted, offered = (
        keep_labels(side.documents, choices.only, choices.ignore) if plain else side.documents for side in (gold, run)
    )
    scored = score_documents(wanted, offered, criteria, scheme)
    signature = Signature(
        assay=VERSION,
        task=task.id if task else "",
        task_version=task.version if task else "",
        documents=len(gold.documents),
        criteria=tuple(each.name for each in criteria),
        annotations=() if plain else tuple(each.value for each in choices.annotations),
        matching=MatchingRule.EXACT_FIRST.value,
        gold=digest_documents(gold.digests),
        run=digest_documents(run.digests),
        texts=digest_texts(gold.texts) if gold.texts else "",
        hierarchy=digest_hierarchies(hierarchy.parents, scheme.relations.parents),
        triggers=digest_value(sorted(scheme.triggers)) if scheme.triggers else "",
        only=tuple(sorted(choices.only)),
        ignore=tuple(sorted(choices.ignore)),
    )
    return list(scored.scores), signature, hierarchy


def _scheme(choices: _Choices, configuration: Configuration, hierarchy: Hierarchy, gold: Corpus) -> Scheme:
    if choices.annotations == (Annotations.ENTITIES,):  # as ever: every label is one of entities
        return Scheme(hierarchy=hierarchy)
    return Scheme(
        annotations=choices.annotations,
        triggers=trigger_labels(gold.documents, [node.label for node in configuration.events]),
        hierarchy=hierarchy,
        relations=Hierarchy(configuration.relation_parents() if choices.relations else {}),
        only=choices.only,
        ignore=choices.ignore,
    )


def _tell_unknown_labels(choices: _Choices, gold: Corpus, run: Corpus) -> None:
    """A label of --only or --ignore that occurs nowhere is likely to be misspelt."""
    named = choices.only | choices.ignore
    if not named:
        return
    kinds = (TextBound, *((Relation,) if choices.relations else ()), *((Event,) if choices.events else ()))
    documents = (each for side in (gold, run) for each in side.documents.values())
    seen = {each.label for document in documents for each in document.annotations if isinstance(each, kinds)}
    for label in sorted(named - seen):
        click.echo(f"warning: no annotation is labelled {label}", err=True)


def _criteria(choices: _Choices, task: TaskDefinition | None) -> list[Criterion]:
    if task and not choices.spans and not choices.labels:
        return list(task.criteria)
    rules = _modes(LabelRule, choices.labels)
    return [Criterion(each.span, rule, each.threshold) for rule in rules for each in _spans(choices.spans, ("exact",))]


def _modes(kind: type[_Mode], given: tuple[str, ...]) -> list[_Mode]:
    """The modes given with --labels, each once; fine if none is."""
    unknown = [each for each in given if each not in set(kind)]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(kind)}", param_hint="--labels")
    return [kind(each) for each in dict.fromkeys(given or ("fine",))]


def _as_brateval(choices: _Choices, *, full_taxonomy: bool) -> tuple[list[Record], Signature]:
    if choices.events:
        raise click.UsageError("BRATEval scores no events")
    if choices.only or choices.ignore:
        raise click.UsageError("BRATEval scores every label: --only and --ignore belong to exact-first")
    types = _modes(TypeMode, choices.labels)
    conf = choices.conf or (choices.task / "annotation.conf" if choices.task else None)
    conf_bytes = conf.read_bytes() if conf else None
    files = inputs.paired_files(choices.gold, choices.run, hidden=True)
    gold, run = ({name: data for name, data in side.items() if name.endswith(".ann")} for side in files)
    records: list[Record] = []
    criteria: list[str] = []
    for mode in types:
        for each in _spans(choices.spans, ("exact",)):
            threshold = float(each.threshold) if each.span is SpanRule.APPROXIMATE and each.threshold else 1.0
            criteria.append(f"{'relations-' if choices.relations else ''}{each.span_name}-{mode.value}")
            try:
                records += (compare_relations if choices.relations else compare_entities)(
                    gold, run, span=each.span, threshold=threshold, types=mode, conf=conf_bytes, full_taxonomy=full_taxonomy
                )
            except Aborted as stopped:
                inputs.fail(str(stopped))
    signature = Signature(
        assay=VERSION,
        documents=len(gold),
        criteria=tuple(criteria),
        matching=MatchingRule.BRATEVAL.value,
        gold=_digest(gold),
        run=_digest(run),
        hierarchy=digest_value(conf_bytes.hex()) if conf_bytes is not None else "",
    )
    return records, signature


def _digest(files: Files) -> str:
    return digest_documents({name.removesuffix(".ann"): hashlib.sha256(data).hexdigest() for name, data in files.items()})
