"""Which documents come from the same source, such as one patent (ChEMU 2020, section 9.1 and Figure 16)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How many sources occur in exactly these splits: one sector of the Venn figure."""

    splits: tuple[str, ...]
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSource:
    """A source of the test set that another split has, too, and how many documents of each split come from it."""

    source: str
    documents: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOverlap:
    """The sources of a corpus, by the splits they occur in.

    Attributes:
        unique: split to the number of its sources.
        sectors: for every set of splits, the sources that are in these and no others; they add up to all sources.
        shared: the sources of test that are in another split as well, sorted.
        new: sorted test documents whose source is in no other split; ChEMU's T_new.
        new_sources: how many sources these come from.
        unknown: split to the sorted documents whose source is not known; they are neither new nor seen.
    """

    unique: Mapping[str, int]
    sectors: tuple[Overlap, ...]
    shared: tuple[SharedSource, ...]
    new: tuple[str, ...]
    new_sources: int
    unknown: Mapping[str, tuple[str, ...]]

    def in_all(self, *splits: str) -> int:
        """The sources that occur in each of these splits, whether or not in others: what the text under Figure 16 counts."""
        return sum(each.sources for each in self.sectors if set(splits) <= set(each.splits))


def find_overlap(splits: Mapping[str, Mapping[str, str | None]], test: str = "test") -> SourceOverlap:
    """Count the sources that splits have, and share.

    Args:
        splits: of each split, `test` among them, the source of every document by id, None where it is not known.
        test: the split whose documents may be new.
    """
    mine = {split: {source for source in documents.values() if source is not None} for split, documents in splits.items()}
    where = {source: tuple(split for split in splits if source in mine[split]) for source in set().union(*mine.values())}
    subsets = [each for size in range(1, len(splits) + 1) for each in combinations(splits, size)]
    found = Counter(where.values())
    amounts = {split: Counter(documents.values()) for split, documents in splits.items()}
    shared = sorted(source for source in mine[test] if len(where[source]) > 1)
    new = {id_: source for id_, source in sorted(splits[test].items()) if source is not None and where[source] == (test,)}
    return SourceOverlap(
        unique={split: len(each) for split, each in mine.items()},
        sectors=tuple(Overlap(splits=each, sources=found[each]) for each in subsets),
        shared=tuple(
            SharedSource(source=source, documents=tuple(each[source] for each in amounts.values())) for source in shared
        ),
        new=tuple(new),
        new_sources=len(set(new.values())),
        unknown={
            split: tuple(sorted(id_ for id_, source in documents.items() if source is None))
            for split, documents in splits.items()
        },
    )


def sources_by_pattern(ids: Iterable[str], pattern: str) -> dict[str, str]:
    """Sources from document ids: what the first group of a regular expression matches, or all of it without a group.

    A document whose id the expression is not found in has no source.

    Raises:
        ValueError: it is not a regular expression.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as bad:
        raise ValueError(f"not a regular expression: {bad}") from bad
    group = 1 if compiled.groups else 0
    found = {id_: compiled.search(id_) for id_ in ids}
    return {id_: each.group(group) for id_, each in found.items() if each and each.group(group)}


def sources_by_folder(paths: Mapping[str, str]) -> dict[str, str]:
    """Sources from the folders of files: of each document the folder that its file is in; none at the top.

    Args:
        paths: of each document, relative to its split, with `/` between folders.
    """
    return {id_: path.rpartition("/")[0] for id_, path in paths.items() if "/" in path}
