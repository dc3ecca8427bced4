"""`assay categories GOLD RUN`: which kinds of gold annotations a run misses, by group of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from app.cli import inputs
from app.cli.metadata import column_of, read_table, tell_unknown
from app.version import VERSION
from brat.model import Document
from evaluator.criteria import Criterion, LabelRule, parse_span
from evaluator.fairness.categories import CategoryCounts, Comparison, compare_groups, count_categories
from evaluator.fairness.category_sources import Categorised, by_attribute, by_label, by_normalization, by_string
from evaluator.fairness.category_tables import report_categories
from evaluator.fairness.lexicon import LexiconError, parse_atc, parse_lexicon
from evaluator.matching import match
from evaluator.plain_tables import FORMATS
from evaluator.scoring import keep_labels
from evaluator.signature import SCORER_VERSION, digest_documents, digest_texts, digest_value
from evaluator.tables import Tables, build_tables

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_KINDS = ("normalisations", "attributes", "labels")


@dataclass(frozen=True, slots=True)
class _Source:
    """Where categories come from: one of the three."""

    lexicon: Path | None
    atc: Path | None
    annotations: str | None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.lexicon, self.atc, self.annotations)) != 1:
            raise click.UsageError("say where categories come from, once: --lexicon, --atc or --from")
        if self.annotations is not None and self.annotations.partition(":")[0] not in _KINDS:
            expected = "normalisations[:DATABASE], attributes[:NAME] or labels"
            raise click.BadParameter(f"{self.annotations}: expected {expected}", param_hint="--from")

    def find(self, tables: Tables, gold: Mapping[str, Document]) -> tuple[Categorised, dict[str, str]]:
        """The category of each gold row, and what the signature says of that."""
        if self.annotations is not None:
            kind, _, name = self.annotations.partition(":")
            match kind:
                case "normalisations":
                    found = by_normalization(tables, gold, name or None)
                case "attributes":
                    found = by_attribute(tables, gold, name or None)
                case _:
                    found = by_label(tables)
            return found, {"categories": self.annotations}
        lexicon = self._lexicon()
        return by_string(tables, gold, lexicon), {"categories": "strings", "digest-lexicon": digest_value(lexicon)}

    def _lexicon(self) -> dict[str, str]:
        try:
            if self.lexicon is not None:
                return parse_lexicon(inputs.read_text(self.lexicon), str(self.lexicon))
            path = self.atc or Path()
            lexicon, several = parse_atc(inputs.read_text(path), str(path))
        except LexiconError as bad:
            inputs.fail(str(bad))
        if several:
            click.echo(f"warning: in several classes, and so in none: {', '.join(several)}", err=True)
        return lexicon


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--metadata", type=_FILE, required=True, help="TSV or JSON with a row a document.")
@click.option("--by", metavar="COLUMN", required=True, help="Its attribute that makes groups, such as gender.")
@click.option(
    "--compare", nargs=2, metavar="FIRST SECOND", help="Two groups; signs are FIRST minus SECOND. [default: both of two]"
)
@click.option("--lexicon", type=_FILE, help="Categories from lines of string<TAB>category.")
@click.option("--atc", type=_FILE, help="Categories from WHO's ATC list, a CSV with atc_code and atc_name.")
@click.option("--from", "annotations", metavar="KIND[:NAME]", help="Categories from normalisations, attributes or labels.")
@click.option("--spans", default="exact", show_default=True, help="exact, relaxed or approximate:T.")
@click.option("--labels", type=click.Choice([each.value for each in LabelRule]), default="fine", show_default=True)
@click.option("--only", multiple=True, metavar="LABEL", help="Look at these labels only, on both sides; may be repeated.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def categories(  # noqa: PLR0913 - one parameter an option
    gold: Path,
    run: Path,
    *,
    metadata: Path,
    by: str,
    compare: tuple[str, str] | None,
    lexicon: Path | None,
    atc: Path | None,
    annotations: str | None,
    spans: str,
    labels: str,
    only: tuple[str, ...],
    format_: str,
) -> None:
    """Show what share of each category of GOLD's annotations RUN misses, and how groups of documents differ in that.

    The paper's Tables 6 and 7 and the data of its Figure 1. docs/categories.md says what each number means.
    """
    source = _Source(lexicon, atc, annotations)
    criterion = _criterion(spans, labels)
    groups = column_of(read_table(metadata), by)
    wanted, offered = inputs.read_both(gold, run, inputs.expected_offline(None))
    kept = frozenset(only)
    documents = keep_labels(wanted.documents, kept, frozenset())
    tables = build_tables(documents, keep_labels(offered.documents, kept, frozenset()))
    known = {id_: groups[id_] for id_ in wanted.documents if id_ in groups}
    tell_unknown(by, known, len(wanted.documents))
    found, beside = source.find(tables, documents)
    if found.several:
        click.echo(f"warning: {found.several:,} annotations have several categories; their first one counts", err=True)
    counts = count_categories(tables, match(tables, criterion), found.of_row, groups)
    comparison = _compare(counts, compare)
    signature: dict[str, Any] = {
        "assay": VERSION,
        "scorer": SCORER_VERSION,
        "criterion": criterion.name,
        "by": by,
        "compare": f"{comparison.first} minus {comparison.second}" if comparison else "",
        "only": sorted(kept),
        **beside,
        "digest-gold": digest_documents(wanted.digests),
        "digest-run": digest_documents(offered.digests),
        "digest-texts": digest_texts(wanted.texts) if wanted.texts else "",
        "digest-groups": digest_value(known),
    }
    click.echo(FORMATS[format_](report_categories(counts, comparison, signature)), nl=False)


def _criterion(spans: str, labels: str) -> Criterion:
    try:
        span, threshold = parse_span(spans)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--spans") from bad
    return Criterion(span, LabelRule(labels), threshold)


def _compare(counts: CategoryCounts, asked: tuple[str, str] | None) -> Comparison | None:
    """The two groups that were asked for; those that there are, if there are two."""
    if asked is None and len(counts.groups) != 2:
        told = ", ".join(counts.groups) or "none"
        click.echo(f"warning: there are {len(counts.groups)} groups: {told}; --compare says which two to compare", err=True)
        return None
    first, second = asked or counts.groups
    try:
        return compare_groups(counts, first, second)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--compare") from bad
