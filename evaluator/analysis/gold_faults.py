"""Annotations of gold that may be wrong, ranked by how much speaks against them (Entity error analysis; METHODS, section 4).

The same string is elsewhere annotated with another label, with other boundaries, or at all; most runs say the same, and not
what gold says; a coordination is cut short, as in `LMP1 and 2`. Nothing here knows what is right: people read the candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from brat.model import Document, Fragment, TextBound
from evaluator.analysis.difficulty import NOTHING, Difficulty
from evaluator.leakage.occurrences import StringIndex

_COORDINATED = re.compile(r"\s*(?:,|/|and|or|&)\s+(\d{1,3}|[A-Z]|[IVX]{1,4})(?![\w-])|(?:/|,)(\d{1,3}|[A-Z])(?![\w-])")
_NUMBERED = re.compile(r"(?:\d|\b[A-Z]|\b[IVX]+)$")
_LEAST = 2
"""Occurrences elsewhere that must speak against one."""
_MOST_RUNS = 0.5
_BY_CONTEXT = 0.05
_SHORTEST = 2


class Fault(StrEnum):
    """What may be wrong."""

    LABEL = "another label elsewhere"
    MISSING = "annotated elsewhere, not here"
    EXTRA = "annotated here, not elsewhere"
    BOUNDARY = "other boundaries elsewhere"
    RUNS = "most runs say the same, and not this"
    COORDINATION = "coordination cut short"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A place of gold to be read.

    Attributes:
        kind: what may be wrong.
        document, fragments, text: where, and what stands there.
        label: what gold says, `O` for nothing.
        instead: what speaks for another: a label, or a label and a text.
        support: how often it is said.
        score: by which candidates are ranked, up to 1.
    """

    kind: Fault
    document: str
    fragments: tuple[Fragment, ...]
    text: str
    label: str
    instead: str
    support: int
    score: float


@dataclass(frozen=True, slots=True)
class _Place:
    """An occurrence of a string: where, its label, and the words before and behind it."""

    document: str
    span: Fragment
    label: str
    around: tuple[str, str]


def find_faults(
    gold: Mapping[str, Document], ignored: Collection[str] = (), over_runs: Difficulty | None = None
) -> list[Candidate]:
    """Candidates for faults in gold, the most likely first; of several about one place the likeliest.

    Args:
        gold: documents with texts, by id.
        ignored: labels that are not looked at, such as those of triggers.
        over_runs: what runs say of the same gold, where there are any.
    """
    bounds = {
        id_: [each for each in document.text_bounds if each.label not in ignored and len(each.fragments) == 1]
        for id_, document in gold.items()
    }
    everywhere = _occurrences(gold, bounds)
    found = [*_of_strings(everywhere), *_of_boundaries(gold, bounds, everywhere), *_of_coordinations(gold, bounds)]
    if over_runs is not None:
        found += _of_runs(over_runs)
    best: dict[tuple[str, tuple[Fragment, ...]], Candidate] = {}
    for each in sorted(found, key=lambda one: (-one.score, one.document, one.fragments, one.kind)):
        best.setdefault((each.document, each.fragments), each)
    return list(best.values())


def _occurrences(gold: Mapping[str, Document], bounds: Mapping[str, Sequence[TextBound]]) -> dict[str, list[_Place]]:
    """Every occurrence of every string that is annotated somewhere: annotated, or outside of all annotations."""
    strings = {
        " ".join((gold[id_].text or "")[slice(*each.fragments[0])].split()) for id_, own in bounds.items() for each in own
    }
    index = StringIndex(each for each in strings if len(each) >= _SHORTEST)
    found: dict[str, list[_Place]] = {}
    for id_, document in gold.items():
        text = document.text or ""
        labels = {each.fragments[0]: each.label for each in bounds[id_]}
        covered = sorted(fragment for each in document.text_bounds for fragment in each.fragments)
        for string, span in index.find(text):
            label = labels.get(span, NOTHING)
            if label != NOTHING or not any(start < span[1] and span[0] < end for start, end in covered):
                found.setdefault(string, []).append(_Place(id_, span, label, _around(text, span)))
    return found


def _around(text: str, span: Fragment) -> tuple[str, str]:
    before, behind = text[max(0, span[0] - 40) : span[0]].split(), text[span[1] : span[1] + 40].split()
    return (before[-1].lower() if before else "", behind[0].lower() if behind else "")


