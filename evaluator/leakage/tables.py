"""The tables that leakage is told in, whatever the format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evaluator.leakage.copies import Copy
from evaluator.leakage.entropy import EntitySets, Labelling
from evaluator.leakage.fairness import Fairness
from evaluator.leakage.leakage import TEST, Leakage
from evaluator.leakage.similarity import Bin, Similarity
from evaluator.leakage.sources import SourceOverlap
from evaluator.leakage.split import Proposal
from evaluator.plain_tables import Cell, Table


def tables_of(found: Leakage) -> Iterator[Table]:
    """All tables, in the order they are read in."""
    yield Table(
        key="documents",
        title="Documents",
        heads=("split", "documents"),
        rows=(*found.documents.items(), ("clean test", len(found.clean))),
    )
    if found.sources:
        yield from _sources(found.sources)
    yield from _similarity(found.similarity)
    yield _copies(found)
    yield Table(
        key="clean",
        title=f"Clean test documents: {len(found.clean):,}",
        heads=("document",),
        rows=tuple((each,) for each in found.clean),
        long=True,
    )
    yield Table(
        key="seen-strings",
        title="Entity strings of test that were seen",
        heads=("seen in", "case", "mentions", "seen", "share", "strings", "seen", "share"),
        rows=tuple(
            (
                each.where,
                "folded" if each.folded else "kept",
                each.mentions,
                each.mentions_seen,
                each.mention_share,
                each.types,
                each.types_seen,
                each.type_share,
            )
            for each in found.seen
        ),
    )
    yield from _entities(found.entities)
    first, *others = found.fairness
    yield fairness_table(first)
    for each in others:
        yield replace(fairness_table(each), key=f"attribute:{each.name}")


def tables_of_split(proposal: Proposal) -> Iterator[Table]:
    """The tables of a proposed split."""
    yield Table(
        key="parts",
        title=f"Proposed split: {proposal.groups:,} groups that stay together, the largest of {proposal.largest:,}",
        heads=("part", "groups", "documents", "asked for", "too many"),
        rows=tuple((each.name, each.groups, len(each.documents), each.asked, each.cost) for each in proposal.parts),
    )
    yield fairness_table(proposal.fairness)


def fairness_table(fairness: Fairness) -> Table:
    """The distribution of something over splits, with its largest difference (Figures 4 and 5 of the paper)."""
    largest = fairness.largest
    told = f"; {largest.value} differs most, by {largest.difference:.4f} ({' and '.join(largest.splits)})" if largest else ""
    unknown = sum(fairness.unknown)
    missing = f"; {unknown:,} documents have none" if unknown else ""
    rows: list[tuple[Cell, ...]] = [
        (value, *(cell for pair in zip(counts, shares, strict=True) for cell in pair))
        for value, counts, shares in zip(fairness.values, fairness.counts, fairness.shares, strict=True)
    ]
    return Table(
        key=f"fairness:{fairness.name}",
        title=f"Distribution of {fairness.name}{told}{missing}",
        heads=(fairness.name, *(head for split in fairness.splits for head in (split, "share"))),
        rows=tuple(rows),
    )


def _sources(sources: SourceOverlap) -> Iterator[Table]:
    """Figure 16: the sectors, which add up to all sources, beside the totals."""
    yield Table(
        key="sources",
        title="Sources of each split",
        heads=("split", "sources", "documents without"),
        rows=tuple((split, count, len(sources.unknown[split])) for split, count in sources.unique.items()),
    )
    yield Table(
        key="source-overlap",
        title="Sources by the splits they are in, and in no others",
        heads=("in", "sources"),
        rows=tuple((" and ".join(each.splits), each.sources) for each in sources.sectors),
    )
    splits = tuple(sources.unique)
    yield Table(
        key="shared-sources",
        title=f"Documents of each source that {TEST} shares with another split",
        heads=("source", *splits),
        rows=tuple((each.source, *each.documents) for each in sources.shared),
        long=True,
    )
    yield Table(
        key="new-sources",
        title=f"Test documents from {sources.new_sources:,} sources that are in {TEST} only: {len(sources.new):,}",
        heads=("document",),
        rows=tuple((each,) for each in sources.new),
        long=True,
    )


def _similarity(similarity: Similarity) -> Iterator[Table]:
    heads = ("bin", "documents", "share", "lowest", "highest")
    how = f"{similarity.vectors} vectors, {similarity.method}"
    yield Table(
        key="similarity",
        title=f"Test documents by similarity to their nearest training document ({how})",
        heads=heads,
        rows=tuple(_bin(each) for each in similarity.bins),
    )
    yield Table(
        key="similarity-quartile",
        title="The same in four groups of equal size",
        heads=heads,
        rows=tuple(_bin(each) for each in similarity.quartiles),
    )
    nearest = sorted(similarity.neighbours, key=lambda each: (-each.similarity, each.document))
    yield Table(
        key="nearest",
        title="The nearest training document of each test document, the nearest first",
        heads=("test", "train", "similarity"),
        rows=tuple((each.document, each.nearest, each.similarity) for each in nearest),
        long=True,
    )


def _bin(each: Bin) -> tuple[Cell, ...]:
    return each.name, each.documents, each.share, each.lowest, each.highest


def _copies(found: Leakage) -> Table:
    words, threshold = found.options["copy_words"], found.options["copy_threshold"]
    across = sum(each.across for each in found.copies)
    return Table(
        key="copies",
        title=f"Copies ({words}-gram Jaccard at least {threshold}): {across:,} across splits, "
        f"{len(found.copies) - across:,} within",
        heads=("kind", "split", "document", "split", "document", "jaccard"),
        rows=tuple(_copy(each) for each in sorted(found.copies, key=lambda each: not each.across)),
        long=True,
    )


def _copy(each: Copy) -> tuple[Cell, ...]:
    return "exact" if each.exact else "near", each.splits[0], each.documents[0], each.splits[1], each.documents[1], each.jaccard


def _entities(entities: EntitySets) -> Iterator[Table]:
    yield Table(
        key="entropy",
        title=f"Entity strings of test by entropy in training; {entities.unseen:,} do not occur there, "
        f"{entities.only_outside:,} only outside entities",
        heads=("set", "strings", "mentions"),
        rows=tuple((each.name, each.strings, each.mentions) for each in entities.sets),
    )
    yield Table(
        key="moves",
        title="Strings that test itself would put in another set",
        heads=("string", "mentions", "set", "in test", "labels in training", "labels in test"),
        rows=tuple(
            (each.string, each.mentions, each.set, each.test_set, _labelling(each.labelling), _labelling(each.test_labelling))
            for each in entities.moves
        ),
        long=True,
    )


def _labelling(labelling: Labelling) -> str:
    ordered = sorted(labelling.labels.items(), key=lambda each: (-each[1], each[0]))
    outside = [("O", labelling.outside)] if labelling.outside else []
    return ", ".join(f"{label} {count}" for label, count in [*ordered, *outside])
