"""Who may see and do what, in one place.

`RULES` says for every endpoint who may call it; the guard (`app.guard`) asks it before any view runs, and a test fails for a
route without a rule. What a phase tells of scores is `told`; what may be downloaded is `may_download_texts` and
`may_download_gold`. Gold of a blind split has no address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.accounts.models import Team
from app.runs.models import Run
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase, Split, Task
from evaluator.task import Disclosure


class Rule(StrEnum):
    """Who may call an endpoint."""

    EVERYONE = "everyone"
    SIGNED_IN = "people with an account"
    MEMBER = "members of a team of the task"
    CAPTAIN = "the captain of a team of the task"
    ORGANISER = "organisers of the task"
    RUN_READER = "the run's team and the organisers, and everybody once it is published"
    RUN_TEAM = "the run's team"
    RUN_KEEPER = "the run's team and the organisers"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "static": Rule.EVERYONE,
        "openapi.spec": Rule.EVERYONE,
        "shared_tasks.index": Rule.EVERYONE,
        "shared_tasks.task": Rule.EVERYONE,
        "shared_tasks.guide": Rule.EVERYONE,
        "shared_tasks.problems": Rule.EVERYONE,
        "shared_tasks.bundle": Rule.EVERYONE,
        "shared_tasks.texts": Rule.SIGNED_IN,
        "shared_tasks.gold": Rule.SIGNED_IN,
        "shared_tasks.terms": Rule.SIGNED_IN,
        "organise.overview": Rule.ORGANISER,
        "organise.turn_phase": Rule.ORGANISER,
        "organise.set_dates": Rule.ORGANISER,
        "organise.set_options": Rule.ORGANISER,
        "organise.set_terms": Rule.ORGANISER,
        "organise.announce": Rule.ORGANISER,
        "organise.approve": Rule.ORGANISER,
        "organise.invite_organiser": Rule.ORGANISER,
        "organisers.become": Rule.SIGNED_IN,
        "organise.revoke_organiser_invitation": Rule.ORGANISER,
        "organise.remove_organiser": Rule.ORGANISER,
        "organise.participants_csv": Rule.ORGANISER,
        "organise.audit_csv": Rule.ORGANISER,
        "organise.dry_run": Rule.ORGANISER,
        "organise.reset_link": Rule.ORGANISER,
        "organise.audit_log": Rule.ORGANISER,
        "organise.scores_csv": Rule.ORGANISER,
        "organise.runs_zip": Rule.ORGANISER,
        "organise.acceptances_csv": Rule.ORGANISER,
        "leaderboards.leaderboard": Rule.EVERYONE,
        "leaderboards.leaderboard_csv": Rule.EVERYONE,
        "accounts.register": Rule.EVERYONE,
        "accounts.confirm": Rule.EVERYONE,
        "accounts.sign_in": Rule.EVERYONE,
        "accounts.sign_out": Rule.EVERYONE,
        "accounts.forgot": Rule.EVERYONE,
        "accounts.reset": Rule.EVERYONE,
        "accounts.account": Rule.SIGNED_IN,
        "accounts.profile": Rule.SIGNED_IN,
        "accounts.password": Rule.SIGNED_IN,
        "accounts.delete": Rule.SIGNED_IN,
        "accounts.new_token": Rule.SIGNED_IN,
        "accounts.revoke_token": Rule.SIGNED_IN,
        "teams.new_team": Rule.SIGNED_IN,
        "teams.join": Rule.SIGNED_IN,
        "teams.team": Rule.SIGNED_IN,
        "teams.leave": Rule.MEMBER,
        "teams.invite": Rule.MEMBER,
        "teams.revoke_invitation": Rule.MEMBER,
        "teams.rename": Rule.CAPTAIN,
        "teams.hand_over": Rule.CAPTAIN,
        "runs.upload": Rule.SIGNED_IN,
        "runs.run": Rule.RUN_READER,
        "runs.publish": Rule.RUN_TEAM,
        "runs.withdraw": Rule.RUN_TEAM,
        "runs.nominate": Rule.RUN_TEAM,
        "runs.describe": Rule.RUN_TEAM,
        "runs.file": Rule.RUN_KEEPER,
        "runs.corrected": Rule.RUN_KEEPER,
        "runs.submit": Rule.RUN_TEAM,
        "api.list_tasks": Rule.EVERYONE,
        "api.get_task": Rule.EVERYONE,
        "api.get_leaderboard": Rule.EVERYONE,
        "api.get_texts": Rule.SIGNED_IN,
        "api.get_gold": Rule.SIGNED_IN,
        "api.post_run": Rule.SIGNED_IN,
        "api.get_run": Rule.RUN_READER,
        "api.get_run_file": Rule.RUN_KEEPER,
        "api.get_corrected": Rule.RUN_KEEPER,
        "api.submit": Rule.RUN_TEAM,
        "api.publish": Rule.RUN_TEAM,
        "api.withdraw": Rule.RUN_TEAM,
    }
)


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


def all_closed(split_id: int, phases: Iterable[Phase]) -> bool:
    """Whether the gold of a split is in use no more; a split without a phase never was."""
    on_split = [each for each in phases if each.split_id == split_id]
    return bool(on_split) and all(each.is_over for each in on_split)


def may_see_task(reader: Reader, task: Task) -> bool:
    """An archived task is seen by its organisers and by those who took part."""
    return task.archived_at is None or reader.is_organiser(task.id) or task.id in reader.takes_part_in


def may_see_run(reader: Reader, run: Run) -> bool:
    """A run is seen by its team and the organisers, and by everybody once it is published; a dry run never is."""
    return may_see_upload(reader, run) or (
        run.published_at is not None and not run.team.hidden and may_see_task(reader, run.task)
    )


def owns_run(reader: Reader, run: Run) -> bool:
    """Whether the reader may publish, withdraw and change the run: its team only."""
    return run.team_id in reader.teams


def may_see_upload(reader: Reader, run: Run) -> bool:
    """The file itself, its name, its problems and its history: the team and the organisers."""
    return owns_run(reader, run) or reader.is_organiser(run.task_id)


def may_download_texts(reader: Reader, split: Split, phases: Iterable[Phase]) -> bool:
    """Texts of train and dev at any time; of a blind split once a phase on it has opened; for people with an account."""
    if reader.is_organiser(split.task_id):
        return True
    if reader.user_id is None:
        return False
    return not split.blind or any(each.split_id == split.id and each.state is not PhaseState.UPCOMING for each in phases)


def may_download_gold(reader: Reader, split: Split, phases: Iterable[Phase], *, gold_public: bool) -> bool:
    """Gold of train and dev, for people with an account.

    That of a blind split is nobody's, not even the organisers' here, who have it; unless the task says `gold_public` and
    every phase on the split has closed.
    """
    return reader.user_id is not None and is_gold_released(split, phases, gold_public=gold_public)


def is_gold_released(split: Split, phases: Iterable[Phase], *, gold_public: bool) -> bool:
    """Whether anybody may have the annotations, so that no run on them can count any more."""
    return not split.blind or (gold_public and all_closed(split.id, phases))


def name_of(reader: Reader, team: Team, task: Task) -> str:
    """What a team is called to this reader: an alias to others, while a task keeps its teams anonymous."""
    hides = task.anonymous and not all(each.is_over for each in task.phases)
    return team.alias if hides and team.id not in reader.teams and not reader.is_organiser(task.id) else team.name
