"""BioC, whichever way it is written: what the XML and the JSON have in common, to documents and back.

A document's text is put together from its passages by their offsets; what lies between two passages becomes blanks and
a line end. Annotations are spans (several locations are fragments), labelled by their infon `type`. Their other infons are
concept ids, `MESH: D002318|D012131` or `identifier: MESH:D002318`, and become normalizations. A relation of two nodes is
a relation; one with a node `Trigger` is an event; one without nodes, as in the CDR corpus, relates two concepts
(`brat.convert.concepts`). Offsets are code points. The
parts of a composite mention (infon `CompositeRole`: `IndividualMention`) are no mentions of their own: they are a note.

The library `bioc` reads neither: one bad number costs it the whole file, it knows no lines, it expands entities, and it
brings lxml and five more packages. The tests read what is written here with it.

Held: text, spans with fragments, concept ids, relations, events.
"""

from __future__ import annotations

from collections.abc import Mapping

from brat.convert.bioc_records import MESSAGE, Entry, Link, Mark, Parts, Passage, whole_text
from brat.convert.concepts import (
    PARTS,
    Mentions,
    add_concept,
    add_relation,
    concepts_of,
    is_concept,
)
from brat.convert.draft import LARGEST_OFFSET, Draft
from brat.convert.gather import Gathered
from brat.convert.losses import Losses
from brat.model import Argument, Document, Event, Normalization, Relation, TextBound
from brat.problems import quoted

TRIGGER = "Trigger"
IDENTIFIER = "identifier"
_TYPES = ("type", "relation")
# What tools write into infons that is neither a label nor an id.
_OTHER_INFONS = frozenset(
    {"type", "relation", "score", "confidence", "note", "comment", "annotator", "updated_at", "compositerole", "text", "valid",
     "normalized", "name", "biotype", "accession", "normalized_id", "database", "kind"}
)  # fmt: skip


def add_entry(gathered: Gathered, entry: Entry, path: str) -> int:
    """Turn what was read into a document; raises `TooMuch` as `brat.convert.draft` does.

    Returns:
        How many infons are left out, being neither labels nor ids.
    """
    draft = gathered.draft(entry.id.strip(), path, entry.line, whole_text(entry, path, gathered.report))
    if draft is None:
        return 0
    mentions = Mentions()
    parts = Parts()
    ids: dict[str, str] = {}
    for mark in entry.marks:
        if not mark.locations and "relation" in mark.infons:  # as the CDR kit's older files have it
            entry.links.append(Link(mark.id, mark.infons, [], mark.line, mark.column))
        elif not parts.take(mark):
            id_ = _add_mark(draft, mark, mentions)
            parts.follow(mark, id_)
            if id_ is not None and mark.id:
                if mark.id in ids:
                    draft.report("duplicate-id", path, mark.line, mark.column, found=quoted(mark.id), expected="each id once")
                ids.setdefault(mark.id, id_)
    for composite, texts, line in parts.found:
        draft.note(PARTS, composite, "|".join(texts), line)
    linked = [(link, draft.next_id("E" if _is_event(link) else "R")) for link in entry.links if link.nodes]
    for link, id_ in linked:
        ids.setdefault(link.id, id_)
    for link, id_ in linked:
        _add_link(draft, link, id_, ids)
    for link in entry.links:
        if not link.nodes:
            _add_concepts(draft, link, mentions)
    gathered.finish(draft)
    everything = [each.infons for each in entry.marks] + [each.infons for each in entry.links]
    return sum(key.lower() in _OTHER_INFONS and key not in _TYPES for infons in everything for key in infons)


def report_left_out(gathered: Gathered, path: str, count: int) -> None:
    """Tell of infons that are left out, once a file."""
    if count:
        gathered.report("not-held", path, message="BRAT cannot hold this", found=f"{count:,} infons that are no ids")


