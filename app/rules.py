"""Who may call which endpoint.

The guard (`app.guard`) asks before any view runs, and a test fails for a route without a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


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
        "shared_tasks.start": Rule.SIGNED_IN,
        "shared_tasks.terms": Rule.SIGNED_IN,
        "organise.overview": Rule.ORGANISER,
        "phases.turn": Rule.ORGANISER,
        "phases.set_dates": Rule.ORGANISER,
        "phases.set_rules": Rule.ORGANISER,
        "gold.retry": Rule.ORGANISER,
        "gold.switch": Rule.ORGANISER,
        "gold.drop": Rule.ORGANISER,
        "leakage.report": Rule.ORGANISER,
        "leakage.export": Rule.ORGANISER,
        "leakage.pair": Rule.ORGANISER,
        "leakage.metadata": Rule.ORGANISER,
        "leakage.metadata_file": Rule.ORGANISER,
        "leakage.lexicon": Rule.ORGANISER,
        "leakage.retry": Rule.ORGANISER,
        "strata.all_page": Rule.ORGANISER,
        "strata.all_export": Rule.ORGANISER,
        "certainty.all_page": Rule.ORGANISER,
        "certainty.all_export": Rule.ORGANISER,
        "groups.all_page": Rule.ORGANISER,
        "name_boards.all_page": Rule.ORGANISER,
        "name_boards.all_export": Rule.ORGANISER,
        "leakage.census": Rule.ORGANISER,
        "groups.all_export": Rule.ORGANISER,
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
        "leaderboards.criteria": Rule.EVERYONE,
        "leaderboards.criteria_csv": Rule.EVERYONE,
        "leaderboards.criteria_latex": Rule.EVERYONE,
        "strata.page": Rule.EVERYONE,
        "strata.export": Rule.EVERYONE,
        "certainty.page": Rule.EVERYONE,
        "certainty.export": Rule.EVERYONE,
        "groups.page": Rule.EVERYONE,
        "name_boards.page": Rule.EVERYONE,
        "name_boards.export": Rule.EVERYONE,
        "groups.export": Rule.EVERYONE,
        "leaderboards.changes": Rule.EVERYONE,
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
        "confusion.page": Rule.RUN_READER,
        "confusion.table_csv": Rule.RUN_READER,
        "categories.page": Rule.RUN_READER,
        "categories.export": Rule.RUN_READER,
        "names.page": Rule.RUN_READER,
        "names.export": Rule.RUN_READER,
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
        "api_changes.get_changes": Rule.EVERYONE,
        "api_strata.get_board": Rule.EVERYONE,
        "api_groups.get_board": Rule.EVERYONE,
        "api_groups.get_run": Rule.RUN_READER,
        "api_strata.get_run": Rule.RUN_READER,
        "api.get_texts": Rule.SIGNED_IN,
        "api.get_gold": Rule.SIGNED_IN,
        "api.get_start": Rule.SIGNED_IN,
        "api.post_run": Rule.SIGNED_IN,
        "api.get_run": Rule.RUN_READER,
        "api.get_confusion": Rule.RUN_READER,
        "api.get_run_file": Rule.RUN_KEEPER,
        "api.get_corrected": Rule.RUN_KEEPER,
        "api.submit": Rule.RUN_TEAM,
        "api.publish": Rule.RUN_TEAM,
        "api.withdraw": Rule.RUN_TEAM,
    }
)
