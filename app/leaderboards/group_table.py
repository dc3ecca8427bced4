"""The table of runs by group for a paper (Tables 4 and 5 of the study on gender in chemical NER), with signs in words."""

from __future__ import annotations

from app.leaderboards.groups import GroupBoard
from evaluator.report import LATEX_SPECIAL, figure, printable
from evaluator.strata.layout import MINUS, signed


def as_latex(found: GroupBoard) -> str:
    """A `tabular` of F1: the whole split, each group, each difference; means of families below a rule."""
    choice = found.board.choice
    heads = ["Run", "all", *found.groups, *(f"{first} − {second}" for first, second in found.pairs)]
    rows = [
        [
            line.name,
            figure(line.whole.f1),
            *(figure(each.counts.f1 if each else None) for each in (line.of(group) for group in found.groups)),
            *(signed(each.value if each else None) for each in (line.difference(*pair) for pair in found.pairs)),
        ]
        for line in found.lines
    ]
    means = [
        [each.name, figure(each.whole), *map(figure, each.groups), *(signed(value) for value in each.differences)]
        for each in found.families
    ]
    told = f"F1 by {found.attribute}: {choice.annotations}, {choice.span} spans, {choice.labels} labels"
    body = "".join(f"{_line(row)} \\\\\n" for row in rows)
    if means:
        body += "\\midrule\n" + "".join(f"{_line(row)} \\\\\n" for row in means)
    return (
        f"% {printable(told)}\n\\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}\n\\toprule\n{_line(heads)} \\\\\n\\midrule\n"
        f"{body}\\bottomrule\n\\end{{tabular}}\n"
    )


def _line(cells: list[str]) -> str:
    return " & ".join([f"{{{_cell(cells[0])}}}", *map(_cell, cells[1:])])


def _cell(text: str) -> str:
    return printable(text).translate(LATEX_SPECIAL).replace(MINUS, "$-$")