def _of_strings(everywhere: Mapping[str, Sequence[_Place]]) -> Iterator[Candidate]:
    """Occurrences that are labelled otherwise than most occurrences of the same string."""
    for string, places in everywhere.items():
        counts = Counter(each.label for each in places)
        (most, support), *_ = counts.most_common()
        if support < _LEAST:
            continue
        for each in places:
            if each.label != most:
                kind = Fault.MISSING if each.label == NOTHING else Fault.EXTRA if most == NOTHING else Fault.LABEL
                yield Candidate(
                    kind=kind,
                    document=each.document,
                    fragments=(each.span,),
                    text=string,
                    label=each.label,
                    instead=most,
                    support=support,
                    score=_score(support, counts[each.label]) + _by_context(each, places, most),
                )


def _score(support: int, against: int) -> float:
    """How one-sided the occurrences are; few of them say little."""
    return (1 - _BY_CONTEXT) * support / (support + against + 1)


def _by_context(place: _Place, places: Sequence[_Place], label: str) -> float:
    """A little more where the word before or behind is that of an occurrence with the other label."""
    alike = any(
        each.label == label and each is not place and (each.around[0] == place.around[0] or each.around[1] == place.around[1])
        for each in places
    )
    return _BY_CONTEXT * alike


def _of_boundaries(
    gold: Mapping[str, Document], bounds: Mapping[str, Sequence[TextBound]], everywhere: Mapping[str, Sequence[_Place]]
) -> Iterator[Candidate]:
    """Annotations on which a string lies otherwise that is annotated, with the same label, in other places."""
    annotated = {
        string: Counter(each.label for each in places if each.label != NOTHING) for string, places in everywhere.items()
    }
    index = StringIndex(string for string, labels in annotated.items() if labels.total() >= _LEAST)
    for id_, document in gold.items():
        text = document.text or ""
        own = sorted(bounds[id_], key=lambda each: each.fragments[0])
        for string, (start, end) in index.find(text):
            for each in own:
                (first, last) = each.fragments[0]
                if last <= start or first >= end or (first, last) == (start, end):
                    continue
                here = " ".join(text[first:last].split())
                support, against = annotated[string][each.label], annotated.get(here, Counter())[each.label]
                # Of a string inside of a longer annotation nothing follows: `acid` is in every `acetic acid`.
                if support >= _LEAST and (start < first or end > last) and against <= support:
                    yield Candidate(
                        kind=Fault.BOUNDARY,
                        document=id_,
                        fragments=((first, last),),
                        text=here,
                        label=each.label,
                        instead=f"{each.label} {string}",
                        support=support,
                        score=_score(support, against),
                    )


def _of_coordinations(gold: Mapping[str, Document], bounds: Mapping[str, Sequence[TextBound]]) -> Iterator[Candidate]:
    """Annotations that end with a number or a letter, before `and` and another one that nothing covers."""
    for id_, document in gold.items():
        text = document.text or ""
        covered = [fragment for each in document.text_bounds for fragment in each.fragments]
        for each in bounds[id_]:
            start, end = each.fragments[0]
            behind = _COORDINATED.match(text, end)
            if behind is None or not _NUMBERED.search(text[start:end]):
                continue
            if not any(first < behind.end() and end < last for first, last in covered):
                yield Candidate(
                    kind=Fault.COORDINATION,
                    document=id_,
                    fragments=((start, end),),
                    text=" ".join(text[start:end].split()),
                    label=each.label,
                    instead=f"{each.label} {' '.join(text[start : behind.end()].split())}",
                    support=1,
                    score=0.5,
                )


def _of_runs(found: Difficulty) -> Iterator[Candidate]:
    """Instances that hardly any run gets right and most say the same of; and what most say where gold says nothing."""
    size = len(found.runs)
    for each in found.instances:
        if each.is_hard and each.said and size > 1 and each.said[0].runs / size > _MOST_RUNS:
            first = each.said[0]
            yield Candidate(
                kind=Fault.RUNS,
                document=each.document,
                fragments=each.fragments,
                text=each.text,
                label=each.label,
                instead=f"{first.label} {first.text}".rstrip(),
                support=first.runs,
                score=first.runs / (size + 1),
            )
    for one in found.spurious:
        if size > 1 and one.runs / size > _MOST_RUNS:
            yield Candidate(
                kind=Fault.RUNS,
                document=one.document,
                fragments=one.fragments,
                text=one.text,
                label=NOTHING,
                instead=one.label,
                support=one.runs,
                score=one.runs / (size + 1),
            )
