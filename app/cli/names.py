"""`assay names`: what taggers make of given names, by sex and year, and the corpus to find it out with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from app.cli import inputs
from app.cli.metadata import read_hosted
from app.cli.names_input import METADATA, PATH, Predictions, census_of, census_option, name_options, read, years_of
from app.version import VERSION
from brat.write import write as write_standoff
from evaluator.fairness.census import CensusError
from evaluator.fairness.name_errors import PERSON_LABELS, ErrorType, Rule, TaggedNames, Target, add_up, score_names
from evaluator.fairness.name_predictions import Wanted
from evaluator.fairness.name_report import compare, describe, rates_by_year
from evaluator.fairness.name_sentences import TEMPLATES, NamesDocument, parse_templates, write_names
from evaluator.fairness.name_tables import data_table
from evaluator.fairness.names_in_data import distinct_names, find_names
from evaluator.plain_tables import FORMATS, Report, as_text

_FORMAT = click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)


@click.group(invoke_without_command=True)
@click.option("--predictions", "paths", type=PATH, multiple=True, help="Files with a line a name, or a BRAT run; repeatable.")
@click.option("--gold", type=PATH, help="With BRAT runs: the corpus that `assay names write` wrote.")
@census_option
@click.option("--system", "systems", multiple=True, help="Only this one of the systems in --predictions; may be repeated.")
@click.option("--template", "templates", multiple=True, help="Only this one, by its number; may be repeated.")
@name_options
@click.option("--person", "person", multiple=True, metavar="LABEL", help="A label of persons. [default: PER, PERSON]")
@click.option("--chemicals", is_flag=True, help="The taggers look for chemicals: a name tagged so is Type-2.")
@click.option("--chemical", "chemical", multiple=True, metavar="LABEL", help="With --chemicals: of chemicals. [default: any]")
@click.option("--versus", type=PATH, help="Predictions of earlier versions, to compare with.")
@click.option("--versus-system", help="The earlier version, where --versus has several systems.")
@click.option(
    "--names", "most", type=click.IntRange(min=0), default=6, show_default=True, help="In error, of each system and sex."
)
@click.option("--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Of long tables; 0 for all of them.")
@click.option("--picture", type=click.Path(dir_okay=False, path_type=Path), help="An SVG with curves over the years.")
@click.option("--error", type=click.IntRange(1, 3), default=1, show_default=True, help="With --picture: the type to draw.")
@click.option("--unweighted", is_flag=True, help="With --picture: the share of names, not of their frequency.")
@_FORMAT
@click.pass_context
def names(  # noqa: PLR0913 - one parameter an option
    context: click.Context,
    *,
    paths: tuple[Path, ...],
    gold: Path | None,
    census_file: Path | None,
    systems: tuple[str, ...],
    templates: tuple[str, ...],
    years: tuple[str, ...],
    top: int | None,
    person: tuple[str, ...],
    chemicals: bool,
    chemical: tuple[str, ...],
    versus: Path | None,
    versus_system: str | None,
    most: int,
    rows: int,
    picture: Path | None,
    error: int,
    unweighted: bool,
    format_: str,
) -> None:
    """Say how often taggers take names for something else, or for nothing: the three errors of names in context.

    Female and male names of each year apart, as a share of names and of their frequency in the census. docs/names.md says
    what each number means.
    """
    if context.invoked_subcommand is not None:
        return
    if not paths:
        raise click.UsageError("--predictions says what the taggers wrote; or name a command: census, write")
    if chemical and not chemicals:
        raise click.UsageError("--chemical goes with --chemicals")
    if chemicals and person:
        raise click.UsageError("--person and --chemicals exclude one another")
    rule = _rule(person, chemical, chemicals=chemicals)
    census = census_of(census_file)
    wanted = Wanted(systems=frozenset(systems) or None, templates=frozenset(templates) or None, years=years_of(years), most=top)
    found = [read(path, gold, census, wanted) for path in paths]
    tagged = [each for one in found for each in one.tagged]
    if len({each.key for each in tagged}) < len(tagged):
        inputs.fail("two of --predictions are about the same names by systems of one name: keep them in folders of other names")
    if picture is not None:
        _draw(picture, tagged, rule, ErrorType(error), weighted=not unweighted)
    report = describe(tagged, rule, most or None)
    signature: dict[str, Any] = {
        "assay": VERSION,
        "target": rule.target.value,
        "labels": sorted(rule.labels) or ["any"],
        "systems": sorted(systems),
        "templates": sorted(templates),
        "years": sorted(years),
        "top": top or "",
        "digest-census": census.digest,
        **{f"digest-predictions-{i}": each.digest for i, each in enumerate(found, 1)},
    }
    if versus is not None:
        earlier = read(versus, gold, census, Wanted(templates=wanted.templates, years=wanted.years, most=top))
        signature["digest-versus"] = earlier.digest
        pairs = _pairs(earlier, sorted({each.system for each in tagged}), versus_system)
        try:
            report += [compare(earlier.tagged, tagged, pair, rule) for pair in pairs]
        except ValueError as bad:
            inputs.fail(str(bad))
    tables = tuple(table for each in report for table in each.tables)
    value = {key: value for each in report for key, value in each.value.items()}
    _tell(Report(tables=tables, value=value, signature=signature), rows, format_)


def _draw(file: Path, tagged: Sequence[TaggedNames], rule: Rule, error: ErrorType, *, weighted: bool) -> None:
    """A curve for each system and sex, templates added up (Figure 3 of the paper)."""
    from app.pictures.curves import Curve, year_curves  # noqa: PLC0415 - few calls draw
    from app.pictures.svg import alone  # noqa: PLC0415

    scores = add_up((score_names(each, rule) for each in tagged), years=False, templates=True)
    years, found = rates_by_year(scores, None, error, weighted=weighted)
    what = f"{error}, share of {'frequency' if weighted else 'names'}"
    drawn = year_curves([Curve(each.system, each.sex.value, each.values) for each in found], years, what, what)
    try:
        file.write_text(alone(drawn), encoding="utf-8")
    except OSError as bad:
        inputs.fail(f"{file}: cannot be written: {bad.strerror}")


def _rule(person: tuple[str, ...], chemical: tuple[str, ...], *, chemicals: bool) -> Rule:
    if chemicals:
        return Rule(target=Target.CHEMICAL, labels=frozenset(each.upper() for each in chemical))
    return Rule(labels=frozenset(each.upper() for each in person) or PERSON_LABELS)


def _pairs(earlier: Predictions, systems: list[str], chosen: str | None) -> list[tuple[str, str]]:
    """Earlier and later version: the one that was chosen with the only one there is, or those of one name."""
    if chosen is not None and chosen not in earlier.systems:
        raise click.BadParameter(f"{chosen} is not one of {', '.join(earlier.systems)}", param_hint="--versus-system")
    old = [chosen] if chosen is not None else list(earlier.systems)
    if len(old) == 1 and len(systems) == 1:
        return [(old[0], systems[0])]
    both = [each for each in systems if each in old]
    if not both or chosen is not None:
        told = f"{', '.join(old)} with {', '.join(systems)}"
        raise click.UsageError(f"which version goes with which? --system and --versus-system name one of each: {told}")
    return [(each, each) for each in both]


def _tell(report: Report, rows: int, format_: str) -> None:
    told = as_text(report, rows or None) if format_ == "table" else FORMATS[format_](report)
    click.echo(told, nl=False)


@names.command()
@click.argument("corpora", type=PATH, nargs=-1, required=True, metavar="CORPUS…")
@census_option
@click.option("--year", "years", multiple=True, metavar="YEAR[-YEAR]", help="Names of these only; may be repeated.")
@click.option("--label", "labels", multiple=True, help="Of the entities that are looked at; may be repeated. [default: any]")
@_FORMAT
def census(
    *, corpora: tuple[Path, ...], census_file: Path | None, years: tuple[str, ...], labels: tuple[str, ...], format_: str
) -> None:
    """Say which female and male names of the census each CORPUS has: the splits of a corpus, say.

    A folder or an archive with .txt and .ann files each. A name that both sexes have counts for both.
    """
    known = census_of(census_file)
    hosted = {_place(path, corpora): read_hosted(path) for path in corpora}
    try:
        distinct = distinct_names(known, years_of(years))
    except CensusError as bad:
        inputs.fail(str(bad))
    found = find_names(distinct, {name: each.corpus.documents.values() for name, each in hosted.items()}, frozenset(labels))
    digests = {f"digest-{name}-{kind}": value for name, each in hosted.items() for kind, value in each.digests.items()}
    signature = {"assay": VERSION, "years": list(years), "labels": list(labels), "digest-census": known.digest, **digests}
    value = {"names-in-data": [each.to_json() for each in found]}
    _tell(Report(tables=(data_table(found),), value=value, signature=signature), 0, format_)


def _place(path: Path, paths: tuple[Path, ...]) -> str:
    """What a corpus is called: its folder, or its path where two folders are called so."""
    names = [each.resolve().name for each in paths]
    return path.resolve().name if names.count(path.resolve().name) == 1 else str(path)


@names.command()
@census_option
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A folder, which must be empty, or .zip.")
@click.option("--templates", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="One a line.")
@click.option("--template", "numbers", multiple=True, help="Only this one, by its number; may be repeated.")
@click.option("--year", "years", multiple=True, metavar="YEAR[-YEAR]", help="Only these; may be repeated.")
@click.option("--top", type=click.IntRange(min=1), default=200, show_default=True, help="How many names of a year and sex.")
@click.option("--all", "whole", is_flag=True, help="All names of the census: two million sentences a template.")
def write(
    *,
    census_file: Path | None,
    out: Path,
    file: Path | None,
    numbers: tuple[str, ...],
    years: tuple[str, ...],
    top: int,
    whole: bool,
) -> None:
    """Write the sentences that taggers are to be given, a document for each template, year and sex.

    A .txt with a sentence a line, an .ann with a span on every name, and metadata.tsv, which says what each document is about.
    The nine templates are Assay's own; a file of others has one a line, with [NAME] in it.
    """
    if out.is_dir() and next(out.iterdir(), None) is not None:
        inputs.fail(f"{out}: not empty: nothing of another corpus may stand beside this one")
    known = census_of(census_file)
    templates = _templates(file)
    strange = [each for each in numbers if each not in templates]
    if strange:
        raise click.BadParameter(f"{strange[0]} is not one of 1 to {len(templates)}", param_hint="--template")
    chosen = {number: text for number, text in templates.items() if not numbers or number in numbers}
    wanted = years_of(years)
    documents = write_names(known, chosen, sorted(wanted) if wanted else known.years, None if whole else top)
    told = _Told()
    files = told.files(documents)
    try:
        if out.suffix == ".zip":
            inputs.write_files(out, dict(files))
        else:
            for path, data in files:  # one by one: all the names are gigabytes
                inputs.write_files(out, {path: data})
    except CensusError as bad:
        inputs.fail(str(bad))
    click.echo(f"{told.sentences:,} sentences in {len(told.rows):,} documents")


class _Told:
    """What is told of documents while they are written."""

    def __init__(self) -> None:
        self.sentences = 0
        self.rows: list[dict[str, str]] = []

    def files(self, documents: Iterable[NamesDocument]) -> Iterator[tuple[str, bytes]]:
        """Text and gold of each, and in the end what they are about."""
        for each in documents:
            id_, text = each.document.id, each.document.text or ""
            yield f"{id_}.txt", text.encode()
            yield f"{id_}.ann", write_standoff(each.document).encode()
            self.rows.append(each.metadata)
            self.sentences += text.count("\n")
        lines = [list(self.rows[0]), *(list(row.values()) for row in self.rows)]
        yield METADATA, "".join("\t".join(line) + "\n" for line in lines).encode()


def _templates(file: Path | None) -> dict[str, str]:
    """Templates by number."""
    found = TEMPLATES
    if file is not None:
        try:
            found = parse_templates(inputs.read_text(file), str(file))
        except ValueError as bad:
            inputs.fail(str(bad))
    return {str(number): each for number, each in enumerate(found, 1)}
