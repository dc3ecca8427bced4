"""What a run made of synthetic sentences: figures by gender, decade and template, and the names it takes for chemicals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluator.criteria import Criterion
from evaluator.fairness.names_as_chemicals import About
from evaluator.plain_tables import Cell, Report, Table
from evaluator.scores import Counts
from evaluator.tables import Flags, Ints

_CUTS: dict[str, Callable[[About], str]] = {
    "gender": lambda each: each.gender,
    "decade": lambda each: each.decade,
    "template": lambda each: each.template,
    "gender×decade": lambda each: f"{each.gender}×{each.decade}",
}
_MINUS = "−"
_FIGURES = ("precision", "recall", "f1", "share", "weighted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A part of the documents.

    Attributes:
        cut, group: `gender` and `female`, `decade` and `1880`, `template` and `1`, `gender×decade` and `female×1880`.
        documents, sentences: how many.
        counts: of chemicals.
        tagged: sentences in which a false positive overlaps the name.
        spurious: false positives that overlap a name.
        weighted: the share of tagged sentences, each document weighted by how many children got its name; None without any.
    """

    cut: str
    group: str
    documents: int
    sentences: int
    counts: Counts
    tagged: int
    spurious: int
    weighted: float | None

    @property
    def share(self) -> float | None:
        """The share of sentences whose name is tagged, all names alike."""
        return self.tagged / self.sentences if self.sentences else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedName:
    """A name of one gender, over all decades in which it is used.

    Attributes:
        sentences, tagged: as of an `Outcome`.
        people: how many children got it in these decades.
        weighted: Σ over decades, of the children of the decade times the share of tagged sentences: the people concerned.
    """

    gender: str
    name: str
    sentences: int
    tagged: int
    people: int
    weighted: float

    @property
    def share(self) -> float:
        """The share of sentences in which it is tagged."""
        return self.tagged / self.sentences


def outcomes(about: Sequence[About], scores: Ints, names: Ints) -> list[Outcome]:
    """The whole, and the parts by gender, decade, template, and gender and decade.

    Args:
        about: of each document.
        scores: [documents, 3] true positives, false positives and false negatives.
        names: [documents, 3] as in `evaluator.fairness.names_as_chemicals.NamesAsChemicals.counts`.
    """
    weights = np.array([each.weight for each in about], dtype=np.float64)
    found = [_outcome("all", "all", np.ones(len(about), dtype=bool), (scores, names, weights))]
    for cut, group_of in _CUTS.items():
        groups = np.array([group_of(each) for each in about], dtype=np.str_)
        found += [_outcome(cut, str(group), groups == group, (scores, names, weights)) for group in np.unique(groups)]
    return found


def _outcome(cut: str, group: str, of: Flags, columns: tuple[Ints, Ints, np.ndarray[Any, np.dtype[np.float64]]]) -> Outcome:
    scores, names, weights = (each[of] for each in columns)
    sentences, tagged, spurious = names.sum(axis=0).tolist()
    with_some = names[:, 0] > 0
    shares = names[with_some, 1] / names[with_some, 0]
    total = float(weights[with_some].sum())
    return Outcome(
        cut=cut,
        group=group,
        documents=int(np.count_nonzero(of)),
        sentences=sentences,
        counts=Counts(*scores.sum(axis=0).tolist()),
        tagged=tagged,
        spurious=spurious,
        weighted=float((weights[with_some] * shares).sum()) / total if total else None,
    )


