"""Documents that belong together: of one source, or copies of one another, or joined by a chain of such pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def join(documents: Iterable[str], sources: Mapping[str, str], pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The smallest groups of documents such that neither a source nor a pair is in two of them.

    Args:
        documents: ids.
        sources: of each document whose source is known.
        pairs: of documents.

    Returns:
        Sorted groups of sorted ids.
    """
    parent = {id_: id_ for id_ in sorted(documents)}

    def root(id_: str) -> str:
        while parent[id_] != id_:
            parent[id_] = parent[parent[id_]]  # halves the way for the next one
            id_ = parent[id_]
        return id_

    first: dict[str, str] = {}
    links = [(first.setdefault(sources[id_], id_), id_) for id_ in parent if id_ in sources]
    for one, other in (*links, *pairs):
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    groups: dict[str, list[str]] = {}
    for id_ in parent:
        groups.setdefault(root(id_), []).append(id_)
    return sorted(tuple(each) for each in groups.values())
