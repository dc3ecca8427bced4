"""`assay score GOLD RUN`: the numbers of the server, offline."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from app.cli import inputs, score_blocks
from app.cli.score_criteria import criteria_of, modes_of, spans_of
from app.cli.score_groups import Grouped, Groups, count_documents, group_options, read_groups, tell, title_of
from app.version import VERSION
from brat.conf import Configuration
from brat.corpus import Corpus
from brat.files import Files
from brat.model import Document, Event, Relation, TextBound
from evaluator.brateval import Aborted, TypeMode, compare_entities, compare_relations
from evaluator.columnar.reading import Wishes
from evaluator.criteria import Annotations, Criterion, SpanRule
from evaluator.document_counts import count_documents as of_documents
from evaluator.hierarchy import Hierarchy
from evaluator.references import trigger_labels
from evaluator.report import FORMATS, Record
from evaluator.report_side_by_side import side_by_side
from evaluator.scheme import gold_of_track, lacking, scheme_of, sign
from evaluator.scores import MatchingRule
from evaluator.scoring import Scheme, keep_labels
from evaluator.scoring import score as score_documents
from evaluator.signature import Signature, digest_documents, digest_hierarchies, digest_texts, digest_value
from evaluator.strata.tallying import score_strata
from evaluator.task import TaskDefinition, Track

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
    groups: Groups

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
@group_options
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
    metadata: Path | None,
    columns: tuple[str, ...],
    intervals: bool,
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
        groups=read_groups(metadata, columns, intervals=intervals),
    )
    if track and (not task or relations or events or only or ignore or matching == MatchingRule.BRATEVAL):
        raise click.UsageError("--track goes with --task, and says itself what is scored, by exact-first")
    if columns and (matching == MatchingRule.BRATEVAL or format_ == "side-by-side"):
        raise click.UsageError("--by goes with exact-first, and not with side-by-side")
    if matching == MatchingRule.BRATEVAL:
        (records, signature), hierarchy = _as_brateval(choices, full_taxonomy=full_taxonomy), None
        found = Grouped(records)
    elif full_taxonomy:
        raise click.UsageError("--full-taxonomy belongs to --matching brateval")
    else:
        found, signature, hierarchy = _exact_first(choices)
    if format_ == "side-by-side":
        click.echo(side_by_side(found.scores, signature, hierarchy), nl=False)
    else:
        click.echo(tell(found, signature, format_), nl=False)
    if format_ == "json":
        click.echo()


def _by_track(choices: _Choices, task: TaskDefinition, track: Track) -> tuple[Grouped, Signature]:
    """The numbers of the server, for a track of a task."""
    gold, run = inputs.read_both(choices.gold, choices.run, task.expectations(track))
    for layer in lacking(gold.documents, task, track):
        click.echo(f"warning: {track.id} asks for {layer.value}, and {choices.gold} has none", err=True)
    criteria = criteria_of(choices.spans, choices.labels, task)
    found = _score(choices, gold_of_track(gold.documents, task, track), run.documents, criteria, scheme_of(task, track))
    signature = sign(task, track, criteria, run, gold=digest_documents(gold.digests), assay=VERSION)
    return found, choices.groups.sign(signature, gold.documents)


def _score(
    choices: _Choices,
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    criteria: Sequence[Criterion],
    scheme: Scheme,
) -> Grouped:
    scored = score_documents(gold, run, criteria, scheme)
    strata = choices.groups.strata(scored.tables)
    choices.groups.tell_unknown(scored.tables.documents)
    by_group = list(score_strata(gold, run, scored.tables, scored.matchings, strata, scheme)) if strata else []
    counts = of_documents(gold, run, scored.tables, scored.matchings, scheme) if choices.groups.intervals else ()
    titled = [(title_of(each.annotations.value, each.criterion), each.counts) for each in counts]
    differences = choices.groups.compare(scored.tables.documents, titled)
    return Grouped(scored.scores, by_group, count_documents(strata), differences)


def _exact_first(choices: _Choices) -> tuple[Grouped, Signature, Hierarchy]:
    task = inputs.read_task(choices.task) if choices.task else None
    if task is not None and choices.track:
        return *_by_track(choices, task, inputs.find_track(task, choices.track)), task.hierarchy
    if task is not None:
        configuration, hierarchy = task.configuration, task.hierarchy
    else:
        configuration = inputs.read_conf(choices.conf) if choices.conf else Configuration()
        hierarchy = Hierarchy(configuration.parents())
    criteria = criteria_of(choices.spans, choices.labels, task)
    expected = inputs.expected_offline(task, choices.ignore)
    plain = choices.annotations == (Annotations.ENTITIES,)
    signature = Signature(
        assay=VERSION,
        task=task.id if task else "",
        task_version=task.version if task else "",
        documents=0,
        criteria=tuple(each.name for each in criteria),
        annotations=() if plain else tuple(each.value for each in choices.annotations),
        matching=MatchingRule.EXACT_FIRST.value,
        gold="",
        run="",
        hierarchy=digest_hierarchies(hierarchy.parents, {}),
        only=tuple(sorted(choices.only)),
        ignore=tuple(sorted(choices.ignore)),
    )
    if plain:
        wishes = Wishes(
            expected=expected, only=choices.only, ignore=choices.ignore, texts=any(each.threshold for each in criteria)
        )
        paths = choices.gold, choices.run
        found = score_blocks.score_entities(paths, criteria, Scheme(hierarchy=hierarchy), wishes, choices.groups)
        if found is not None:
            _tell_unknown_labels(choices, found.read.labels)
            return found.grouped, choices.groups.sign(found.sign(signature), found.documents), hierarchy
    gold, run = inputs.read_both(choices.gold, choices.run, expected)
    _tell_unknown_labels(choices, _labels(choices, gold, run))
    scheme = _scheme(choices, configuration, hierarchy, gold)
    wanted, offered = (
        keep_labels(side.documents, choices.only, choices.ignore) if plain else side.documents for side in (gold, run)
    )
    signature = replace(
        signature,
        documents=len(gold.documents),
        gold=digest_documents(gold.digests),
        run=digest_documents(run.digests),
        texts=digest_texts(gold.texts) if gold.texts else "",
        hierarchy=digest_hierarchies(hierarchy.parents, scheme.relations.parents),
        triggers=digest_value(sorted(scheme.triggers)) if scheme.triggers else "",
    )
    scored = _score(choices, wanted, offered, criteria, scheme)
    return scored, choices.groups.sign(signature, gold.documents), hierarchy


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


def _labels(choices: _Choices, gold: Corpus, run: Corpus) -> set[str]:
    """Those that occur on what is scored."""
    kinds = (TextBound, *((Relation,) if choices.relations else ()), *((Event,) if choices.events else ()))
    documents = (each for side in (gold, run) for each in side.documents.values())
    return {each.label for document in documents for each in document.annotations if isinstance(each, kinds)}


def _tell_unknown_labels(choices: _Choices, seen: set[str]) -> None:
    """A label of --only or --ignore that occurs nowhere is likely to be misspelt."""
    for label in sorted((choices.only | choices.ignore) - seen):
        click.echo(f"warning: no annotation is labelled {label}", err=True)


def _as_brateval(choices: _Choices, *, full_taxonomy: bool) -> tuple[list[Record], Signature]:
    if choices.events:
        raise click.UsageError("BRATEval scores no events")
    if choices.only or choices.ignore:
        raise click.UsageError("BRATEval scores every label: --only and --ignore belong to exact-first")
    types = modes_of(TypeMode, choices.labels)
    conf = choices.conf or (choices.task / "annotation.conf" if choices.task else None)
    conf_bytes = conf.read_bytes() if conf else None
    files = inputs.paired_files(choices.gold, choices.run, hidden=True)
    gold, run = ({name: data for name, data in side.items() if name.endswith(".ann")} for side in files)
    records: list[Record] = []
    criteria: list[str] = []
    for mode in types:
        for each in spans_of(choices.spans, ("exact",)):
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
