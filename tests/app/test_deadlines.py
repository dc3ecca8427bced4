"""Deadlines: one function, before, at and after each edge; and what becomes of a run at each of them."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import select

from app.shared_tasks.deadlines import PhaseState, in_time, in_words, parse_moment, phase_state
from app.shared_tasks.models import Phase
from tests.factories import TEST_GOLD, TOML, Server, zipped

START, END = datetime(2026, 11, 1, 12, tzinfo=UTC), datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
MICRO, MINUTE = timedelta(microseconds=1), timedelta(minutes=1)


@pytest.mark.parametrize(
    ("at", "state"),
    [
        (START - MICRO, PhaseState.UPCOMING),
        (START, PhaseState.OPEN),
        (START + MICRO, PhaseState.OPEN),
        (END - MICRO, PhaseState.OPEN),
        (END, PhaseState.CLOSED),
        (END + MICRO, PhaseState.CLOSED),
    ],
)
def test_the_edges_of_a_phase(at: datetime, state: PhaseState) -> None:
    assert phase_state(START, END, at) is state


def test_a_phase_without_dates() -> None:
    assert phase_state(None, None, START) is PhaseState.UPCOMING
    assert phase_state(None, END, START) is PhaseState.UPCOMING
    assert phase_state(START, None, END) is PhaseState.OPEN


@pytest.mark.parametrize(
    ("began", "complete", "counts"),
    [
        (END - MICRO, END - MICRO, True),
        (END - MICRO, END + 30 * MINUTE, True),
        (END - MICRO, END + 30 * MINUTE + MICRO, False),
        (END, END, False),
        (END + MICRO, END + MINUTE, False),
    ],
)
def test_a_run_is_in_time_by_its_header_if_its_body_comes_soon(began: datetime, complete: datetime, counts: bool) -> None:
    assert in_time(began, complete, END, 30 * MINUTE) is counts
    assert in_time(began, complete, None, 30 * MINUTE)


def test_moments_in_words_and_back() -> None:
    assert in_words(END) == "2026-11-30 23:59 UTC (2026-11-30 11:59 AoE)"
    assert parse_moment("2026-11-30 23:59") == END
    assert parse_moment("2026-11-30 11:59 AoE") == END
    assert parse_moment("2026-12-01T00:59+01:00") == END
    assert parse_moment("2026-11-30 23:59 UTC") == END
    assert parse_moment("2026-11-30 11:59 aoe") == END
    for wrong in ("tomorrow", "2026-11-30", "2026-11-30 AoE", "0001-01-01 00:00 +14:00", "9999-12-31 23:59 AoE", "", "AoE"):
        with pytest.raises(ValueError, match="is not a moment such as"):
            parse_moment(wrong)


DATED = TOML.replace(
    'id = "test"', 'id = "test"\nopens = 2026-11-01T12:00:00Z\ncloses = 2026-11-30T23:59:00Z\nquota = 9'
).replace('tracks = ["ner"]\nopen = true\n[[phases]]\nid = "late"', 'tracks = ["ner"]\n[[phases]]\nid = "late"')


@pytest.fixture
def clock(server: Server) -> Any:
    with time_machine.travel(START - timedelta(days=1), tick=False) as clock:
        server.add_task(toml=DATED)
        server.add_person("ann", "Team One")
        yield clock


def send(server: Server) -> Any:
    form = {"phase": "test", "track": "ner", "again": "1", "file": (io.BytesIO(zipped(TEST_GOLD)), "r.zip")}
    return server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")


def test_a_run_before_at_and_after_the_edges(server: Server, clock: Any) -> None:
    answer = send(server)
    assert answer.status_code == 409
    assert "opens 2026-11-01 12:00 UTC (2026-11-01 00:00 AoE)" in answer.json["error"]["message"]

    expected = [(START - MICRO, None), (START, False), (END - MICRO, False), (END, True), (END + timedelta(days=9), True)]
    for moment, late in expected:
        clock.move_to(moment)
        answer = send(server)
        assert (answer.json["late"] if answer.status_code == 202 else None) is late, moment


def test_late_runs_are_scored_and_not_ranked(server: Server, clock: Any) -> None:
    clock.move_to(START)
    in_time_run = send(server).json["id"]
    clock.move_to(END + MINUTE)
    late_run = send(server).json["id"]
    for each in (in_time_run, late_run):
        assert server.api("POST", f"/runs/{each}/publish", "ann").status_code == 200
    during = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "test"}).json
    assert (during["told"], during["entries"][0]["score"]) == ("nothing", None), "a body may still be on its way"
    clock.move_to(END + 31 * MINUTE)
    board = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "test"}).json["entries"]

    assert [(each["run"], each["rank"], each["late"], each["official"]) for each in board] == [
        (in_time_run, 1, False, True),
        (late_run, None, True, False),
    ]
    assert board[1]["score"]["f1"] == 1.0
    page = server.browser("ann").get("/tasks/t/leaderboard?phase=test").text
    assert '<abbr title="sent after the end of the phase; not ranked">*</abbr>' in page
    official = server.api("GET", "/tasks/t/leaderboard", query_string={"phase": "test", "runs": "official"}).json["entries"]
    assert [each["run"] for each in official] == [in_time_run]


def test_a_body_that_is_slow_counts_by_its_header(server: Server, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for minutes, late in ((30, False), (31, True)):
        clock.move_to(END - MICRO)
        from werkzeug.formparser import FormDataParser  # noqa: PLC0415

        parse = FormDataParser.parse

        def slowly(self: FormDataParser, *arguments: Any, minutes: int = minutes, parse: Any = parse, **options: Any) -> Any:
            clock.move_to(END + timedelta(minutes=minutes) - MICRO)
            return parse(self, *arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(FormDataParser, "parse", slowly)
            answer = send(server)
        assert answer.json["late"] is late, minutes


def test_a_late_run_is_refused_where_the_gold_is_released(server: Server) -> None:
    with time_machine.travel(END + 31 * MINUTE, tick=False):
        dates = "opens = 2026-11-01T12:00:00Z\ncloses = 2026-11-30T00:00:00Z"
        server.add_task(toml="gold_public = true\n" + DATED.replace('id = "late"', f'id = "late"\n{dates}'))
        server.add_person("ann", "Team One")
        answer = send(server)

    assert answer.status_code == 409
    assert "its gold is released" in answer.json["error"]["message"]


def test_an_extension_needs_a_reason_and_is_announced_and_logged(server: Server, clock: Any) -> None:
    clock.move_to(END - MINUTE)
    browser = server.browser("organiser")
    address, dates = "/tasks/t/organise/phases/test/dates", {"opens": "2026-11-01 12:00:00", "closes": "2026-12-02 23:59 AoE"}
    assert browser.post(address, data=dates).status_code == 422
    backwards = browser.post(address, data={"opens": "2026-12-01 00:00", "closes": "2026-11-01 00:00", "reason": "x"})
    assert "ends after it has begun" in backwards.text
    assert browser.post(address, data=dates | {"reason": "The mail server was down."}).status_code == 302

    clock.move_to(END + MINUTE)
    assert send(server).json["late"] is False
    page = server.browser().get("/tasks/t").text
    assert "The mail server was down." in page
    assert "2026-12-03 11:59 UTC (2026-12-02 23:59 AoE)" in page
    assert "The mail server was down." in browser.get("/tasks/t/organise/audit").text


def test_who_came_too_late_is_in_time_after_an_extension(server: Server, clock: Any) -> None:
    clock.move_to(END + MINUTE)
    run_id = send(server).json["id"]
    assert server.run(run_id, "ann")["late"] is True
    form = {"opens": "2026-11-01 12:00", "closes": "2026-12-02 12:00", "reason": "The server was down."}
    server.browser("organiser").post("/tasks/t/organise/phases/test/dates", data=form)

    assert server.run(run_id, "ann")["late"] is False


def test_a_form_with_a_mistake_leads_back_to_its_page(server: Server, clock: Any) -> None:
    browser = server.browser("organiser")
    headers = {"Referer": "http://localhost/tasks/t/organise?phase=test"}
    for form in ({"opens": "2026-12-01"}, {"opens": "9999-12-31 23:59 AoE"}):
        answer = browser.post("/tasks/t/organise/phases/test/dates", data=form, headers=headers)
        assert (answer.status_code, answer.location) == (302, "/tasks/t/organise?phase=test")
        assert "is not a moment such as" in browser.get(answer.location).text
    elsewhere = browser.post(
        "/tasks/t/organise/phases/test/dates", data={"opens": "x"}, headers={"Referer": "http://evil.example/"}
    )
    assert elsewhere.status_code == 422


def test_pages_show_utc_and_anywhere_on_earth_and_a_countdown(server: Server, clock: Any) -> None:
    clock.move_to(START)
    page = server.browser().get("/tasks/t").text

    assert '<time datetime="2026-11-30T23:59:00+00:00" title="2026-11-30 11:59 AoE">2026-11-30 23:59 UTC</time>' in page
    assert 'data-until="2026-11-30T23:59:00+00:00"' in page


def test_a_late_run_on_a_split_that_stays_blind_is_told_in_one_figure(server: Server, clock: Any) -> None:
    """Whoever sends runs after the end knows scores already, and could ask for the gold label by label."""
    clock.move_to(START)
    in_time_run = send(server).json["id"]
    clock.move_to(END + 40 * MINUTE)
    late_run = send(server).json["id"]
    server.turn("late", "open")
    server.turn("late", "close")
    clock.move_to(END + timedelta(days=9))

    def rows(run_id: str, name: str) -> list[Any]:
        return list(server.run(run_id, name)["scores"])

    assert len(rows(in_time_run, "ann")) > len(rows(late_run, "ann"))
    assert {(each["label"], each["tp"]) for each in rows(late_run, "ann")} == {("all", None)}
    assert len(rows(late_run, "organiser")) == len(rows(in_time_run, "organiser"))


def test_a_page_too_counts_the_header_and_not_the_body(server: Server, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the form's token reads the body; the moment is taken before it."""
    from werkzeug.formparser import FormDataParser  # noqa: PLC0415

    clock.move_to(END - MINUTE)
    browser = server.browser("ann")
    server.app.config["WTF_CSRF_ENABLED"] = True
    page = browser.get("/tasks/t/upload").text
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert token
    parse = FormDataParser.parse

    def slowly(self: FormDataParser, *arguments: Any, **options: Any) -> Any:
        clock.move_to(END + MINUTE)
        return parse(self, *arguments, **options)

    monkeypatch.setattr(FormDataParser, "parse", slowly)
    form = {"csrf_token": token[1], "phase": "test", "track": "ner", "file": (io.BytesIO(zipped(TEST_GOLD)), "r.zip")}
    answer = browser.post("/tasks/t/upload", data=form, content_type="multipart/form-data")

    assert answer.status_code == 302, answer.text
    assert server.run(answer.location.rsplit("/", 1)[1], "ann")["late"] is False


