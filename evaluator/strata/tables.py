"""The tables of ChEMU 2020 on leakage: F1 on one stratum (Table 12) and its changes over many (Tables 13 and 14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from evaluator.scores import Score
from evaluator.strata.changes import RunChanges, Selection, changes, strata_of


class Kind(Enum):
    """What the figures of a column are, which decides how they are printed."""

    F1 = "f1"
    DELTA = "delta"
    PERCENT = "percent"
    CAPPED_PERCENT = "percent, told as >100 above 100"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures.

    Attributes:
        key: its name in CSV and JSON.
        name: its head as people read it.
        kind: what is in it.
        starred: whether the head gets a star: figures on a group of labels.
    """

    key: str
    name: str
    kind: Kind
    starred: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A run and its figures, one a column; None is undefined. F1 is in [0, 1], differences too."""

    run: str
    figures: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTable:
    """Figures of many runs, unrounded.

    Attributes:
        title: what the table shows.
        selection: which scores it was made of.
        columns, rows: the figures.
        notes: what the heads mean, a sentence each.
    """

    title: str
    selection: Selection
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())


_F, _DELTA, _PERCENT = (
    "F: F1 on {0}.",
    "ΔF: F on {0} minus F on the whole set.",
    "%: 100 |ΔF| / F on the whole set.",
)


def stratum_table(
    runs: Sequence[tuple[str, Sequence[Score]]], selection: Selection, stratum: str, group: str | None = None
) -> ChangeTable:
    """The layout of Table 12: F, ΔF and % on one stratum, and with a star the same for a group of labels.

    ΔF* is against the F* of the whole set.

    Args:
        runs: the name of each run and its scores, in the order of the rows.
        selection: which scores, the stratification among them.
        stratum: such as `new`.
        group: a label or a group of labels, such as `COMPOUND`, under the label rule of the selection.
    """
    blocks = [("", changes(runs, selection))]
    if group is not None:
        blocks.append((group, changes(runs, selection, group)))
    columns = [
        Column(f"{key}_{name}" if name else key, head, kind, bool(name))
        for name, _ in blocks
        for key, head, kind in (("f1", "F", Kind.F1), ("delta", "ΔF", Kind.DELTA), ("percent", "%", Kind.CAPPED_PERCENT))
    ]
    rows: list[list[float | None]] = [[] for _ in runs]
    for _, block in blocks:
        for row, each in zip(rows, block, strict=True):
            change = each.change(stratum)
            row += [change.f1, change.delta, change.percent]
    notes = [each.format(stratum) for each in (_F, _DELTA, _PERCENT)]
    if group is not None:
        notes.append(f"With a star: the same for {group}, against the whole set's figure for {group}.")
    return ChangeTable(
        title=f"F1 on {selection.stratification} {stratum}",
        selection=selection,
        columns=tuple(columns),
        rows=tuple(Row(name, tuple(row)) for (name, _), row in zip(runs, rows, strict=True)),
        notes=tuple(notes),
    )


def change_table(
    runs: Sequence[tuple[str, Sequence[Score]]], selection: Selection, strata: Sequence[str], *, percent: bool
) -> ChangeTable:
    """The layout of Table 13, with per cent, or 14, without: ΔF on every stratum that is not empty, and Δ over them.

    Args:
        runs: the name of each run and its scores, in the order of the rows.
        selection: which scores, the stratification among them.
        strata: their names in the order of the columns.
        percent: whether each has a column of 100 |ΔF| / F.
    """
    found = changes(runs, selection)
    shown = strata_of(found, strata)
    columns = [column for each in shown for column in _columns(each, percent=percent)]
    notes = ["Under each stratum: its F1 minus F on the whole set."]
    if percent:
        notes.append(_PERCENT.format(""))
    notes.append("Δ: the largest minus the smallest F1 over the strata.")
    empty = [each for each in strata if each not in shown]
    if empty:
        notes.append(f"Left out, since empty: {', '.join(empty)}.")
    return ChangeTable(
        title=f"Changes of F1 by {selection.stratification}",
        selection=selection,
        columns=(*columns, Column("spread", "Δ", Kind.SPREAD)),
        rows=tuple(Row(each.run, (*_figures(each, shown, percent=percent), each.spread(shown))) for each in found),
        notes=tuple(notes),
    )


def _columns(stratum: str, *, percent: bool) -> list[Column]:
    found = [Column(f"{stratum}_delta", stratum, Kind.DELTA)]
    return [*found, Column(f"{stratum}_percent", f"{stratum} (%)", Kind.PERCENT)] if percent else found


def _figures(run: RunChanges, strata: Sequence[str], *, percent: bool) -> list[float | None]:
    found: list[float | None] = []
    for each in strata:
        change = run.change(each)
        found += [change.delta, change.percent] if percent else [change.delta]
    return found
