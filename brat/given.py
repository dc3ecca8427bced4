"""The entities of a run against those that its track gives."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from brat.model import Document, Fragment, TextBound
from brat.problems import Problem, ProblemList, problem, quoted

Entity: TypeAlias = tuple[str, tuple[Fragment, ...]]
"""Label and sorted distinct fragments."""


@dataclass(slots=True)
class GivenEntities:
    """What was given, by document id, and how much of a run is among it, document after document."""

    given: Mapping[str, frozenset[Entity]]
    labels: frozenset[str]
    others: int = 0
    known: int = 0

    def add(self, document: Document, file: str, problems: ProblemList) -> None:
        """Tell of annotations with given labels that were not given. Those that are left out are no problem."""
        given = self.given.get(document.id, frozenset())
        for each in document.text_bounds:
            if each.label not in self.labels:
                continue
            fragments = each.fragments if len(each.fragments) == 1 else tuple(sorted(set(each.fragments)))
            if (each.label, fragments) in given:
                self.known += 1
                continue
            self.others += 1
            if not problems.only_counts("not-given"):
                problems.append(_not_given(each, fragments, given, file))

    def problems(self) -> Iterator[Problem]:
        """A run none of whose entities were given."""
        id_ = min((id_ for id_, entities in self.given.items() if entities), default=None)
        if self.others and not self.known and id_ is not None:
            found, expected = (
                f"{self.others:,} others",
                f"those that were given, such as {_shown(*min(self.given[id_]))} in {id_}",
            )
            yield problem("no-given", "", found=found, expected=expected, hint="is it a run for another track?")


def _not_given(each: TextBound, fragments: tuple[Fragment, ...], given: Collection[Entity], file: str) -> Problem:
    near = max(
        ((_shared(fragments, spans), label, spans) for label, spans in given if label == each.label),
        key=lambda option: (option[0], [(-start, -end) for start, end in option[2]]),  # of equals, the first in the text
        default=None,
    )
    hint = "" if near is None or not near[0] else f"did you mean {_shown(near[1], near[2])}?"
    return problem("not-given", file, each.line, len(each.id) + 2, found=_shown(each.label, fragments), hint=hint)


def _shared(fragments: tuple[Fragment, ...], given: tuple[Fragment, ...]) -> int:
    """How many characters two annotations share."""
    if fragments[0][0] >= max(end for _, end in given) or given[0][0] >= max(end for _, end in fragments):
        return 0  # nearly always, and there may be thousands
    return sum(max(0, min(end, last) - max(start, first)) for start, end in fragments for first, last in given)


def _shown(label: str, fragments: tuple[Fragment, ...]) -> str:
    return f"{quoted(label)[1:-1]} {';'.join(f'{start} {end}' for start, end in fragments)}"
