"""What a split was found to share with train and dev: how it is kept, and how far the search for it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.analysis.bases import basis_of
from app.runs.models import JobState, LeakageReport
from app.shared_tasks.models import Split
from app.storage import Storage
from evaluator.leakage.leakage import Leakage


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, and what it depends on: version, digests and settings."""

    found: Leakage
    signature: Mapping[str, Any]


_FINDING = TypeAdapter(Finding)


def pack(finding: Finding) -> bytes:
    """A finding as JSON, at full precision."""
    return _FINDING.dump_json(finding)


def unpack(packed: bytes) -> Finding:
    """The same again."""
    return _FINDING.validate_json(packed)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the search is.

    Attributes:
        finding: what was found last; None where nothing has been found yet.
        is_current: whether that is of the documents, annotations and attributes that hold now.
        failed: why it could not be found; empty where it was, or will be.
    """

    finding: Finding | None
    is_current: bool
    failed: str


def progress_of(session: Session, storage: Storage, split: Split) -> Progress:
    """What was found of a split, or when it will be."""
    row = session.scalar(select(LeakageReport).where(LeakageReport.split_id == split.id))
    if row is None:
        return Progress(None, is_current=False, failed="")
    finding = unpack(storage.get(row.stored)) if row.stored else None
    current = row.state is JobState.DONE and row.basis == basis_of(session, split)
    return Progress(finding, current, row.note if row.state is JobState.FAILED else "")
