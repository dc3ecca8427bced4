"""What the offline subcommands share: reading folders and archives, and telling problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import click

from brat.archives import check_collisions, check_name
from brat.conf import Configuration, parse_conf
from brat.corpus import Corpus, decode, read_corpus
from brat.files import Files, pack_zip, read_path
from brat.problems import Problem, RefusedInput, Severity, count_by_code, has_errors
from brat.run import Expectations, check_run

if TYPE_CHECKING:
    from brat.given import Entity
    from evaluator.task import TaskDefinition, Track

_SHOWN_PER_CODE = 10
_EVERY_KIND = frozenset({"TextBound", "Relation", "Event", "Attribute", "Normalization", "Note", "Equiv"})


def read_files(path: Path, *, hidden: bool = False) -> Files:
    """The files below a path; the command ends with status 1 when there is nothing to read."""
    try:
        return read_path(path, hidden=hidden)
    except RefusedInput as refused:
        stop([refused.problem])


def read_bytes(path: Path) -> bytes:
    """What is in a file; the command ends with status 1 when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as bad:
        fail(f"{path}: cannot be read: {bad.strerror}")


def read_text(path: Path) -> str:
    """The text of a file; the command ends with status 1 when it cannot be read."""
    problems: list[Problem] = []
    text = decode(read_bytes(path), str(path), problems)
    if text is None:
        stop(problems)
    return text


def read_texts(path: Path) -> dict[str, str]:
    """The hosted texts below a path, by document id; the command ends with status 1 when there are none."""
    hosted = read_corpus({name: data for name, data in read_files(path).items() if name.endswith(".txt")})
    stop_on_errors(hosted.problems)
    if not hosted.texts:
        fail(f"{path}: no .txt file")
    return hosted.texts


def read_given(path: Path, definition: TaskDefinition) -> dict[str, frozenset[Entity]] | None:
    """The entities that stand beside the texts, as in what a phase hands out to be filled in; None where there are none."""
    from evaluator.release import entities_only, spans_of  # noqa: PLC0415 - few calls need it

    files = read_files(path)
    if not any(name.endswith(".ann") for name in files):
        return None
    documents = read_corpus(files).documents
    return {id_: spans_of(entities_only(each, definition.entity_labels)) for id_, each in documents.items()}


def expected_offline(task: TaskDefinition | None, more_labels: frozenset[str] = frozenset()) -> Expectations:
    """What a run is held to offline: the task's labels, documents and raised warnings, and every kind of annotation."""
    if task is None:
        return Expectations(kinds=_EVERY_KIND)
    labels = frozenset(task.labels) | more_labels
    return Expectations(labels=labels, kinds=_EVERY_KIND, missing_as_empty=task.missing_as_empty, raised=task.raised)


def find_track(definition: TaskDefinition, id_: str) -> Track:
    """A track of a task; wrong usage if there is none of that id."""
    track = definition.track(id_)
    if track is None:
        known = ", ".join(each.id for each in definition.tracks)
        raise click.BadParameter(f"{id_} is not one of {known}", param_hint="--track")
    return track


def read_task(folder: Path) -> TaskDefinition:
    """The task of a bundle; the command ends with status 1 when it is not one."""
    from evaluator.task_file import parse_task  # noqa: PLC0415 - most calls have no task, and start faster without
    from evaluator.toml_table import TaskError  # noqa: PLC0415

    texts = [read_text(folder / name) for name in ("task.toml", "annotation.conf")]
    try:
        return parse_task(texts[0], texts[1])
    except TaskError as bad:
        fail(f"{folder}: {bad}")


def read_conf(path: Path) -> Configuration:
    """The labels of an annotation.conf; the command ends with status 1 when it has errors."""
    text = read_text(path)
    configuration, problems = parse_conf(text, str(path))
    stop_on_errors(problems)
    return configuration


