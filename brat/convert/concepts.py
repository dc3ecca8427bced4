"""Concept ids and relations between concepts, as PubTator and BioC have them, in terms of mentions as BRAT has them.

A mention's concept id becomes a normalization: `MESH:D003866` the entry `D003866` of the database `MESH`, and a bare
`D003866` the entry of a database called `ID`, so that it is written as it was. A mention of several concepts,
`D002318|D012131`, has a normalization each.

A relation between two concepts becomes a relation between the first mentions of each, so that it can be looked at and
scored. Where a concept cannot be told from that mention again (it stands for several, or writes the id another way),
a note `Concepts` on the relation has the two ids; where a concept is mentioned nowhere, the whole relation is a note on
the `document`. What is written from these is what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from brat.convert.draft import Draft
from brat.model import Argument, Document, Normalization, Note, Relation

BARE = "ID"
CONCEPTS = "Concepts"
PARTS = "Parts"
"""Label of the note that names the parts of a composite mention."""
WHOLE = "document"


@dataclass(slots=True)
class Mentions:
    """The first mention of each concept of a document, alone if there is such a one, and how it writes the concept."""

    _alone: dict[str, tuple[str, str]] = field(default_factory=dict)
    _among: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, mention: str, concepts: Iterable[str]) -> None:
        """Note what a mention stands for."""
        found = list(concepts)
        for each in found:
            where = self._alone if len(found) == 1 else self._among
            where.setdefault(bare(each), (mention, each if len(found) == 1 else ""))

    def first(self, concept: str) -> tuple[str, str] | None:
        """The mention, and the id as it alone would have it, empty where it stands for several."""
        return self._alone.get(bare(concept)) or self._among.get(bare(concept))


def bare(concept: str) -> str:
    """The id without its database: relations and mentions of one file may differ in that."""
    return concept.rpartition(":")[2]


def add_concept(draft: Draft, mention: str, concept: str, line: int) -> None:
    """A mention's concept as a normalization."""
    database, colon, entry = concept.partition(":")
    reference = (database, entry) if colon and database and entry else (BARE, concept)
    draft.normalization("Reference", mention, reference, None, line)


def add_relation(draft: Draft, mentions: Mentions, label: str, concepts: tuple[str, str], line: int) -> None:
    """A relation between two concepts."""
    first, second = (mentions.first(each) for each in concepts)
    as_text = " ".join(concepts)
    if first is None or second is None:
        draft.note(label, WHOLE, as_text, line)
        return
    id_ = draft.relation(label, [Argument("Arg1", first[0]), Argument("Arg2", second[0])], line)
    if (first[1], second[1]) != concepts:
        draft.note(CONCEPTS, id_, as_text, line)


def is_concept(each: Normalization) -> bool:
    """Whether a normalization can be written as a concept id and be told from it again."""
    plain = each.text is None and each.label == "Reference" and "|" not in each.entry and ":" not in each.database
    return plain and (each.database != BARE or ":" not in each.entry)


def concepts_of(document: Document) -> dict[str, list[str]]:
    """The concept ids of each annotation that has any, in the way they are written."""
    found: dict[str, list[str]] = {}
    for each in document.annotations:
        if isinstance(each, Normalization) and is_concept(each):
            concept = each.entry if each.database == BARE else f"{each.database}:{each.entry}"
            found.setdefault(each.target, []).append(concept)
    return found


@dataclass(frozen=True, slots=True)
class ConceptRelations:
    """The relations of a document as relations between concepts.

    Attributes:
        relations: label and the two ids, in the order of the annotations.
        used: the ids of the relations and notes that these were made of.
        roles: how many of them have other roles than Arg1 and Arg2, which a relation between concepts does not say.
    """

    relations: list[tuple[str, str, str]]
    used: frozenset[str]
    roles: int


def concept_relations(
    document: Document, concepts: Mapping[str, list[str]], holds: Callable[[str, str], bool] = lambda _, __: True
) -> ConceptRelations:
    """What `add_relation` made, undone; a relation of a mention without a concept cannot be one.

    Args:
        document: with its annotations.
        concepts: of each mention by id.
        holds: whether the format can hold a relation of that label, whose first concept is that.
    """
    named = {
        each.target: (each.id, *(each.text or "").split(" "))
        for each in document.annotations
        if isinstance(each, Note) and each.label == CONCEPTS and _names_two(each)
    }
    relations, used = [], set[str]()
    for each in document.annotations:
        if isinstance(each, Relation) and each.id in named:
            note, one, other = named[each.id]
            if not holds(each.label, one):
                continue
            relations.append((each.label, one, other))
            used |= {each.id, note}
        elif isinstance(each, Relation):
            sides = [concepts.get(side.target, []) for side in (each.first, each.second)]
            if all(sides) and holds(each.label, sides[0][0]):
                relations.append((each.label, sides[0][0], sides[1][0]))
                used.add(each.id)
        elif isinstance(each, Note) and each.target == WHOLE and _names_two(each):
            one, other = (each.text or "").split(" ")
            if not holds(each.label, one):
                continue
            relations.append((each.label, one, other))
            used.add(each.id)
    roles = sum(
        isinstance(each, Relation) and each.id in used and (each.first.role, each.second.role) != ("Arg1", "Arg2")
        for each in document.annotations
    )
    return ConceptRelations(relations, frozenset(used), roles)


def _names_two(note: Note) -> bool:
    """Whether a note is two words with a blank between them."""
    words = (note.text or "").split(" ")
    return len(words) == 2 and all(words)
