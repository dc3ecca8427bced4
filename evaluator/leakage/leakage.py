"""All that can be said of what splits share before anyone submits a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from brat.model import Document
from evaluator.leakage.approximate import Sketch, approximate_similarity
from evaluator.leakage.copies import Copy, Nearness, find_copies
from evaluator.leakage.entropy import EntitySets, find_sets
from evaluator.leakage.fairness import Fairness, compare_attribute, compare_labels
from evaluator.leakage.nearest import Effort, Progress
from evaluator.leakage.similarity import Similarity, find_similarity
from evaluator.leakage.sources import SourceOverlap, find_overlap
from evaluator.leakage.strings import SeenStrings, find_seen
from evaluator.leakage.vectors import Vectors

TRAIN, DEV, TEST = "train", "dev", "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How leakage is looked for.

    Attributes:
        vectors: of texts.
        nearness: when documents are copies.
        ignored: labels that are not those of entities, such as those of triggers; they count in the distribution of labels.
        sketch: how nearest documents are approximated; None looks for them exactly.
        effort: memory and processes; no result depends on them.
    """

    vectors: Vectors = field(default_factory=Vectors)
    nearness: Nearness = field(default_factory=Nearness)
    ignored: frozenset[str] = frozenset()
    sketch: Sketch | None = None
    effort: Effort = field(default_factory=Effort)

    def to_json(self) -> dict[str, str | int | float | list[str]]:
        """What the results depend on."""
        return {
            "vectors": self.vectors.name,
            "nearest": self.sketch.name if self.sketch else "exact",
            "copy_words": self.nearness.words,
            "copy_threshold": self.nearness.threshold,
            "ignored": sorted(self.ignored),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Leakage:
    """What the splits of a corpus share.

    Attributes:
        documents: how many each split has.
        options: what the results depend on, as plain values.
        sources: which sources they share; None where none is known.
        similarity: of test documents to training documents, dev not among them.
        copies: near and exact copies within and across splits.
        seen: how many entity strings of test were seen in train, and in train and dev.
        entities: the entities of test by entropy over train and dev.
        fairness: the distribution of labels, then of each attribute.
        clean: test documents whose source is not known to be in another split, and that are copies of no document of one.
    """

    documents: Mapping[str, int]
    options: Mapping[str, Any]
    sources: SourceOverlap | None
    similarity: Similarity
    copies: tuple[Copy, ...]
    seen: tuple[SeenStrings, ...]
    entities: EntitySets
    fairness: tuple[Fairness, ...]
    clean: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)


def find_leakage(
    splits: Mapping[str, Mapping[str, Document]],
    sources: Mapping[str, Mapping[str, str | None]] | None = None,
    attributes: Mapping[str, Mapping[str, str]] | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Leakage:
    """Look for all of it.

    Args:
        splits: documents by id, for `train`, `test` and, if there is one, `dev`.
        sources: of each split, the source of its documents, None where it is not known.
        attributes: of each attribute by name, its value for every document that has one.
        options: how it is looked for.
        progress: told of the search for nearest documents.

    Raises:
        ValueError: there is no `train` or no `test`, or another split.
    """
    options = options or Options()
    if not {TRAIN, TEST} <= splits.keys() <= {TRAIN, DEV, TEST}:
        raise ValueError(f"the splits are {TRAIN}, {TEST} and perhaps {DEV}")
    splits = {split: splits[split] for split in (TRAIN, DEV, TEST) if split in splits}
    texts = {split: {id_: each.text or "" for id_, each in documents.items()} for split, documents in splits.items()}
    known = [document for split, documents in splits.items() if split != TEST for document in documents.values()]
    places: dict[str, Sequence[Document]] = {TRAIN: list(splits[TRAIN].values())}
    if DEV in splits:
        places[f"{TRAIN}+{DEV}"] = known
    test = list(splits[TEST].values())
    overlap = find_overlap({split: _complete(splits[split], sources.get(split, {})) for split in splits}) if sources else None
    copies = find_copies(texts, options.nearness)
    return Leakage(
        documents={split: len(documents) for split, documents in splits.items()},
        options=options.to_json(),
        sources=overlap,
        similarity=_similarity(texts, options, progress),
        copies=copies,
        seen=find_seen(places, test, options.ignored),
        entities=find_sets(known, test, options.ignored),
        fairness=(
            compare_labels({split: documents.values() for split, documents in splits.items()}),
            *(compare_attribute(name, splits, values) for name, values in (attributes or {}).items()),
        ),
        clean=_clean(splits[TEST], overlap, copies),
    )


def _complete(documents: Mapping[str, Document], sources: Mapping[str, str | None]) -> dict[str, str | None]:
    return {id_: sources.get(id_) for id_ in documents}


def _similarity(texts: Mapping[str, Mapping[str, str]], options: Options, progress: Progress | None) -> Similarity:
    if options.sketch is None:
        return find_similarity(texts[TRAIN], texts[TEST], options.vectors, options.effort, progress)
    return approximate_similarity(texts[TRAIN], texts[TEST], options.vectors, options.sketch, progress)


def _clean(test: Mapping[str, Document], overlap: SourceOverlap | None, copies: Sequence[Copy]) -> tuple[str, ...]:
    copied = {each.documents[i] for each in copies if each.across for i in (0, 1) if each.splits[i] == TEST}
    free = set(overlap.new) | set(overlap.unknown[TEST]) if overlap else set(test)
    return tuple(sorted(free - copied))
