"""The main loop through the API and the pages, without a browser."""

from __future__ import annotations

import csv
import io
import re

import pytest

from app.shared_tasks.services import find_task
from tests.factories import DEV_GOLD, TEST_GOLD, TEST_TEXTS, Server, zipped

WORSE = {"d1": "T1\tAA 0 5\talpha\nT2\tAA 6 10\tbeta\n", "d2": ""}


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Team One")
    server.add_person("bob", "Team Two")


def test_a_dev_run_is_scored_and_told_at_once(server: Server) -> None:
    sent = server.upload("ann", WORSE, run="first")
    run = server.run(sent["id"], "ann")
    overall = {(each["span"], each["labels"]): each for each in run["scores"] if each["label"] == "all"}

    # By hand: AA alpha is right; AA beta is wrong for BB beta; AA delta is missing.
    assert run["state"] == "scored"
    assert [overall["exact", "fine"][each] for each in ("tp", "fp", "fn")] == [1, 1, 2]
    assert overall["exact", "fine"]["f1"] == 2 / 5
    assert [each["state"] for each in run["history"]] == ["received", "checked", "queued", "scoring", "scored"]
    assert "exact-fine" in run["signature"]
    assert {each["label"] for each in run["scores"] if each["labels"] == "high"} == {"all", "TOP", "BB"}


def test_a_run_is_private_until_published_and_after_it_is_withdrawn(server: Server) -> None:
    run_id = server.upload("ann", DEV_GOLD)["id"]

    def seen_by(name: str | None) -> int:
        return int(server.api("GET", f"/runs/{run_id}", name).status_code)

    def on_board() -> list[str]:
        return [each["run"] for each in server.api("GET", "/tasks/t/leaderboard").json["entries"]]

    assert (seen_by("ann"), seen_by("organiser"), seen_by("bob"), seen_by(None)) == (200, 200, 404, 404)
    assert on_board() == []
    assert server.api("POST", f"/runs/{run_id}/publish", "bob").status_code == 404
    assert server.api("POST", f"/runs/{run_id}/publish", "organiser").status_code == 403

    assert server.api("POST", f"/runs/{run_id}/publish", "ann").json["published"] is True
    assert (seen_by("bob"), seen_by(None)) == (200, 200)
    assert on_board() == [run_id]
    assert server.api("GET", f"/runs/{run_id}/file", "bob").status_code == 403

    assert server.api("POST", f"/runs/{run_id}/withdraw", "ann").json["published"] is False
    assert (seen_by("bob"), seen_by(None)) == (404, 404)
    assert on_board() == []


def test_a_board_ranks_ties_together_and_undefined_last(server: Server) -> None:
    server.add_person("cid", "Team Three")
    server.add_person("dee", "Team Four")
    for name, run in (("ann", WORSE), ("bob", DEV_GOLD), ("cid", DEV_GOLD), ("dee", {"d1": "", "d2": ""})):
        server.api("POST", f"/runs/{server.upload(name, run)['id']}/publish", name)
    server.upload("ann", DEV_GOLD)
    board = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "dev"}).json

    assert [(each["rank"], each["team"], each["scored_runs"]) for each in board["entries"]] == [
        (1, "Team Two", 1),
        (1, "Team Three", 1),
        (3, "Team One", 2),
        (4, "Team Four", 1),
    ]
    assert (board["span"], board["labels"], board["figure"], board["told"]) == ("exact", "fine", "f1", "full")
    assert board["entries"][3]["score"]["precision"] is None


def test_the_team_sees_all_its_runs_on_its_own_board(server: Server) -> None:
    first, second = (server.upload("ann", run)["id"] for run in (WORSE, DEV_GOLD))
    rejected = server.upload("ann", {"d1": "nonsense", "d2": ""})["id"]
    board = server.api("GET", "/tasks/t/leaderboard", "ann", query_string={"board": "team"}).json

    assert [(each["rank"], each["run"], each["state"]) for each in board["entries"]] == [
        (1, second, "scored"),
        (2, first, "scored"),
        (None, rejected, "rejected"),
    ]
    page = server.browser("ann").get("/tasks/t/team").text
    assert all(each in page for each in (first, second, rejected))
    assert server.api("GET", "/tasks/t/leaderboard", query_string={"board": "team"}).status_code == 401


