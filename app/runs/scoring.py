"""Measuring a run against a version of gold, and writing down what came out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy.orm import Session

from app.clock import now
from app.runs.checking import Upload, read_upload
from app.runs.leases import Worker
from app.runs.models import Run, ScoreRow, Scoring
from app.shared_tasks.models import GoldVersion, Split
from app.shared_tasks.releases import given_spans
from app.shared_tasks.services import definition_of, gold_of, texts_of
from app.version import VERSION
from brat.corpus import Corpus
from brat.model import Document
from evaluator.analysis.confusion import confusion
from evaluator.criteria import Criterion
from evaluator.matching import Matching
from evaluator.scheme import gold_of_track, scheme_of, sign
from evaluator.scores import Score
from evaluator.scoring import Scored, score
from evaluator.signature import SCORER_VERSION, Signature
from evaluator.task import TaskDefinition, Track


@dataclass(frozen=True, slots=True)
class Gold:
    """A version of gold as it is stored, and the digest of its documents."""

    stored: str
    digest: str


def gold_that_holds(split: Split) -> Gold:
    """The version that boards show."""
    return Gold(split.gold, split.gold_digest)


def gold_of_version(version: GoldVersion) -> Gold:
    """That of a version, whether it holds or not."""
    return Gold(version.stored, version.digest)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out; `matchings` and `confusion` are stored already, by digest."""

    scored: Scored
    signature: Signature
    matchings: str
    confusion: str


def track_of(run: Run) -> tuple[TaskDefinition, Track]:
    """The definition of the run's task, and its track in it."""
    definition = definition_of(run.task)
    track = definition.track(run.track)
    assert track is not None, "BUG: a run of a track that the task does not have"  # noqa: S101
    return definition, track


def upload_of(worker: Worker, run_id: str, *, to_be_told: bool) -> Upload:
    """A run's upload, and what it is checked against.

    Given entities, which are read from gold, are among that only where its team is `to_be_told` what is wrong.
    """
    with worker.database.session(write=False) as session:
        run = session.get_one(Run, run_id)
        definition, track = track_of(run)
        expected = definition.expectations(track)
        if to_be_told and track.gives_entities:  # its phase has begun, so the team has them
            expected = replace(expected, given=given_spans(worker.storage, run.phase.split))
        return Upload(
            data=worker.storage.get(run.upload),
            file_name=run.file_name,
            limits=worker.settings.archive,
            texts=texts_of(worker.storage, run.phase.split),
            expected=expected,
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """A run beside the gold that it is scored against, both as far as its track asks for them."""

    definition: TaskDefinition
    track: Track
    split: str
    gold: Mapping[str, Document]
    run: Corpus


def read_sides(worker: Worker, run_id: str, gold: Gold) -> Sides:
    """Read a run, and a version of gold."""
    checked = read_upload(upload_of(worker, run_id, to_be_told=False))
    texts = {id_: each.text or "" for id_, each in checked.documents.items()}
    with worker.database.session(write=False) as session:
        run = session.get_one(Run, run_id)
        (definition, track), split = track_of(run), run.phase.split.name
    wanted = gold_of_track(gold_of(worker.storage, gold.stored, texts).documents, definition, track)
    return Sides(definition, track, split, wanted, checked)


def measure(worker: Worker, run_id: str, gold: Gold) -> Measured:
    """Score a run against a version of gold. Nothing is written to the database."""
    sides = read_sides(worker, run_id, gold)
    definition, track, checked = sides.definition, sides.track, sides.run
    scored = score(sides.gold, checked.documents, definition.criteria, scheme_of(definition, track))
    signature = sign(definition, track, definition.criteria, checked, gold=gold.digest, assay=VERSION, split=sides.split)
    asked = definition.asked_labels(track)
    order = [label for label in definition.labels if label in asked]
    kinds = {"entities": asked - definition.triggers, "triggers": asked & definition.triggers}
    matrices = {
        kind: confusion(sides.gold, checked.documents, [each for each in order if each in labels], only=labels).to_json()
        for kind, labels in kinds.items()
        if labels
    }
    packed = json.dumps(matrices, ensure_ascii=False).encode()
    return Measured(scored, signature, worker.storage.put(_pack_matchings(scored)), worker.storage.put(packed))


def write_scoring(session: Session, run: Run, measured: Measured) -> None:
    """Write the scores of a run; those that there are of other versions of gold stay."""
    scoring = Scoring(
        run_id=run.id,
        gold_digest=measured.signature.gold,
        scorer=SCORER_VERSION,
        signature="|".join(filter(None, (str(measured.signature), run.trained_by))),
        matchings=measured.matchings,
        confusion=measured.confusion,
        created_at=now(),
    )
    session.add(scoring)
    session.flush()
    session.add_all(score_rows(scoring, measured.scored.scores))


def score_rows(scoring: Scoring, scores: Iterable[Score]) -> list[ScoreRow]:
    """Scores as rows of a scoring."""
    return [
        ScoreRow(
            scoring_id=scoring.id,
            annotations=each.annotations,
            span=each.span,
            labels=each.labels,
            matching=each.matching,
            stratification=each.stratification,
            stratum=each.stratum,
            label=each.label,
            tp=each.counts.tp,
            fp=each.counts.fp,
            fn=each.counts.fn,
        )
        for each in scores
    ]


def _pack_matchings(scored: Scored) -> bytes:
    """The pairs under every criterion, as rows of the tables that `build_tables` makes of the same documents."""
    arrays = {}
    for each in scored.matchings:
        arrays[f"{each.criterion.name}/gold"] = each.gold.astype(np.uint32)
        arrays[f"{each.criterion.name}/run"] = each.run.astype(np.uint32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpack_matchings(packed: bytes, criteria: Iterable[Criterion]) -> list[Matching]:
    """The same again, of the criteria in turn.

    Raises:
        KeyError: there is none of a criterion.
    """
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return [
            Matching(each, *(arrays[f"{each.name}/{side}"].astype(np.int64) for side in ("gold", "run"))) for each in criteria
        ]
