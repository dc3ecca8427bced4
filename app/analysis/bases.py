"""What the leakage of a split, and the strata of its runs, depend on: when any of it changes, they are found anew."""

from __future__ import annotations

from sqlalchemy.orm import Session

from app.analysis.metadata import current_version
from app.shared_tasks.models import Split
from evaluator.leakage.leakage import DEV, TEST, TRAIN
from evaluator.signature import SCORER_VERSION, digest_value

_VERSION = "1"
"""Raised when there is another stratification, or one is defined otherwise, so that all runs get it, old ones too."""


def roles_of(split: Split) -> dict[str, Split] | None:
    """The splits that a split is compared with, by the part they play: `train`, perhaps `dev`, and itself as `test`.

    Dev plays the part of test before train. None for train itself, and where there is no train.
    """
    there = {each.name: each for each in split.task.splits}
    if split.name == TRAIN or TRAIN not in there:
        return None
    before = (TRAIN, DEV) if split.name != DEV else (TRAIN,)
    return {**{name: there[name] for name in before if name in there}, TEST: split}


def basis_of(session: Session, split: Split) -> str:
    """A digest of all that the leakage of a split, and the strata and groups of its runs, follow from."""
    roles, metadata = roles_of(split), current_version(session, split.task)
    return digest_value(
        [
            _VERSION,
            SCORER_VERSION,
            split.task.toml,
            split.task.conf,
            {role: [each.name, each.gold_digest, each.texts] for role, each in (roles or {TEST: split}).items()},
            None if metadata is None else [metadata.stored, metadata.source, metadata.lexicon, metadata.census],
        ]
    )
