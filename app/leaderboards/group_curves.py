"""F1 of groups over the values of a second attribute that are numbers, such as decades: sums of the counts of documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from app.analysis.groups import stored_files, unpack_counts
from app.analysis.metadata import metadata_of
from app.leaderboards.groups import GroupBoard
from app.storage import Storage
from evaluator.scores import Counts

_MOST_RUNS, _MOST_GROUPS = 2, 4
"""As many as a picture can tell apart."""
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,8}", re.ASCII)
"""A whole number as it would be written again; `07` is a name."""
_FEWEST_POINTS, _MOST_POINTS = 3, 200
"""Of a curve. A year is a point, and no group, where there are too many of them."""


@dataclass(frozen=True, slots=True)
class GroupCurve:
    """A run on one group, at each point; None where it has no F1."""

    run: str
    group: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class GroupCurves:
    """The first runs of a board.

    Attributes:
        over: the attribute whose values are the points.
        choices: what there is to choose for it.
        points: its values, rising.
        curves: one a run and group.
    """

    over: str
    choices: tuple[str, ...]
    points: tuple[int, ...]
    curves: tuple[GroupCurve, ...]


def points_of(groups: Sequence[str]) -> tuple[int, ...]:
    """Groups as points in time or size, rising; none where they are not plain whole numbers, or fewer than three."""
    if not all(_PLAIN.fullmatch(each) for each in groups):
        return ()
    found = sorted({int(each) for each in groups})
    return tuple(found) if len(found) >= _FEWEST_POINTS else ()


def curves_over(session: Session, storage: Storage, found: GroupBoard, over: str = "") -> GroupCurves | None:
    """The groups of a board over another attribute; that with the fewest points if none is named.

    None where there is none, or where the groups are more than a picture can tell apart.

    An unknown name is as none: the page has no such choice.
    """
    choice = found.board.choice
    metadata = metadata_of(session, storage, choice.phase.task)
    if metadata is None or not found.lines or len(found.groups) > _MOST_GROUPS:
        return None
    groups = metadata.groups(choice.phase.split.name, _MOST_POINTS)
    others = {name: points_of(sorted(set(values.values()))) for name, values in groups.items() if name != found.attribute}
    choices = tuple(name for name, points in others.items() if points)
    if not choices or found.attribute not in groups:
        return None
    chosen = over if over in choices else min(choices, key=lambda each: len(others[each]))
    points = others[chosen]
    lines = found.lines[:_MOST_RUNS]
    files = stored_files(session, [each.run for each in lines])
    curves = []
    for line in lines:
        documents, counts = unpack_counts(
            storage.get(files[line.run.id].counts), choice.annotations, f"{choice.span}-{choice.labels}"
        )
        places = _places(documents, groups[found.attribute], groups[chosen])
        curves += [
            GroupCurve(line.name, group, tuple(_f1(counts[places.get((group, point), [])]) for point in points))
            for group in found.groups
        ]
    return GroupCurves(chosen, choices, points, tuple(curves))


def _places(documents: Sequence[str], groups: Mapping[str, str], over: Mapping[str, str]) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = {}
    for place, id_ in enumerate(documents):
        if id_ in groups and id_ in over:
            found.setdefault((groups[id_], int(over[id_])), []).append(place)
    return found


def _f1(counts: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> float | None:
    return Counts(*counts.sum(axis=0).tolist()).f1
