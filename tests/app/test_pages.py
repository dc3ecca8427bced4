"""Pages: every one renders for everyone, speaks of errors plainly, and cannot be injected into or forged."""

from __future__ import annotations

import gc
import io
import os
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from apiflask import APIFlask

from app import create_app
from app.settings import Settings
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, PASSWORD, TEST_GOLD, Server, zipped

NASTY = "<img src=x onerror=alert(1)>"


@pytest.fixture
def run_id(server: Server) -> str:
    server.add_task()
    server.add_person("ann", NASTY)
    server.add_person("bob")
    run_id: str = server.upload("ann", DEV_GOLD | {"d2": f"T1\t{NASTY.replace(' ', '_')} 0 5\t{NASTY}\n"}, run=NASTY)["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    return run_id


PAGES = [
    "/",
    "/register",
    "/sign-in",
    "/account",
    "/tasks/t",
    "/tasks/t/leaderboard",
    "/tasks/t/leaderboard?phase=test",
    "/tasks/t/leaderboard?phase=dev&span=relaxed&labels=high",
    "/tasks/t/leaderboard.csv",
    "/tasks/t/team",
    "/tasks/t/team/new",
    "/tasks/t/upload",
    "/tasks/t/organise",
    "/tasks/t/organise/audit",
    "/guide",
    "/forgot",
    "/reset/nonsense",
    "/register/nonsense",
    "/organisers/nonsense",
    "/runs/RUN",
    "/runs/RUN?span=relaxed&labels=high",
    "/runs/RUN?span=no&labels=no",
    "/nowhere",
    "/tasks/nowhere",
    "/runs/nowhere",
    "/tasks/t/leaderboard?phase=nowhere",
]


@pytest.mark.parametrize("name", [None, "ann", "bob", "organiser"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_renders_safely_for_everyone(server: Server, run_id: str, page: str, name: str | None) -> None:
    answer = server.browser(name).get(page.replace("RUN", run_id))

    assert answer.status_code in (200, 302, 403, 404, 422)
    assert "Traceback" not in answer.text
    if answer.mimetype == "text/html":
        assert "<img src=x" not in answer.text
        assert "<script>alert" not in answer.text
        assert not re.search(r"<script(?! src=\"/static/)", answer.text), "scripts are files of ours"
        assert not re.search(r"\s(on\w+|style)=", answer.text.replace("&#34;", '"').replace("onerror=alert(1)&gt;", ""))
        assert not re.search(r"(?:src|href)=\"https?://", answer.text), "no other host is contacted"


def test_errors_outside_the_api_are_pages(server: Server) -> None:
    for path in ("/nowhere", "/runs/none", "/tasks/none"):
        answer = server.browser().get(path)
        assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert server.browser().post("/").status_code == 405
    assert server.browser().post("/").mimetype == "text/html"


def test_headers_of_a_page(server: Server, run_id: str) -> None:
    headers = server.browser().get("/").headers

    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "'unsafe-inline'" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"


def test_cookies_are_kept_from_scripts_and_other_sites(settings: Settings) -> None:
    app = create_app(replace(settings, https=True), InlineQueue())
    with app.test_client() as client:
        cookie = client.get("/sign-in", base_url="https://localhost").headers["Set-Cookie"]

    assert cookie.startswith("__Host-assay=")
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"))


def test_a_form_without_its_token_is_refused(settings: Settings, server: Server, run_id: str) -> None:
    server.app.config["WTF_CSRF_ENABLED"] = True
    client = server.app.test_client()
    answer = client.post("/sign-in", data={"email": "ann@x.org", "password": PASSWORD})

    assert answer.status_code == 400
    assert "This form has expired" in answer.text


NOT_HERE = ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "//[", "/a%0d%0aX: 1"]


@pytest.mark.parametrize("target", NOT_HERE)
def test_signing_in_leads_to_no_other_host(server: Server, run_id: str, target: str) -> None:
    answer = server.browser().post(f"/sign-in?next={target}", data={"email": "ann@x.org", "password": PASSWORD})

    assert answer.location == "/"


def test_signing_in_leads_back(server: Server, run_id: str) -> None:
    answer = server.browser().post("/sign-in?next=/tasks/t/team", data={"email": "ann@x.org", "password": PASSWORD})

    assert answer.location == "/tasks/t/team"


def test_a_wrong_password_and_an_unknown_address_sound_the_same(server: Server, run_id: str) -> None:
    def answer(email: str) -> str:
        page = server.browser().post("/sign-in", data={"email": email, "password": "wrong wrong"}).text
        return page.replace(email, "")

    assert answer("ann@x.org") == answer("who@x.org")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": "N", "email": "no", "password": PASSWORD}, "Enter an e-mail address"),
        ({"name": "N", "email": "n@x.org", "password": "short"}, "This one is too short"),
        ({"name": " ", "email": "n@x.org", "password": PASSWORD}, "Enter 1 to 100 printable characters"),
        ({"name": "N\u202e", "email": "n@x.org", "password": PASSWORD}, "printable"),
        ({"name": "N", "email": "ANN@X.ORG ", "password": PASSWORD}, "cannot be registered"),
    ],
)
def test_registering_says_what_is_wrong(server: Server, run_id: str, form: dict[str, str], message: str) -> None:
    answer = server.browser().post("/register", data=form)

    assert answer.status_code == 200
    assert message in answer.text


def test_a_team_name_is_taken_however_it_is_written(server: Server, run_id: str) -> None:
    server.add_person("cid", "Blue Team")
    answer = server.browser("bob").post("/tasks/t/team/new", data={"name": "  ｂlue   TEAM "})

    assert "There is a team called" in answer.text


