"""What a format cannot hold of the documents that are written in it: counted, and told once a document and kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from brat.model import Annotation, Attribute, Equiv, Event, Normalization, Note, Relation, TextBound
from brat.problems import Problem, problem

_PLURAL = re.compile(r"s(?= without| that| at| in| of|$)")
_SINGULAR_END = re.compile(r"(?= without| that| at| in| of|$)")
_KINDS = {
    Attribute: "attributes",
    Equiv: "equivalences",
    Event: "events",
    Normalization: "normalizations",
    Note: "notes",
    Relation: "relations",
    TextBound: "spans",
}


@dataclass(slots=True)
class Losses:
    """Counts of what was left out, by document and kind. A kind is a plural, such as `discontinuous spans`."""

    format: str
    _counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, document: str, kind: str, count: int = 1) -> None:
        """Count what is left out."""
        if count:
            self._counts[document, kind] = self._counts.get((document, kind), 0) + count

    def add_all(self, document: str, annotations: Iterable[Annotation]) -> None:
        """Count annotations that are left out by what they are."""
        for each in annotations:
            self.add(document, _KINDS[type(each)])

    def plain_id(self, document: str, forbidden: str) -> str:
        """The document's id without characters that would end it; that they are lost is told."""
        plain = "".join("_" if each in forbidden else each for each in document)
        if plain != document:
            self.add(document, "characters of the document's id", sum(a != b for a, b in zip(plain, document, strict=True)))
        return plain

    @property
    def problems(self) -> tuple[Problem, ...]:
        """One warning a document and kind."""
        message = f"{self.format} cannot hold this"
        return tuple(
            problem("not-held", document, message=message, found=counted(count, kind))
            for (document, kind), count in self._counts.items()
        )


def counted(count: int, plural: str) -> str:
    """`1 relation`, `12 relations`, `1 span without a token`: the first plural in the words is made singular."""
    return f"{count:,} {_PLURAL.sub('', plural, count=1) if count == 1 else plural}"


def totals(problems: Iterable[Problem]) -> dict[str, tuple[int, int]]:
    """Over all documents: how many of each kind were left out, and of how many documents."""
    found: dict[str, tuple[int, int]] = {}
    for each in problems:
        number, _, kind = each.found.partition(" ")
        plural = _SINGULAR_END.sub("s", kind, count=1) if number == "1" else kind
        count, documents = found.get(plural, (0, 0))
        found[plural] = (count + int(number.replace(",", "")), documents + 1)
    return found
