"""What `assay names` is given: the census, years, predictions in files or as a BRAT run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import click

from app.cli import inputs
from brat.corpus import decode
from brat.files import Files, read_bytes
from brat.problems import Problem, RefusedInput
from evaluator.fairness.census import Census, CensusError, read_census
from evaluator.fairness.name_errors import TaggedNames
from evaluator.fairness.name_predictions import PredictionsError, Wanted, read_predictions
from evaluator.fairness.name_runs import places_in, read_run
from evaluator.fairness.packed import XZ, unpack_xz
from evaluator.metadata import Metadata, MetadataError, parse_metadata
from evaluator.signature import digest_documents

METADATA = "metadata.tsv"
"""Where `assay names write` says what its documents are about."""
PATH = click.Path(exists=True, path_type=Path)
_YEARS = re.compile(r"(\d{4})(?:-(\d{4}))?")
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Predictions:
    """What systems made of names, and the SHA-256 of the files that say so."""

    tagged: tuple[TaggedNames, ...]
    digest: str

    @property
    def systems(self) -> tuple[str, ...]:
        """What they are called, sorted."""
        return tuple(sorted({each.system for each in self.tagged}))


def census_option(command: _Command) -> _Command:
    """The option that says where names and their frequency come from."""
    return click.option(
        "--census",
        "census_file",
        type=PATH,
        help="The Social Security names.zip, or a table year,sex,name,count, or it as .xz.",
    )(command)


def name_options(command: _Command) -> _Command:
    """The options that pick years and names."""
    for option in (
        click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N most frequent of a year and sex."),
        click.option("--year", "years", multiple=True, metavar="YEAR[-YEAR]", help="Only these; may be repeated."),
    ):
        command = option(command)
    return command


def census_of(path: Path | None) -> Census:
    """The census; the command ends with status 1 when it cannot be read, with 2 when none is given."""
    if path is None:
        raise click.UsageError("--census says where the names and their frequency are")
    try:
        return read_census(path)
    except CensusError as bad:
        inputs.fail(str(bad))


def years_of(given: Iterable[str]) -> frozenset[int] | None:
    """The years that are asked for; None for all."""
    found: set[int] = set()
    for each in given:
        years = _YEARS.fullmatch(each)
        if years is None or int(years[2] or years[1]) < int(years[1]):
            raise click.BadParameter(f"{each} is not a year, such as 2018, nor years, such as 1880-2018", param_hint="--year")
        found.update(range(int(years[1]), int(years[2] or years[1]) + 1))
    return frozenset(found) or None


def read(path: Path, gold: Path | None, census: Census, wanted: Wanted) -> Predictions:
    """Predictions with a line a name, or, with gold, a BRAT run; the command ends with status 1 when they cannot be read."""
    try:
        return _read_run(path, gold, census, wanted) if gold else _read_lines(path, census, wanted)
    except (PredictionsError, CensusError, MetadataError) as bad:
        inputs.fail(str(bad))


def _read_lines(path: Path, census: Census, wanted: Wanted) -> Predictions:
    files = _files(path)
    try:
        tagged = read_predictions(files, census, wanted, _stem(path))
    except PredictionsError as bad:
        inputs.fail(str(PredictionsError(_as_given(path, bad.file, files), bad.line, bad.message, bad.column)))
    return Predictions(tagged, digest_documents({name: sha256(files[name]).hexdigest() for name in files}))


def _as_given(path: Path, file: str, files: Files) -> str:
    """A file of predictions as the user would write it; what is no file is the whole of them."""
    if file not in files or (path.is_file() and file == path.name):
        return str(path)
    return f"{path}/{file}" if path.is_dir() else f"{path}: {file}"


def _files(path: Path) -> Files:
    """Those of a folder or an archive, which may be packed with xz, as published data are."""
    if path.is_dir():
        return inputs.read_files(path)
    try:
        data = path.read_bytes()
        if data.startswith(XZ):
            return read_bytes(unpack_xz(data), str(path).removesuffix(".xz"))
        return read_bytes(data, str(path))
    except RefusedInput as refused:
        inputs.stop([refused.problem])
    except (OSError, ValueError) as bad:
        inputs.fail(f"{path}: {bad}")


def _read_run(path: Path, gold: Path, census: Census, wanted: Wanted) -> Predictions:
    places = places_in(_metadata(gold), _stem(path))
    hosted, offered = inputs.read_both(gold, path, inputs.expected_offline(None))
    tagged = read_run(hosted.documents, offered.documents, places, census, wanted)
    return Predictions(tagged, digest_documents(offered.digests))


def _metadata(gold: Path) -> Metadata:
    """What the documents of a corpus are about."""
    data = inputs.read_files(gold).get(METADATA)
    if data is None:
        inputs.fail(f"{gold}: no {METADATA}, which says the template, year and sex of each document")
    problems: list[Problem] = []
    text = decode(data, f"{gold}/{METADATA}", problems)
    if text is None:
        inputs.stop(problems)
    return parse_metadata(text, f"{gold}/{METADATA}")


def _stem(path: Path) -> str:
    return path.resolve().name.partition(".")[0]
