"""Reaction steps: triggers at the verbs of the templates, and relations from each to what it acts on.

Everything is read off text and entities, without chance, so that the corpus of a seed is the same with steps and without.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from brat.model import Argument, Document, Relation, TextBound

REACTION_STEP, WORKUP = "REACTION_STEP", "WORKUP"
TRIGGERS = (REACTION_STEP, WORKUP)
COMPOUNDS = ("STARTING_MATERIAL", "REAGENT_CATALYST", "REACTION_PRODUCT", "SOLVENT", "OTHER_COMPOUND")
_MODIFIERS = ("TIME", "TEMPERATURE", "YIELD_PERCENT", "YIELD_OTHER")
ROLES = dict.fromkeys(COMPOUNDS, "ARG1") | dict.fromkeys(_MODIFIERS, "ARGM")
"""Label of an entity to the label of the relations that lead to it; an entity of another label has none."""

# Some words count in one sentence and not in the next, or mean the other kind of step there: "left" and "took" are for
# systems that look words up to stumble over.
_VERBS = re.compile(
    rf"\b(?:(?P<{REACTION_STEP}>charged|went(?! on)|took(?= up)|let|followed|held|[Ss]tirr(?:ed|ing)|(?<=This )left|Obtained)"
    rf"|(?P<{WORKUP}>shaken|passed|poured|rinsed|added|took(?= out)))\b"
)
_CLAUSE_ENDS = re.compile(r"\n|\. (?=[A-Z])|; |, and ")


def add_steps(document: Document) -> Document:
    """The document with its triggers, numbered on from its entities, and its relations after them.

    An entity belongs to the nearest trigger before it in its clause, or else to the first one after it. A clause without a
    trigger has no relations, and neither has an entity inside a longer one: the step acts on the whole of it.
    """
    text, entities = document.text or "", tuple(document.text_bounds)
    triggers = tuple(
        TextBound(f"T{number}", label, ((start, end),), text[start:end])
        for number, (label, start, end) in enumerate(_find_verbs(text, entities), len(entities) + 1)
    )
    clauses = [end.start() for end in _CLAUSE_ENDS.finditer(text)]
    pairs = []
    for entity in _outermost(entity for entity in entities if entity.label in ROLES):
        clause = bisect_right(clauses, _start(entity))
        trigger = _nearest(entity, [each for each in triggers if bisect_right(clauses, _start(each)) == clause])
        if trigger is not None:
            pairs.append((trigger, entity))
    pairs.sort(key=lambda pair: (_start(pair[0]), _start(pair[1])))
    relations = (relation(f"R{number}", *pair) for number, pair in enumerate(pairs, 1))
    return Document(document.id, (*entities, *triggers, *relations), document.text)


def relation(id_: str, trigger: TextBound, entity: TextBound) -> Relation:
    """The relation that a trigger has to an entity of this label."""
    return Relation(id_, ROLES[entity.label], Argument("Arg1", trigger.id), Argument("Arg2", entity.id))


def entities_of(document: Document) -> Document:
    """The document without its triggers and relations."""
    return Document(document.id, tuple(e for e in document.text_bounds if e.label not in TRIGGERS), document.text)


def _find_verbs(text: str, entities: Sequence[TextBound]) -> Iterator[tuple[str, int, int]]:
    title = text.find("\n")  # it names what is made, and nothing happens in it
    for found in _VERBS.finditer(text, title + 1):
        start, end = found.span()
        if not any(a < end and start < b for entity in entities for a, b in entity.fragments):
            yield found.lastgroup or "", start, end


def _outermost(entities: Iterable[TextBound]) -> list[TextBound]:
    """Those that are in no longer one. Of the two in `2- and 3-…`, which overlap, neither is in the other."""
    known = list(entities)
    return [each for each in known if not any(_covers(other, each) and not _covers(each, other) for other in known)]


def _covers(outer: TextBound, inner: TextBound) -> bool:
    return all(any(a <= start and end <= b for a, b in outer.fragments) for start, end in inner.fragments)


def _nearest(entity: TextBound, triggers: Sequence[TextBound]) -> TextBound | None:
    before = [each for each in triggers if _start(each) < _start(entity)]
    return before[-1] if before else next(iter(triggers), None)


def _start(bound: TextBound) -> int:
    return bound.fragments[0][0]