def test_a_run_with_errors_is_rejected_with_all_its_problems(server: Server) -> None:
    run = server.run(server.upload("ann", {"d1": "T1\tAA 0 99\talpha\nwhat\n"})["id"], "ann")

    assert run["state"] == "rejected"
    assert run["scores"] == []
    assert {(each["code"], each["file"], each["line"]) for each in run["problems"]} == {
        ("span-outside-text", "d1.ann", 1),
        ("unreadable-line", "d1.ann", 2),
        ("missing-document", "d2.ann", 0),
    }
    assert server.api("POST", f"/runs/{run['id']}/publish", "ann").status_code == 409


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"hello", "archive-unreadable"),
        (b"PK\x03\x04broken", "archive-unreadable"),
        (zipped({"../x": ""}), "archive-unsafe-path"),
    ],
)
def test_an_upload_that_is_no_archive_is_rejected(server: Server, data: bytes, code: str) -> None:
    run = server.run(server.upload("ann", data)["id"], "ann")

    assert run["state"] == "rejected"
    assert run["problem_counts"] == {code: 1}


def test_warnings_are_scored_and_told_to_the_team_only(server: Server) -> None:
    run_id = server.upload("ann", DEV_GOLD | {"d9": "", "d2": "T1\tQQ 0 5\tDELTA\nR1\tX Arg1:T1 Arg2:T1\n"})["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")

    assert set(server.run(run_id, "ann")["problem_counts"]) == {
        "text-mismatch",
        "unknown-label",
        "kind-not-asked",
        "extra-document",
    }
    assert server.run(run_id, "bob")["problem_counts"] == {}
    assert "DELTA" not in server.browser("bob").get(f"/runs/{run_id}").text


def test_the_team_gets_back_what_it_uploaded(server: Server) -> None:
    data = zipped(DEV_GOLD)
    run_id = server.upload("ann", data)["id"]

    assert server.api("GET", f"/runs/{run_id}/file", "ann").data == data
    assert server.browser("ann").get(f"/runs/{run_id}/file").data == data


def test_test_scores_are_told_when_the_phase_closes_and_all_of_them_when_the_last_does(server: Server) -> None:
    run_id = server.upload("ann", TEST_GOLD | {"t2": ""}, phase="test")["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")

    def told(name: str | None) -> tuple[str, list[str], list[object]]:
        run = server.run(run_id, name)
        return run["told"], sorted({each["label"] for each in run["scores"]}), [each["tp"] for each in run["scores"][:1]]

    assert server.run(run_id, "ann")["state"] == "accepted"
    assert server.run(run_id, "organiser")["state"] == "scored"
    assert told("ann") == told(None) == ("nothing", [], [])
    assert told("organiser")[0] == "full"
    board = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "test"}).json
    assert [(each["rank"], each["score"]) for each in board["entries"]] == [(None, None)]

    server.turn("test", "close")
    assert told("ann") == told(None) == ("headline", ["all"], [None])
    # 2 of 3 are right: F1 is 0.8, told with two decimals.
    assert [each["f1"] for each in server.run(run_id)["scores"]][:1] == [0.8]
    assert [each["recall"] for each in server.run(run_id)["scores"]][:1] == [0.67]

    server.turn("late", "open")
    server.turn("late", "close")
    assert told(None)[0] == "full"
    assert told(None)[2] == [2]


def test_figures_are_shown_with_the_decimals_that_are_told(server: Server) -> None:
    run_id = server.upload("ann", TEST_GOLD | {"t2": ""}, phase="test")["id"]
    server.turn("test", "close")
    page = server.browser("ann").get(f"/runs/{run_id}").text

    assert ">0.80<" in page
    assert "0.8000" not in page


