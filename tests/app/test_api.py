"""The API: one shape of errors, tokens only, and a description that is true of it."""

from __future__ import annotations

import io
import re

import pytest

from tests.factories import DEV_GOLD, PASSWORD, Server, zipped


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team One")


def test_a_task_is_described(server: Server) -> None:
    listed = server.api("GET", "/tasks").json
    detail = server.api("GET", "/tasks/t", "ann").json

    assert listed == [{"id": "t", "title": "A task", "version": "1", "summary": "What it is about."}]
    assert [(each["id"], each["state"], each["tells"]) for each in detail["phases"]] == [
        ("dev", "open", "full"),
        ("test", "open", "nothing"),
        ("late", "upcoming", "nothing"),
    ]
    assert {each["name"]: (each["texts"] is None, each["gold"] is None) for each in detail["splits"]} == {
        "dev": (False, False),
        "test": (False, True),
    }


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/tasks/none", 404, "not-found"),
        ("GET", "/runs/none", 404, "not-found"),
        ("GET", "/nowhere", 404, "not-found"),
        ("POST", "/tasks", 405, "method-not-allowed"),
        ("GET", "/tasks/t/leaderboard?span=near", 422, "invalid"),
        ("GET", "/tasks/t/leaderboard?board=x", 422, "invalid"),
        ("POST", "/runs/none/publish", 401, "unauthorized"),
        ("POST", "/tasks/t/runs", 401, "unauthorized"),
    ],
)
def test_errors_have_one_shape(server: Server, method: str, path: str, status: int, code: str) -> None:
    answer = server.api(method, path)

    assert answer.status_code == status
    assert set(answer.json) == {"error"}
    assert set(answer.json["error"]) == {"code", "message", "details"}
    assert answer.json["error"]["code"] == code


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer ", "Basic YTpi", "nonsense"])
def test_a_header_that_is_no_token_is_refused(server: Server, header: str) -> None:
    answer = server.app.test_client().get("/api/v1/tasks", headers={"Authorization": header})

    assert (answer.status_code, answer.json["error"]["code"]) == (401, "unauthorized")


def test_a_cookie_is_no_token(server: Server) -> None:
    browser = server.browser("ann")
    form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(zipped(DEV_GOLD)), "r.zip")}

    assert browser.post("/api/v1/tasks/t/runs", data=form, content_type="multipart/form-data").status_code == 401


def test_an_upload_answers_with_the_address_of_the_run(server: Server) -> None:
    form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(zipped(DEV_GOLD)), "my run.zip")}
    answer = server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")

    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/api/v1/runs/{answer.json['id']}"
    assert answer.json["name"] == "my run"


def test_the_description_names_every_endpoint(server: Server) -> None:
    described = server.api("GET", "/openapi.json").json
    routes = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for rule in server.app.url_map.iter_rules()
        if rule.endpoint.startswith(("api.", "api_changes.", "api_strata.", "api_groups.", "api_baselines."))
    }

    assert described["openapi"].startswith("3.1")
    assert set(described["paths"]) == routes
    assert PASSWORD not in str(described)


def test_a_fault_of_ours_shows_no_trace(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("app.api.views.all_tasks", broken)
    answer = server.api("GET", "/tasks")

    assert answer.status_code == 500
    assert answer.json["error"]["code"] == "fault"
    assert "secret detail" not in answer.text
