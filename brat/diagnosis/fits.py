"""Explanations without a rule behind them: where the text columns are found, and how far off the offsets then are.

In each document the shift of the offsets is fitted as a piecewise constant function of the place: the spans, in order, each
choose one occurrence of their text, so that as many as possible are explained and the shift changes as little, and as evenly,
as possible. It is a shortest path over occurrences, span after span.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from brat.diagnosis.evidence import Witness, agrees, is_inside, occurrences, only_place
from brat.diagnosis.hypotheses import Hypothesis, Placed
from brat.diagnosis.rulers import same_without_blanks
from brat.model import TextBound, covered_text

_MOST_PATHS = 16
_NEAR, _CLOSE = 200, 30
_BACKWARDS = 2.5  # more than any span is worth: a drift does not turn round for one of them
_FEW = 3
_SHORTEST_GUESS = 3
_LONG_TEXT, _MANY_PLACES, _LONGEST_VOTE = 100_000, 30, 20


def steady() -> Hypothesis:
    """A constant shift for each document."""
    words = "In each document all offsets are off by a number of its own."
    return Hypothesis("shift", words, 0.9, _place_steadily, free=True)


def _place_steadily(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
    votes: Counter[int] = Counter()
    for each in spans:
        for shift in _shifts(text, each):
            votes[shift] += min(len(each.text or ""), _LONGEST_VOTE)
    if not votes:
        return [None] * len(spans)
    placed = [_shifted(text, each, votes.most_common(1)[0][0]) for each in spans]
    agreeing = sum(each.sure for each in placed)
    if agreeing < 2 and not any(each.sure and only_place(text, span) for each, span in zip(placed, spans, strict=True)):
        return [None] * len(spans)
    return list(placed)


def _shifts(text: str, each: TextBound) -> list[int]:
    """By how much a span may be off: in a text that is not long by any number, since documents may have been joined."""
    start, end = each.fragments[0]
    if len(each.fragments) > 1 or not each.text or end - start != len(each.text):
        return []
    if len(text) > _LONG_TEXT:
        return [start - found for found in occurrences(text, each.text, start)]
    return [start - found for found in occurrences(text, each.text, min(start, len(text)), far=len(text), most=_MANY_PLACES)]


def _shifted(text: str, each: TextBound, shift: int) -> Placed:
    fragments = tuple((start - shift, end - shift) for start, end in each.fragments)
    sure = (
        is_inside(text, fragments) and bool(each.text) and same_without_blanks(covered_text(text, fragments), each.text or "")
    )
    return Placed(fragments, sure)


def _in_parts(text: str, each: TextBound, shift: int) -> Placed:
    """A discontinuous span, each fragment where its part of the text column is found, close to where the shift puts it.

    The text column tells the parts apart only where its length is that of the fragments with one blank between them.
    """
    whole = _shifted(text, each, shift)
    column, at = each.text or "", 0
    if whole.sure or sum(end - start + 1 for start, end in each.fragments) - 1 != len(column):
        return whole
    found: list[tuple[int, int]] = []
    for start, end in each.fragments:
        part = column[at : at + end - start]
        place = next(occurrences(text, part, start - shift, far=_CLOSE, most=1), None)
        if not part or place is None or (found and place < found[-1][1]):
            return whole
        found.append((place, place + len(part)))
        at += len(part) + 1
    return Placed(tuple(found), sure=True)


def growth_rate(witnesses: Sequence[Witness]) -> float | None:
    """By how much the shift grows a character, judged by the texts that occur once; None where there are too few of them."""
    places, shifts = 0, 0
    seen = 0
    for witness in witnesses:
        for each in witness.wrong:
            found = only_place(witness.text, each)
            if found is not None and found > 0:
                seen += 1
                places += found
                shifts += each.fragments[0][0] - found
    rate = shifts / places if seen >= 3 else -1.0
    return rate if rate > -1 else None


def drifting(rate: float) -> Hypothesis:
    """A shift that grows along each document, at about this rate, at places unknown."""
    words = f"The offsets drift: the further into a document, the more they are too {'high' if rate > 0 else 'low'}."
    return Hypothesis("drift", words, 0.8, _Fit(rate).place, free=True)


def patched(rule: Hypothesis, fit: Hypothesis) -> Hypothesis:
    """A rule, and where its place for a span does not agree with the text column, the place that a fit finds, if that does."""

    def place(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
        ruled = rule.place(text, spans)
        if all(each is not None and each.sure for each in ruled):
            return ruled
        fitted = fit.place(text, spans)
        return [
            other if other is not None and other.sure and not (each is not None and each.sure) else each
            for each, other in zip(ruled, fitted, strict=True)
        ]

    words = f"{rule.words} Where that does not fit, the shift was found by the texts of the spans."
    return replace(rule, words=words, place=place)


@dataclass(frozen=True, slots=True)
class _Path:
    score: float
    shift: int
    start: int
    chosen: tuple[int, int, int] | None  # index of the span, real start and end
    before: _Path | None


@dataclass(frozen=True, slots=True)
class _Fit:
    rate: float

    def place(self, text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
        found: dict[int, tuple[int, int]] = {}
        path: _Path | None = self._best_path(text, spans)
        while path is not None:
            if path.chosen is not None:
                index, start, end = path.chosen
                found[index] = (start, end)
            path = path.before
        placed: list[Placed | None] = [None] * len(spans)
        shift = 0
        for index in sorted(range(len(spans)), key=lambda one: spans[one].fragments):
            if index in found:
                shift = spans[index].fragments[0][0] - found[index][0]
                sure = len(found) >= _FEW or self._is_usual(shift, found[index][0])
                placed[index] = Placed((found[index],), sure)
            elif len(spans[index].fragments) > 1:
                placed[index] = _in_parts(text, spans[index], shift)
            else:
                placed[index] = _shifted(text, spans[index], shift)
        return placed

    def _best_path(self, text: str, spans: Sequence[TextBound]) -> _Path:
        positions = [place for place, character in enumerate(text) if not character.isspace()]
        bare = "".join(text[place] for place in positions)
        paths = [_Path(0.0, 0, 0, None, None)]
        for index in sorted(range(len(spans)), key=lambda one: spans[one].fragments):
            each = spans[index]
            wanted = "".join((each.text or "").split())
            start = each.fragments[0][0]
            if len(each.fragments) > 1 or not wanted:
                continue
            near = bisect_left(positions, start / (1 + self.rate))
            gain = 1 + min(len(wanted), 10) / 10
            longer = []
            for place in occurrences(bare, wanted, near):
                real = positions[place]
                before, score = max(((one, one.score - self._cost(one, start, real)) for one in paths), key=lambda two: two[1])
                chosen = (index, real, positions[place + len(wanted) - 1] + 1)
                longer.append(_Path(score + gain, start - real, start, chosen, before))
            paths = sorted([*paths, *longer], key=lambda one: -one.score)[:_MOST_PATHS]
        return paths[0]

    def _is_usual(self, shift: int, real: int) -> bool:
        """Whether the rate alone would lead one to expect this shift: asked where a document has few spans."""
        expected = self.rate * real
        return abs(shift - expected) <= max(1.0, 0.3 * abs(expected))

    def _cost(self, before: _Path, start: int, real: int) -> float:
        """How odd a change of the shift is: the less, the better it follows the rate."""
        change = start - real - before.shift
        expected = self.rate * max(real - (before.start - before.shift), 0)
        cost = min(0.08 * abs(change - expected), 1.8) + (0.01 if change else 0.0)
        return cost + (_BACKWARDS if change * self.rate < 0 else 0.0)


def nearby() -> Hypothesis:
    """The nearest place with the span's text, where no other is nearly as near."""
    words = "The text of each span occurs once close by; that it is meant there is a guess."
    return Hypothesis("nearby", words, 0.5, _place_nearby, guess=True)


def _place_nearby(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
    return [_nearest(text, each) for each in spans]


def _nearest(text: str, each: TextBound) -> Placed | None:
    start = each.fragments[0][0]
    column = each.text or ""
    if len(each.fragments) > 1 or len(column) < _SHORTEST_GUESS or agrees(text, each):
        return None
    places = list(occurrences(text, column, start, far=_NEAR, most=2))
    if not places or (len(places) == 2 and abs(places[1] - start) < 2 * abs(places[0] - start) + len(column)):
        return None
    return Placed(((places[0], places[0] + len(column)),), sure=True)
