"""Accounts, teams and what organisers can do with them."""

from __future__ import annotations

import csv
import io
import re
import threading
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from app import create_app
from app.clock import now
from app.mail import Letter, SmtpMail
from app.runs.models import Run
from app.shared_tasks.models import Task
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, PASSWORD, TEST_GOLD, Server


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    server.add_person("bob", "Team Two")


def secret_link(page: str, kind: str) -> str:
    found = re.search(rf"/{kind}/[\w.-]+", page)
    assert found is not None, page
    return found[0]


def invite(server: Server, name: str = "ann") -> str:
    return secret_link(server.browser(name).post("/tasks/t/team/invitation", follow_redirects=True).text, "invitations")


def join(server: Server, name: str) -> None:
    server.add_person(name)
    assert server.browser(name).post(invite(server)).status_code == 302


def signed_in(client: FlaskClient) -> bool:
    return client.get("/account").status_code == 200


def test_changing_the_password_ends_other_sessions_and_needs_the_old_one(server: Server) -> None:
    here, there = server.browser("ann"), server.browser("ann")
    wrong = here.post("/account/password", data={"old": "wrong", "password": "another password"})
    assert "This is not your present password" in wrong.text
    assert here.post("/account/password", data={"old": PASSWORD, "password": "another password"}).status_code == 302

    assert signed_in(here)
    assert not signed_in(there)
    assert server.browser().post("/sign-in", data={"email": "ann@x.org", "password": PASSWORD}).status_code == 200


def test_a_copied_cookie_is_worth_nothing_after_signing_out(server: Server) -> None:
    here, copy = server.browser("ann"), server.app.test_client()
    cookie = here.get_cookie("assay")
    assert cookie is not None
    copy.set_cookie("assay", cookie.value)
    assert signed_in(copy)
    here.post("/sign-out")

    assert not signed_in(copy)


def test_the_session_is_another_after_signing_in(server: Server) -> None:
    client = server.app.test_client()
    with client.session_transaction() as session:
        session["planted"] = "by somebody else"
    client.post("/sign-in", data={"email": "ann@x.org", "password": PASSWORD})

    with client.session_transaction() as session:
        assert "planted" not in session


