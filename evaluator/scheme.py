"""What is counted in runs of a track, for the command line and the server alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from brat.corpus import Corpus
from brat.model import Document, Event, Relation, TextBound
from brat.run import asked_of
from evaluator.criteria import Criterion
from evaluator.hierarchy import Hierarchy
from evaluator.scores import MatchingRule
from evaluator.scoring import Scheme
from evaluator.signature import Signature, digest_documents, digest_hierarchies, digest_texts, digest_value
from evaluator.task import Layer, TaskDefinition, Track


def scheme_of(definition: TaskDefinition, track: Track) -> Scheme:
    """The scheme of a track: what it asks for, with the task's triggers and hierarchies."""
    return Scheme(
        annotations=track.counted,
        triggers=definition.triggers,
        hierarchy=definition.hierarchy,
        relations=Hierarchy(definition.configuration.relation_parents()),
    )


def gold_of_track(documents: Mapping[str, Document], definition: TaskDefinition, track: Track) -> dict[str, Document]:
    """Gold without what the track neither gives nor asks for, and what rests on it; cut as a run is."""
    expected = definition.expectations(track)
    return {id_: asked_of(each, expected) for id_, each in documents.items()}


def lacking(documents: Mapping[str, Document], definition: TaskDefinition, track: Track) -> list[Layer]:
    """What the track asks for and gold has none of: the task or the corpus is not the right one."""
    kinds = {Layer.RELATIONS: Relation, Layer.EVENTS: Event}
    everything = [each for document in documents.values() for each in document.annotations]
    labels = {each.label for each in everything if isinstance(each, TextBound)}
    found = {layer: any(isinstance(each, kind) for each in everything) for layer, kind in kinds.items()}
    found |= {Layer.TRIGGERS: bool(labels & definition.triggers), Layer.ENTITIES: bool(labels - definition.triggers)}
    return [layer for layer in track.asks if not found.get(layer, True)]


def sign(
    definition: TaskDefinition,
    track: Track,
    criteria: Sequence[Criterion],
    run: Corpus,
    *,
    gold: str,
    assay: str,
    split: str = "",
) -> Signature:
    """The signature of scores of a track.

    Args:
        definition, track: what is asked.
        criteria: what was scored under.
        run: the run as it was checked: exactly the documents of gold, with their texts.
        gold: digest of the gold documents.
        assay: version of the software.
        split: where the documents belong.
    """
    scheme = scheme_of(definition, track)
    return Signature(
        assay=assay,
        task=definition.id,
        task_version=definition.version,
        track=track.id,
        split=split,
        documents=len(run.documents),
        criteria=tuple(each.name for each in criteria),
        annotations=tuple(each.value for each in track.counted),
        matching=MatchingRule.EXACT_FIRST.value,
        gold=gold,
        run=digest_documents({id_: run.digests[id_] for id_ in run.documents if id_ in run.digests}),
        texts=digest_texts({id_: each.text or "" for id_, each in run.documents.items()}),
        hierarchy=digest_hierarchies(scheme.hierarchy.parents, scheme.relations.parents),
        triggers=digest_value(sorted(scheme.triggers)) if scheme.triggers else "",
    )
