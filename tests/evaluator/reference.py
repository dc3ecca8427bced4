"""A slow matcher and scorer, written from the definitions alone: try every set of pairs. For small documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias, TypeVar

from brat.model import Attribute, Document, Event, Fragment, Relation, TextBound, covered_text
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.hierarchy import Hierarchy

Item: TypeAlias = tuple[tuple[Fragment, ...], str]
Pair: TypeAlias = tuple[Item, Item]
Rows: TypeAlias = dict[str, tuple[int, int, int]]
Thing = TypeVar("Thing", bound=Hashable)


def items(document: Document) -> list[Item]:
    """The distinct (fragments, label) of a document, in order."""
    return sorted({(tuple(sorted(set(each.fragments))), each.label) for each in document.text_bounds})


def shared(a: Item, b: Item) -> int:
    """Code points under both."""
    return len(covered(a) & covered(b))


def covered(item: Item) -> set[int]:
    return {place for start, end in item[0] for place in range(start, end)}


def levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def allowed(a: Item, b: Item, criterion: Criterion, hierarchy: Hierarchy, text: str) -> bool:
    match criterion.labels:
        case LabelRule.FINE:
            labels = a[1] == b[1]
        case LabelRule.HIGH:
            labels = hierarchy.topmost(a[1]) == hierarchy.topmost(b[1])
        case LabelRule.ANY:
            labels = True
    if not labels or a[0] == b[0] or criterion.span is SpanRule.EXACT:
        return labels and a[0] == b[0]
    if not shared(a, b):
        return False
    if criterion.threshold is None:
        return True
    x, y = covered_text(text, a[0]), covered_text(text, b[0])
    return 1 - Fraction(levenshtein(x, y), max(len(x), len(y))) >= criterion.threshold


def matchings(edges: list[Pair]) -> Iterator[list[Pair]]:
    """All sets of edges that have no end in common."""
    if not edges:
        yield []
        return
    (g, r), rest = edges[0], edges[1:]
    for found in matchings([each for each in rest if each[0] != g and each[1] != r]):
        yield [(g, r), *found]
    yield from matchings(rest)


def match_document(
    gold: Document, run: Document, criterion: Criterion, hierarchy: Hierarchy, triggers: frozenset[str] = frozenset()
) -> list[Pair]:
    """The pairs that the definition asks for; a trigger is no partner of an entity."""
    text = gold.text or ""
    left, right = items(gold), items(run)
    pairs: list[Pair] = [(each, each) for each in left if each in right]
    for exact in (True, False):
        used = {g for g, _ in pairs}, {r for _, r in pairs}
        edges = [
            (g, r)
            for g in left
            for r in right
            if g not in used[0]
            and r not in used[1]
            and (g[1] in triggers) == (r[1] in triggers)
            and (g[0] == r[0] or not exact)
            and allowed(g, r, criterion, hierarchy, text)
        ]
        pairs += min(matchings(edges), key=lambda found: (-len(found), -sum(shared(g, r) for g, r in found), sorted(found)))
    return sorted(pairs)


def bounds(*entities: str) -> tuple[TextBound, ...]:
    """Annotations from words such as `A:0-5` or `A:0-2;7-9`."""
    found = []
    for number, each in enumerate(entities, 1):
        label, _, spans = each.partition(":")
        fragments = tuple((int(a), int(b)) for a, b in (span.split("-") for span in spans.split(";")))
        found.append(TextBound(f"T{number}", label, fragments, "x"))
    return tuple(found)


@dataclass(frozen=True)
class Judge:
    """What agrees under a criterion: labels, and text-bound annotations of gold and run, which are partners or not."""

    criterion: Criterion
    hierarchy: Hierarchy
    partners: frozenset[Pair]

    def top(self, label: str) -> str:
        return self.hierarchy.topmost(label) if self.criterion.labels is LabelRule.HIGH else label

    def agree(self, gold: str, run: str) -> bool:
        return self.criterion.labels is LabelRule.ANY or self.top(gold) == self.top(run)

    def rows(
        self, gold: Sequence[Thing], run: Sequence[Thing], name: Callable[[Thing], str], fits: Callable[[Thing, Thing], bool]
    ) -> Rows:
        """tp, fp, fn of each name when what fits is paired one to one: the same label first, then in the order of labels.

        The label is the first value of a thing; the name is what it is counted as.
        """
        free = list(run)
        tp: Counter[str] = Counter()
        fn: Counter[str] = Counter()
        left = []
        for g in gold:
            found = next((r for r in free if r[0] == g[0] and fits(g, r)), None)  # type: ignore[index]
            if found is None:
                left.append(g)
            else:
                free.remove(found)
                tp[name(g)] += 1
        for g in sorted(left, key=lambda each: each[0]):  # type: ignore[index]
            found = next((r for r in sorted(free, key=lambda each: each[0]) if fits(g, r)), None)  # type: ignore[index]
            (fn if found is None else tp)[name(g)] += 1
            if found is not None:
                free.remove(found)
        fp = Counter(name(r) for r in free)
        return {each: (tp[each], fp[each], fn[each]) for each in {*map(name, gold), *map(name, run)}}


def bound_ids(document: Document) -> dict[str, Item]:
    """The item each id of a text-bound annotation stands for."""
    found: dict[str, Item] = {}
    for each in document.text_bounds:
        found.setdefault(each.id, (tuple(sorted(set(each.fragments))), each.label))
    return found


def relation_rows(gold: Document, run: Document, judge: Judge, triggers: bool) -> Rows:
    """The relations; with `triggers`, only among those whose first argument has a partner."""

    def read(document: Document, found: set[Item]) -> list[tuple[str, Item, Item]]:
        at = bound_ids(document)
        for each in document.annotations:
            if isinstance(each, Event) and each.trigger in at:
                at.setdefault(each.id, at[each.trigger])
        relations = set()
        for each in document.annotations:
            if isinstance(each, Relation):
                one, other = sorted((each.first, each.second), key=lambda argument: argument.role)
                if one.target in at and other.target in at:
                    relations.add((each.label, at[one.target], at[other.target]))
        return sorted(each for each in relations if not triggers or each[1] in found)

    def fits(g: tuple[str, Item, Item], r: tuple[str, Item, Item]) -> bool:
        return judge.agree(g[0], r[0]) and {(g[1], r[1]), (g[2], r[2])} <= judge.partners

    golds, runs = read(gold, {g for g, _ in judge.partners}), read(run, {r for _, r in judge.partners})
    return judge.rows(golds, runs, lambda each: judge.top(each[0]), fits)


Target: TypeAlias = "Item | int"


@dataclass
class EventSide:
    """Events by number: (label, trigger), arguments (role, target) and what is said of them."""

    heads: list[tuple[str, Item]]
    arguments: list[list[tuple[str, Target]]]
    modifications: list[set[tuple[str, str | None]]]


def fit(a: list[tuple[str, Target]], b: list[tuple[str, Target]], same: Callable[[Target, Target], bool]) -> bool:
    """Whether the arguments can be laid beside one another so that roles and targets are the same."""
    return len(a) == len(b) and any(
        all(x[0] == y[0] and same(x[1], y[1]) for x, y in zip(a, order, strict=True)) for order in permutations(b)
    )


def largest(pairs: set[tuple[int, int]], holds: Callable[[int, int, set[tuple[int, int]]], bool]) -> set[tuple[int, int]]:
    """The largest part of the pairs each of which holds, given the part."""
    while True:
        kept = {(a, b) for a, b in pairs if holds(a, b, pairs)}
        if kept == pairs:
            return kept
        pairs = kept


def read_events(document: Document) -> EventSide:
    """The distinct events of a document."""
    at = bound_ids(document)
    given = [each for each in document.annotations if isinstance(each, Event) and each.trigger in at]
    number = {each.id: i for i, each in reversed(list(enumerate(given)))}
    heads = [(each.label, at[each.trigger]) for each in given]
    arguments: list[list[tuple[str, Target]]] = [
        [
            (argument.role.rstrip("23456789"), at.get(argument.target, number.get(argument.target, 0)))
            for argument in each.arguments
            if argument.target in at or argument.target in number
        ]
        for each in given
    ]

    def holds(a: int, b: int, pairs: set[tuple[int, int]]) -> bool:
        return fit(arguments[a], arguments[b], lambda x, y: x == y or (x, y) in pairs)

    everything = {(a, b) for a in range(len(given)) for b in range(len(given)) if heads[a] == heads[b]}
    same = largest(everything, holds)
    first = [min(b for b in range(len(given)) if (a, b) in same) for a in range(len(given))]
    kept = sorted(set(first))
    place = {old: new for new, old in enumerate(kept)}
    side = EventSide([heads[i] for i in kept], [], [set() for _ in kept])
    for i in kept:
        side.arguments.append([(role, place[first[to]] if isinstance(to, int) else to) for role, to in arguments[i]])
    for each in document.annotations:
        if isinstance(each, Attribute) and each.target in number:
            side.modifications[place[first[number[each.target]]]].add((each.label, each.value))
    return side


def event_rows(gold: Document, run: Document, judge: Judge) -> dict[str, Rows]:
    """Events, arguments given right triggers, and modifications."""
    ours, theirs = read_events(gold), read_events(run)

    def heads_fit(g: int, r: int) -> bool:
        (label, trigger), (other, other_trigger) = ours.heads[g], theirs.heads[r]
        return judge.agree(label, other) and (trigger, other_trigger) in judge.partners

    def same(x: Target, y: Target, pairs: set[tuple[int, int]]) -> bool:
        return (x, y) in (pairs if isinstance(x, int) else judge.partners)

    def themes(arguments: list[tuple[str, Target]]) -> list[tuple[str, Target]]:
        return [each for each in arguments if each[0] == "Theme"]

    def roughly(g: int, r: int, pairs: set[tuple[int, int]]) -> bool:
        return fit(themes(ours.arguments[g]), themes(theirs.arguments[r]), lambda x, y: same(x, y, pairs))

    everything = {(g, r) for g in range(len(ours.heads)) for r in range(len(theirs.heads)) if heads_fit(g, r)}
    near = largest(everything, roughly)
    right = {(g, r) for g, r in near if fit(ours.arguments[g], theirs.arguments[r], lambda x, y: same(x, y, near))}

    def events(side: EventSide) -> list[tuple[str, int]]:
        return [(label, i) for i, (label, _) in enumerate(side.heads)]

    def arguments(side: EventSide, found: set[Item]) -> list[tuple[str, Item, str, Target]]:
        return list(
            {(*head, *each) for head, all_ in zip(side.heads, side.arguments, strict=True) for each in all_ if head[1] in found}
        )

    def argument_fits(g: tuple[str, Item, str, Target], r: tuple[str, Item, str, Target]) -> bool:
        return judge.agree(g[0], r[0]) and (g[1], r[1]) in judge.partners and g[2] == r[2] and same(g[3], r[3], near)

    def modifications(side: EventSide) -> list[tuple[str, int, str, str | None]]:
        return [(side.heads[i][0], i, *each) for i, all_ in enumerate(side.modifications) for each in all_]

    return {
        "events": judge.rows(events(ours), events(theirs), lambda each: judge.top(each[0]), lambda g, r: (g[1], r[1]) in right),
        "arguments": judge.rows(
            arguments(ours, {g for g, _ in judge.partners}),
            arguments(theirs, {r for _, r in judge.partners}),
            lambda each: each[2],
            argument_fits,
        ),
        "modifications": judge.rows(
            modifications(ours),
            modifications(theirs),
            lambda each: each[2],
            lambda g, r: (g[1], r[1]) in right and g[2:] == r[2:],
        ),
    }


def add_rows(*rows: Rows) -> Rows:
    """Counts by name, added up."""
    return {
        name: tuple(map(sum, zip(*(each[name] for each in rows if name in each), strict=True)))  # type: ignore[misc]
        for name in {name for each in rows for name in each}
    }