class Letters:
    """A mail server that keeps what it is given."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def post(self, compose: Callable[[], Letter | None]) -> None:
        letter = compose()
        if letter is not None:
            self.sent.append((letter.to, letter.text))


def test_a_forgotten_password_by_mail(server: Server, queue: InlineQueue) -> None:
    letters = Letters()
    app = create_app(server.worker.settings, queue, letters)
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()
    known, unknown = (client.post("/forgot", data={"email": f"{name}@x.org"}) for name in ("ann", "nobody"))

    assert known.text == unknown.text
    assert [to for to, _ in letters.sent] == ["ann@x.org"]
    link = secret_link(letters.sent[0][1], "reset")
    assert "too short" in client.post(link, data={"password": "short"}).text
    assert client.post(link, data={"password": "a new password"}).status_code == 302
    assert client.post(link, data={"password": "once more please"}).status_code == 404, "a link works once"
    assert server.browser().post("/sign-in", data={"email": "ann@x.org", "password": "a new password"}).status_code == 302
    assert server.api("GET", "/tasks", "ann").status_code == 401, "tokens end too"


def test_an_account_is_made_by_a_letter_and_no_page_tells_who_has_one(server: Server, queue: InlineQueue) -> None:
    letters = Letters()
    app = create_app(server.worker.settings, queue, letters)
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()

    def ask(email: str) -> Any:
        form = {"email": email, "name": "Zoe", "affiliation": "A Lab"}
        return client.post("/register?next=/tasks/t", data=form)

    assert 'name="password"' not in client.get("/register").text
    assert "such as name@lab.org" in ask("zoe").text
    assert ask("zoe@x.org").text == ask("Ann@x.org").text.replace("ann@x.org", "zoe@x.org")
    assert [to for to, _ in letters.sent] == ["zoe@x.org", "ann@x.org"]
    assert "/register/" not in letters.sent[1][1]
    found = re.search(r"/register/\S+", letters.sent[0][1])
    assert found
    with time_machine.travel(now() + timedelta(days=1, seconds=9)):
        assert client.get(found[0]).status_code == 404
    assert "zoe@x.org" in client.get(found[0]).text
    assert "too short" in client.post(found[0], data={"password": "short"}).text
    made = client.post(found[0], data={"password": PASSWORD})
    assert (made.status_code, made.location) == (302, "/tasks/t")
    assert "A Lab" in client.get("/account").text
    again = client.post(found[0], data={"password": "another password"})
    assert "cannot be registered" in again.text, "the link does not change an account"


def test_a_letter_that_fails_is_told_to_the_log_only(capfd: pytest.CaptureFixture[str]) -> None:
    mail = SmtpMail("smtp://127.0.0.1:1", "assay@x.org")

    def broken() -> Letter:
        raise OSError("no database")

    for compose in (broken, lambda: None, lambda: Letter("a@x.org", "s", "t")):
        mail.post(compose)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.name.startswith("letter"):
            thread.join(20)
    told = capfd.readouterr()
    assert "letter not composed" in told.out + told.err
    assert "mail not sent" in told.out + told.err


def test_without_mail_an_organiser_makes_the_link(server: Server) -> None:
    assert "Ask an organiser" in server.browser().get("/forgot").text
    organiser = server.browser("organiser")
    page = organiser.get("/tasks/t/organise").text
    form = re.search(r"/tasks/t/organise/teams/\d+/members/\d+/reset", page)
    assert form is not None
    link = secret_link(organiser.post(form[0], follow_redirects=True).text, "reset")
    with time_machine.travel(now() + timedelta(hours=2, seconds=1)):
        assert server.browser().post(link, data={"password": "a new password"}).status_code == 404
    assert server.browser().post(link, data={"password": "a new password"}).status_code == 302
    assert "reset link" in organiser.get("/tasks/t/organise/audit").text


def test_an_invitation_expires_and_can_be_revoked(server: Server) -> None:
    server.add_person("eve")
    link = invite(server)
    with time_machine.travel(now() + timedelta(days=14, seconds=1)):
        assert server.browser("eve").post(link).status_code == 404
    page = server.browser("ann").get("/tasks/t/team").text
    revoke = re.search(r"/tasks/t/team/invitation/\d+/revoke", page)
    assert revoke is not None
    assert server.browser("bob").post(revoke[0]).status_code == 404, "another team's"
    assert server.browser("ann").post(revoke[0]).status_code == 302
    assert server.browser("eve").post(link).status_code == 404


def test_the_captain_hands_over_renames_and_leaves(server: Server) -> None:
    join(server, "eve")
    assert server.browser("eve").post("/tasks/t/team/rename", data={"name": "Mine"}).status_code == 403
    assert server.browser("ann").post("/tasks/t/team/rename", data={"name": "Team Two"}).status_code == 200
    assert server.browser("ann").post("/tasks/t/team/rename", data={"name": "Team Uno"}).status_code == 302
    form = re.search(r"/tasks/t/team/captain/\d+", server.browser("ann").get("/tasks/t/team").text)
    assert form is not None
    assert server.browser("ann").post(form[0]).status_code == 302
    assert server.browser("eve").post("/tasks/t/team/rename", data={"name": "Team Eve"}).status_code == 302
    assert server.browser("eve").post("/tasks/t/team/leave").status_code == 302
    assert "captain" in server.browser("ann").get("/tasks/t/team").text, "who stayed follows"
    assert server.browser("eve").get("/tasks/t/team").location == "/tasks/t/team/new"


def test_deleting_an_account_keeps_the_runs_of_its_team(server: Server) -> None:
    join(server, "eve")
    run_id = server.upload("ann", DEV_GOLD, run="ours")["id"]
    ann = server.browser("ann")
    assert "not your present password" in ann.post("/account/delete", data={"password": "wrong"}).text
    assert ann.post("/account/delete", data={"password": PASSWORD}).status_code == 302

    assert not signed_in(ann)
    assert server.browser().post("/sign-in", data={"email": "ann@x.org", "password": PASSWORD}).status_code == 200
    assert server.run(run_id, "eve")["name"] == "ours"
    page = server.browser("eve").get("/tasks/t/team").text
    assert "eve" in page
    assert "ann" not in re.sub(r"announce|[a-z]+ann|annot", "", page).split("Members")[1].split("</ul>")[0]
    assert server.browser("organiser").post("/account/delete", data={"password": PASSWORD}).status_code == 200, (
        "the only organiser stays"
    )


def test_an_affiliation_is_shown_to_organisers(server: Server) -> None:
    server.browser("ann").post("/account/profile", data={"name": "Ann B", "affiliation": "University of X"})

    assert "Ann B, University of X" in server.browser("organiser").get("/tasks/t/organise").text


def options(server: Server, **switches: str) -> None:
    assert server.browser("organiser").post("/tasks/t/organise/options", data=switches).status_code == 302


def test_a_team_waits_for_approval_where_the_task_says_so(server: Server) -> None:
    options(server, approves_teams="y")
    server.add_person("cid", "Team Three")
    assert "The organisers approve teams" in server.browser("cid").get("/tasks/t/team").text
    with pytest.raises(AssertionError, match="have not approved your team"):
        server.upload("cid", DEV_GOLD)
    approve = re.search(r"/tasks/t/organise/teams/\d+/approve", server.browser("organiser").get("/tasks/t/organise").text)
    assert approve is not None
    server.browser("organiser").post(approve[0])
    assert server.upload("cid", DEV_GOLD)["state"] == "received"
    assert server.upload("ann", DEV_GOLD), "teams from before are approved"


def test_teams_are_anonymous_until_every_phase_has_closed(server: Server) -> None:
    options(server, anonymous="y")
    run_id = server.upload("ann", TEST_GOLD, phase="test")["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")

    def seen(name: str | None) -> bool:
        boards = [server.browser(name).get(f"/tasks/t/leaderboard{kind}?phase=test").text for kind in ("", ".csv")]
        api = server.api("GET", "/tasks/t/leaderboard", name, query_string={"phase": "test"}).text
        page = server.browser(name).get(f"/runs/{run_id}").text + server.api("GET", f"/runs/{run_id}", name).text
        return all("Team One" in each for each in (*boards, api, page))

    def seen_anywhere(name: str | None) -> bool:
        return "Team One" in "".join(
            server.browser(name).get(each).text
            for each in (
                "/tasks/t/leaderboard?phase=test",
                "/tasks/t/leaderboard.csv?phase=test",
                f"/runs/{run_id}",
                "/tasks/t",
            )
        )

    assert seen("ann")
    assert seen("organiser")
    assert not seen_anywhere("bob")
    assert not seen_anywhere(None)
    for phase in ("dev", "test"):
        server.turn(phase, "close")
    assert not seen_anywhere(None), "the late phase has not been"
    server.turn("late", "open")
    server.turn("late", "close")
    assert seen(None)


def test_a_dry_run_is_seen_by_organisers_only(server: Server) -> None:
    server.browser("organiser").post("/tasks/t/organise/dry-run")
    run_id = server.upload("organiser", DEV_GOLD, run="rehearsal")["id"]
    assert server.api("POST", f"/runs/{run_id}/publish", "organiser").status_code == 200

    assert server.api("GET", f"/runs/{run_id}").status_code == 404
    assert "rehearsal" not in server.browser("ann").get("/tasks/t/leaderboard?phase=dev").text
    assert "rehearsal" not in server.browser("organiser").get("/tasks/t/leaderboard?phase=dev").text
    assert "rehearsal" in server.browser("organiser").get("/tasks/t/organise?phase=dev").text
    assert "rehearsal" in server.browser("organiser").get("/tasks/t/team?phase=dev").text


def test_an_archived_task_is_put_away(server: Server) -> None:
    options(server, archived="y")
    assert "A task" not in server.browser().get("/").text
    assert server.browser().get("/tasks/t").status_code == 404
    assert server.api("GET", "/tasks").json == []
    assert server.browser("ann").get("/tasks/t").status_code == 200, "who took part may look back"
    with pytest.raises(AssertionError, match="archived"):
        server.upload("ann", DEV_GOLD)
    options(server)
    assert server.browser().get("/tasks/t").status_code == 200


def test_another_organiser_joins_by_a_link_and_cannot_take_part(server: Server) -> None:
    page = server.browser("organiser").post("/tasks/t/organise/organisers", follow_redirects=True).text
    link = secret_link(page, "organisers")
    assert server.browser("ann").post(link).status_code == 409, "who takes part cannot run it"
    server.add_person("olga")
    assert server.browser("olga").post(link).status_code == 302
    assert server.browser("olga").get("/tasks/t/organise").status_code == 200
    assert server.browser("olga").get("/tasks/t/team/new").location == "/tasks/t/organise"
    server.add_person("otto")
    assert server.browser("otto").post(link).status_code == 404, "it works once"
    organiser = server.browser("organiser")
    link = secret_link(organiser.post("/tasks/t/organise/organisers", follow_redirects=True).text, "organisers")
    with time_machine.travel(now() + timedelta(days=15)):
        assert server.browser("otto").get(link).status_code == 404
    revoke = re.search(r"/tasks/t/organise/organisers/invitations/\d+/revoke", organiser.get("/tasks/t/organise").text)
    assert revoke is not None
    organiser.post(revoke[0])
    assert server.browser("otto").post(link).status_code == 404
    remove = re.search(r"/tasks/t/organise/organisers/\d+/remove", organiser.get("/tasks/t/organise").text)
    assert remove is not None
    assert organiser.post(remove[0]).status_code == 302
    left = [server.browser(name).get("/tasks/t/organise").status_code for name in ("organiser", "olga")]
    assert sorted(left) == [200, 403]


def test_terms_are_accepted_before_the_first_download_and_again_when_they_change(server: Server) -> None:
    organiser = server.browser("organiser")

    def status(name: str = "ann") -> tuple[int, int]:
        api = server.api("GET", "/tasks/t/splits/dev/texts.zip", name).status_code
        return api, server.browser(name).get("/tasks/t/splits/dev/gold.zip").status_code

    assert status() == (200, 200)
    organiser.post("/tasks/t/organise/terms", data={"text": "Do not share. <script>alert(1)</script>"})
    assert status() == (409, 302)
    assert status("organiser") == (200, 200)
    page = server.browser("ann").get("/tasks/t").text
    assert "Do not share." in page
    assert "<script>alert" not in page
    server.browser("ann").post("/tasks/t/terms/1")
    assert status() == (200, 200)
    organiser.post("/tasks/t/organise/terms", data={"text": "Do not share at all."})
    assert status() == (409, 302)
    assert server.browser("ann").post("/tasks/t/terms/1").status_code == 422, "not what holds"
    server.browser("ann").post("/tasks/t/terms/2")
    assert status() == (200, 200)
    rows = list(csv.DictReader(io.StringIO(organiser.post("/tasks/t/organise/export/acceptances.csv").text)))
    assert [(row["email"], row["terms_version"]) for row in rows] == [("ann@x.org", "1"), ("ann@x.org", "2")]


def test_exports_hold_all_scores_and_all_runs_and_are_logged(server: Server) -> None:
    run_id = server.upload("ann", TEST_GOLD | {"t2": ""}, phase="test", run="=cmd()")["id"]
    server.upload("bob", {"d1": "nonsense"})
    organiser = server.browser("organiser")
    rows = list(csv.DictReader(io.StringIO(organiser.post("/tasks/t/organise/export/scores.csv").text)))
    overall = next(row for row in rows if row["label"] == "all" and row["span"] == "exact" and row["labels"] == "fine")
    assert (overall["team"], overall["run"], overall["run_id"], overall["official"]) == ("Team One", "'=cmd()", run_id, "1")
    assert (overall["tp"], overall["fp"], overall["fn"]) == ("2", "0", "1")
    with zipfile.ZipFile(io.BytesIO(organiser.post("/tasks/t/organise/export/runs.zip").data)) as archive:
        names = archive.namelist()
    assert len(names) == 2
    assert any(re.fullmatch(rf"\d+-Team_One/test/{run_id}-scored-run.zip", each) for each in names)
    people = list(csv.DictReader(io.StringIO(organiser.post("/tasks/t/organise/export/participants.csv").text)))
    assert [(row["team"], row["email"], row["role"]) for row in people] == [
        ("Team One", "ann@x.org", "captain"),
        ("Team Two", "bob@x.org", "captain"),
    ]
    with zipfile.ZipFile(io.BytesIO(organiser.post("/tasks/t/organise/export/runs.zip").data)) as archive:
        assert len(archive.namelist()) == 2
    log = organiser.get("/tasks/t/organise/audit").text
    assert "scores.csv" in log
    assert "runs.zip" in log
    assert "missing-document" in organiser.get("/tasks/t/organise").text, "the problems that teams meet"


def test_a_run_is_renamed_and_described_safely(server: Server) -> None:
    run_id = server.upload("ann", DEV_GOLD)["id"]
    form = {"name": "Better name", "description": "A **CRF**. <img src=x onerror=alert(1)> [x](javascript:alert(1))"}
    assert server.browser("bob").post(f"/runs/{run_id}/describe", data=form).status_code == 404
    server.browser("ann").post(f"/runs/{run_id}/describe", data=form)
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    page = server.browser().get(f"/runs/{run_id}").text

    assert "Better name" in page
    assert "<strong>CRF</strong>" in page
    assert "<img src=x" not in page
    assert 'href="javascript:' not in page


@pytest.mark.parametrize("name", ["Team One\ufe0f", "Team One\u3164", "\u3164", "Team\u200bOne"])
def test_names_that_look_the_same_because_of_what_is_not_seen(server: Server, name: str) -> None:
    server.add_person("eve")
    answer = server.browser("eve").post("/tasks/t/team/new", data={"name": name})

    assert answer.status_code == 200
    assert "printable characters" in answer.text or "There is a team" in answer.text


def test_the_audit_log_is_for_organisers_and_only_added_to(server: Server) -> None:
    server.turn("test", "close")
    log = server.browser("organiser").get("/tasks/t/organise/audit").text

    assert "phase close" in log
    assert "organiser@x.org" in log
    assert server.browser("ann").get("/tasks/t/organise/audit").status_code == 403
    posted = {rule.rule for rule in server.app.url_map.iter_rules() if "audit" in rule.rule and "POST" in (rule.methods or ())}
    assert posted == {"/tasks/<slug>/organise/export/audit.csv"}, "only an export, which adds itself to the log"


def test_each_look_at_gold_is_in_the_audit_log(server: Server) -> None:
    for answer in (
        server.browser("ann").get("/tasks/t/splits/dev/gold.zip"),
        server.api("GET", "/tasks/t/splits/dev/gold.zip", "bob"),
        server.browser("organiser").get("/tasks/t/splits/dev/gold.zip"),
        server.browser("ann").get("/tasks/t/splits/test/gold.zip"),
    ):
        assert answer.status_code in (200, 403)
    rows = list(csv.DictReader(io.StringIO(server.browser("organiser").post("/tasks/t/organise/export/audit.csv").text)))
    looks = [(each["who"].split()[1], each["to"]) for each in rows if each["what"] == "gold downloaded"]

    assert sorted(looks) == [("ann@x.org", "dev"), ("bob@x.org", "dev"), ("organiser@x.org", "dev")]


def test_an_upload_that_crawls_holds_up_nobody(server: Server) -> None:
    """The database is not asked for anything before the whole body is there."""
    from app import web  # noqa: PLC0415

    opened_before_the_body: list[bool] = []

    class Slow(io.RawIOBase):
        def __init__(self, content: bytes) -> None:
            self.rest = io.BytesIO(content)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            opened_before_the_body.append("assay_session" in web.g)
            return self.rest.readinto(buffer)

    body = b"--x\r\nContent-Disposition: form-data; name=phase\r\n\r\ndev\r\n--x--\r\n"
    server.app.test_client().post(
        "/api/v1/tasks/t/runs",
        headers={"Authorization": f"Bearer {server.tokens['ann']}"},
        content_type="multipart/form-data; boundary=x",
        environ_overrides={"wsgi.input": io.BufferedReader(Slow(body)), "CONTENT_LENGTH": str(len(body))},
    )

    assert opened_before_the_body
    assert not any(opened_before_the_body)


def test_nobody_waits_for_an_export(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.organising import services as organising  # noqa: PLC0415

    build, written = organising.scores_csv, []

    def slowly(session: Session, task: Task) -> str:
        with server.worker.database.session(write=True) as other:
            other.execute(update(Run).values(name="renamed"))
            other.commit()
        written.append(True)
        return build(session, task)

    monkeypatch.setattr(organising, "scores_csv", slowly)
    assert server.browser("organiser").post("/tasks/t/organise/export/scores.csv").status_code == 200
    assert written == [True]
