"""`assay score GOLD RUN`: the numbers of the server, offline."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import click

from app.cli import inputs
from app.version import VERSION
from brat.conf import parse_conf
from brat.corpus import Corpus, decode, read_corpus
from brat.files import Files
from brat.problems import Problem
from brat.run import Expectations, check_run
from evaluator.brateval import Aborted, TypeMode, compare_entities, compare_relations
from evaluator.criteria import Criterion, LabelRule, SpanRule, parse_span
from evaluator.hierarchy import Hierarchy
from evaluator.report import FORMATS, Record
from evaluator.scores import MatchingRule
from evaluator.scoring import keep_labels
from evaluator.scoring import score as score_documents
from evaluator.signature import Signature, digest_documents, digest_texts, digest_value
from evaluator.task import TaskDefinition

_Mode = TypeVar("_Mode", bound=StrEnum)


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


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle with the labels and criteria."
)
@click.option(
    "--conf", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="annotation.conf with the hierarchy."
)
@click.option("--span", "spans", multiple=True, help="exact, relaxed or approximate:T; may be repeated.")
@click.option("--labels", multiple=True, help="fine, high or any; under brateval fine, any or hierarchical; may be repeated.")
@click.option("--only", multiple=True, metavar="LABEL", help="Score these labels only; may be repeated.")
@click.option("--ignore", multiple=True, metavar="LABEL", help="Leave these labels out; may be repeated.")
@click.option("--matching", type=click.Choice([each.value for each in MatchingRule]), default=MatchingRule.EXACT_FIRST.value)
@click.option("--full-taxonomy", is_flag=True, help="With brateval: also rows of the hierarchy in which nothing was counted.")
@click.option("--relations", is_flag=True, help="With brateval: the relations, as its CompareRelations prints them.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def score(  # noqa: PLR0913 - one parameter an option
    gold: Path,
    run: Path,
    *,
    task: Path | None,
    conf: Path | None,
    spans: tuple[str, ...],
    labels: tuple[str, ...],
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    matching: str,
    full_taxonomy: bool,
    relations: bool,
    format_: str,
) -> None:
    """Score RUN against GOLD.

    Each is a folder, an archive or one .ann file. Exit status 1 when the run has errors, with the problems on standard
    error and nothing on standard output; 2 for wrong usage.
    """
    gc.disable()  # a short process that makes many objects and no cycles: a quarter faster
    if task and conf:
        raise click.UsageError("--task and --conf exclude one another")
    choices = _Choices(
        gold=gold, run=run, task=task, conf=conf, spans=spans, labels=labels, only=frozenset(only), ignore=frozenset(ignore)
    )
    if matching == MatchingRule.BRATEVAL:
        records, signature = _as_brateval(choices, full_taxonomy=full_taxonomy, relations=relations)
    elif full_taxonomy or relations:
        option = "--full-taxonomy" if full_taxonomy else "--relations"
        raise click.UsageError(f"{option} belongs to --matching brateval")
    else:
        records, signature = _exact_first(choices)
    click.echo(FORMATS[format_](records, signature), nl=False)
    if format_ == "json":
        click.echo()


def _spans(given: tuple[str, ...], default: tuple[str, ...]) -> list[Criterion]:
    try:
        parsed = dict.fromkeys(parse_span(each) for each in given or default)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--span") from bad
    return [Criterion(rule, LabelRule.FINE, threshold) for rule, threshold in parsed]


def _exact_first(choices: _Choices) -> tuple[list[Record], Signature]:
    task = inputs.read_task(choices.task) if choices.task else None
    hierarchy = task.hierarchy if task else _hierarchy(choices.conf)
    criteria = _criteria(choices, task)
    gold, run = _read_both(choices, _expectations(choices, task))
    _tell_unknown_labels(choices, gold, run)
    scored = score_documents(
        keep_labels(gold.documents, choices.only, choices.ignore),
        keep_labels(run.documents, choices.only, choices.ignore),
        criteria,
        hierarchy,
    )
    signature = Signature(
        assay=VERSION,
        task=task.id if task else "",
        task_version=task.version if task else "",
        documents=len(gold.documents),
        criteria=tuple(each.name for each in criteria),
        matching=MatchingRule.EXACT_FIRST.value,
        gold=digest_documents(gold.digests),
        run=digest_documents(run.digests),
        texts=digest_texts(gold.texts) if gold.texts else "",
        hierarchy=digest_value(dict(hierarchy.parents)) if hierarchy.parents else "",
        only=tuple(sorted(choices.only)),
        ignore=tuple(sorted(choices.ignore)),
    )
    return list(scored.scores), signature


def _tell_unknown_labels(choices: _Choices, gold: Corpus, run: Corpus) -> None:
    """A label of --only or --ignore that occurs nowhere is likely to be misspelt."""
    seen = {bound.label for side in (gold, run) for document in side.documents.values() for bound in document.text_bounds}
    for label in sorted((choices.only | choices.ignore) - seen):
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


def _expectations(choices: _Choices, task: TaskDefinition | None) -> Expectations:
    """What a run is held to offline: the task's rules for documents and raised warnings, and every kind of annotation."""
    kinds = frozenset({"TextBound", "Relation", "Event", "Attribute", "Normalization", "Note", "Equiv"})
    if task is None:
        return Expectations(kinds=kinds)
    labels = frozenset(task.labels) | choices.ignore
    return Expectations(labels=labels, kinds=kinds, missing_as_empty=task.missing_as_empty, raised=task.raised)