def test_uploading_in_the_browser(server: Server, run_id: str) -> None:
    form = {"phase": "dev", "track": "ner", "name": "by hand", "file": (io.BytesIO(zipped(DEV_GOLD)), "/home/me/runs/x.zip")}
    answer = server.browser("ann").post("/tasks/t/upload", data=form, content_type="multipart/form-data")
    page = server.browser("ann").get(answer.location).text

    assert answer.status_code == 302
    assert "by hand" in page
    assert ">x.zip<" in page
    assert "1.0000" in page


def test_uploading_nothing_says_so(server: Server, run_id: str) -> None:
    answer = server.browser("ann").post(
        "/tasks/t/upload", data={"phase": "dev", "track": "ner"}, content_type="multipart/form-data"
    )

    assert answer.status_code == 200
    assert "Choose a file that is not empty" in answer.text


def test_uploading_without_a_team_leads_to_founding_one(server: Server, run_id: str) -> None:
    assert server.browser("bob").get("/tasks/t/upload").location == "/tasks/t/team/new"


def test_a_run_on_its_way_looks_again_by_itself(server: Server, run_id: str, queue: InlineQueue) -> None:
    queue.held = True
    waiting = server.upload("ann", DEV_GOLD)["id"]
    page = server.browser("ann").get(f"/runs/{waiting}").text

    assert '<meta http-equiv="refresh" content="2">' in page
    assert "being checked" in page


def test_the_organiser_sees_scores_that_teams_do_not(server: Server, run_id: str) -> None:
    server.upload("ann", TEST_GOLD, phase="test", run="secret run")

    assert "1.0000" in server.browser("organiser").get("/tasks/t/organise?phase=test").text
    assert "1.0000" not in server.browser("ann").get("/tasks/t/team?phase=test").text
    assert server.browser("ann").get("/tasks/t/organise").status_code == 403
    assert server.browser("ann").post("/tasks/t/organise/phases/test/close").status_code == 403


def test_a_body_that_is_too_large_is_told_so(settings: Settings, queue: InlineQueue) -> None:
    app: APIFlask = create_app(replace(settings, upload_bytes=1024 * 1024), queue)
    answer = app.test_client().post("/sign-in", data={"email": "x" * 2_000_000})

    assert answer.status_code == 413
    assert "larger than 1 MiB" in answer.text


def test_tokens_are_shown_once_and_can_be_revoked(server: Server, run_id: str) -> None:
    browser = server.browser("ann")
    page = browser.post("/account/tokens", data={"name": "script"}, follow_redirects=True).text
    found = re.search(r"assay_[\w-]+", page)
    assert found is not None

    def status() -> int:
        headers = {"Authorization": f"Bearer {found[0]}"}
        return int(server.app.test_client().get("/api/v1/tasks", headers=headers).status_code)

    assert status() == 200
    again = browser.get("/account").text
    assert found[0] not in again
    token_id = re.search(r"/account/tokens/(\d+)/revoke", again)
    assert token_id is not None
    assert server.browser("bob").post(f"/account/tokens/{token_id[1]}/revoke").status_code == 404
    assert browser.post(f"/account/tokens/{token_id[1]}/revoke").status_code == 302
    assert status() == 401


@pytest.mark.parametrize("path", ["/account/tokens/{}/revoke", "/tasks/t/organise/teams/{}/approve", "/tasks/t/terms/{}"])
def test_numbers_beyond_the_database_are_not_found(server: Server, run_id: str, path: str) -> None:
    assert server.browser("organiser").post(path.format("9" * 40)).status_code == 404


def test_the_host_of_a_link_is_a_setting(server: Server, run_id: str) -> None:
    page = server.browser("ann").post("/tasks/t/team/invitation", follow_redirects=True).text

    assert "http://127.0.0.1:8000/invitations/" in page
    assert "http://localhost" not in page, "which is what the request said"


def test_a_long_field_is_not_called_a_large_upload(server: Server, run_id: str) -> None:
    with warnings.catch_warnings():  # the parser leaves its temporary file to the garbage collector
        warnings.simplefilter("ignore", ResourceWarning)
        answer = server.browser().post("/sign-in", data={"email": "x" * 600_000}, content_type="multipart/form-data")
        status, text = answer.status_code, answer.text
        del answer
        gc.collect()

    assert status == 413
    assert "MiB" not in text


def test_what_is_kept_is_private(server: Server, tmp_path: Path) -> None:
    data = tmp_path / "new"
    environment = {"ASSAY_DATA": str(data)}
    subprocess.run([sys.executable, "-m", "app.cli", "migrate"], env=os.environ | environment, check=True, capture_output=True)

    assert [each.name for each in data.iterdir() if each.stat().st_mode & 0o077] == []
    assert data.stat().st_mode & 0o077 == 0


def test_a_run_with_a_label_called_all_is_scored(server: Server, run_id: str) -> None:
    sent = server.upload("ann", DEV_GOLD | {"d2": "T1\tall 0 5\tdelta\n"})

    assert server.run(sent["id"], "ann")["state"] == "scored"


def test_a_choice_of_a_board_keeps_the_others(server: Server, run_id: str) -> None:
    page = server.browser().get("/tasks/t/leaderboard?runs=official&span=relaxed").text
    links = re.findall(r'href="(/tasks/t/leaderboard\?[^"]+)"', page)

    assert sum("runs=official" in each for each in links) > 3
    assert all("runs=official" in each or "runs=all" in each for each in links if ".csv" not in each)
