"""A slow matcher, written from the definition alone: try every set of pairs. For small documents."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from brat.model import Document, Fragment, TextBound, covered_text
from evaluator.criteria import Criterion, LabelRule, SpanRule
from evaluator.hierarchy import Hierarchy

Item: TypeAlias = tuple[tuple[Fragment, ...], str]
Pair: TypeAlias = tuple[Item, Item]


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


def match_document(gold: Document, run: Document, criterion: Criterion, hierarchy: Hierarchy) -> list[Pair]:
    """The pairs that the definition asks for."""
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
