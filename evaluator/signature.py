"""What a score depends on, so that equal signatures mean equal numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

SCORER_VERSION = "1"
"""Raised whenever the same input would give other numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Everything that entered a set of scores.

    Attributes:
        assay: version of the software.
        scorer: version of the definitions (`SCORER_VERSION`).
        task, task_version, track, split: where the gold and the run belong; empty when scored without a task.
        documents: how many were scored.
        criteria: span and labels of each criterion, such as `exact-fine`.
        annotations: what was counted; empty when that was entities only.
        matching: `exact-first` or `brateval`.
        gold, run: digests of the annotations (`digest_documents`).
        texts: digest of the hosted texts; empty where there are none.
        hierarchy: digest of which label lies under which (`digest_hierarchies`).
        triggers: digest of the labels of triggers; empty where there are none, and where they make no difference.
        only, ignore: labels that were kept or left out.
        metadata: digest of the attributes by which documents were grouped; empty where they were not, and then not told.
    """

    assay: str
    documents: int
    criteria: tuple[str, ...]
    matching: str
    gold: str
    run: str
    scorer: str = SCORER_VERSION
    task: str = ""
    task_version: str = ""
    track: str = ""
    split: str = ""
    texts: str = ""
    hierarchy: str = ""
    annotations: tuple[str, ...] = ()
    triggers: str = ""
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    metadata: str = ""

    def to_json(self) -> dict[str, str | int | Sequence[str]]:
        """The fields as plain values."""
        fields = asdict(self)
        if not self.metadata:  # signatures that were written before there were groups have no such field
            del fields["metadata"]
        return fields

    def __str__(self) -> str:
        values = {key: value for key, value in self.to_json().items() if value not in ("", ())}
        shown = {key: ",".join(value) if isinstance(value, tuple) else str(value) for key, value in values.items()}
        for key in ("gold", "run", "texts", "hierarchy", "triggers", "metadata"):
            if key in shown:
                shown[key] = shown[key][:12]
        return "|".join(f"{key}:{value}" for key, value in shown.items())


def digest_documents(digests: Mapping[str, str]) -> str:
    """SHA-256 over the sorted (document id, SHA-256 of its file): a folder and a zip of it agree."""
    whole = hashlib.sha256()
    for id_ in sorted(digests):
        whole.update(f"{id_}\0{digests[id_]}\n".encode())
    return whole.hexdigest()


def digest_texts(texts: Mapping[str, str]) -> str:
    """The same over texts."""
    return digest_documents({id_: hashlib.sha256(text.encode()).hexdigest() for id_, text in texts.items()})


def digest_value(value: object) -> str:
    """SHA-256 of a plain value, written as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def digest_hierarchies(labels: Mapping[str, str | None], relations: Mapping[str, str | None]) -> str:
    """Digest of the parents of labels, and of those of relations if there are any; empty without either."""
    if relations:
        return digest_value([dict(labels), dict(relations)])
    return digest_value(dict(labels)) if labels else ""
