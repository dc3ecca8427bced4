"""Runs by group: the counts of each document and the differences between groups, as they are kept with a run."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.runs.models import Run, Scoring, Stratification
from app.storage import Storage
from evaluator.document_counts import DocumentCounts
from evaluator.signature import SCORER_VERSION
from evaluator.strata.differences import GroupComparison, compare_groups
from evaluator.tables import Ints


@dataclass(frozen=True, slots=True)
class Compared:
    """The groups of an attribute under one criterion."""

    annotations: str
    span: str
    labels: str
    comparison: GroupComparison


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Digests of what is kept with a run: see `app.runs.models.Stratification`."""

    counts: str
    comparisons: str
    categories: str
    names: str


_COMPARED = TypeAdapter(list[Compared])


def compare_all(
    groups: Mapping[str, Mapping[str, str]], documents: Sequence[str], counts: Sequence[DocumentCounts]
) -> list[Compared]:
    """Compare the groups of every attribute under every criterion, and in every kind of annotations.

    Args:
        groups: of each attribute, its value for every document that has one.
        documents: [n] ids.
        counts: of these documents.
    """
    if not counts:
        return []
    stacked = np.stack([each.counts for each in counts], axis=1)
    return [
        Compared(each.annotations.value, each.criterion.span_name, each.criterion.labels.value, comparison)
        for attribute, values in groups.items()
        for each, comparison in zip(counts, compare_groups(attribute, values, documents, stacked), strict=True)
    ]


def pack_comparisons(compared: list[Compared]) -> bytes:
    """Comparisons as JSON, at full precision."""
    return _COMPARED.dump_json(compared)


def unpack_comparisons(packed: bytes) -> list[Compared]:
    """The same again."""
    return _COMPARED.validate_json(packed)


def pack_counts(documents: Sequence[str], counts: Sequence[DocumentCounts]) -> bytes:
    """The counts of each document, and the ids of the documents."""
    arrays = {f"{each.annotations.value}/{each.criterion.name}": each.counts.astype(np.uint32) for each in counts}
    ids = np.frombuffer(json.dumps(list(documents)).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, documents=ids, **arrays)
    return buffer.getvalue()


def unpack_counts(packed: bytes, annotations: str, criterion: str) -> tuple[tuple[str, ...], Ints]:
    """The ids of the documents, and their [documents, 3] counts of one kind under one criterion (`Criterion.name`).

    Raises:
        KeyError: there are none of that kind.
    """
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        documents = tuple(json.loads(arrays["documents"].tobytes()))
        return documents, arrays[f"{annotations}/{criterion}"].astype(np.int64)


def comparisons_of(session: Session, storage: Storage, run: Run, choice: tuple[str, str, str]) -> list[GroupComparison]:
    """The comparisons of one run, of annotations, spans and labels; none as long as they are not there."""
    stored = stored_files(session, [run]).get(run.id)
    found = unpack_comparisons(storage.get(stored.comparisons)) if stored is not None else []
    return [each.comparison for each in found if (each.annotations, each.span, each.labels) == choice]


def stored_files(session: Session, runs: Sequence[Run]) -> dict[str, StoredFiles]:
    """By run, as far as they are there: what is kept with the scores that hold. All runs are on one split."""
    if not runs:
        return {}
    wanted = (
        select(
            Scoring.run_id, Stratification.counts, Stratification.comparisons, Stratification.categories, Stratification.names
        )
        .join(Stratification, Stratification.scoring_id == Scoring.id)
        .where(Scoring.run_id.in_([each.id for each in runs]), Scoring.scorer == SCORER_VERSION)
        .where(Scoring.gold_digest == runs[0].phase.split.gold_digest)
        .where(Stratification.comparisons != "")
    )
    return {run_id: StoredFiles(*digests) for run_id, *digests in session.execute(wanted)}