def _read_both(choices: _Choices, expected: Expectations) -> tuple[Corpus, Corpus]:
    gold_files, run_files = _paired(choices)
    gold = read_corpus(gold_files)
    if not gold.documents:
        inputs.fail(f"{choices.gold}: no document: expected .ann files, with .txt files beside them")
    texts = {id_: each.text for id_, each in gold.documents.items()}
    run = check_run(read_corpus(run_files, texts), texts, expected)
    both = [_under(choices.gold, each) for each in gold.problems] + [_under(choices.run, each) for each in run.problems]
    inputs.stop_on_errors(both, Counter(gold.counts) + Counter(run.counts))
    return gold, run


def _paired(choices: _Choices, *, hidden: bool = False) -> tuple[Files, Files]:
    """The files of both; two single files are one document, whatever their names."""
    gold, run = (inputs.read_files(path, hidden=hidden) for path in (choices.gold, choices.run))
    single = all(path.is_file() and list(side) == [path.name] for path, side in ((choices.gold, gold), (choices.run, run)))
    if single and all(path.suffix == ".ann" for path in (choices.gold, choices.run)):
        beside = choices.gold.with_suffix(".txt")
        text = {beside.name: beside.read_bytes()} if beside.is_file() else {}
        return {**gold, **text}, {choices.gold.name: next(iter(run.values()))}
    return gold, run


def _under(path: Path, problem: Problem) -> Problem:
    inside = f"{path}/{problem.file}" if path.is_dir() else f"{path}: {problem.file}"
    return replace(problem, file=inside if problem.file else str(path))


def _hierarchy(conf: Path | None) -> Hierarchy:
    if conf is None:
        return Hierarchy()
    problems: list[Problem] = []
    text = decode(conf.read_bytes(), str(conf), problems)
    if text is None:
        inputs.stop(problems)
    configuration, problems = parse_conf(text, str(conf))
    inputs.stop_on_errors(problems)
    return Hierarchy(configuration.parents())


def _as_brateval(choices: _Choices, *, full_taxonomy: bool, relations: bool) -> tuple[list[Record], Signature]:
    if choices.only or choices.ignore:
        raise click.UsageError("BRATEval scores every label: --only and --ignore belong to exact-first")
    types = _modes(TypeMode, choices.labels)
    conf = choices.conf or (choices.task / "annotation.conf" if choices.task else None)
    conf_bytes = conf.read_bytes() if conf else None
    gold, run = ({name: data for name, data in side.items() if name.endswith(".ann")} for side in _paired(choices, hidden=True))
    records: list[Record] = []
    criteria: list[str] = []
    for mode in types:
        for each in _spans(choices.spans, ("exact",)):
            threshold = float(each.threshold) if each.span is SpanRule.APPROXIMATE and each.threshold else 1.0
            criteria.append(f"{'relations-' if relations else ''}{each.span_name}-{mode.value}")
            try:
                records += (compare_relations if relations else compare_entities)(
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
