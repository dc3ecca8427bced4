"""When phases take runs, what they hand out, and that no phase hands out what another still asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import product

from sqlalchemy.orm import Session

from app.clock import now
from app.errors import ConflictError, InvalidError
from app.shared_tasks.deadlines import PhaseState, in_words
from app.shared_tasks.models import Phase, Task
from app.shared_tasks.services import definition_of
from evaluator.task import Disclosure, Release
from evaluator.task_file import why_not

_ORDER = tuple(Release)
_MOST_RUNS, _MOST_DAYS, _MOST_GRACE = 100_000, 3_650, 1_440


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What an organiser may change of a phase besides its dates; as in `Phase`."""

    title: str
    tracks: tuple[str, ...]
    releases: Release
    tells: Disclosure
    quota: int | None
    quota_days: int | None
    grace_minutes: int

    def differences(self, other: Rules) -> list[str]:
        """What is otherwise in another one, in words for everyone."""
        return [
            words
            for changed, words in (
                (self.title != other.title, f"it is called {other.title}"),
                (self.tracks != other.tracks, f"it takes runs of {', '.join(other.tracks) or 'no track'}"),
                (self.releases != other.releases, f"it hands out {WORDS[other.releases]}"),
                (self.tells != other.tells, f"while it is open, it tells {TOLD[other.tells]}"),
                (
                    (self.quota, self.quota_days) != (other.quota, other.quota_days),
                    f"runs of a team and track: {_limit(other)}",
                ),
                (
                    self.grace_minutes != other.grace_minutes,
                    f"an upload that began in time may take {other.grace_minutes} minutes more",
                ),
            )
            if changed
        ]


WORDS = {
    Release.TEXT: "texts",
    Release.ENTITIES: "texts and gold entities",
    Release.EVERYTHING: "texts and all gold annotations",
}
TOLD = {
    Disclosure.FULL: "all scores, at once",
    Disclosure.HEADLINE: "rounded overall figures",
    Disclosure.NOTHING: "nothing; scores when it closes",
}


def _limit(rules: Rules) -> str:
    if rules.quota is None:
        return "no limit"
    return f"{rules.quota}" if rules.quota_days is None else f"{rules.quota} in {rules.quota_days} days"


def rules_of(phase: Phase) -> Rules:
    """The rules of a phase as they are."""
    return Rules(
        title=phase.title,
        tracks=phase.tracks,
        releases=phase.releases,
        tells=phase.tells,
        quota=phase.quota,
        quota_days=phase.quota_days,
        grace_minutes=phase.grace_minutes,
    )


def set_rules(session: Session, phase: Phase, rules: Rules, *, used: frozenset[str]) -> list[str]:
    """Change the rules of a phase; `used` are the tracks in which it has runs. Returns what changed, in words.

    Raises:
        InvalidError: a value that cannot be.
        ConflictError: what was handed out cannot be taken back, runs would belong to no track, or something would be handed
            out that a phase still asks for.
    """
    before, known = rules_of(phase), definition_of(phase.task).tracks
    if not rules.title.strip():
        raise InvalidError("A phase has a title.", field="title")
    if set(rules.tracks) - {each.id for each in known}:
        raise InvalidError(f"The tracks are {', '.join(each.id for each in known)}.", field="tracks")
    if not rules.tracks and rules.releases is not Release.EVERYTHING:
        raise InvalidError("Choose a track; only a phase that hands out everything takes no runs.", field="tracks")
    limits = ((rules.quota, _MOST_RUNS, "quota"), (rules.quota_days, _MOST_DAYS, "quota_days"))
    if rules.grace_minutes > _MOST_GRACE:
        raise InvalidError(f"At most {_MOST_GRACE} minutes.", field="grace_minutes")
    for number, most, field in limits:
        if number is not None and not 0 < number <= most:
            raise InvalidError(f"A whole number from 1 to {most:,}, or nothing where there is no limit.", field=field)
    if used - set(rules.tracks):
        raise ConflictError(f"{phase.title} has runs of {', '.join(sorted(used - set(rules.tracks)))}.", field="tracks")
    begun = phase.split.blind and phase.state is not PhaseState.UPCOMING
    if begun and _ORDER.index(rules.releases) < _ORDER.index(before.releases):
        raise ConflictError("What has been handed out cannot be taken back.", field="releases")
    taken = [each for each in known if each.id in rules.tracks]
    reason = why_not(rules.releases, taken) if phase.split.blind else ""
    if reason:
        raise ConflictError(f"{reason[0].upper()}{reason[1:]}.", field="releases")
    phase.title, phase.tracks, phase.releases, phase.tells = rules.title.strip(), rules.tracks, rules.releases, rules.tells
    phase.quota, phase.quota_days, phase.grace_minutes = rules.quota, rules.quota_days, rules.grace_minutes
    _check_order(phase.task)
    session.flush()
    return before.differences(rules_of(phase))


def set_dates(session: Session, phase: Phase, opens_at: datetime | None, closes_at: datetime | None) -> None:
    """Say when a phase takes runs.

    Raises:
        InvalidError: it would end before it begins, or end without having begun.
        ConflictError: something would be handed out that a phase still asks for.
    """
    if closes_at is not None and (opens_at is None or closes_at <= opens_at):
        raise InvalidError("A phase ends after it has begun.", field="closes")
    if (phase.opens_at, phase.closes_at) != (opens_at, closes_at):
        _restore_grace(phase)
    phase.opens_at, phase.closes_at = opens_at, closes_at
    _check_order(phase.task)
    session.flush()


def open_phase(session: Session, phase: Phase) -> None:
    """Let a phase take runs from now on, also one that had closed; an end that has passed is taken away.

    Raises:
        ConflictError: something would be handed out that a phase still asks for.
    """
    if phase.state is PhaseState.UPCOMING:
        phase.opens_at = now()
    if phase.closes_at is not None and phase.closes_at <= now():
        phase.closes_at = None
        _restore_grace(phase)
    _check_order(phase.task)
    session.flush()


def close_phase(session: Session, phase: Phase) -> None:
    """End a phase now, also for what is just being sent.

    Raises:
        ConflictError: it is not open.
    """
    if phase.state is not PhaseState.OPEN:
        raise ConflictError(f"{phase.title} is not open.")
    phase.closes_at, phase.grace_minutes = now(), 0
    session.flush()


def _restore_grace(phase: Phase) -> None:
    """The minutes that the task's definition gives a phase, where closing by hand had set them to 0."""
    if phase.grace_minutes == 0:
        phase.grace_minutes = next(each.grace_minutes for each in definition_of(phase.task).phases if each.id == phase.slug)


def _check_order(task: Task) -> None:
    """No phase may hand out what another one on its split asks for before that one is over.

    Over: the minutes have passed, too, in which the body of an upload that began in time may still arrive. It could be
    written with what was handed out.
    """
    known = definition_of(task).tracks
    for giver, asker in product(task.phases, task.phases):
        told = [each.title for each in known if each.id in asker.tracks and each.is_told_by(giver.releases)]
        dated = giver.opens_at is not None and asker.opens_at is not None
        if giver is asker or giver.split_id != asker.split_id or not giver.split.blind or not told or not dated:
            continue
        if giver.opens_at is not None and (asker.told_at is None or asker.told_at > giver.opens_at):
            ends = "is not closed" if asker.told_at is None else f"takes uploads until {in_words(asker.told_at)}"
            raise ConflictError(
                f"{giver.title} hands out {WORDS[giver.releases]} from {in_words(giver.opens_at)} on, "
                f"and {asker.title} ({told[0]}), which asks for them, {ends}."
            )
