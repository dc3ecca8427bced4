"""Gold of a blind split reaches nobody: every address is asked by everyone, and looked through for a mark."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from tests.factories import SECRET_MARK, TEST_GOLD, TOML, Server

PARTS = {
    "slug": "t",
    "name": "test",
    "phase": "test",
    "action": "close",
    "secret": "x",
    "token_id": "1",
    "filename": "assay.css",
}
# The label is in annotation.conf, which everyone may read; what must not be told is where it occurs, and how often.
MAY_NAME_THE_LABEL = ("shared_tasks.task", "shared_tasks.bundle", "api.get_task")


@pytest.mark.parametrize("name", [None, "ann", "bob"])
def test_no_address_gives_gold_of_a_blind_split(server: Server, name: str | None) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    server.add_person("bob", "Team Two")
    nothing = {"t1": "", "t2": ""}
    run_id = server.upload("ann", nothing, phase="test")["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    asked = 0
    for rule in server.app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: PARTS.get(found[1], run_id), rule.rule)
        for method in sorted({"GET", "POST"} & (rule.methods or set())):
            if rule.endpoint in MAY_NAME_THE_LABEL:
                continue
            headers = {"Authorization": f"Bearer {server.tokens[name]}"} if name and rule.endpoint.startswith("api.") else {}
            answer = server.browser(name).open(path, method=method, headers=headers)
            asked += 1
            content = answer.data
            answer.close()
            if content[:2] == b"PK":
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    assert all(member.endswith(".txt") or member in ("t1.ann", "t2.ann") for member in archive.namelist())
                    content = b"".join(archive.read(each) for each in archive.namelist())
            assert SECRET_MARK.encode() not in content, f"{method} {path}"
            assert answer.status_code < 500, f"{method} {path}"
            assert "ETag" not in answer.headers or rule.endpoint == "static"
    assert asked > 30


def test_gold_is_public_only_where_the_task_says_so_and_after_its_last_phase(server: Server) -> None:
    server.add_task(toml="gold_public = true\n" + TOML)
    server.add_person("ann", "Team One")

    def status(name: str | None = "ann") -> int:
        return int(server.api("GET", "/tasks/t/splits/test/gold.zip", name).status_code)

    assert status() == status("organiser") == 403
    server.turn("test", "close")
    assert status() == 403, "the late phase takes runs on it too"
    server.turn("late", "open")
    server.turn("late", "close")
    assert (status(), status(None)) == (200, 401)
    again = server.browser("organiser").post("/tasks/t/organise/phases/late/open")
    assert (again.status_code, status()) == (409, 200), "what everybody may have downloaded is not asked for again"


def test_an_undefined_figure_is_0_where_the_task_says_so(server: Server) -> None:
    server.add_task(toml=TOML + "[scoring]\nundefined_as_zero = true\n")
    server.add_person("ann", "Team One")
    run_id = server.upload("ann", {"d1": "", "d2": ""})["id"]

    assert '<td class="n">0.0000</td>' in server.browser("ann").get(f"/runs/{run_id}").text
    assert server.run(run_id, "ann")["scores"][0]["precision"] is None


def test_a_rejected_run_does_not_depend_on_gold(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    run = server.run(server.upload("ann", {"t1": "T1\tAA 0 99\tx\n", "t2": ""}, phase="test")["id"], "ann")

    assert run["state"] == "rejected"
    assert SECRET_MARK not in str([each for each in run["problems"] if each["code"] != "unknown-label"])


def test_a_phase_that_tells_nothing_tells_nothing_anywhere(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team Ann")
    server.add_person("bob", "Team Bob")
    server.upload("ann", TEST_GOLD, phase="test", run="run")
    server.upload("bob", {"t1": "T1\tAA 0 1\tz\n", "t2": ""}, phase="test", run="run")

    def seen(name: str) -> str:
        run_id = server.api("GET", "/tasks/t/leaderboard", name, query_string={"board": "team", "phase": "test"}).json[
            "entries"
        ][0]["run"]
        addresses = (
            f"/runs/{run_id}",
            "/tasks/t/team?phase=test",
            "/tasks/t/leaderboard?phase=test",
            "/tasks/t/leaderboard.csv?phase=test",
        )
        pages = "".join(server.browser(name).get(each).text for each in addresses)
        pages += server.api("GET", f"/runs/{run_id}", name).text
        pages = re.sub(rf"\d{{4}}-\d\d-\d\d[T ][\d:.+]+|\b(?:{name}|{name.title()})\b", "", pages.replace(run_id, ""))
        return re.sub(r"(datetime|title|value)=\"[^\"]*\"", "", pages)

    assert seen("ann") == seen("bob")
    assert "accepted" in seen("ann")


def test_how_long_scoring_takes_is_nobodys_business(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team Ann")
    run_id = server.upload("ann", TEST_GOLD, phase="test")["id"]

    assert [each["state"] for each in server.run(run_id, "ann")["history"]] == ["received", "checked"]
    assert [each["state"] for each in server.run(run_id, "organiser")["history"]][-1] == "scored"
    assert server.api("POST", f"/runs/{run_id}/publish", "ann").status_code == 200
    server.turn("test", "close")
    server.turn("late", "open")
    server.turn("late", "close")
    assert [each["state"] for each in server.run(run_id, "ann")["history"]][-1] == "scored"
