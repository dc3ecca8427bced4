"""`assay baseline`: train a tagger, search its settings, let it tag, let several vote."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from app.cli import inputs
from baselines import majority_vote, recipes, search
from baselines.methods import EXTRA, METHODS, missing, module_of
from baselines.protocol import BaselineError, Corpus
from baselines.settings import described
from brat.corpus import read_corpus
from brat.model import Document
from brat.write import write as write_standoff
from evaluator.references import trigger_labels

_PATH = click.Path(exists=True, path_type=Path)
_OUT = click.Path(path_type=Path)
_BUNDLE = click.Path(exists=True, file_okay=False, path_type=Path)
_BETWEEN = 0.5
"""Seconds between two reports of progress."""


class _Told:
    """Says on standard error how far a method is; on a terminal in one line that changes."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._live = sys.stderr.isatty()
        self._last, self._shown = 0.0, False

    def step(self, done: int, of: int, what: str) -> None:
        """Now and then."""
        if self._live and (time.monotonic() - self._last > _BETWEEN or done == of):
            click.echo(f"\r\033[K{done:,} of {of:,} {what}", nl=False, err=True)
            self._last, self._shown = time.monotonic(), True

    def say(self, message: str) -> None:
        """In a line of its own."""
        click.echo(f"\r\033[K{message}" if self._shown else message, err=True)
        self._shown = False

    def done(self) -> None:
        """Leave the line that changes."""
        if self._shown:
            click.echo(err=True)


@click.group()
def baseline() -> None:
    """Train taggers and let them tag: from a dictionary to a transformer. docs/baselines.md says what each of them is."""


@baseline.command("list")
def list_() -> None:
    """Say which methods there are, their settings, and what is not installed."""
    for each in METHODS.values():
        lacking = missing(each)
        click.echo(f"{each.name}: {each.summary}{f' (not installed: {EXTRA})' if lacking else ''}")
        for name, kind, default in described(module_of(each).Settings):
            click.echo(f"    {name} ({kind}) = {default}")
    click.echo("One for entities and one for relations go in a row: crf+cooccurrence")


def _settings(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"key=value is expected, not {each!r}", param_hint="--set")
        found[key.strip()] = value
    return found


_set_option = click.option("--set", "given", multiple=True, metavar="KEY=VALUE", help="A setting; may be repeated.")
_task_option = click.option("--task", type=_BUNDLE, help="Bundle: which labels are those of triggers.")
_train_option = click.option("--train", "train_path", type=_PATH, required=True, help="Documents with their .ann files.")


