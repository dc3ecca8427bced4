"""When phases take runs, what they hand out, and that no phase hands out what another still asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import product

from sqlalchemy.orm import Session

from app.access import is_gold_released
from app.accounts.names import clean_name
from app.clock import now
from app.errors import ConflictError, InvalidError
from app.shared_tasks.deadlines import PhaseState, in_words
from app.shared_tasks.models import Phase, Task
from app.shared_tasks.services import definition_of
from evaluator.task import Disclosure, Release
from evaluator.task_file import why_not

_ORDER = tuple(Release)
_MOST_RUNS, _MOST_DAYS, _MOST_GRACE, _LONGEST_TITLE = 100_000, 3_650, 1_440, 200


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
_LATER = "nothing; overall figures when it closes, all scores when every phase on its documents has"


def told_words(phase: Phase) -> str:
    """What a phase tells while it is open, and when it tells more."""
    if not phase.split.blind:
        return TOLD[Disclosure.FULL]
    others = [each for each in phase.task.phases if each.split_id == phase.split_id and each.tracks and each is not phase]
    return _LATER if others and phase.tells is Disclosure.NOTHING else TOLD[phase.tells]


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
    title = clean_name(rules.title, "title", _LONGEST_TITLE)
    if set(rules.tracks) - {each.id for each in known}:
        raise InvalidError(f"The tracks are {', '.join(each.id for each in known)}.", field="tracks")
    if not rules.tracks and rules.releases is not Release.EVERYTHING:
        raise InvalidError("Choose a track; only a phase that hands out everything takes no runs.", field="tracks")
    if not rules.tracks and not any(each.tracks for each in phase.task.phases if each is not phase):
        raise ConflictError("One phase of a task takes runs.", field="tracks")
    if phase.split.blind and rules.tells is Disclosure.FULL:
        raise InvalidError("Of blind documents, no more than overall figures are told while they are in use.", field="tells")
    if phase.split.blind and phase.is_over and rules.grace_minutes > before.grace_minutes:
        raise ConflictError(f"{phase.title} is over, and its scores are told.", field="grace_minutes")
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
    public = _remember(phase)
    phase.title, phase.tracks, phase.releases, phase.tells = title, rules.tracks, rules.releases, rules.tells
    phase.quota, phase.quota_days, phase.grace_minutes = rules.quota, rules.quota_days, rules.grace_minutes
    _check_order(phase.task)
    _check_still_over(phase, public=public)
    session.flush()
    return before.differences(rules_of(phase))


def set_dates(session: Session, phase: Phase, opens_at: datetime | None, closes_at: datetime | None) -> None:
    """Say when a phase takes runs.

    Raises:
        InvalidError: it would end before it begins, or end without having begun.
        ConflictError: it has begun on blind documents and would not have, or something would be handed out that a phase still
            asks for.
    """
    if closes_at is not None and (opens_at is None or closes_at <= opens_at):
        raise InvalidError("A phase ends after it has begun.", field="closes")
    began = phase.opens_at if phase.split.blind and phase.state is not PhaseState.UPCOMING else None
    if began is not None and (opens_at is None or opens_at > began):
        message = f"{phase.title} began {in_words(began)}, and {WORDS[phase.releases]} have been handed out since."
        raise ConflictError(message, field="opens")
    public = _remember(phase)
    if phase.closes_at != closes_at:
        phase.cut = False
    phase.opens_at, phase.closes_at = opens_at, closes_at
    if phase.split.blind and phase.is_over and phase.first_told_at is None:  # told by this change, whatever the date says
        phase.first_told_at = now()
    _check_order(phase.task)
    _check_still_over(phase, public=public)
    session.flush()


def open_phase(session: Session, phase: Phase) -> None:
    """Let a phase take runs from now on, also one that had closed; an end that has passed is taken away.

    Raises:
        ConflictError: something would be handed out that a phase still asks for, or its gold is public.
    """
    public = _remember(phase)
    if phase.state is PhaseState.UPCOMING:
        phase.opens_at = now()
    if phase.closes_at is not None and phase.closes_at <= now():
        phase.closes_at, phase.cut = None, False
    _check_order(phase.task)
    _check_still_over(phase, public=public)
    session.flush()


def close_phase(session: Session, phase: Phase) -> None:
    """End a phase now, also for what is just being sent.

    Raises:
        ConflictError: it is not open.
    """
    if phase.state is not PhaseState.OPEN:
        raise ConflictError(f"{phase.title} is not open.")
    phase.closes_at, phase.cut = now(), True
    session.flush()


def _remember(phase: Phase) -> bool:
    """Before anything of a phase is changed: note that its scores have been told; returns whether its gold has been, too."""
    if not phase.split.blind:
        return False
    told_open = phase.tells is not Disclosure.NOTHING and phase.state is not PhaseState.UPCOMING
    if phase.first_told_at is None and (told_open or phase.is_over):
        phase.first_told_at = phase.opens_at if told_open else phase.told_at
    return is_gold_released(phase.split, phase.task.phases, gold_public=definition_of(phase.task).gold_public)


def _check_still_over(phase: Phase, *, public: bool) -> None:
    """Gold that everybody may have downloaded is not asked for again."""
    if public and phase.tracks and not phase.is_over:
        raise ConflictError(f"The gold of {phase.split.name} has been handed out; {phase.title} takes no runs on it any more.")


def _check_order(task: Task) -> None:
    """No phase may hand out what another one on its split asks for before that one is over.

    Nor may it where that one has no dates yet: it could never open then. Over: the minutes have passed, too, in which the body
    of an upload that began in time may still arrive. It could be written with what was handed out.
    """
    known = definition_of(task).tracks
    for giver, asker in product(task.phases, task.phases):
        told = [each.title for each in known if each.id in asker.tracks and each.is_told_by(giver.releases)]
        if giver is asker or giver.split_id != asker.split_id or not giver.split.blind or not told:
            continue
        if giver.opens_at is not None and (asker.told_at is None or asker.told_at > giver.opens_at):
            ends = (
                "is not closed; close it first" if asker.told_at is None else f"takes uploads until {in_words(asker.told_at)}"
            )
            raise ConflictError(
                f"{giver.title} hands out {WORDS[giver.releases]} from {in_words(giver.opens_at)} on, "
                f"and {asker.title} ({told[0]}), which asks for them, {ends}."
            )