def tagged_names(about: Sequence[About], names: Ints) -> list[TaggedName]:
    """The names that are tagged in some sentence, the largest share first, then by frequency and the alphabet."""
    cells: dict[tuple[str, str], dict[str, list[int]]] = {}
    for each, (sentences, tagged, _) in zip(about, names.tolist(), strict=True):
        sums = cells.setdefault((each.gender, each.name), {}).setdefault(each.decade, [0, 0, each.weight])
        sums[0] += sentences
        sums[1] += tagged
    found = [
        TaggedName(
            gender=gender,
            name=name,
            sentences=sum(sentences for sentences, _, _ in decades.values()),
            tagged=sum(tagged for _, tagged, _ in decades.values()),
            people=sum(weight for _, _, weight in decades.values()),
            weighted=sum(weight * tagged / sentences for sentences, tagged, weight in decades.values() if sentences),
        )
        for (gender, name), decades in cells.items()
    ]
    return sorted((each for each in found if each.tagged), key=lambda one: (-one.share, -one.people, one.gender, one.name))


def report_templates(
    found: Sequence[Outcome], names: Sequence[TaggedName], criterion: Criterion, signature: dict[str, Any]
) -> Report:
    """Tables and plain values of what was found."""
    by_people = sorted(names, key=lambda one: (-one.weighted, one.gender, one.name))
    tables = [_cut_table(cut, [each for each in found if each.cut == cut], criterion) for cut in _CUTS]
    heads = ("name", "gender", "sentences", "tagged", "share", "people", "people × share")
    tables += [
        Table(key=key, title=title, heads=heads, rows=tuple(_name_row(each) for each in rows), long=True)
        for key, title, rows in (
            ("names", "names most often tagged as chemicals, all names alike", names),
            ("names-weighted", "names most often tagged as chemicals, weighted by how many people have them", by_people),
        )
    ]
    value = {
        "outcomes": [_outcome_json(each) for each in found],
        "differences": _differences(found),
        "names": [
            {"gender": each.gender, "name": each.name, "sentences": each.sentences, "tagged": each.tagged}
            | {"share": each.share, "people": each.people, "weighted": each.weighted}
            for each in names
        ],
    }
    return Report(tables=tuple(tables), value=value, signature=signature)


def _cut_table(cut: str, found: Sequence[Outcome], criterion: Criterion) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (each.group, each.sentences, each.counts.tp, each.counts.fp, each.counts.fn, *figures[:3], each.tagged, *figures[3:])
        for each in found
        for figures in [_figures(each)]
    ]
    for row in _differences(found):
        values = [row[name] for name in _FIGURES]
        rows.append((row["groups"], None, None, None, None, *values[:3], None, *values[3:]))
    heads = (cut, "sentences", "tp", "fp", "fn", "precision", "recall", "f1", "names tagged", "share", "weighted")
    title = f"chemicals by {cut}, {criterion.span_name} spans, {criterion.labels.value} labels, and names tagged as chemicals"
    return Table(key=cut, title=title, heads=heads, rows=tuple(rows))


def _figures(each: Outcome) -> tuple[float | None, ...]:
    return each.counts.precision, each.counts.recall, each.counts.f1, each.share, each.weighted


def _differences(found: Iterable[Outcome]) -> list[dict[str, Any]]:
    """Female − male of each figure, over all decades: where there are just two genders, in the order of the alphabet."""
    two = sorted((each for each in found if each.cut == "gender"), key=lambda one: one.group)
    if len(two) != 2:
        return []
    pairs = zip(_FIGURES, *(_figures(each) for each in two), strict=True)
    values = {name: None if a is None or b is None else a - b for name, a, b in pairs}
    return [{"groups": f"{two[0].group} {_MINUS} {two[1].group}", **values}]


def _name_row(each: TaggedName) -> tuple[Cell, ...]:
    return each.name, each.gender, each.sentences, each.tagged, each.share, each.people, each.weighted


def _outcome_json(each: Outcome) -> dict[str, Any]:
    return {
        "cut": each.cut,
        "group": each.group,
        "documents": each.documents,
        "sentences": each.sentences,
        "tp": each.counts.tp,
        "fp": each.counts.fp,
        "fn": each.counts.fn,
        **dict(zip(_FIGURES, _figures(each), strict=True)),
        "names_tagged": each.tagged,
        "false_positives_on_names": each.spurious,
    }
