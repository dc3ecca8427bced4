"""`assay check RUN --texts DIR`: what the server would say of a run, offline. Gold is not needed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli import inputs
from brat.corpus import as_standoff, open_run
from brat.diagnosis.evidence import Evidence
from brat.files import Files, read_path
from brat.problems import RefusedInput, has_errors
from brat.run import Expectations, Survey, survey_run

if TYPE_CHECKING:
    from brat.diagnosis.explain import Diagnosis
    from brat.diagnosis.repair import Repaired

_SHOWN_CHANGES = 10


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--texts",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="Folder or archive with the .txt files, and given entities beside them.",
)
@click.option("--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle with the labels.")
@click.option("--track", "track_id", help="Track of the task; its first one by default.")
@click.option("--fix", type=click.Path(path_type=Path), help="Write a corrected run there: a new folder, or a .zip file.")
@click.option("--guess", is_flag=True, help="With --fix, also move spans to where their text is close by.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(
    *, run: Path, texts: Path, task: Path | None, track_id: str | None, fix: Path | None, guess: bool, format_: str
) -> None:
    """Check RUN, a folder, an archive or one file, against the texts it is about.

    Tells everything that is wrong, all at once, and whether one fault of a converter explains it; --fix writes the run without
    that fault, and says what it changed. Exit status 0 when RUN would be scored, 1 when it has errors.
    """
    if fix is not None:
        _check_target(fix)
    elif guess:
        raise click.UsageError("--guess needs --fix")
    expected = _expectations(task, track_id, texts)
    hosted = inputs.read_texts(texts)
    diagnosis = fixed = None
    evidence = Evidence()
    try:
        files = read_path(run)
        survey = survey_run(evidence.watch(open_run(files, hosted)), hosted, expected)
        if survey.is_whole and evidence.witnesses:
            from brat.diagnosis.explain import explain  # noqa: PLC0415 - most runs need none

            diagnosis = explain(evidence)
        if survey.is_whole and fix is not None:
            fixed = _fix(as_standoff(files, hosted), hosted, diagnosis, guess=guess)
            if fixed.changes:
                inputs.write_files(fix, fixed.files)
    except RefusedInput as refused:
        survey = Survey((refused.problem,), {refused.problem.code: 1})
    if format_ == "json":
        click.echo(_as_json(survey, diagnosis, fixed))
    else:
        inputs.tell(survey.problems, survey.counts)
        _tell_diagnosis(diagnosis)
        if fix is not None:
            _tell_fix(fix, fixed)
        click.echo(_summary(len(hosted), survey.counts, errors=has_errors(survey.problems)))
    if has_errors(survey.problems):
        raise SystemExit(1)


def _expectations(task: Path | None, track_id: str | None, texts: Path) -> Expectations:
    if task is None:
        if track_id is not None:
            raise click.UsageError("--track needs --task")
        return Expectations()
    definition = inputs.read_task(task)
    track = definition.tracks[0] if track_id is None else inputs.find_track(definition, track_id)
    expected = definition.expectations(track)
    return replace(expected, given=inputs.read_given(texts, definition)) if track.gives_entities else expected


def _check_target(fix: Path) -> None:
    if fix.is_file() or (fix.is_dir() and any(fix.iterdir())):
        raise click.BadParameter(f"{fix} is there already; nothing is overwritten", param_hint="--fix")


def _fix(files: Files, texts: Mapping[str, str], diagnosis: Diagnosis | None, *, guess: bool) -> Repaired:
    """The run under the best explanation, and, if guesses are wanted, what is still wrong moved to where its text is."""
    from brat.diagnosis.fits import nearby  # noqa: PLC0415
    from brat.diagnosis.repair import Repaired, merge_changes, repair, unchanged  # noqa: PLC0415

    sound = [each for each in diagnosis.hypotheses if not each.guess] if diagnosis else []
    repaired = repair(files, texts, sound[0]) if sound else unchanged(files)
    if not guess:
        return repaired
    guessed = repair(repaired.files, texts, nearby())
    return Repaired(guessed.files, merge_changes(repaired.changes, guessed.changes))


def _as_json(survey: Survey, diagnosis: Diagnosis | None, fixed: Repaired | None) -> str:
    told = {
        "problems": [asdict(each) for each in survey.problems],
        "counts": dict(Counter(survey.counts).most_common()),
        "diagnosis": [asdict(each) for each in diagnosis.explanations] if diagnosis else [],
    }
    if fixed is not None:
        told["changes"] = [asdict(each) for each in fixed.changes]
    return json.dumps(told, ensure_ascii=False, indent=1)


def _tell_diagnosis(diagnosis: Diagnosis | None) -> None:
    if diagnosis is None:
        return
    for number, each in enumerate(diagnosis.explanations):
        also = "also possible: " if number else ""
        click.echo(f"diagnosis: {also}[{each.code}] {each.words} It explains {each.explained:,} of {each.of:,} wrong spans.")
    if diagnosis.explanations:
        guess = diagnosis.explanations[0].guess
        click.echo("--fix OUT --guess writes" if guess else "--fix OUT writes", nl=False)
        click.echo(" a corrected run for you to look at.")


def _tell_fix(fix: Path, fixed: Repaired | None) -> None:
    if fixed is None or not fixed.changes:
        click.echo("Nothing was found that could be put right, and nothing was written.")
        return
    for each in fixed.changes[:_SHOWN_CHANGES]:
        click.echo(f"{each.file}:{each.line}\n- {each.before}\n+ {each.after}")
    if len(fixed.changes) > _SHOWN_CHANGES:
        click.echo(f"… and {len(fixed.changes) - _SHOWN_CHANGES:,} more changed lines (--format json lists all)")
    unsure = sum(not each.sure for each in fixed.changes)
    words = f", {unsure:,} of them unsure" if unsure else ""
    files = len({each.file for each in fixed.changes})
    click.echo(
        f"{fix}: {len(fixed.changes):,} lines in {files:,} files changed{words}. Look at them before you submit the run."
    )


def _summary(documents: int, counts: Mapping[str, int], *, errors: bool) -> str:
    verdict = "This run would be rejected." if errors else "This run would be scored."
    ordered = Counter(counts).most_common()
    found = ", ".join(f"{count:,} {code}" for code, count in ordered) or "no problems"
    return f"{documents:,} documents; {found}. {verdict}"
