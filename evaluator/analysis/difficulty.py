"""How hard each gold instance is over the runs of a task (Entity error analysis; METHODS, section 4).

Easiness is the share of runs that get an instance right; hard is [0, .1], easy [.9, 1]. What a run says instead is one of
four: a boundary error (the label is right, the spans overlap and differ), a label error (the span is right), both, or nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from brat.model import Document, Fragment, covered_text
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.matching import match
from evaluator.overlaps import shared_characters
from evaluator.tables import Flags, Tables, build_tables

HARD, EASY = 0.1, 0.9
_EXACT, _RELAXED = Criterion(), Criterion(SpanRule.RELAXED, LabelRule.FINE)
BINS = 10
NOTHING = "O"


class ErrorKind(StrEnum):
    """What is wrong with what a run says of an instance."""

    BOUNDARY = "boundary"
    LABEL = "label"
    BOTH = "boundary and label"
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What some runs say instead of an instance: a label and a span, or `O` and none; and in how many of them."""

    kind: ErrorKind
    label: str
    text: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A gold annotation.

    Attributes:
        document, label, fragments, text: of it.
        exact, relaxed: the share of runs that get it right.
        said: what the others say under exact spans, the most frequent first.
    """

    document: str
    label: str
    fragments: tuple[Fragment, ...]
    text: str
    exact: float
    relaxed: float
    said: tuple[Said, ...]

    @property
    def is_hard(self) -> bool:
        """Whether hardly any run gets it right, under exact spans."""
        return self.exact <= HARD

    @property
    def is_easy(self) -> bool:
        """Whether nearly all do."""
        return self.exact >= EASY


@dataclass(frozen=True, slots=True, kw_only=True)
class Spurious:
    """A prediction that overlaps no gold annotation, and how many runs make it."""

    document: str
    label: str
    fragments: tuple[Fragment, ...]
    text: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """The instances of a test set over runs.

    Attributes:
        runs: their names.
        instances: in the order of documents and lines.
        spurious: made by two runs or more, the most frequent first.
    """

    runs: tuple[str, ...]
    instances: tuple[Instance, ...]
    spurious: tuple[Spurious, ...]

    def histogram(self, *, relaxed: bool = False) -> tuple[int, ...]:
        """[bins] instances by easiness: [0, .1), [.1, .2) and so on; the last has 1 too."""
        values = [each.relaxed if relaxed else each.exact for each in self.instances]
        counts = Counter(min(BINS - 1, int(value * BINS + 1e-9)) for value in values)
        return tuple(counts[each] for each in range(BINS))


def find_difficulty(
    gold: Mapping[str, Document], runs: Mapping[str, Mapping[str, Document]], only: frozenset[str] = frozenset()
) -> Difficulty:
    """Look at every gold annotation over all runs.

    Args:
        gold: documents with texts, by id.
        runs: of each run by name, its documents.
        only: labels that gold and runs are restricted to; none: all.

    Raises:
        ValueError: there is no run.
    """
    if not runs:
        raise ValueError("there is no run")
    wanted = _restrict(gold, only)
    exact: list[Flags] = []
    relaxed: list[Flags] = []
    said: list[list[tuple[ErrorKind, str, str]]] = []
    spurious: Counter[tuple[str, str, tuple[Fragment, ...]]] = Counter()
    tables = build_tables(wanted, {})
    for run in runs.values():
        tables = build_tables(wanted, _restrict(run, only))
        right, near = (_found(tables, criterion) for criterion in (_EXACT, _RELAXED))
        exact.append(right)
        relaxed.append(near)
        said = said or [[] for _ in range(len(tables.gold))]
        spurious.update(_look(tables, right, said))
    share_exact, share_relaxed = (np.mean(np.stack(each), axis=0) for each in (exact, relaxed))
    sides = tables.gold
    instances = tuple(
        Instance(
            document=tables.documents[int(sides.document[row])],
            label=tables.labels[int(sides.label[row])],
            fragments=tables.shapes[int(sides.span[row])],
            text=_text(tables, int(sides.document[row]), tables.shapes[int(sides.span[row])]),
            exact=float(share_exact[row]),
            relaxed=float(share_relaxed[row]),
            said=_counted(said[row]),
        )
        for row in range(len(sides))
    )
    return Difficulty(runs=tuple(runs), instances=instances, spurious=_shared(tables, spurious))


def _restrict(documents: Mapping[str, Document], only: frozenset[str]) -> dict[str, Document]:
    if not only:
        return dict(documents)
    return {
        id_: Document(id_, tuple(each for each in document.text_bounds if each.label in only), document.text)
        for id_, document in documents.items()
    }


def _found(tables: Tables, criterion: Criterion) -> Flags:
    """[gold rows] which of them the run gets right."""
    found = np.zeros(len(tables.gold), dtype=bool)
    found[match(tables, criterion).gold] = True
    return found


def _look(
    tables: Tables, right: Flags, said: list[list[tuple[ErrorKind, str, str]]]
) -> list[tuple[str, str, tuple[Fragment, ...]]]:
    """Write down what a run says instead of each instance; returns its predictions that overlap no instance."""
    gold, run = tables.gold, tables.run
    every = [np.arange(len(side), dtype=np.int64) for side in (gold, run)]
    on, by, shared = shared_characters(gold, run, gold.document, run.document, *every)
    over: dict[int, list[tuple[int, int]]] = {}
    for row, prediction, characters in zip(on.tolist(), by.tolist(), shared.tolist(), strict=True):
        over.setdefault(row, []).append((prediction, characters))
    for row in np.flatnonzero(~right).tolist():
        said[row].append(_instead(tables, row, over.get(row, [])))
    alone = np.ones(len(run), dtype=bool)
    alone[by] = False
    alone &= np.diff(run.first) > 0  # an empty span overlaps nothing, and says nothing
    return [
        (tables.documents[int(run.document[row])], tables.labels[int(run.label[row])], tables.shapes[int(run.span[row])])
        for row in np.flatnonzero(alone).tolist()
    ]


def _instead(tables: Tables, row: int, over: Sequence[tuple[int, int]]) -> tuple[ErrorKind, str, str]:
    """What a run says instead: the prediction with the instance's span, else with its label, else the one that shares the most.

    Args:
        tables: of gold and the run.
        row: of the instance.
        over: predictions on it, each with the characters they share.
    """
    if not over:
        return ErrorKind.MISSED, NOTHING, ""
    gold, run = tables.gold, tables.run
    best, _ = max(
        over,
        key=lambda each: (run.span[each[0]] == gold.span[row], run.label[each[0]] == gold.label[row], each[1], -each[0]),
    )
    same_span, same_label = run.span[best] == gold.span[row], run.label[best] == gold.label[row]
    kind = ErrorKind.LABEL if same_span and not same_label else ErrorKind.BOUNDARY if same_label else ErrorKind.BOTH
    text = _text(tables, int(gold.document[row]), tables.shapes[int(run.span[best])])
    return kind, tables.labels[int(run.label[best])], text


def _counted(said: Sequence[tuple[ErrorKind, str, str]]) -> tuple[Said, ...]:
    counts = Counter(said)
    ordered = sorted(counts, key=lambda each: (-counts[each], each))
    return tuple(Said(kind=kind, label=label, text=text, runs=counts[kind, label, text]) for kind, label, text in ordered)


def _shared(tables: Tables, spurious: Counter[tuple[str, str, tuple[Fragment, ...]]]) -> tuple[Spurious, ...]:
    places = {id_: i for i, id_ in enumerate(tables.documents)}
    ordered = sorted((each for each, count in spurious.items() if count > 1), key=lambda each: (-spurious[each], each))
    return tuple(
        Spurious(document=id_, label=label, fragments=span, text=_text(tables, places[id_], span), runs=count)
        for id_, label, span in ordered
        for count in [spurious[id_, label, span]]
    )


def _text(tables: Tables, document: int, fragments: tuple[Fragment, ...]) -> str:
    text = tables.texts[document]
    return "" if text is None else " ".join(covered_text(text, fragments).split())
