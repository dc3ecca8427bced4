"""What a BioC document consists of, before it is known to make sense; the text that its passages make up."""

from __future__ import annotations

from dataclasses import dataclass, field

from brat.convert.draft import Report

MESSAGE = "a part of the file is not BioC"
_WIDEST_GAPS = 200_000


@dataclass(slots=True)
class Passage:
    """A passage or a sentence; `text` is None where it is said elsewhere or not at all."""

    offset: int | None = None
    text: str | None = None
    line: int = 0
    sentences: list[Passage] = field(default_factory=list)


@dataclass(slots=True)
class Mark:
    """An annotation: infons, locations as (offset, length), None for one that is no pair of numbers."""

    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    locations: list[tuple[int, int] | None] = field(default_factory=list)
    text: str | None = None
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Link:
    """A relation: infons and nodes as (id, role)."""

    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    nodes: list[tuple[str, str]] = field(default_factory=list)
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class Entry:
    """A document of a collection."""

    id: str = ""
    line: int = 0
    passages: list[Passage] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


@dataclass(slots=True)
class Parts:
    """The parts of composite mentions: they follow the mention that they are parts of.

    Attributes:
        found: the id of each such mention, the texts of its parts, and the line of the first.
    """

    found: list[tuple[str, list[str], int]] = field(default_factory=list)
    _composite: tuple[str, int, int] | None = None
    _begun: bool = False

    def follow(self, mark: Mark, id_: str | None) -> None:
        """Note a mention that parts may come after; `id_` is None where it could not be read."""
        self._composite, self._begun = None, False
        places = [each for each in mark.locations if each is not None]
        if id_ is not None and mark.infons.get("CompositeRole") == "CompositeMention" and places:
            self._composite = (id_, min(each[0] for each in places), max(sum(each) for each in places))

    def take(self, mark: Mark) -> bool:
        """Whether an annotation is a part of the mention before it; if so, it is taken in."""
        if self._composite is None or mark.infons.get("CompositeRole") != "IndividualMention" or not mark.locations:
            return False
        id_, start, end = self._composite
        if any(each is None or each[0] < start or sum(each) > end for each in mark.locations):
            return False
        if not self._begun:
            self.found.append((id_, [], mark.line))
            self._begun = True
        self.found[-1][1].append(mark.text or "")
        return True


def whole_text(entry: Entry, path: str, report: Report) -> str | None:
    """The passages put together by their offsets, None where none has a text.

    The passages' offsets can be wrong where the annotations' are right (those of the CDR kit count `&apos;` as six). So
    where an annotation does not fit the text, the passages are also tried one after the other, and the better fit is kept.
    """
    passages = [one for each in entry.passages for one in ([each] if each.text is not None else each.sentences)]
    passages = sorted((each for each in passages if each.text is not None), key=lambda each: each.offset or 0)
    if not passages:
        return None
    text = _by_offsets(passages, path, report)
    misfits = _misfits(text, entry.marks)
    if misfits and len(passages) > 1:
        other = "\n".join(each.text or "" for each in passages)
        if len(other) < len(text) and _misfits(other, entry.marks) < misfits:
            message = "the offsets of passages are not those that the annotations have"
            report(
                "text-mismatch", path, passages[1].line, 1, message=message, hint="one follows the other after one character"
            )
            return other
    return text


def _misfits(text: str, marks: list[Mark]) -> int:
    """How many annotations of one location have another text than is there."""
    places = ((each.locations[0], each.text) for each in marks if len(each.locations) == 1 and each.text)
    return sum(place is not None and not text.startswith(said, place[0]) for place, said in places)


def _by_offsets(passages: list[Passage], path: str, report: Report) -> str:
    pieces: list[str] = []
    position = 0
    left = _WIDEST_GAPS
    for each in passages:
        text = each.text or ""
        gap = (each.offset or 0) - position
        if each.offset is None or gap > left:
            expected = f"an offset up to {position + left}"
            report("unreadable-line", path, each.line, 1, message=MESSAGE, found=str(each.offset), expected=expected)
            continue
        if gap < 0:
            found, expected = f"a passage at {each.offset}", f"one at {position} or after"
            report("text-mismatch", path, each.line, 1, message="passages overlap", found=found, expected=expected)
        elif gap:
            left -= gap
            pieces.append("\n".rjust(gap))
        piece = text[max(0, -gap) :]
        pieces.append(piece)
        position += max(gap, 0) + len(piece)
    return "".join(pieces)