def read_both(gold: Path, run: Path, expected: Expectations) -> tuple[Corpus, Corpus]:
    """Gold, and a run that was checked against it; the command ends with status 1 when either has errors."""
    gold_files, run_files = paired_files(gold, run)
    wanted = read_corpus(gold_files)
    if not wanted.documents:
        no_documents(gold)
    texts = {id_: each.text for id_, each in wanted.documents.items()}
    offered = check_run(read_corpus(run_files, texts), texts, expected)
    stop_on_errors_of_both((gold, wanted), (run, offered))
    return wanted, offered


class _Side(Protocol):
    """What was found of gold or of a run."""

    @property
    def problems(self) -> Sequence[Problem]:
        """Those that are kept."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many there are of each code."""


def stop_on_errors_of_both(*sides: tuple[Path, _Side]) -> None:
    """Tell the problems of gold and run; end the command with status 1 when there is an error among them."""
    problems = [_under(path, each) for path, side in sides for each in side.problems]
    stop_on_errors(problems, sum((Counter(side.counts) for _, side in sides), Counter()))


def no_documents(gold: Path) -> NoReturn:
    """End the command with status 1, since there is nothing to score against."""
    fail(f"{gold}: no document: expected .ann files, with .txt files beside them")


def paired_files(gold: Path, run: Path, *, hidden: bool = False) -> tuple[Files, Files]:
    """The files below both paths; two single `.ann` files are one document, whatever their names."""
    gold_files, run_files = read_files(gold, hidden=hidden), read_files(run, hidden=hidden)
    if not (_is_single(gold, gold_files) and _is_single(run, run_files)):
        return gold_files, run_files
    beside = gold.with_suffix(".txt")
    text = {beside.name: beside.read_bytes()} if beside.is_file() else {}
    return {**gold_files, **text}, {gold.name: next(iter(run_files.values()))}


def _is_single(path: Path, files: Files) -> bool:
    return path.suffix == ".ann" and path.is_file() and list(files) == [path.name]


def _under(path: Path, problem: Problem) -> Problem:
    """The problem with the place of its file as the user would write it."""
    if not problem.file:
        return replace(problem, file=str(path))
    return replace(problem, file=f"{path}/{problem.file}" if path.is_dir() else f"{path}: {problem.file}")


def tell(problems: Sequence[Problem], counts: Mapping[str, int] | None = None) -> None:
    """Problems on standard error, errors first, a handful of each code and the number of the rest.

    `counts` says how many there are of each code, where not all are among the problems.
    """
    seen: Counter[str] = Counter()
    counts = counts or count_by_code(problems)
    for each in sorted(problems, key=lambda one: one.severity is not Severity.ERROR):
        seen[each.code] += 1
        if seen[each.code] <= _SHOWN_PER_CODE:
            click.echo(str(each), err=True)
        elif seen[each.code] == _SHOWN_PER_CODE + 1:
            click.echo(f"… and {counts[each.code] - _SHOWN_PER_CODE:,} more of [{each.code}]", err=True)


def stop_on_errors(problems: Sequence[Problem], counts: Mapping[str, int] | None = None) -> None:
    """Tell the problems; end the command with status 1 when there is an error among them."""
    tell(problems, counts)
    if has_errors(problems):
        raise SystemExit(1)


def stop(problems: Sequence[Problem]) -> NoReturn:
    """Tell the problems and end the command with status 1."""
    tell(problems)
    raise SystemExit(1)


def fail(message: str) -> NoReturn:
    """End the command with status 1 and a message."""
    click.echo(message, err=True)
    raise SystemExit(1)


def write_files(target: Path, files: Files) -> None:
    """Files below a folder, or in a zip if the target is called so. Nothing is written if one of them cannot be."""
    if target.suffix == ".zip":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(pack_zip(sorted(files.items())))
        return
    try:
        for path in files:
            check_name(str(target), path)
        check_collisions(str(target), files)
    except RefusedInput as refused:
        stop([refused.problem])
    try:
        for path, data in files.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(data)
    except OSError as bad:
        fail(f"{target}: cannot be written: {bad.strerror}")
