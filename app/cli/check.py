"""`assay check RUN --texts DIR`: what the server would say of a run, offline. Gold is not needed."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli import inputs
from brat.corpus import Corpus, read_corpus
from brat.files import read_path
from brat.problems import RefusedInput, count_by_code, has_errors
from brat.run import Expectations, check_run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--texts", required=True, type=click.Path(exists=True, path_type=Path), help="Folder or archive with the .txt files."
)
@click.option("--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle with the labels.")
@click.option("--track", "track_id", help="Track of the task; its first one by default.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(run: Path, texts: Path, task: Path | None, track_id: str | None, format_: str) -> None:
    """Check RUN, a folder, an archive or one .ann file, against the texts it is about.

    Exit status 0 when it would be scored, 1 when it has errors.
    """
    expected = Expectations()
    if task is not None:
        definition = inputs.read_task(task)
        track = definition.tracks[0] if track_id is None else definition.track(track_id)
        if track is None:
            known = ", ".join(each.id for each in definition.tracks)
            raise click.BadParameter(f"{track_id} is not one of {known}", param_hint="--track")
        expected = definition.expectations(track)
    elif track_id is not None:
        raise click.UsageError("--track needs --task")
    only_texts = {name: data for name, data in inputs.read_files(texts).items() if name.endswith(".txt")}
    hosted = read_corpus(only_texts)
    inputs.stop_on_errors(hosted.problems)
    if not hosted.texts:
        inputs.fail(f"{texts}: no .txt file")
    try:
        checked = check_run(read_corpus(read_path(run), hosted.texts), hosted.texts, expected)
    except RefusedInput as refused:
        checked = Corpus(problems=(refused.problem,))
    if format_ == "json":
        click.echo(inputs.as_json(checked.problems))
    else:
        inputs.tell(checked.problems)
        click.echo(_summary(len(hosted.texts), count_by_code(checked.problems), errors=has_errors(checked.problems)))
    if has_errors(checked.problems):
        raise SystemExit(1)


def _summary(documents: int, counts: dict[str, int], *, errors: bool) -> str:
    verdict = "This run would be rejected." if errors else "This run would be scored."
    found = ", ".join(f"{count:,} {code}" for code, count in counts.items()) or "no problems"
    return f"{documents:,} documents; {found}. {verdict}"
