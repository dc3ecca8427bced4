"""Taking a run: is the phase open, is the team let in, was it in time, has it been sent before, is a try left."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.access import is_gold_released, released
from app.accounts.models import Team, User
from app.accounts.names import clean_name
from app.accounts.teams import team_of
from app.clock import now
from app.errors import ConflictError, ForbiddenError, InvalidError
from app.runs.models import UNSCORED, Run, RunState
from app.runs.quotas import charge, check_quota
from app.runs.services import enter
from app.shared_tasks.deadlines import PhaseState, in_time, in_words, phase_state
from app.shared_tasks.models import Phase, Task
from app.shared_tasks.phases import WORDS
from app.shared_tasks.services import definition_of, find_phase
from app.shared_tasks.terms import has_accepted
from app.storage import Storage
from brat.files import ArchiveLimits, read_bytes
from brat.problems import RefusedInput
from evaluator.signature import digest_documents

_MOST_TRIALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An upload that is stored already.

    Attributes:
        file_name, size: of the file.
        stored: the digest it is stored under.
        content: a digest of the annotation files in it, whatever they are packed in.
        began, complete: when the header of the request was read, and when the whole body was there.
    """

    file_name: str
    size: int
    stored: str
    content: str
    began: datetime
    complete: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the sender says of a run.

    Attributes:
        track, name: of the run.
        again: they know that it may be the same as an earlier one.
        trial: it shall be checked, and not count.
        anyway: it shall be scored also if its offsets are systematically off.
        origin: the run that it is submitted from.
    """

    track: str
    name: str
    again: bool = False
    trial: bool = False
    anyway: bool = False
    origin: str | None = None


class SameRunError(ConflictError):
    """The team has sent the very same annotations before, and another try would be spent on them."""

    code = "same-run"


def receive(storage: Storage, limits: ArchiveLimits, file_name: str, data: bytes, *, began: datetime) -> Received:
    """Store an upload, whether or not it will be taken as a run; needs no database."""
    complete = now()
    name = file_name.replace("\\", "/").rpartition("/")[2][-255:]
    return Received(
        file_name="".join(c for c in name if c.isprintable()) or "run.zip",
        size=len(data),
        stored=storage.put(data) if data else "",
        content=digest_content(data, name, limits) if data else "",
        began=began,
        complete=complete,
    )


def check_may_send(session: Session, user_id: int, task_id: int, phase_slug: str, wish: Wish) -> None:
    """Refuse early, before anything is stored, what `take_run` would refuse for want of a team or a try.

    Raises:
        ForbiddenError: the person has no team, or it is not approved.
        ConflictError: no try is left, or too many trials of the team wait.
        NotFoundError: there is no such phase.
    """
    task = session.get_one(Task, task_id)
    team = team_of(session, session.get_one(User, user_id), task)
    if team is None:
        raise ForbiddenError("Found or join a team of this task first.")
    _check_approved(team)
    _check_terms(session, team, session.get_one(User, user_id))
    if wish.trial:
        _check_few_trials(session, team)
    else:
        check_quota(session, team, find_phase(task, phase_slug), wish.track)


def _check_few_trials(session: Session, team: Team) -> None:
    """Checking is free; so that one team cannot keep the others waiting, it waits for its own trials first."""
    wanted = select(func.count()).where(Run.team_id == team.id, Run.trial.is_(True), Run.state == RunState.RECEIVED)
    if (session.scalar(wanted) or 0) >= _MOST_TRIALS:
        raise ConflictError(f"{_MOST_TRIALS} of your team's files are being checked. Wait for one of them.", field="file")


def _check_terms(session: Session, team: Team, user: User) -> None:
    """What is wrong with a run says something of the texts, and of entities that are given."""
    if not team.hidden and not has_accepted(session, user, session.get_one(Task, team.task_id)):
        raise ConflictError("Accept the data terms on the task's page before you send anything.", field="file")


def _check_approved(team: Team) -> None:
    if team.approved_at is None:
        raise ForbiddenError("The organisers have not approved your team yet.")


def take_run(session: Session, *, user: User, team: Team, phase: Phase, received: Received, wish: Wish) -> Run:
    """Take a run. The caller commits, and then enqueues the run's id.

    Raises:
        ConflictError: the phase does not take runs, or no try is left.
        ForbiddenError: the team is not approved.
        InvalidError: the track is not one of the phase's, or name or file are missing.
        SameRunError: the team has sent it before, and it would cost a try again.
    """
    late = False if wish.trial else _check_deadline(phase, wish.track, received)
    if wish.trial:
        _check_opened(phase, received)
        _check_few_trials(session, team)
    if phase.task.archived_at is not None:
        raise ConflictError("This task is archived; it takes no runs.")
    _check_approved(team)
    _check_terms(session, team, user)
    if wish.track not in phase.tracks:
        taken = [each.title for each in definition_of(phase.task).tracks if each.id in phase.tracks]
        raise InvalidError(f"{phase.title} takes runs of: {', '.join(taken) or 'no track'}.", field="track")
    if not received.size:
        raise InvalidError("Choose a file that is not empty: a zip, a tar.gz or a single .ann file.", field="file")
    if phase.quota is not None and not wish.again and not wish.trial:
        _check_same(session, team, phase, wish.track, received.content)
    run = Run(
        id=secrets.token_hex(8),
        task_id=phase.task_id,
        phase_id=phase.id,
        team_id=team.id,
        submitted_by=user.id,
        track=wish.track,
        name=clean_name(wish.name or received.file_name.partition(".")[0][:100] or "run", "name", 100),
        description="",
        content=received.content,
        late=late,
        trial=wish.trial,
        anyway=wish.anyway,
        origin=wish.origin,
        file_name=received.file_name,
        upload=received.stored,
        state=RunState.RECEIVED,
        began_at=received.began,
        submitted_at=received.complete,
        problems="[]",
        problem_counts="{}",
        attempts=0,
    )
    session.add(run)
    session.flush()
    if not wish.trial:
        charge(session, team, phase, run)
    enter(session, run, RunState.RECEIVED, "after the end of the phase" if late else "")
    return run


def digest_content(data: bytes, file_name: str, limits: ArchiveLimits) -> str:
    """A digest of the annotation files in an upload, whatever they are packed in; of the bytes if they cannot be read."""
    try:
        files = read_bytes(data, file_name, limits)
        read = {name: hashlib.sha256(each).hexdigest() for name, each in files.items() if not name.endswith(".txt")}
    except RefusedInput:
        return hashlib.sha256(data).hexdigest()
    return digest_documents(read) if read else hashlib.sha256(data).hexdigest()


def _check_deadline(phase: Phase, track: str, received: Received) -> bool:
    """Whether the run is late.

    Raises:
        ConflictError: the phase has not begun, or has ended and what the track asks for has been handed out.
    """
    _check_opened(phase, received)
    if in_time(received.began, received.complete, phase.closes_at, phase.grace):
        return False
    reason = why_not_late(phase, track)
    if reason:
        raise ConflictError(reason, field="phase")
    return True


def why_not_late(phase: Phase, track_id: str) -> str:
    """Why a phase takes no late runs of a track; empty where it does."""
    definition = definition_of(phase.task)
    if is_gold_released(phase.split, phase.task.phases, gold_public=definition.gold_public):
        return f"{phase.title} has ended and its gold is released; it takes no runs any more."
    track, out = definition.track(track_id), released(phase.split, phase.task.phases)
    if phase.split.blind and track is not None and out is not None and track.is_told_by(out):
        return f"{phase.title} has ended, and {WORDS[out]} have been handed out since: no late runs of {track.title}."
    return ""


def _check_opened(phase: Phase, received: Received) -> None:
    """The texts of a blind split are told to nobody before, by messages of the checker neither."""
    if phase_state(phase.opens_at, None, received.began) is PhaseState.UPCOMING:
        when = f"opens {in_words(phase.opens_at)}" if phase.opens_at else "has not opened"
        raise ConflictError(f"{phase.title} {when}; it takes no runs yet.", field="phase")


def reconsider(session: Session, phase: Phase) -> int:
    """After the end of a phase was moved: say anew of each of its runs whether it was late; returns how many changed.

    A late run that was made when scores had been told stays late.
    """
    changed = 0
    for run in session.scalars(select(Run).where(Run.phase_id == phase.id, Run.trial.is_(False))):
        began = run.began_at or run.submitted_at
        if run.late and phase.first_told_at is not None and began > phase.first_told_at:
            continue
        late = not in_time(began, run.submitted_at, phase.closes_at, phase.grace)
        changed += late != run.late
        run.late = late
    session.flush()
    return changed


def _check_same(session: Session, team: Team, phase: Phase, track: str, content: str) -> None:
    wanted = (
        select(Run)
        .where(Run.team_id == team.id, Run.phase_id == phase.id, Run.track == track, Run.content == content)
        .where(Run.state.not_in(UNSCORED), Run.trial.is_(False))
    )
    earlier = session.scalars(wanted).first()
    if earlier is not None:
        raise SameRunError(
            f"Your team has sent these very annotations as “{earlier.name}”. Say so to spend another try on them.",
            field="again",
        )
