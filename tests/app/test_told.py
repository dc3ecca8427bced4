"""What is told: role × phase × what, looked for on every page and every address of the API that can be read."""

from __future__ import annotations

import io
import re
from zipfile import BadZipFile, ZipFile

import pytest

from app.access import TELLS, Reader, What, may_be_told
from app.analysis.jobs import analyse
from app.runs.models import Run
from evaluator.task import Disclosure
from tests.app.test_tracks import CONF, TOML, send
from tests.factories import Server

# One trigger, ten entities of each label, all of them right in the run. Of relations, ARG1 leads from the trigger to AA and
# ARGM to BB: ARG1 tp 2, fp 3, fn 5: F1 4/12 = .3333. ARGM tp 1, fp 4, fn 5: F1 2/11 = .1818. All: tp 3, fp 7, fn 10: F1
# 6/23 = .2609, rounded .26. These digits occur nowhere else.
WORDS = [f"w{number:02}" for number in range(21)]
ENTITIES = [f"T{n + 1}\t{'AA' if n < 10 else 'BB'} {4 * n} {4 * n + 3}\t{WORDS[n]}" for n in range(20)]
TRIGGER = "T21\tSTEP 80 83\tw20"


def document(first: range, second: range, *, stray: bool = False) -> str:
    relations = [("ARG1", n + 1) for n in first] + [("ARGM", n + 11) for n in second]
    lines = [f"R{i}\t{label} Arg1:T21 Arg2:T{target}" for i, (label, target) in enumerate(relations, 1)]
    extra = ["T22\tAA 0 7\tw00 w01", "T23\tAA 0 3\tw00"] if stray else []
    return "\n".join([*ENTITIES, TRIGGER, *extra, *lines]) + "\n"


TEXTS = {"d1": " ".join(WORDS)}
GOLD = {"d1": document(range(7), range(6))}
RUN = {"d1": document(range(5, 10), range(5, 10), stray=True)}
# Train has five of the words as entities AA: they are S1. Of the strings that it does not have, S4, fifteen entities are right
# and the stray one is not: F1 30/31 = .9677.
TRAIN_TEXTS = {"r1": " x ".join(WORDS[:5])}
TRAIN_GOLD = {"r1": "".join(f"T{n + 1}\tAA {6 * n} {6 * n + 3}\t{WORDS[n]}\n" for n in range(5))}
MARKS = {
    What.OVERALL: r"\b0\.26(?:09\d*)?\b",
    What.COUNTS: r"\b0\.2608?\d{3,}|\b0\.2609\b",
    What.PER_LABEL: r"\b0\.1818\d*\b",
    What.PER_STRATUM: r"\b0\.9677\d*\b",
    What.CONFUSION: r"Gold labels in rows|\"counts\":",
    What.PROBLEMS: r"T23, the same as T1\b",
    What.GOLD: r"<mark>w00 w01</mark>|\"text\":\s*\"w00 w01\"|Arg2:T11\b",  # the run has no relation to T11
}
ROLES = ("visitor", "rival", "ann", "organiser")
QUERIES = (
    "?phase=one&track=e2e", "?phase=one&track=e2e&board=team", "?kind=entities&annotations=relations",
    "?phase=one&track=e2e&annotations=entities&split=test",
)  # fmt: skip
ASKED = {
    "leaderboards.leaderboard", "leaderboards.leaderboard_csv", "leaderboards.criteria", "leaderboards.criteria_csv",
    "leaderboards.criteria_latex", "teams.team", "organise.overview", "api.get_leaderboard", "runs.run", "confusion.page",
    "confusion.table_csv", "api.get_confusion", "strata.page", "strata.export", "strata.all_page", "strata.all_export",
    "leakage.report", "leakage.export", "api_strata.get_board", "api_strata.get_run", "groups.page", "groups.export",
    "certainty.page", "certainty.export", "certainty.all_page", "certainty.all_export",
    "groups.all_page", "groups.all_export", "api_groups.get_board", "api_groups.get_run",
}  # fmt: skip
"""Endpoints that what is asked for makes a difference to; all others are asked once."""
PARTS = {"slug": "t", "name": "test", "phase": "one", "track": "e2e", "secret": "x", "sealed": "x", "format_": "json"}


