"""Who may see what, in one place.

A reader is a visitor, a member of a team of the task, or an organiser of the task. Gold and the runs of others are never
handed out; what a phase tells of scores is decided by `told`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.runs.models import Run
from app.shared_tasks.models import Phase, PhaseState, Split
from evaluator.task import Disclosure


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever asks: a person's id with the teams they are in and the tasks they organise, or nobody."""

    user_id: int | None = None
    teams: frozenset[int] = field(default_factory=frozenset)
    organises: frozenset[int] = field(default_factory=frozenset)

    def is_organiser(self, task_id: int) -> bool:
        """Whether they run the task."""
        return task_id in self.organises


def told(reader: Reader, phase: Phase, phases: Iterable[Phase]) -> Disclosure:
    """How much of the scores of runs of a phase the reader is told.

    Organisers have the gold, so everything. For others, a split whose gold is public is told in full. A blind split is
    told in full only after every phase that takes runs on it has closed; before that, a phase that is over tells the
    headline, and one that takes runs what its definition says, at most the headline.

    Args:
        reader: who asks.
        phase: the phase of the runs.
        phases: all phases of the task.
    """
    if reader.is_organiser(phase.task_id):
        return Disclosure.FULL
    if not phase.split.blind:
        return Disclosure.FULL
    if _all_closed(phase.split_id, phases):
        return Disclosure.FULL
    if phase.state is PhaseState.CLOSED or phase.tells is not Disclosure.NOTHING:
        return Disclosure.HEADLINE
    return Disclosure.NOTHING


def _all_closed(split_id: int, phases: Iterable[Phase]) -> bool:
    """Whether the gold of a split is in use no more; a split without a phase never was."""
    states = [each.state for each in phases if each.split_id == split_id]
    return bool(states) and all(each is PhaseState.CLOSED for each in states)


def may_see_run(reader: Reader, run: Run) -> bool:
    """A run is seen by its team and the organisers, and by everybody once it is published."""
    return owns_run(reader, run) or reader.is_organiser(run.task_id) or run.published_at is not None


def owns_run(reader: Reader, run: Run) -> bool:
    """Whether the reader may publish, withdraw and change the run: its team only."""
    return run.team_id in reader.teams


def may_see_upload(reader: Reader, run: Run) -> bool:
    """The file itself, its name and its problems: the team and the organisers."""
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
    if reader.user_id is None:
        return False
    return not split.blind or (gold_public and _all_closed(split.id, phases))