def test_a_phase_that_is_not_open_takes_no_runs(server: Server) -> None:
    def send(phase: str) -> tuple[int, str]:
        form = {"phase": phase, "track": "ner", "file": (io.BytesIO(zipped(DEV_GOLD)), "r.zip")}
        answer = server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")
        return answer.status_code, answer.json["error"]["code"]

    server.turn("dev", "close")
    assert send("dev") == (409, "conflict"), "its gold is public"
    assert send("late") == (409, "conflict"), "it has not begun"
    assert send("nope") == (404, "not-found")
    assert server.browser("ann").get("/tasks/t/upload").text.count("<option") == 2


def test_headline_ranks_are_those_of_rounded_figures(server: Server) -> None:
    perfect = TEST_GOLD
    nearly = TEST_GOLD | {"t2": TEST_GOLD["t2"] + "".join(f"T{i}\tZZ {i % 5} {5 + i % 5}\tx\n" for i in range(2, 4))}
    for name, run in (("ann", perfect), ("bob", nearly)):
        server.api("POST", f"/runs/{server.upload(name, run, phase='test')['id']}/publish", name)
    server.turn("test", "close")
    board = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "test"}).json

    assert [(each["rank"], each["score"]["f1"]) for each in board["entries"]] == [(1, 1.0), (2, 0.75)]
    assert all(each["score"]["tp"] is None for each in board["entries"])


def test_the_csv_is_the_board(server: Server) -> None:
    run_id = server.upload("ann", WORSE, run="=1+1")["id"]
    server.api("POST", f"/runs/{run_id}/publish", "ann")
    answer = server.browser().get("/tasks/t/leaderboard.csv?phase=dev&span=relaxed&labels=high")
    row = next(csv.DictReader(io.StringIO(answer.text)))

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert (row["rank"], row["team"], row["run"], row["span"], row["labels"]) == ("1", "Team One", "'=1+1", "relaxed", "high")
    assert (row["tp"], row["fp"], row["fn"]) == ("1", "1", "2")


def test_an_invitation_lets_a_person_join_once_and_only_one_team(server: Server) -> None:
    page = server.browser("ann").post("/tasks/t/team/invitation", follow_redirects=True).text
    found = re.search(r"http://[^<]*(/invitations/[^<]+)", page)
    assert found is not None
    server.add_person("eve")

    visitor = server.browser().get(found[1])
    assert (visitor.status_code, "/sign-in" in visitor.location) == (302, True)
    joining = server.browser("eve")
    assert "Team One" in joining.get(found[1]).text
    assert joining.post(found[1]).status_code == 302
    assert "eve" in server.browser("ann").get("/tasks/t/team").text
    assert joining.post(found[1]).status_code == 302, "joining again changes nothing"
    assert server.browser("bob").post(found[1]).status_code == 409
    assert server.browser("organiser").post(found[1]).status_code == 409
    assert server.browser("eve").get("/invitations/nonsense").status_code == 404


def test_texts_and_public_gold_are_for_people_with_an_account(server: Server) -> None:
    def status(path: str, name: str | None) -> int:
        return int(server.api("GET", path, name).status_code)

    assert [status("/tasks/t/splits/dev/texts.zip", name) for name in ("ann", None)] == [200, 401]
    assert [status("/tasks/t/splits/dev/gold.zip", name) for name in ("ann", None)] == [200, 401]
    assert [status("/tasks/t/splits/test/texts.zip", name) for name in ("ann", None)] == [200, 401]
    assert [status("/tasks/t/splits/test/gold.zip", name) for name in ("ann", "organiser", None)] == [403, 403, 401]
    assert server.browser().get("/tasks/t/splits/dev/texts.zip").status_code == 302
    assert next(iter(TEST_TEXTS)) in server.browser("ann").get("/tasks/t/splits/test/texts.zip").data.decode("latin-1")


def test_texts_of_a_blind_split_wait_for_its_phase(server: Server) -> None:
    # The split `test` is released because the phase `test` has opened; had neither opened, it would not be.
    with server.worker.database.session(write=True) as session:
        for phase in find_task(session, "t").phases:
            phase.opens_at = phase.closes_at = None
        session.commit()

    assert server.api("GET", "/tasks/t/splits/test/texts.zip", "ann").status_code == 403
    assert server.api("GET", "/tasks/t/splits/dev/texts.zip", "ann").status_code == 200
