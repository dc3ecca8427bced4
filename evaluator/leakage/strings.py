"""How many of the entities of a test set have a string that training has, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from brat.model import Document
from evaluator.leakage.mentions import mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenStrings:
    """Test strings that were seen as entities.

    Attributes:
        where: the splits they were looked for in, such as `train` or `train+dev`.
        folded: whether strings that differ in case only are the same.
        mentions, mentions_seen: annotations of the test set, and those whose string was seen.
        types, types_seen: different strings of the test set, and those that were seen.
    """

    where: str
    folded: bool
    mentions: int
    mentions_seen: int
    types: int
    types_seen: int

    @property
    def mention_share(self) -> float | None:
        """The share of mentions seen; None without any."""
        return self.mentions_seen / self.mentions if self.mentions else None

    @property
    def type_share(self) -> float | None:
        """The share of different strings seen; None without any."""
        return self.types_seen / self.types if self.types else None


def find_seen(
    known: Mapping[str, Iterable[Document]], test: Iterable[Document], ignored: Collection[str] = ()
) -> tuple[SeenStrings, ...]:
    """How many test strings were seen, with case folded and with case kept, for each place to look in.

    Args:
        known: documents of each place, such as `train` and `train+dev`.
        test: the test documents.
        ignored: labels that are left out on both sides.
    """
    wanted = [each.string for document in test for each in mentions(document, ignored)]
    found = []
    for where, documents in known.items():
        strings = {each.string for document in documents for each in mentions(document, ignored)}
        for folded in (True, False):
            seen = {each.casefold() for each in strings} if folded else strings
            mine = [each.casefold() for each in wanted] if folded else wanted
            types = set(mine)
            found.append(
                SeenStrings(
                    where=where,
                    folded=folded,
                    mentions=len(mine),
                    mentions_seen=sum(each in seen for each in mine),
                    types=len(types),
                    types_seen=len(types & seen),
                )
            )
    return tuple(found)
