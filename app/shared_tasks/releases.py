"""What is handed out of gold, made from it when asked for: the entities alone, and a run that only has to be filled in."""

from __future__ import annotations

from collections.abc import Mapping

from app.shared_tasks.models import Split
from app.shared_tasks.services import corpus_of, definition_of, texts_of
from app.storage import Storage
from brat.files import pack_zip
from brat.given import Entity
from brat.model import Document
from brat.write import write
from evaluator.release import entities_only, spans_of
from evaluator.task import Track

Given = Mapping[str, frozenset[Entity]]


def given_documents(storage: Storage, split: Split) -> dict[str, Document]:
    """The documents of a split with their entities only, by id."""
    corpus = corpus_of(storage, split)
    labels = definition_of(split.task).entity_labels
    return {id_: entities_only(each, labels) for id_, each in corpus.documents.items()}


def given_spans(storage: Storage, split: Split) -> Given:
    """Label and sorted fragments of every entity that is given, by document."""
    return {id_: spans_of(each) for id_, each in given_documents(storage, split).items()}


def starting_run(storage: Storage, split: Split, track: Track) -> bytes:
    """A zip in the layout of an upload: each text, and beside it an `.ann` with what the track gives, or an empty one."""
    if track.gives_entities:
        documents = given_documents(storage, split)
    else:
        documents = {id_: Document(id_, (), text) for id_, text in texts_of(storage, split).items()}
    members = [
        member
        for id_, each in sorted(documents.items())
        for member in ((f"{id_}.ann", write(each).encode()), (f"{id_}.txt", (each.text or "").encode()))
    ]
    return pack_zip(members)
