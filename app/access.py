"""Who may see and do what, in one place.

`app.rules` says for every endpoint who may call it, and `allows` what that means. How much a phase tells of scores is `told`,
and `TELLS` says what that is; what may be downloaded is `may_download_texts`, `may_download_start` and `may_download_gold`.
Gold of a blind split has no address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.accounts.models import Team
from app.rules import Rule
from app.runs.models import Run
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase, Split, Task
from app.shared_tasks.services import definition_of
from evaluator.task import Disclosure, Release, Track


class What(StrEnum):
    """Something that may be told of a run."""

    OVERALL = "overall figures"
    COUNTS = "counts"
    PER_LABEL = "figures per label"
    PER_STRATUM = "figures per stratum"
    PER_DOCUMENT = "figures per document"
    CONFUSION = "the confusion matrix"
    PROBLEMS = "problems"
    GOLD = "gold"


TELLS: Mapping[Disclosure, frozenset[What]] = MappingProxyType(
    {
        Disclosure.FULL: frozenset(What) - {What.PROBLEMS, What.GOLD},
        Disclosure.HEADLINE: frozenset({What.OVERALL}),
        Disclosure.NOTHING: frozenset(),
    }
)
"""What each level lets a reader know. Problems are the team's at any level, since checking does not look at gold, and gold is
nobody's by the level of scores."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever asks: a person's id with the teams they are in and the tasks they organise, or nobody."""

    user_id: int | None = None
    teams: frozenset[int] = field(default_factory=frozenset)
    captain_of: frozenset[int] = field(default_factory=frozenset)
    takes_part_in: frozenset[int] = field(default_factory=frozenset)
    organises: frozenset[int] = field(default_factory=frozenset)
    is_admin: bool = False

    def is_organiser(self, task_id: int) -> bool:
        """Whether they run the task; an administrator runs all in which they do not take part."""
        return task_id in self.organises or (self.is_admin and task_id not in self.takes_part_in)


def allows(
    rule: Rule, reader: Reader, *, task_id: int | None = None, team_id: int | None = None, run: Run | None = None
) -> bool:
    """Whether the reader may call an endpoint with this rule.

    Args:
        rule: the endpoint's rule.
        reader: who asks.
        task_id: the task in the address.
        team_id: the reader's own team in that task.
        run: the run in the address.
    """
    match rule:
        case Rule.EVERYONE:
            return True
        case Rule.SIGNED_IN:
            return reader.user_id is not None
        case Rule.MEMBER:
            return team_id is not None
        case Rule.CAPTAIN:
            return team_id in reader.captain_of
        case Rule.ORGANISER:
            return task_id is not None and reader.is_organiser(task_id)
        case Rule.RUN_READER:
            return run is not None and may_see_run(reader, run)
        case Rule.RUN_TEAM:
            return run is not None and owns_run(reader, run)
        case Rule.RUN_KEEPER:
            return run is not None and may_see_upload(reader, run)


def told(reader: Reader, phase: Phase, phases: Iterable[Phase]) -> Disclosure:
    """How much of the scores of runs of a phase the reader is told.

    Organisers have the gold, so everything. For others, a split whose gold is public is told in full. A blind split is
    told in full only after every phase that takes runs on it has closed; before that, a phase that is over tells the
    headline, and one that takes runs what its definition says, at most the headline. A phase is over when the minutes have
    passed in which the bodies of requests that began in time may still arrive.

    Args:
        reader: who asks.
        phase: the phase of the runs.
        phases: all phases of the task.
    """
    if reader.is_organiser(phase.task_id):
        return Disclosure.FULL
    if not phase.split.blind:
        return Disclosure.FULL
    if all_closed(phase.split_id, phases):
        return Disclosure.FULL
    return Disclosure.NOTHING if phase.keeps_quiet else Disclosure.HEADLINE


def told_of(reader: Reader, run: Run) -> Disclosure:
    """The same for one run. Of a late run on a split that stays blind, no more than the headline is ever told.

    Whoever sends runs after the end has seen scores already, and could ask for the gold bit by bit.
    """
    level = told(reader, run.phase, run.task.phases)
    stays_blind = run.phase.split.blind and not reader.is_organiser(run.task_id)
    return Disclosure.HEADLINE if level is Disclosure.FULL and run.late and stays_blind else level


def may_be_told(reader: Reader, run: Run, what: What) -> bool:
    """Whether the reader may know this of a run; of figures that are told, those of `HEADLINE` are rounded."""
    match what:
        case What.PROBLEMS:
            return may_see_upload(reader, run)
        case What.GOLD:
            public = definition_of(run.task).gold_public
            released = may_download_gold(reader, run.phase.split, run.task.phases, gold_public=public)
            return released or reader.is_organiser(run.task_id)
        case _:
            return what in TELLS[told_of(reader, run)]


def why_not_told(run: Run) -> str:
    """Why a reader may not know more of a run than overall figures."""
    if run.late and all_closed(run.phase.split_id, run.task.phases):
        return "Of a run that was sent after the end only overall figures are told."
    return "More than overall figures is told when every phase on these documents has closed."


def all_closed(split_id: int, phases: Iterable[Phase]) -> bool:
    """Whether the gold of a split is in use no more; a split on which no phase takes runs never was."""
    on_split = [each for each in phases if each.split_id == split_id and each.tracks]
    return bool(on_split) and all(each.is_over for each in on_split)


def released(split: Split, phases: Iterable[Phase]) -> Release | None:
    """The most that phases on a split have handed out by now; None where none has begun."""
    begun = [each.releases for each in phases if each.split_id == split.id and each.state is not PhaseState.UPCOMING]
    return max(begun, key=list(Release).index, default=None)


def may_see_task(reader: Reader, task: Task) -> bool:
    """An archived task is seen by its organisers and by those who took part."""
    return task.archived_at is None or reader.is_organiser(task.id) or task.id in reader.takes_part_in


def may_see_run(reader: Reader, run: Run) -> bool:
    """A run is seen by its team and the organisers, and by everybody once it is published; a dry run never is."""
    return may_see_upload(reader, run) or (
        run.published_at is not None and not run.team.hidden and may_see_task(reader, run.task)
    )


def owns_run(reader: Reader, run: Run) -> bool:
    """Whether the reader may publish, withdraw and change the run: its team only; of a baseline, organisers."""
    return run.team_id in reader.teams or (run.team.baseline and reader.is_organiser(run.task_id))


def may_see_upload(reader: Reader, run: Run) -> bool:
    """The file itself, its name, its problems and its history: the team and the organisers."""
    return owns_run(reader, run) or reader.is_organiser(run.task_id)


def may_download_texts(reader: Reader, split: Split, phases: Iterable[Phase]) -> bool:
    """Texts of train and dev at any time; of a blind split once a phase on it has opened; for people with an account."""
    if reader.is_organiser(split.task_id):
        return True
    if reader.user_id is None:
        return False
    return not split.blind or released(split, phases) is not None


def may_download_start(reader: Reader, phase: Phase, track: Track) -> bool:
    """The run to fill in of a track: when its phase has begun, and hands out what the track gives."""
    if track.id not in phase.tracks:
        return False
    if reader.is_organiser(phase.task_id):
        return True
    if reader.user_id is None:
        return False
    if not phase.split.blind:
        return True
    enough = phase.releases is not Release.TEXT or not track.gives_entities
    return phase.state is not PhaseState.UPCOMING and enough


def may_download_gold(reader: Reader, split: Split, phases: Iterable[Phase], *, gold_public: bool) -> bool:
    """Gold of train and dev, for people with an account.

    That of a blind split is nobody's, not even the organisers' here, who have it; unless a phase that hands out everything
    has begun, or the task says `gold_public` and every phase on the split has closed.
    """
    return reader.user_id is not None and is_gold_released(split, phases, gold_public=gold_public)


def is_gold_released(split: Split, phases: Iterable[Phase], *, gold_public: bool) -> bool:
    """Whether anybody may have the annotations, so that no run on them can count any more."""
    return not split.blind or (gold_public and all_closed(split.id, phases)) or released(split, phases) is Release.EVERYTHING


def name_of(reader: Reader, team: Team, task: Task) -> str:
    """What a team is called to this reader: an alias to others, while a task keeps its teams anonymous."""
    hides = task.anonymous and not team.baseline and not all(each.is_over for each in task.phases)
    return team.alias if hides and team.id not in reader.teams and not reader.is_organiser(task.id) else team.name
