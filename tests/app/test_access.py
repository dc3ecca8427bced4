"""Who may call what, for every route and every role; and what a phase tells to whom."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from app.access import Reader, allows, may_download_gold, may_download_texts, told
from app.clock import now
from app.rules import RULES, Rule
from app.shared_tasks.models import Phase, Split
from evaluator.task import Disclosure, Release
from tests.factories import DEV_GOLD, Server, zipped

ROLES = ("visitor", "person", "rival", "member", "captain", "organiser", "elsewhere", "admin")
TEAM = {"member", "captain"}
STAFF = {"organiser", "admin"}
PEOPLE = set(ROLES) - {"visitor"}
# Who may call an endpoint with a rule, for the task `t`, the run of the captain's team that is not published.
ALLOWED = {
    Rule.EVERYONE: set(ROLES),
    Rule.SIGNED_IN: PEOPLE,
    Rule.MEMBER: TEAM | {"rival"},
    Rule.CAPTAIN: {"captain", "rival"},
    Rule.ORGANISER: STAFF,
    Rule.RUN_READER: TEAM | STAFF,
    Rule.RUN_TEAM: TEAM,
    Rule.RUN_KEEPER: TEAM | STAFF,
}


@pytest.fixture
def run_id(server: Server) -> str:
    """A task with a team of two, a rival team of one, an organiser, one of another task, and an administrator."""
    server.add_task()
    server.add_person("captain", "Team One")
    server.add_person("rival", "Team Two")
    for name in ("member", "person", "elsewhere", "admin"):
        server.add_person(name)
    page = server.browser("captain").post("/tasks/t/team/invitation", follow_redirects=True).text
    link = re.search(r"/invitations/[\w-]+", page)
    assert link is not None
    server.browser("member").post(link[0])
    with server.worker.database.session(write=True) as session:
        from app.accounts.services import find_user  # noqa: PLC0415 - only here

        find_user(session, "admin@x.org").is_admin = True
        session.commit()
    off = {
        id_: re.sub(r"(\d+) (\d+)\t", lambda found: f"{int(found[1]) + 1} {int(found[2]) + 1}\t", ann)
        for id_, ann in DEV_GOLD.items()
    }
    run_id: str = server.upload("captain", off)["id"]
    return run_id


def test_every_route_has_a_rule_and_every_rule_a_route(server: Server) -> None:
    endpoints = {rule.endpoint for rule in server.app.url_map.iter_rules()}

    assert endpoints == set(RULES)


def test_a_route_without_a_rule_is_closed(server: Server) -> None:
    server.app.add_url_rule("/new", "new", lambda: "secret")

    assert server.browser().get("/new").status_code == 403


PARTS = {
    "slug": "t", "track": "ner", "name": "dev", "phase": "dev", "action": "open", "secret": "x", "sealed": "x", "token_id": "1",
    "team_id": "99", "user_id": "99", "invitation_id": "99", "version": "9", "format_": "csv",
    "number": "99",
}  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_every_route_as_every_role(server: Server, run_id: str, role: str) -> None:
    asked = 0
    for route in server.app.url_map.iter_rules():
        if route.endpoint in ("static", "accounts.sign_out", "accounts.delete", "teams.leave"):
            continue  # the last three would end the experiment; they have the rules of their neighbours
        path = re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda found: PARTS.get(found[1], run_id), route.rule)
        for method in sorted({"GET", "POST"} & (route.methods or set())):
            browser = server.browser(None if role == "visitor" else role)
            token = None if role == "visitor" else server.tokens[role]
            headers = {"Authorization": f"Bearer {token}"} if token and route.endpoint.startswith("api") else {}
            form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(zipped(DEV_GOLD)), "r.zip")} if "upload" in path else {}
            answer = browser.open(path, method=method, headers=headers, data=form)
            refused = answer.status_code in (401, 403) or "/sign-in?" in answer.headers.get("Location", "")
            refused = refused or answer.headers.get("Location") == "/sign-in"
            unseen = answer.status_code == 404 and RULES[route.endpoint] in (Rule.RUN_READER, Rule.RUN_TEAM, Rule.RUN_KEEPER)
            may = role in ALLOWED[RULES[route.endpoint]]
            asked += 1
            if may:
                assert not unseen, f"{role} {method} {path}"
                # Let in by the guard; a view may still say no for a reason of its own, in words of its own.
                assert not refused or "This is for" not in answer.text, f"{role} {method} {path}"
            else:
                assert refused or unseen, f"{role} {method} {path}: {answer.status_code}"
            assert answer.status_code < 500, f"{role} {method} {path}"
            answer.close()
    assert asked > 60


def test_what_a_rule_asks_for() -> None:
    member = Reader(1, teams=frozenset({7}), takes_part_in=frozenset({3}))
    assert not allows(Rule.CAPTAIN, member, task_id=3, team_id=7)
    assert allows(Rule.CAPTAIN, replace(member, captain_of=frozenset({7})), task_id=3, team_id=7)
    admin = Reader(1, is_admin=True)
    assert allows(Rule.ORGANISER, admin, task_id=3)
    assert not allows(Rule.ORGANISER, replace(admin, takes_part_in=frozenset({3})), task_id=3), "who takes part does not run it"


@dataclass
class When:
    """A state of a phase as its dates."""

    opens: int | None
    closes: int | None


UPCOMING, OPEN, CLOSED = When(None, None), When(-1, 1), When(-2, -1)
JUST_CLOSED = When(-2, 0)  # bodies of requests that began in time may still arrive
VISITOR, PERSON, ORGANISER = Reader(), Reader(5), Reader(6, organises=frozenset({1}))
FULL, HEADLINE, NOTHING = Disclosure.FULL, Disclosure.HEADLINE, Disclosure.NOTHING


def phase(when: When, split: Split, tells: Disclosure = NOTHING) -> Phase:
    def moment(days: int | None) -> object:
        return None if days is None else now() + timedelta(days=days)

    dates = {"opens_at": moment(when.opens), "closes_at": moment(when.closes)}
    return Phase(
        task_id=1,
        split_id=split.id,
        split=split,
        tracks=("ner",),
        releases=Release.TEXT,
        tells=tells,
        grace_minutes=30,
        **dates,
    )


@pytest.mark.parametrize(
    ("blind", "this", "tells", "other", "to_others"),
    [
        # Gold that is public: everything, whatever the phase says.
        (False, OPEN, NOTHING, UPCOMING, FULL),
        (False, OPEN, FULL, UPCOMING, FULL),
        (False, CLOSED, NOTHING, CLOSED, FULL),
        # A blind split, this phase open: what the phase says, and never everything.
        (True, OPEN, NOTHING, UPCOMING, NOTHING),
        (True, OPEN, HEADLINE, UPCOMING, HEADLINE),
        (True, OPEN, FULL, UPCOMING, HEADLINE),
        (True, OPEN, NOTHING, CLOSED, NOTHING),
        # This phase closed and the other one on the split not: the headline.
        (True, CLOSED, NOTHING, UPCOMING, HEADLINE),
        (True, CLOSED, NOTHING, OPEN, HEADLINE),
        (True, CLOSED, FULL, OPEN, HEADLINE),
        (True, JUST_CLOSED, NOTHING, UPCOMING, NOTHING),
        (True, JUST_CLOSED, NOTHING, CLOSED, NOTHING),
        (True, CLOSED, NOTHING, JUST_CLOSED, HEADLINE),
        # Both closed: everything.
        (True, CLOSED, NOTHING, CLOSED, FULL),
    ],
)
def test_what_a_phase_tells(blind: bool, this: When, tells: Disclosure, other: When, to_others: Disclosure) -> None:
    split = Split(id=1, task_id=1, name="s", blind=blind)
    phases = [phase(this, split, tells), phase(other, split)]

    assert told(VISITOR, phases[0], phases) is to_others
    assert told(PERSON, phases[0], phases) is to_others
    assert told(ORGANISER, phases[0], phases) is FULL


@pytest.mark.parametrize(
    ("blind", "when", "public", "texts", "gold"),
    [
        (False, UPCOMING, False, True, True),
        (True, UPCOMING, True, False, False),
        (True, OPEN, True, True, False),
        (True, CLOSED, False, True, False),
        (True, JUST_CLOSED, True, True, False),
        (True, CLOSED, True, True, True),
    ],
)
def test_what_may_be_downloaded(blind: bool, when: When, public: bool, texts: bool, gold: bool) -> None:
    split = Split(id=1, task_id=1, name="s", blind=blind)
    phases = [phase(when, split)]

    assert may_download_texts(PERSON, split, phases) is texts
    assert may_download_gold(PERSON, split, phases, gold_public=public) is gold
    assert may_download_gold(ORGANISER, split, phases, gold_public=public) is gold
    assert not may_download_texts(VISITOR, split, phases)
    assert not may_download_gold(VISITOR, split, phases, gold_public=public)
    assert may_download_texts(ORGANISER, split, phases)
