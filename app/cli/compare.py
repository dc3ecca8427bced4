"""`assay compare`: how certain the scores of runs are, and which runs can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from app.cli import inputs
from app.cli.score_criteria import criteria_of
from app.version import VERSION
from evaluator.criteria import Annotations, Criterion
from evaluator.document_counts import count_documents
from evaluator.plain_tables import FORMATS, Report, Table
from evaluator.resampling import METRICS, SEED
from evaluator.scheme import gold_of_track, scheme_of
from evaluator.scoring import Scheme, score
from evaluator.signature import SCORER_VERSION, digest_documents
from evaluator.tables import Ints
from evaluator.task import TaskDefinition, Track
from evaluator.uncertainty.boards import BoardCertainty, Draws, certainty_of

_PATH = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("runs", metavar="RUN RUN …", type=_PATH, nargs=-1, required=True)
@click.option("--gold", type=_PATH, required=True, help="BRAT folder or archive.")
@click.option("--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle of the task, with --track.")
@click.option("--track", metavar="ID", help="What the track ranks by; with --task.")
@click.option("--span", "span", default="exact", show_default=True, help="exact, relaxed or approximate:T.")
@click.option("--labels", default="fine", show_default=True, help="fine, high or any.")
@click.option("--metric", type=click.Choice(METRICS), default="f1", show_default=True)
@click.option("--draws", type=click.IntRange(1), default=1_000, show_default=True, help="Of documents, for intervals.")
@click.option("--shuffles", type=click.IntRange(1), default=10_000, show_default=True, help="Of two runs, for chance.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True)
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def compare(  # noqa: PLR0913 - one parameter an option
    runs: tuple[Path, ...],
    *,
    gold: Path,
    task: Path | None,
    track: str | None,
    span: str,
    labels: str,
    metric: str,
    draws: int,
    shuffles: int,
    seed: int,
    format_: str,
) -> None:
    """Say how certain the scores of RUNs are, and which of them can be told apart.

    Documents are drawn again for intervals, the same for all runs. Of two runs a coin decides, document by document, which said
    what: how often a difference as large comes about is its chance, corrected after Holm for all pairs.
    """
    if (task is None) is not (track is None):
        raise click.UsageError("--task and --track go together")
    names = [path.resolve().name.partition(".")[0] or str(path) for path in runs]
    if len(set(names)) < len(names):
        names = [str(path) for path in runs]
    if len(set(names)) < len(names):
        raise click.UsageError("a run is given twice")
    (criterion,) = criteria_of((span,), (labels,), None)
    setting = _setting(task, track, criterion)
    counts: list[Ints] = []
    digests: dict[str, str] = {}
    for name, path in zip(names, runs, strict=True):
        found, digests["digest-gold"], digests[f"digest-{name}"] = _count(gold, path, setting)
        counts.append(found)
    certainty = certainty_of(names, np.stack(counts), metric, Draws(draws, shuffles, seed))
    signature = {"assay": VERSION, "scorer": SCORER_VERSION, "of": setting.kind.value, "criterion": criterion.name, **digests}
    report = Report(tables=tuple(_tables(certainty)), value={"certainty": certainty.to_json()}, signature=signature)
    click.echo(FORMATS[format_](report), nl=False)


@dataclass(frozen=True, slots=True)
class _Setting:
    """What runs are held to, and what of them is compared."""

    definition: TaskDefinition | None
    track: Track | None
    criterion: Criterion
    scheme: Scheme
    kind: Annotations


def _setting(task: Path | None, track: str | None, criterion: Criterion) -> _Setting:
    if task is None or track is None:
        return _Setting(None, None, criterion, Scheme(), Annotations.ENTITIES)
    definition = inputs.read_task(task)
    found = inputs.find_track(definition, track)
    return _Setting(definition, found, criterion, scheme_of(definition, found), found.primary)


def _count(gold: Path, run: Path, setting: _Setting) -> tuple[Ints, str, str]:
    """[documents, 3] counts of a run, and the digests of gold and run. A run with errors ends the command."""
    definition, track = setting.definition, setting.track
    expected = definition.expectations(track) if definition and track else inputs.expected_offline(None)
    wanted, offered = inputs.read_both(gold, run, expected)
    documents = gold_of_track(wanted.documents, definition, track) if definition and track else wanted.documents
    scored = score(documents, offered.documents, [setting.criterion], setting.scheme)
    found = count_documents(documents, offered.documents, scored.tables, scored.matchings, setting.scheme)
    counts = [each.counts for each in found if each.annotations is setting.kind]
    nothing = np.zeros((len(scored.tables.documents), 3), dtype=np.int64)
    return counts[0] if counts else nothing, digest_documents(wanted.digests), digest_documents(offered.digests)


def _tables(found: BoardCertainty) -> Sequence[Table]:
    draws = found.draws
    told = f"{found.documents:,} documents, {draws.bootstrap:,} draws, {draws.shuffles:,} shuffles, seed {draws.seed}"
    rows: list[tuple[str | int | float | None, ...]] = []
    for each in found.runs:
        interval, ranks = each.intervals[found.metric], each.ranks
        bounds = (interval.low, interval.high) if interval else (None, None)
        places = (round(ranks.low), round(ranks.high)) if ranks else (None, None)
        rows.append((each.run, getattr(each.counts, found.metric), *bounds, each.rank, *places, each.first, each.band))
    runs = Table(
        key="runs",
        title=f"{found.metric} of runs ({told}); runs in one band cannot be told apart from its first",
        heads=("run", found.metric, "low", "high", "rank", "rank low", "rank high", "first in", "band"),
        rows=tuple(rows),
    )
    pairs = Table(
        key="pairs",
        title=f"Differences of {found.metric}, the better run minus the other",
        heads=("run", "other", "difference", "low", "high", "chance", "corrected"),
        rows=tuple(
            (
                each.first,
                each.second,
                each.difference,
                *((each.interval.low, each.interval.high) if each.interval else (None, None)),
                each.chance,
                each.adjusted,
            )
            for each in found.pairs
        ),
    )
    return (runs, pairs)