@pytest.fixture
def lab(server: Server) -> Server:
    server.add_task(
        toml=TOML, conf=CONF, corpora={"train": (TRAIN_TEXTS, TRAIN_GOLD), "dev": (TEXTS, {"d1": ""}), "test": (TEXTS, GOLD)}
    )
    server.add_person("ann", "Ann's")
    server.add_person("rival", "Others")
    return server


def seen(lab: Server, role: str, run_id: str) -> set[What]:
    """What a role finds when it asks for everything that there is."""
    browser = lab.browser(None if role == "visitor" else role)
    found: set[What] = set()
    for route in lab.app.url_map.iter_rules():
        if "GET" not in (route.methods or set()) or route.endpoint in ("static", "openapi.spec"):
            continue
        path = re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda part: PARTS.get(part[1], run_id), route.rule)
        headers = {}
        if route.endpoint.startswith("api") and role != "visitor":
            headers = {"Authorization": f"Bearer {lab.tokens[role]}"}
        for query in QUERIES if route.endpoint in ASKED else ("",):
            answer = browser.get(path + query, headers=headers)
            if answer.status_code != 200:
                continue
            text = readable(answer.data)
            found |= {what for what, mark in MARKS.items() if re.search(mark, text)}
    return found


def readable(data: bytes) -> str:
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return "".join(archive.read(each).decode() for each in archive.namelist())
    except BadZipFile:
        return data.decode()


# State of phases one (which the run is of) and two, both on the blind split, and the level that teams are told.
STATES = {
    "one open": ((), Disclosure.NOTHING),
    "one closed": ((("one", "close"),), Disclosure.HEADLINE),
    "two open": ((("one", "close"), ("two", "open")), Disclosure.HEADLINE),
    "both closed": ((("one", "close"), ("two", "open"), ("two", "close")), Disclosure.FULL),
}


@pytest.mark.parametrize("state", STATES)
def test_every_route_tells_every_role_what_it_may_and_no_more(lab: Server, state: str) -> None:
    turns, level = STATES[state]
    run_id = send(lab, RUN, "one", "e2e")
    analyse(lab.worker, lambda: False)
    lab.browser("ann").post(f"/runs/{run_id}/publish")
    for phase, action in turns:
        lab.turn(phase, action)

    scores = TELLS[level] & MARKS.keys()
    expected = {
        "visitor": scores,
        "rival": scores,
        "ann": scores | {What.PROBLEMS},
        "organiser": set(MARKS),
    }
    for role in ROLES:
        assert seen(lab, role, run_id) == expected[role], f"{role} while {state}"


@pytest.mark.parametrize("level", Disclosure)
def test_the_levels_grow(level: Disclosure) -> None:
    order = [Disclosure.NOTHING, Disclosure.HEADLINE, Disclosure.FULL]
    for less in order[: order.index(level)]:
        assert TELLS[less] < TELLS[level]
    assert not TELLS[level] & {What.GOLD, What.PROBLEMS}, "neither goes by the level of scores"


def test_the_table_as_a_whole(lab: Server) -> None:
    run_id = send(lab, RUN, "one", "e2e")
    with lab.worker.database.session(write=False) as session:
        run = session.get_one(Run, run_id)
        team, task = run.team_id, run.task_id
        member, organiser, visitor = Reader(1, frozenset({team})), Reader(2, organises=frozenset({task})), Reader()
        told = {name: {what for what in What if may_be_told(reader, run, what)} for name, reader in
                (("member", member), ("organiser", organiser), ("visitor", visitor))}  # fmt: skip
    assert told == {"member": {What.PROBLEMS}, "organiser": set(What), "visitor": set()}
