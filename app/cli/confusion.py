"""`assay confusion GOLD RUN`: which labels a run mistakes for which."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from app.cli import inputs
from app.csv_text import as_csv
from app.version import VERSION
from brat.corpus import Corpus
from evaluator.analysis.confusion import Confusion, Example
from evaluator.analysis.confusion import confusion as find_confusion
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.report import LATEX_SPECIAL, printable
from evaluator.scores import MatchingRule
from evaluator.signature import Signature, digest_documents, digest_texts

if TYPE_CHECKING:
    from evaluator.task import TaskDefinition

_WIDEST = 100


def _as_table(found: Confusion, signature: Signature) -> str:
    """A table for a terminal; columns are called by the numbers of their rows where their names would be too wide."""
    names = [printable(each) for each in found.labels]
    cells = [[str(count or "·") for count in row] for row in found.counts]
    of_gold = [str(sum(row)) for row in found.counts]
    of_run = [str(sum(column)) for column in zip(*found.counts, strict=True)]
    first = max(len(f"{len(names)} {each}") for each in names)
    heads = [*names, "all"]
    if first + sum(2 + len(each) for each in heads) > _WIDEST:
        heads = [*_numbers(found), "all"]
    columns = [*zip(*cells, of_run, strict=True), (*of_gold, "")]
    widths = [max(len(head), *(len(each) for each in column)) for head, column in zip(heads, columns, strict=True)]
    lines = [("", heads), *zip(_rows(names, found), zip(*columns, strict=True), strict=True)]
    text = "".join(
        f"{name:<{first}}{''.join(f'  {each:>{width}}' for each, width in zip(row, widths, strict=True))}".rstrip() + "\n"
        for name, row in lines
    )
    return f"exact spans; rows are gold, columns the run\n{text}{''.join(_tell_examples(found))}\nsignature {signature}\n"


def _numbers(found: Confusion) -> list[str]:
    return [*(str(i) for i in range(1, len(found.labels))), found.labels[-1]]


def _rows(names: list[str], found: Confusion) -> list[str]:
    """The heads of the rows: numbers and names, and the row of sums."""
    width = len(str(len(names)))
    numbered = [f"{number:>{width}} {name}" for number, name in zip(_numbers(found)[:-1], names[:-1], strict=True)]
    return [*numbered, f"{'':>{width}} {names[-1]}", f"{'':>{width}} all"]


def _tell_examples(found: Confusion) -> Iterator[str]:
    place = {label: i for i, label in enumerate(found.labels)}
    for (gold, run), examples in groupby(found.examples, key=lambda each: (each.gold_label, each.run_label)):
        yield f"\ngold {printable(gold)}, run {printable(run)}: {found.counts[place[gold]][place[run]]}\n"
        yield from (f"  {_tell_example(each)}\n" for each in examples)


def _tell_example(example: Example) -> str:
    where = ";".join(f"{start}-{end}" for start, end in example.fragments)
    return printable(f"{example.document} {where}  {example.before}[{example.text}]{example.after}")


def _as_json(found: Confusion, signature: Signature) -> str:
    return json.dumps({"signature": signature.to_json(), "confusion": found.to_json()}, ensure_ascii=False, indent=1) + "\n"


def _as_csv(found: Confusion, signature: Signature) -> str:
    del signature  # a CSV has no place for it
    return as_csv([("gold", *found.labels), *((label, *row) for label, row in zip(found.labels, found.counts, strict=True))])


def _as_latex(found: Confusion, signature: Signature) -> str:
    """A `tabular` with rules of the booktabs package; the numbers of the rows stand over the columns."""
    size = len(found.labels)
    numbers = _numbers(found)
    lines = [
        f"% signature {signature}",
        "% Exact spans. NEG: spans that the other side does not annotate.",
        f"\\begin{{tabular}}{{rl{'r' * size}}}",
        "\\toprule",
        f" & & \\multicolumn{{{size}}}{{c}}{{Run}} \\\\",
        f"\\cmidrule(l){{3-{size + 2}}}",
        f" & Gold & {' & '.join(numbers)} \\\\",
        "\\midrule",
    ]
    for i, (label, row) in enumerate(zip(found.labels, found.counts, strict=True)):
        cells = [f"\\textbf{{{count}}}" if i == j < size - 1 else str(count) for j, count in enumerate(row)]
        number = numbers[i] if i < size - 1 else ""
        lines.append(f"{number} & {{{printable(label).translate(LATEX_SPECIAL)}}} & {' & '.join(cells)} \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


_FORMATS: MappingProxyType[str, Callable[[Confusion, Signature], str]] = MappingProxyType(
    {"table": _as_table, "json": _as_json, "csv": _as_csv, "latex": _as_latex}
)


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--task", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Bundle with the labels.")
@click.option(
    "--conf", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="annotation.conf with the order of labels."
)
@click.option("--only", multiple=True, metavar="LABEL", help="Look at these labels only; may be repeated.")
@click.option("--examples", type=click.IntRange(min=0), default=0, help="How many examples of each kind of error to show.")
@click.option("--format", "format_", type=click.Choice(list(_FORMATS)), default="table", show_default=True)
def confusion(
    gold: Path, run: Path, *, task: Path | None, conf: Path | None, only: tuple[str, ...], examples: int, format_: str
) -> None:
    """Show which labels RUN mistakes for which.

    Rows are the labels of GOLD, columns those of RUN, both with NEG for a span that the other side does not annotate; spans
    must be equal. Each of the two is a folder, an archive or one .ann file. Exit status 1 when the run has errors.
    """
    if task and conf:
        raise click.UsageError("--task and --conf exclude one another")
    if examples and format_ in ("csv", "latex"):
        raise click.UsageError("--examples belongs to the formats table and json")
    definition = inputs.read_task(task) if task else None
    order = list(definition.labels) if definition else list(inputs.read_conf(conf).parents()) if conf else []
    wanted, offered = inputs.read_both(gold, run, inputs.expected_offline(definition))
    seen = {bound.label for side in (wanted, offered) for each in side.documents.values() for bound in each.text_bounds}
    for label in sorted(set(only) - seen):
        click.echo(f"warning: no annotation is labelled {label}", err=True)
    found = find_confusion(
        wanted.documents,
        offered.documents,
        [label for label in order if label in seen],
        only=frozenset(only) or None,
        examples_per_cell=examples,
    )
    click.echo(_FORMATS[format_](found, _signature(wanted, offered, only, definition)), nl=False)


def _signature(gold: Corpus, run: Corpus, only: tuple[str, ...], definition: TaskDefinition | None) -> Signature:
    return Signature(
        assay=VERSION,
        task=definition.id if definition else "",
        task_version=definition.version if definition else "",
        documents=len(gold.documents),
        criteria=(Criterion(SpanRule.EXACT, LabelRule.ANY).name,),
        matching=MatchingRule.EXACT_FIRST.value,
        gold=digest_documents(gold.digests),
        run=digest_documents(run.digests),
        texts=digest_texts(gold.texts) if gold.texts else "",
        only=tuple(sorted(set(only))),
    )