@baseline.command()
@click.argument("name")
@_train_option
@click.option("--dev", "dev_path", type=_PATH, help="Documents to pick the best epoch by.")
@click.option("--out", type=_OUT, required=True, help="A folder for the model, which must be empty.")
@_task_option
@_set_option
def train(name: str, train_path: Path, dev_path: Path | None, out: Path, *, task: Path | None, given: tuple[str, ...]) -> None:
    """Train the method NAME, such as crf, or two in a row, such as crf+cooccurrence.

    Interrupted training goes on from the last epoch, which is kept in OUT.partial, when the same command is given again.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        inputs.fail(f"{out}: not empty: a model is written into a folder of its own")
    partial = out.with_name(out.name + ".partial")
    told = _Told(partial)
    with _errors():
        recipes.parse_all(recipes.parse_recipe(name), _settings(given))  # before anything is read
        corpus = _corpus(train_path, dev_path, task)
        with _made(out):  # before training, so that an hour is not lost where nothing can be written
            trained = recipes.train(name, corpus, _settings(given), told)
            told.done()
            recipes.save(trained, out)
    shutil.rmtree(partial, ignore_errors=True)
    count = len(corpus.train)
    click.echo(f"{out}: {trained.name}, trained on {count:,} {'document' if count == 1 else 'documents'}")


@baseline.command()
@click.argument("model", type=_PATH)
@click.argument("texts", type=_PATH)
@click.option("--out", type=_OUT, required=True, help="A folder, or .zip, for the run.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, or cuda.")
def predict(model: Path, texts: Path, *, out: Path, device: str) -> None:
    """Tag TEXTS, a folder or archive, with a MODEL that `assay baseline train` wrote.

    For a method that links entities TEXTS has .ann files with these, as a phase hands them out.
    """
    with _errors():
        trained = recipes.load(model, device)
        told = _Told()
        run = recipes.predict(trained, _documents(texts, needed=False), told)
        told.done()
    _write(out, run)


@baseline.command("search")
@click.argument("name")
@_train_option
@click.option("--dev", "dev_path", type=_PATH, required=True, help="Documents to judge by.")
@click.option("--out", type=_OUT, required=True, help="A folder for results and the best model; a search in it goes on.")
@click.option("--samples", type=click.IntRange(min=1), default=20, show_default=True, help="Draws.")
@click.option("--seed", type=int, default=1, show_default=True)
@_task_option
@_set_option
def search_(
    name: str,
    train_path: Path,
    dev_path: Path,
    out: Path,
    *,
    samples: int,
    seed: int,
    task: Path | None,
    given: tuple[str, ...],
) -> None:
    """Draw settings of the method NAME at random, train each draw, and keep what is best on dev."""
    told = _Told()
    with _errors():
        corpus = _corpus(train_path, dev_path, task)
        found = search.search(
            name, corpus, _settings(given), out, samples=samples, seed=seed, watch=told, tell=lambda _: told.done()
        )
    keys = sorted({key for each in found for key in each.settings})
    click.echo("\t".join(("draw", "F1", "seconds", *keys)))
    for each in found:
        f1 = "–" if each.f1 is None else f"{each.f1:.4f}"
        cells = [str(each.settings[key]) for key in keys]
        click.echo("\t".join((str(each.number), f1, f"{each.seconds:g}", *cells)) + (f"\t{each.note}" if each.note else ""))


@baseline.command()
@click.argument("runs", type=_PATH, nargs=-1, required=True)
@click.option("--texts", type=_PATH, required=True, help="The texts that were tagged.")
@click.option("--out", type=_OUT, required=True, help="A folder, or .zip, for the run.")
@click.option("--threshold", type=click.FloatRange(0, 1, max_open=True), default=0.5, show_default=True, help="More than it.")
def vote(runs: tuple[Path, ...], *, texts: Path, out: Path, threshold: float) -> None:
    """Write what more than a share of RUNS agree on, by span and label."""
    documents = _documents(texts, needed=False)
    read = [_run(path, documents) for path in runs]
    with _errors():
        found = majority_vote.vote(documents, read, threshold)
    _write(out, found)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A folder that is made, and taken away again if nothing came into it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


@contextmanager
def _errors() -> Iterator[None]:
    """What cannot be done ends the command with status 1, and what it was."""
    try:
        yield
    except BaselineError as bad:
        inputs.fail(str(bad))
    except OSError as bad:
        inputs.fail(f"{bad.filename or 'the model'}: {bad.strerror}")


def _corpus(train_path: Path, dev_path: Path | None, task: Path | None) -> Corpus:
    documents = _documents(train_path, needed=True)
    dev = _documents(dev_path, needed=True) if dev_path is not None else {}
    known = inputs.read_task(task).triggers if task is not None else frozenset[str]()
    return Corpus(documents, dev, trigger_labels(documents, known))


def _documents(path: Path, *, needed: bool) -> dict[str, Document]:
    """Documents with texts below a path; the command ends with status 1 when they have errors, or there are none."""
    found = read_corpus(inputs.read_files(path))
    inputs.stop_on_errors(found.problems)
    documents = {id_: each for id_, each in found.documents.items() if each.text is not None}
    if not documents:
        inputs.fail(f"{path}: no .txt file{' with its .ann file' if needed else ''}")
    return documents


def _run(path: Path, documents: Mapping[str, Document]) -> dict[str, Document]:
    found = read_corpus(inputs.read_files(path), {id_: each.text for id_, each in documents.items()})
    inputs.stop_on_errors(found.problems)
    return dict(found.documents)


def _write(out: Path, run: Mapping[str, Document]) -> None:
    inputs.write_files(out, {f"{id_}.ann": write_standoff(each).encode() for id_, each in run.items()})
    found = sum(len(each.annotations) for each in run.values())
    click.echo(f"{out}: {found:,} annotations in {len(run):,} documents")
