"""Strategies for documents within what each format holds."""

from __future__ import annotations

from hypothesis import strategies as st

from brat.model import (
    Annotation,
    Argument,
    Attribute,
    Document,
    Equiv,
    Event,
    Normalization,
    Note,
    Relation,
    TextBound,
    covered_text,
)
from tests.strategies import words

any_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)
"""Line ends, tabs, NUL and astral characters included."""

_one_line = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=30)
title_and_abstract = st.builds(
    lambda title, rest: title if rest is None else f"{title}\n{rest}", _one_line, st.none() | _one_line
)
concepts = words.filter(lambda word: "|" not in word)


def bound(number: int, label: str, text: str, *spans: tuple[int, int]) -> TextBound:
    """An entity whose text column is as BRAT writes it."""
    covered = covered_text(text, spans).replace("\n", " ").replace("\r", " ")
    return TextBound(f"T{number}", label, spans, covered)


@st.composite
def spans(draw: st.DrawFn, text: str) -> tuple[int, int]:
    start = draw(st.integers(0, len(text)))
    return start, draw(st.integers(start, min(len(text), start + 9)))


@st.composite
def entities(draw: st.DrawFn, text: str, fragments: int = 1) -> list[TextBound]:
    drawn = draw(st.lists(st.tuples(words, st.lists(spans(text), min_size=1, max_size=fragments)), max_size=6))
    return [bound(number, label, text, *places) for number, (label, places) in enumerate(drawn, 1)]


@st.composite
def span_documents(draw: st.DrawFn) -> Document:
    """Spans of one fragment in any text."""
    text = draw(any_text)
    return Document("d", tuple(draw(entities(text))), text)


@st.composite
def flat_documents(draw: st.DrawFn) -> Document:
    """Spans that do not overlap, and begin and end with something."""
    text = draw(any_text)
    kept: list[TextBound] = []
    position = 0
    for each in sorted(draw(entities(text)), key=lambda one: one.fragments):
        start, end = each.fragments[0]
        covered = text[start:end]
        if start >= position and covered and covered == covered.strip():
            kept.append(bound(len(kept) + 1, each.label, text, (start, end)))
            position = end
    return Document("d", tuple(kept), text)


@st.composite
def concept_documents(draw: st.DrawFn, texts: st.SearchStrategy[str], fragments: int) -> Document:
    """Spans with concept ids."""
    text = draw(texts)
    annotations: list[Annotation] = []
    count = 0
    for each in draw(entities(text, fragments)):
        annotations.append(each)
        for database in draw(st.lists(st.sampled_from(["MESH", "OMIM", "ID"]), unique=True, max_size=2)):
            count += 1
            annotations.append(Normalization(f"N{count}", "Reference", each.id, database, draw(concepts)))
    return Document("d", tuple(annotations), text)


@st.composite
def linked_documents(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> Document:
    """Spans with concept ids, relations, and events that may be arguments of one another."""
    document = draw(concept_documents(texts, 3))
    bounds = [each.id for each in document.text_bounds]
    if not bounds:
        return document
    return Document("d", (*document.annotations, *draw(links(bounds))), document.text)


@st.composite
def links(draw: st.DrawFn, bounds: list[str]) -> list[Annotation]:
    events = [f"E{n}" for n in range(1, draw(st.integers(1, 4)))]
    roles = words.filter(lambda word: word != "Trigger")
    argument = st.builds(Argument, roles, st.sampled_from([*bounds, *events]))
    relation = st.tuples(argument, argument).filter(lambda pair: pair[0].role != pair[1].role)
    found: list[Annotation] = [
        Relation(f"R{n}", draw(words), *pair) for n, pair in enumerate(draw(st.lists(relation, max_size=3)), 1)
    ]
    for each in events:
        arguments = tuple(draw(st.lists(argument, max_size=3)))
        found.append(Event(each, draw(words), draw(st.sampled_from(bounds)), arguments))
    return found


@st.composite
def full_documents(draw: st.DrawFn) -> Document:
    """Everything that BRAT has, in the order of kinds."""
    text = draw(st.none() | any_text)
    bounds = draw(entities(text, 3)) if text is not None else []
    everything: list[Annotation] = list(bounds)
    if bounds:
        everything += draw(links([each.id for each in bounds]))
    targets = st.sampled_from([each.id for each in everything] or ["document"])
    column = st.none() | _one_line
    if everything:
        value = st.none() | _one_line.filter(lambda text: bool(text) and "\t" not in text)
        for n, one in enumerate(draw(st.lists(st.tuples(words, targets, value), max_size=3)), 1):
            everything.append(Attribute(f"A{n}", *one))
        for n, (label, target) in enumerate(draw(st.lists(st.tuples(words, targets), max_size=2)), 1):
            everything.append(Attribute(f"M{n}", label, target))
        for n, link in enumerate(draw(st.lists(st.tuples(words, targets, words, words, column), max_size=3)), 1):
            everything.append(Normalization(f"N{n}", *link))
    for n, note in enumerate(draw(st.lists(st.tuples(words, targets, column), max_size=3)), 1):
        everything.append(Note(f"#{n}", *note))
    if bounds:
        for label, members in draw(st.lists(st.tuples(words, st.lists(targets, min_size=1, max_size=3)), max_size=2)):
            everything.append(Equiv(label, tuple(members)))
    return Document("d", tuple(everything), text)
