"""Hypothesis strategies for documents and everything in them."""

from __future__ import annotations

from hypothesis import strategies as st

from brat.model import (
    Argument,
    Attribute,
    Document,
    Equiv,
    Event,
    Fragment,
    Normalization,
    Note,
    Relation,
    TextBound,
    covered_text,
)

LABELS = ("A1", "A2", "B1", "B2", "C")
PARENTS = {"A": None, "A1": "A", "A2": "A", "B": None, "B1": "B", "B2": "B", "C": None}

words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp", "Cs"], exclude_characters=":;"),
    min_size=1,
    max_size=8,
)
free_text = st.text(st.characters(codec="utf-8", exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)
suffixes = st.sampled_from(["", "a", "x9", "-é"])


def ids(letter: str) -> st.SearchStrategy[str]:
    """Ids of one kind of annotation."""
    return st.builds(lambda number, suffix: f"{letter}{number}{suffix}", st.integers(0, 400), suffixes)


targets = st.one_of(ids("T"), ids("E"), ids("R"))
arguments = st.builds(Argument, words, targets)
fragments = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda pair: (min(pair), max(pair)))
text_bounds = st.builds(
    TextBound, ids("T"), words, st.lists(fragments, min_size=1, max_size=3).map(tuple), st.none() | free_text
)
relations = st.builds(Relation, ids("R"), words, arguments, arguments).filter(lambda each: each.first.role != each.second.role)
events = st.builds(Event, ids("E"), words, targets, st.lists(arguments, max_size=3).map(tuple))
values = st.none() | free_text.filter(lambda text: bool(text) and "\t" not in text)
attributes = st.builds(Attribute, ids("A"), words, targets, values)
modifiers = st.builds(Attribute, ids("M"), words, targets)
normalizations = st.builds(Normalization, ids("N"), words, targets, words, words, st.none() | free_text)
notes = st.builds(Note, ids("#"), words, targets, st.none() | free_text)
equivs = st.builds(Equiv, words, st.lists(targets, min_size=1, max_size=4).map(tuple))
annotations = st.one_of(text_bounds, relations, events, attributes, modifiers, normalizations, notes, equivs)
documents = st.builds(Document, st.just("d"), st.lists(annotations, max_size=12).map(tuple))
"""Any document that the grammar can say, whether or not it makes sense."""

TEXT = "αβγδ efghij klmnop qrst uvwxyz ⌬𝛼12"


@st.composite
def spans(draw: st.DrawFn) -> tuple[Fragment, ...]:
    """One or two fragments inside `TEXT`, now and then empty."""
    found = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        start = draw(st.integers(0, len(TEXT)))
        found.append((start, min(len(TEXT), start + draw(st.integers(0, 7)))))
    return tuple(found)


@st.composite
def entities(draw: st.DrawFn, most: int = 7) -> tuple[TextBound, ...]:
    """Annotations of `TEXT` that nest, cross, repeat and have fragments, with ids T1, T2 and so on."""
    drawn = draw(st.lists(st.tuples(st.sampled_from(LABELS), spans()), max_size=most))
    return tuple(TextBound(f"T{i}", label, span, covered_text(TEXT, span)) for i, (label, span) in enumerate(drawn, 1))


@st.composite
def corpora(draw: st.DrawFn, most: int = 7) -> dict[str, Document]:
    """One or two documents of `TEXT`."""
    return {id_: Document(id_, draw(entities(most)), TEXT) for id_ in ("d1", "d2")[: draw(st.integers(1, 2))]}