def _add_mark(draft: Draft, mark: Mark, mentions: Mentions) -> str | None:
    label = mark.infons.get("type", "")
    spans = [(each[0], each[0] + each[1]) for each in mark.locations if each is not None and sum(each) <= LARGEST_OFFSET]
    if not label.strip() or not spans or len(spans) < len(mark.locations):
        found = f"annotation {quoted(mark.id)}"
        expected = 'an infon "type" and locations with offset and length'
        draft.report("unreadable-line", draft.path, mark.line, mark.column, message=MESSAGE, found=found, expected=expected)
        return None
    id_ = draft.entity(label, spans, mark.text or None, mark.line, mark.column)
    if id_ is not None:
        concepts = [
            concept if key == IDENTIFIER else f"{draft.role(key, mark.line)}:{concept}"
            for key, value in mark.infons.items()
            if key.lower() not in _OTHER_INFONS
            for concept in (draft.word(each, mark.line) for each in value.split("|") if each.strip())
        ]
        mentions.add(id_, concepts)
        for each in concepts:
            add_concept(draft, id_, each, mark.line)
    return id_


def _is_event(link: Link) -> bool:
    return any(role == TRIGGER for _, role in link.nodes)


def _add_link(draft: Draft, link: Link, id_: str, ids: Mapping[str, str]) -> None:
    unknown = next((refid for refid, _ in link.nodes if refid not in ids), None)
    if unknown is not None:
        draft.report("undefined-reference", draft.path, link.line, link.column, found=quoted(unknown), hint="left out")
        return
    label = next((link.infons[key] for key in _TYPES if key in link.infons), "Relation")
    arguments = [Argument(role or "Arg", ids[refid]) for refid, role in link.nodes]
    if _is_event(link):
        at = next(i for i, each in enumerate(arguments) if each.role == TRIGGER)
        draft.event(label, arguments[at].target, arguments[:at] + arguments[at + 1 :], link.line, id_)
    elif len(arguments) == 2:
        draft.relation(label, arguments, link.line, id_)
    else:
        found = f"a relation of {len(arguments)}"
        draft.report("not-held", draft.path, link.line, link.column, message="BRAT cannot hold this", found=found)


def _add_concepts(draft: Draft, link: Link, mentions: Mentions) -> None:
    label = next((link.infons[key] for key in _TYPES if key in link.infons), "Relation")
    sides = [draft.word(value, link.line) for key, value in link.infons.items() if key.lower() not in _OTHER_INFONS]
    if len(sides) != 2:
        found, expected = f"relation {quoted(link.id)}", "nodes, or infons with two concepts"
        draft.report("unreadable-line", draft.path, link.line, link.column, message=MESSAGE, found=found, expected=expected)
        return
    # CDR's relations have bare ids where its mentions have the database: the mention's own way is the fuller one.
    found_sides = [mentions.first(each) for each in sides]
    first, second = (where[1] if where and where[1] else each for where, each in zip(found_sides, sides, strict=True))
    add_relation(draft, mentions, label, (first, second), link.line)


def as_entry(document: Document, losses: Losses) -> Entry:
    """A document as BioC has it, with one passage; what cannot be held is counted."""
    concepts = concepts_of(document)
    entry = Entry(document.id, passages=[Passage(0, document.text)])
    spans = {each.id for each in document.text_bounds}
    for each in document.text_bounds:
        locations: list[tuple[int, int] | None] = [(start, end - start) for start, end in each.fragments]
        entry.marks.append(Mark(each.id, _infons(each.label, concepts.get(each.id, [])), locations, each.text or ""))
    for other in document.annotations:
        if isinstance(other, Relation):
            nodes = [(side.target, side.role) for side in (other.first, other.second)]
            entry.links.append(Link(other.id, {"type": other.label}, nodes))
        elif isinstance(other, Event):
            nodes = [(other.trigger, TRIGGER), *((side.target, side.role) for side in other.arguments)]
            entry.links.append(Link(other.id, {"type": other.label}, nodes))
        elif isinstance(other, Normalization) and other.target in spans and _is_infon(other):
            continue  # an infon of its mention
        elif not isinstance(other, TextBound):
            losses.add_all(document.id, [other])
    return entry


def _infons(label: str, concepts: list[str]) -> dict[str, str]:
    infons = {"type": label}
    for concept in concepts:
        database, colon, entry = concept.partition(":")
        key, value = (database, entry) if colon else (IDENTIFIER, concept)
        if key.lower() not in _OTHER_INFONS:
            infons[key] = f"{infons[key]}|{value}" if key in infons else value
    return infons


def _is_infon(each: Normalization) -> bool:
    return is_concept(each) and each.database.lower() not in _OTHER_INFONS | {IDENTIFIER}
