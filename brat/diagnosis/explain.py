"""Which explanations hold for a run: every hypothesis is tried on a sample of the wrong spans, the likely ones on all."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from brat.diagnosis.countings import COUNTINGS, MARKERS, PAIRS, Marker
from brat.diagnosis.evidence import MOST_WRONG, Evidence, Witness, occurrences, only_place
from brat.diagnosis.fits import drifting, growth_rate, nearby, patched, steady
from brat.diagnosis.hypotheses import Hypothesis, counted, in_place, moved
from brat.diagnosis.rulers import Counting
from brat.model import Document

_SAMPLE = 300
_LIKELY, _MOST = 0.25, 0.5
_MOST_LIKELY = 8
_ENOUGH, _ALL = 0.75, 0.97
_AS_MUCH = 0.9
_WORTH_A_PATCH = 0.06
_DRIFT, _PAIR = 0.95, 0.9
_EDGES = ((1, 1), (3, 3), (0, -1), (1, 0))


@dataclass(frozen=True, slots=True)
class Explanation:
    """One thing that may be systematically wrong with a run.

    Attributes:
        code: its stable name (docs/problems.md).
        words: a sentence.
        explained, of: how many of the wrong spans it explains, and how many wrong spans were looked at (all, up to 50,000).
        fixable: whether a corrected run can be made by it.
        guess: whether the correction is a guess.
    """

    code: str
    words: str
    explained: int
    of: int
    fixable: bool
    guess: bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, best explanation first, and the hypotheses behind it in the same order."""

    explanations: tuple[Explanation, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()


def diagnose(documents: Iterable[Document]) -> Diagnosis:
    """Explanations for spans whose text column is not what they cover; none where most have no reason in common.

    Args:
        documents: of a run, with their hosted texts.
    """
    evidence = Evidence()
    for each in documents:
        evidence.add(each)
    return explain(evidence)


def explain(evidence: Evidence) -> Diagnosis:
    """The same, from what was gathered while the documents were read."""
    spans, faulty = evidence.spans, _spread(evidence.witnesses, MOST_WRONG)
    sample = _spread(faulty, _SAMPLE)
    of = sum(len(each.wrong) for each in faulty)
    if not of:
        return Diagnosis()
    sampled = sum(len(each.wrong) for each in sample)
    tried = [_rank(one, sample) for one in _ruled(sample)]
    best = max(each.explained for each in tried)
    if best < _ALL * sampled:
        tried += [_rank(one, sample) for one in _compound(sample)]
    if best < _ENOUGH * sampled:
        tried += [_rank(one, sample) for one in _fitted(sample)]
    likely = sorted((each for each in tried if each.explained >= _LIKELY * sampled), key=lambda each: -each.weight)
    found: dict[str, _Ranked] = {}
    for each in (one.hypothesis for one in likely[:_MOST_LIKELY]):
        ranked = _rank(each, faulty)
        rival = found.get(each.code)
        most = _ENOUGH if each.free else _MOST
        enough = ranked.explained > most * of and ranked.explained >= _least(each, spans)
        if enough and (rival is None or rival.weight < ranked.weight):
            found[each.code] = ranked
    order = sorted(found.values(), key=lambda each: -each.weight)
    kept = [each for each in order if _is_worth_saying(each, order[0])]
    if kept and kept[0].hypothesis.code == "drift" and not kept[0].hypothesis.free:
        kept[0] = _patch(kept[0], sample, faulty, of)
    return Diagnosis(
        tuple(
            Explanation(each.hypothesis.code, each.hypothesis.words, each.explained, of, True, each.hypothesis.guess)
            for each in kept
        ),
        tuple(each.hypothesis for each in kept),
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    hypothesis: Hypothesis
    explained: int

    @property
    def weight(self) -> float:
        return self.explained * self.hypothesis.plainness


def _rank(hypothesis: Hypothesis, faulty: Sequence[Witness]) -> _Ranked:
    return _Ranked(hypothesis, _explained(hypothesis, faulty))


def _patch(best: _Ranked, sample: Sequence[Witness], faulty: Sequence[Witness], of: int) -> _Ranked:
    """A drift that follows a rule in most places: where it does not, a fit may know better."""
    rate = growth_rate(sample)
    if rate is None:
        return best
    better = _rank(patched(best.hypothesis, drifting(rate)), faulty)
    return better if better.explained - best.explained > _WORTH_A_PATCH * of else best


def _is_worth_saying(each: _Ranked, best: _Ranked) -> bool:
    """Whether an explanation beside the best one tells something: it explains about as much, and not by having more choice."""
    if each is best:
        return True
    freer = (each.hypothesis.free and not best.hypothesis.free) or "+" in each.hypothesis.code or each.hypothesis.guess
    return each.explained >= _AS_MUCH * best.explained and not freer


def _least(hypothesis: Hypothesis, spans: int) -> int:
    """How many spans an explanation must at least explain: the more it can choose freely, the more."""
    if hypothesis.free or hypothesis.guess:
        return 8
    if hypothesis.in_place:  # a few odd text columns are no habit
        return max(3, spans // 1_000)
    return 2 if hypothesis.plainness == 1 else 3


def _spread(witnesses: Sequence[Witness], most: int) -> list[Witness]:
    """Documents from all over a run, with at most about so many wrong spans in all, and at least one document."""
    wrong = sum(len(each.wrong) for each in witnesses)
    if wrong <= most:
        return list(witnesses)
    step = max(1, wrong // most)
    chosen: list[Witness] = []
    spans = 0
    for each in witnesses[::step]:
        if chosen and spans >= most:
            break
        chosen.append(_cut(each, most))
        spans += len(chosen[-1].wrong)
    return chosen


def _cut(witness: Witness, most: int) -> Witness:
    """At most about so many wrong spans of a document and as many right ones, from all over it."""
    if len(witness.spans) <= most:
        return witness
    wrong = set(map(id, witness.wrong))
    right = [each for each in witness.spans if id(each) not in wrong]
    few_wrong = witness.wrong[:: -(-len(witness.wrong) // most)]
    few_right = right[:: -(-len(right) // most) or 1]
    kept = set(map(id, (*few_wrong, *few_right)))
    return Witness(witness.id, witness.text, tuple(each for each in witness.spans if id(each) in kept), few_wrong)


def _explained(hypothesis: Hypothesis, witnesses: Sequence[Witness]) -> int:
    return sum(_explained_in(hypothesis, each) for each in witnesses)


def _explained_in(hypothesis: Hypothesis, witness: Witness) -> int:
    """How many wrong spans of a document are explained; none where as many spans that are right would be made wrong."""
    wrong = set(map(id, witness.wrong))
    explained = harmed = unmoved = 0
    for span, placed in zip(witness.spans, hypothesis.place(witness.text, witness.spans), strict=True):
        if placed is None:
            continue
        if id(span) in wrong:
            explained += placed.sure
            unmoved += placed.sure and placed.fragments == span.fragments
        elif span.text and not placed.sure and placed.fragments != span.fragments:
            harmed += 1
    if not hypothesis.in_place and unmoved == explained:  # then the counting explains nothing
        return 0
    return explained if explained > harmed else 0


def _ruled(sample: Sequence[Witness]) -> Iterator[Hypothesis]:
    for counting in _present(sample):
        yield counted(counting, plainness=_DRIFT if counting.code == "drift" else 1.0)
    yield from in_place()
    for edges in {(0, -1): 0, (1, 0): 0} | _usual_edges(sample):
        yield moved(edges)
    for marker in MARKERS:
        growth = _usual_growth(marker, sample)
        if growth:
            yield counted(marker.counting(growth), plainness=_DRIFT)


def _present(sample: Sequence[Witness]) -> Iterator[Counting]:
    """The ways of counting that make a difference in these texts."""
    return (each for each in COUNTINGS if any(True for witness in sample for _ in each.steps(witness.text)))


def _compound(sample: Sequence[Witness]) -> Iterator[Hypothesis]:
    for counting in PAIRS:
        yield counted(counting, plainness=_PAIR)
    for counting in _present(sample):
        for edges in _EDGES:
            yield counted(counting, edges, _PAIR)


def _fitted(sample: Sequence[Witness]) -> Iterator[Hypothesis]:
    yield steady()
    rate = growth_rate(sample)
    if rate is not None:
        yield drifting(rate)
    yield nearby()


def _usual_edges(sample: Sequence[Witness]) -> dict[tuple[int, int], int]:
    """The most frequent differences of starts and ends to the nearest places where the texts occur."""
    votes: Counter[tuple[int, int]] = Counter()
    for witness in sample:
        for each in witness.wrong:
            if len(each.fragments) == 1 and each.text:
                start, end = each.fragments[0]
                votes.update((start - one, end - one - len(each.text)) for one in occurrences(witness.text, each.text, start))
    return {edges: count for edges, count in votes.most_common(4) if count > 1 and edges != (0, 0)}


def _usual_growth(marker: Marker, sample: Sequence[Witness]) -> int:
    """By how much the shift grows at each place of a marker, judged by the texts that occur once; 0 if it does not."""
    votes: Counter[int] = Counter()
    for witness in sample:
        places = list(marker.places(witness.text))
        for each in witness.wrong:
            found = only_place(witness.text, each)
            passed = 0 if found is None else bisect_right(places, found)
            if found is not None and passed:
                growth, rest = divmod(each.fragments[0][0] - found, passed)
                votes[growth if not rest else 0] += 1
    growth, agreeing = votes.most_common(1)[0] if votes else (0, 0)
    return growth if agreeing >= _LIKELY * votes.total() else 0