def test_moving_dates_keeps_the_grace_that_the_task_defines(server: Server) -> None:
    with time_machine.travel(START + MINUTE, tick=False):
        server.add_task(toml=DATED.replace("quota = 9", "quota = 9\ngrace_minutes = 5"))
        organiser = server.browser("organiser")

        def grace() -> int:
            with server.worker.database.session(write=False) as session:
                return session.scalars(select(Phase).where(Phase.slug == "test")).one().grace // MINUTE

        dates = {"opens": "2026-11-01 12:00", "closes": "2026-12-02 12:00", "reason": "Why not."}
        organiser.post("/tasks/t/organise/phases/test/dates", data=dates)
        assert grace() == 5
        server.turn("test", "close")
        assert grace() == 0
        organiser.post("/tasks/t/organise/phases/test/dates", data=dates)
        assert grace() == 5
        server.turn("test", "close")
        server.turn("test", "open")
        assert grace() == 5


def test_moving_the_beginning_alone_is_announced(server: Server, clock: Any) -> None:
    clock.move_to(START + MINUTE)
    clock.move_to(START - MINUTE)
    later = {"opens": "2026-11-05 12:00", "closes": "2026-11-30 23:59"}
    assert server.browser("organiser").post("/tasks/t/organise/phases/test/dates", data=later).status_code == 302

    assert "now begins 2026-11-05 12:00 UTC" in server.browser().get("/tasks/t").text


def test_between_the_end_and_the_last_body_pages_say_when_scores_are_told(server: Server, clock: Any) -> None:
    clock.move_to(END - MINUTE)
    run_id = send(server).json["id"]
    assert "are told when the phase closes" in server.browser("ann").get(f"/runs/{run_id}").text
    clock.move_to(END + MINUTE)
    page = server.browser("ann").get(f"/runs/{run_id}").text

    assert "2026-12-01 00:29 UTC" in page
    assert "when uploads that began in time must have arrived" in page
