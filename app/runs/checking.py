"""Checking an upload: what is wrong with it, what explains that, and what a corrected run would be. Gold is not looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.runs.models import ACCEPTED, Run
from app.runs.services import keep_problems
from app.storage import Storage
from brat.corpus import Corpus, as_standoff, open_run, read_corpus
from brat.diagnosis.evidence import Evidence
from brat.diagnosis.explain import Diagnosis, Explanation, explain
from brat.diagnosis.repair import Change, repair
from brat.files import ArchiveLimits, pack_zip, read_bytes
from brat.problems import Problem, RefusedInput, has_errors, problem
from brat.run import Expectations, Survey, check_run, survey_run

_KEPT_CHANGES = 200
_MUCH_EMPTIER = 0.3


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking found.

    Attributes:
        survey: the problems, and how many documents have annotations.
        diagnosis: what explains spans that are off, best first.
        corrected: the run corrected by the best explanation, as a zip; empty where nothing would change.
        changes: the lines that it changes.
    """

    survey: Survey
    diagnosis: Diagnosis = field(default_factory=Diagnosis)
    corrected: bytes = b""
    changes: tuple[Change, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether there are errors."""
        return has_errors(self.survey.problems)

    @property
    def is_off(self) -> bool:
        """Whether the offsets are off for a reason that is known, so that scoring the run would say nothing of the system."""
        return any(not (each.guess or each.in_place) for each in self.diagnosis.hypotheses[:1])


@dataclass(frozen=True, slots=True)
class Upload:
    """What was sent, and what it is checked against."""

    data: bytes
    file_name: str
    limits: ArchiveLimits
    texts: Mapping[str, str]
    expected: Expectations


def check_upload(upload: Upload) -> Checked:
    """Check an upload, and look for what its spans have in common that are off."""
    evidence = Evidence()
    try:
        files = read_bytes(upload.data, upload.file_name, upload.limits)
        survey = survey_run(evidence.watch(open_run(files, upload.texts)), upload.texts, upload.expected)
        if not survey.is_whole:
            return Checked(survey)
        diagnosis = explain(evidence)
        if not diagnosis.hypotheses:
            return Checked(survey, diagnosis)
        repaired = repair(as_standoff(files, upload.texts), upload.texts, diagnosis.hypotheses[0])
    except RefusedInput as refused:
        return Checked(Survey((refused.problem,), {refused.problem.code: 1}))
    packed = pack_zip(sorted(repaired.files.items())) if repaired.changes else b""
    return Checked(survey, diagnosis, packed, repaired.changes)


def read_upload(upload: Upload) -> Corpus:
    """The documents of an upload as far as they are asked for, to be scored.

    Raises:
        RefusedInput: it cannot be read.
    """
    files = read_bytes(upload.data, upload.file_name, upload.limits)
    return check_run(read_corpus(files, upload.texts), upload.texts, upload.expected)


def keep_findings(session: Session, storage: Storage, run: Run, checked: Checked) -> None:
    """Write what was found to the row of the run."""
    run.annotated = checked.survey.annotated
    odd = _emptier(session, run, run.phase.split.documents)
    problems, counts = checked.survey.problems, checked.survey.counts
    if odd is not None:
        problems, counts = (*problems, odd), {**counts, odd.code: 1}
    keep_problems(run, problems, counts)
    run.diagnosis = json.dumps([asdict(each) for each in checked.diagnosis.explanations])
    run.corrected = storage.put(checked.corrected) if checked.corrected else ""
    run.changed = len(checked.changes)
    shown = [asdict(_cut(each)) for each in checked.changes[:_KEPT_CHANGES]]
    run.changes = json.dumps(shown, ensure_ascii=False)


def _cut(change: Change, most: int = 300) -> Change:
    return replace(change, before=change.before[:most], after=change.after[:most])


def _emptier(session: Session, run: Run, documents: int) -> Problem | None:
    """A warning where far more documents are empty than in the run that the team sent before in this track."""
    before = session.scalar(
        select(Run)
        .where(Run.team_id == run.team_id, Run.track == run.track, Run.id != run.id, Run.annotated.is_not(None))
        .where(Run.state.in_(ACCEPTED))
        .order_by(Run.submitted_at.desc(), Run.id)
        .limit(1)
    )
    if before is None or not before.phase.split.documents or not documents:
        return None
    empty, usual = documents - (run.annotated or 0), before.phase.split.documents - (before.annotated or 0)
    if empty / documents - usual / before.phase.split.documents < _MUCH_EMPTIER:
        return None
    expected = f"about as many as in your run “{before.name}”: {usual:,} of {before.phase.split.documents:,}"
    return problem("many-empty", "", found=f"{empty:,} of {documents:,} documents", expected=expected)


def explanations_of(run: Run) -> list[Explanation]:
    """What explains the spans of a run that are off, best first."""
    return [Explanation(**each) for each in json.loads(run.diagnosis)]


def changes_of(run: Run) -> list[Change]:
    """The first lines that a correction of the run would change."""
    return [Change(**each) for each in json.loads(run.changes)]
