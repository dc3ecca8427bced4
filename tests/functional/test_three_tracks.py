"""A lab of three tracks in two phases on one blind split, from its opening to the correction of its gold."""

from __future__ import annotations

import csv
import re
import shutil
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import tasks
from app.demo.steps import TRIGGERS, add_steps
from brat.corpus import read_corpus
from brat.files import pack_zip, read_path
from brat.write import write
from tests.functional.conftest import Site, assay
from tests.functional.test_lab import sign_in_as_organiser
from tests.functional.test_loop import look, register, upload, wait_until_done

pytestmark = pytest.mark.functional
TASK, FIRST, SECOND = "/tasks/chemu2020", "Test, phase 1", "Test, phase 2"
FIRST_IS_OVER = f"{FIRST} (closed: late runs are scored and not ranked)"
FIRST_IS_CLOSED = f"{FIRST} (closed: files are checked only)"
NER, EE, E2E = "Named entity recognition", "Event extraction", "End-to-end"


_T = TypeVar("_T")


def eventually(find: Callable[[], _T | None]) -> _T:
    """What is found at last."""
    end = time.monotonic() + 60
    while not (found := find()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


@dataclass(frozen=True, slots=True)
class Script:
    """A team's own program, which talks to the API with a token."""

    client: httpx.Client

    def send(self, phase: str, track: str, name: str, file: Path) -> httpx.Response:
        form = {"phase": phase, "track": track, "name": name}
        return self.client.post(f"{TASK}/runs", data=form, files={"file": (file.name, file.read_bytes())})

    def publish(self, sent: httpx.Response) -> str:
        run: str = sent.raise_for_status().json()["id"]
        eventually(lambda: self.run(run)["state"] in ("accepted", "scored"))
        self.client.post(f"/runs/{run}/publish").raise_for_status()
        return run

    def run(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/runs/{run}").raise_for_status().json()
        return found

    def board(self, phase: str, track: str) -> dict[str, dict[str, Any]]:
        """The entries of the public board by the name of the run, when all have been scored."""

        def scored() -> dict[str, dict[str, Any]] | None:
            answer = self.client.get(f"{TASK}/leaderboard", params={"phase": phase, "track": track}).raise_for_status()
            entries = {each["name"]: each for each in answer.json()["entries"]}
            return entries if all(each["score"] for each in entries.values()) else None

        return eventually(scored)

    def boards(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {track: self.board(phase, track) for phase, track in (("test-1", "ner"), ("test-1", "e2e"), ("test-2", "ee"))}

    def changes(self) -> list[dict[str, Any]]:
        """The corrections of gold, when there is one."""
        found: list[dict[str, Any]] = eventually(
            lambda: self.client.get(f"{TASK}/changes").raise_for_status().json()["changes"]
        )
        return found


@contextmanager
def script_of(page: Page, site: Site) -> Iterator[Script]:
    page.goto("/account")
    page.locator("form", has=page.get_by_role("button", name="Make a token")).get_by_label("Name").fill("nightly")
    page.get_by_role("button", name="Make a token").click()
    token = page.locator(".secret code").inner_text()
    with httpx.Client(base_url=f"{site.address}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        yield Script(client)


def found_team(page: Page, person: str, team: str) -> None:
    register(page, person)
    page.goto(f"{TASK}/team/new")
    page.get_by_label("Name").fill(team)
    page.get_by_role("button", name="Found the team").click()
    expect(page.get_by_role("heading", name=team)).to_be_visible()


def send(page: Page, phase: str, track: str, name: str, file: Path) -> None:
    """Upload a run, and look again until it can be published."""
    upload(page, phase, name, file, track=track)
    page.wait_for_url("**/runs/*")
    eventually(lambda: page.reload() and page.get_by_role("button", name="Publish").count())


def send_and_publish(page: Page, phase: str, track: str, name: str, file: Path) -> None:
    send(page, phase, track, name, file)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".lead")).to_contain_text("public")


def phase_section(page: Page, phase: str) -> Locator:
    page.goto(f"{TASK}/organise")
    return page.locator("section.phase", has_text=phase)


def set_dates(page: Page, phase: str, opens: datetime, closes: datetime) -> None:
    section = phase_section(page, phase)
    section.get_by_text(f"Dates of {phase}").click()
    section.get_by_label("Opens").fill(f"{opens:%Y-%m-%d %H:%M:%S}")
    section.get_by_label("Closes").fill(f"{closes:%Y-%m-%d %H:%M:%S}")
    section.get_by_role("button", name="Set the dates").click()


def close(page: Page, phase: str) -> None:
    section = phase_section(page, phase)
    section.get_by_text("Close now").click()
    section.get_by_role("button", name=f"Close {phase}").click()
    expect(page.get_by_role("status").first).to_have_text(f"{phase} is closed.")


def start_archive(page: Page, phase: str, track: str, folder: Path) -> Path:
    """The run to fill in, from the task's page."""
    page.goto(TASK)
    with page.expect_download() as started:
        page.get_by_role("row", name=phase).get_by_role("link", name=f"{track}.zip", exact=True).click()
    target = folder / started.value.suggested_filename
    started.value.save_as(target)
    return target


def fill_in(start: Path, target: Path) -> Path:
    """The archive with triggers and relations, by the rules that the generator of the corpus has: all right."""
    documents = read_corpus(read_path(start)).documents
    target.write_bytes(pack_zip((f"{id_}.ann", write(add_steps(each)).encode()) for id_, each in documents.items()))
    return target


def correct_gold(corpus: Path, target: Path) -> Path:
    """Gold in which ten documents have the steps and links of Team Crucible, and entities as they were."""
    shutil.copytree(corpus / "test", target)
    with zipfile.ZipFile(corpus / "runs" / "label-mixer-test-ee.zip") as run:
        for name in sorted(run.namelist())[:10]:
            (target / name).write_bytes(run.read(name))
    return target


def look_at_both(page: Page) -> None:
    """On a screen and on a telephone."""
    look(page)
    page.set_viewport_size({"width": 390, "height": 800})
    look(page)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_three_tracks_in_two_phases(browser: Browser, site: Site, tmp_path: Path) -> None:
    olive, ada, ben, cleo = (browser.new_context(base_url=site.address).new_page() for _ in range(4))
    runs, now = site.corpus / "runs", datetime.now(UTC)
    bundle = Path(tasks.__file__).parent / "chemu2020"
    assay(
        site.environment, "task", "add", str(bundle), "--test", str(site.corpus / "test"), "--organiser", "organiser@x.org"
    )  # fmt: skip

    # Phase 1 opens by its dates. Phase 2 would hand out what phase 1 asks for: not now, and not at the end of phase 1
    # either, while uploads may still arrive.
    sign_in_as_organiser(olive, site)
    set_dates(olive, FIRST, now - timedelta(minutes=1), now + timedelta(days=1))
    expect(olive.get_by_role("status")).to_contain_text(f"{FIRST} ends")
    section = phase_section(olive, SECOND)
    section.get_by_text("Open now").click()
    section.get_by_role("button", name=f"Open {SECOND}").click()
    why = f"{FIRST} ({NER}), which asks for them, takes uploads until"
    expect(olive.get_by_role("alert")).to_contain_text(f"{SECOND} hands out texts and gold entities from")
    expect(olive.get_by_role("alert")).to_contain_text(why)
    token = olive.locator("input[name=csrf_token]").first.input_value()
    assert olive.request.post(f"{TASK}/organise/phases/test-2/open", form={"csrf_token": token}).status == 409
    set_dates(olive, SECOND, now + timedelta(days=1), now + timedelta(days=2))
    expect(olive.get_by_role("alert")).to_contain_text(why)
    expect(phase_section(olive, SECOND).get_by_role("heading")).to_contain_text("upcoming")
    olive.get_by_text(f"Rules of {SECOND}").click()
    look(olive)

    # Teams get the texts in the layout of an upload, and nothing of phase 2 by any address.
    for page, person, team in ((ada, "Ada", "Team Alembic"), (ben, "Ben", "Team Burette"), (cleo, "Cleo", "Team Crucible")):
        found_team(page, person, team)
    for track in ("ner", "e2e"):
        with zipfile.ZipFile(start_archive(ada, FIRST, track, tmp_path)) as start:
            names = start.namelist()
            assert Counter(Path(each).suffix for each in names) == {".txt": 50, ".ann": 50}
            assert {bool(start.read(each)): Path(each).suffix for each in names} == {True: ".txt", False: ".ann"}
    expect(ada.get_by_role("row", name=SECOND).get_by_role("link", name="ee.zip")).to_have_count(0)

    with script_of(cleo, site) as crucible:
        for place in ("test-2/tracks/ee", "test-2/tracks/ner", "test-2/tracks/e2e", "test-1/tracks/ee"):
            address = f"{TASK}/phases/{place}/start.zip"
            assert (ada.request.get(address).status, crucible.client.get(address).status_code) == (404, 404), place
        assert crucible.client.get(f"{TASK}/splits/test/gold.zip").status_code == 403

        # Phase 1: runs are accepted, and nothing else is told.
        send_and_publish(ada, FIRST, NER, "alembic", runs / "careful-test.zip")
        expect(ada.get_by_role("heading", name="Scores")).to_have_count(0)
        expect(ada.locator(".lead")).to_contain_text("accepted")
        first_try = ada.url
        send_and_publish(ada, FIRST, NER, "alembic, too clever", runs / "label-mixer-test.zip")
        expect(ada.locator(".lead")).to_contain_text("official")
        ada.goto(first_try)
        ada.get_by_role("button", name="Make it our official run").click()
        expect(ada.locator(".lead")).to_contain_text("official")
        send_and_publish(ada, FIRST, E2E, "alembic, all", runs / "careful-test-e2e.zip")
        send_and_publish(ben, FIRST, NER, "burette", runs / "off-by-some-test.zip")
        send_and_publish(ben, FIRST, E2E, "burette, all", runs / "off-by-some-test-e2e.zip")
        refused = crucible.send("test-1", "ee", "crucible", runs / "label-mixer-test-ee.zip")
        assert (refused.status_code, refused.json()["error"]["message"]) == (422, f"{FIRST} takes runs of: {NER}, {E2E}.")
        crucible.publish(crucible.send("test-1", "ner", "crucible", runs / "label-mixer-test.zip"))
        by_script = crucible.publish(crucible.send("test-1", "e2e", "crucible, all", runs / "label-mixer-test-e2e.zip"))
        assert [crucible.run(by_script)[each] for each in ("state", "told", "scores")] == ["accepted", "nothing", []]
        ben.goto(f"{TASK}/leaderboard?phase=test-1&track=e2e")
        expect(ben.get_by_text("are told when the phase closes")).to_be_visible()
        expect(ben.get_by_role("row", name="burette, all").locator("td.main")).to_have_text("–")

        # It closes, and a run comes late. Relations to two decimals are told, since the documents are in use.
        close(olive, FIRST)
        upload(ben, FIRST_IS_OVER, "burette, late", runs / "label-mixer-test-e2e.zip", track=E2E)
        wait_until_done(ben)
        expect(ben.locator(".lead")).to_contain_text("late *")
        expect(ben.get_by_role("table", name="All labels together").locator("td.main").first).to_have_text("0.46")
        expect(ben.get_by_role("table", name="All labels together")).not_to_contain_text("triggers")
        ben.get_by_role("button", name="Publish").click()
        headline = crucible.board("test-1", "e2e")
        told = {name: (each["rank"], each["score"]["f1"]) for name, each in headline.items()}
        assert told == {
            "alembic, all": (1, 0.95), "crucible, all": (2, 0.46), "burette, all": (3, 0.44), "burette, late": (None, 0.46)
        }  # fmt: skip
        assert {each["annotations"] for each in crucible.run(by_script)["scores"]} == {"relations"}
        assert crucible.board("test-1", "ner")["alembic"]["official"]
        ada.goto(f"{TASK}/leaderboard?phase=test-1&track=ner")
        expect(ada.get_by_role("row", name="alembic official").locator("td.main")).to_have_text("0.97")
        ada.get_by_role("link", name="alembic", exact=True).click()
        expect(ada.get_by_role("heading", name="By label")).to_have_count(0)
        expect(ada.get_by_role("link", name="Which labels are confused")).to_have_count(0)
        look(ada)
        ada.goto(f"{ada.url}/confusion")
        expect(ada.locator(".lead")).to_contain_text("is told when every phase on these documents has closed")

        # Phase 2 opens by its dates: entities are handed out, so that no run of phase 1 is taken any more.
        soon = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
        set_dates(olive, SECOND, soon, now + timedelta(days=1))
        expect(olive.get_by_role("status")).to_contain_text(f"{SECOND} ends")
        time.sleep(max(0, (soon - datetime.now(UTC)).total_seconds()))
        given = start_archive(ada, SECOND, "ee", tmp_path)
        labels = {each.label for document in read_corpus(read_path(given)).documents.values() for each in document.text_bounds}
        assert labels
        assert not labels & set(TRIGGERS)
        look(ada)
        upload(ben, FIRST_IS_CLOSED, "burette, much too late", runs / "careful-test.zip", track=NER)
        expect(ben.locator("form#upload")).to_contain_text(
            f"texts and gold entities have been handed out since: no late runs of {NER}."
        )
        ben.goto(f"{TASK}/upload")
        ben.get_by_label("Phase").select_option(label=SECOND)
        expect(ben.get_by_label("Track").locator("option", has_text=NER)).to_be_disabled()
        send_and_publish(ada, SECOND, EE, "alembic, filled in", fill_in(given, tmp_path / "filled-in.zip"))
        send_and_publish(ben, SECOND, EE, "burette, links", runs / "off-by-some-test-ee.zip")
        send(ben, SECOND, EE, "burette, own entities", runs / "off-by-some-test-e2e.zip")
        expect(ben.locator("details.problem", has_text="not-given")).to_be_visible()
        look(ben)
        links = crucible.publish(crucible.send("test-2", "ee", "crucible, links", runs / "label-mixer-test-ee.zip"))

        # It closes too: now everything is told, but of the late run.
        close(olive, SECOND)
        old = crucible.boards()
        order = [name for name, _ in sorted(old["ee"].items(), key=lambda each: each[1]["rank"])]
        assert order == ["alembic, filled in", "burette, links", "crucible, links"]
        assert old["ee"]["alembic, filled in"]["score"]["f1"] == 1
        assert (old["e2e"]["burette, late"]["score"]["f1"], old["e2e"]["burette, late"]["score"]["tp"]) == (0.46, None)
        ben.goto(f"{TASK}/leaderboard?phase=test-2")
        figure = ben.get_by_role("row", name="crucible, links").locator("td.main")
        expect(figure).to_have_text("0.4816")
        look(ben)
        ben.get_by_label("Annotations").get_by_role("link", name="triggers").click()
        expect(figure).to_have_text("0.6623")
        ben.get_by_role("link", name="All criteria side by side").click()
        expect(ben.get_by_role("columnheader", name="relaxed spans, high labels")).to_be_visible()
        look(ben)
        ben.goto(f"/runs/{by_script}")
        for group in ("fine labels", "high labels"):
            expect(ben.get_by_role("columnheader", name=group, exact=True)).to_be_visible()
        ben.get_by_label("Annotations").get_by_role("link", name="entities").click()
        expect(ben.get_by_role("table", name=re.compile("^entities"))).to_contain_text("COMPOUND")
        look_at_both(ben)
        ben.get_by_role("link", name="Which labels are confused").click()
        expect(ben.get_by_text("Examples are shown where gold is public")).to_be_visible()
        expect(ben.locator("mark")).to_have_count(0)
        look_at_both(ben)

        # Ten documents were wrong. Everything is scored again, boards switch, and two teams change places.
        reason = "Ten documents had the steps of an early draft."
        gold = correct_gold(site.corpus, tmp_path / "corrected")
        said = assay(site.environment, "task", "gold", "chemu2020", "--split", "test", str(gold), "--reason", reason)
        assert "Version 2 of the gold of test is stored" in said
        change = crucible.changes()[0]
        assert (change["reason"], change["runs"]) == (reason, 12)
        new = crucible.boards()
        assert {name: each["rank"] for name, each in new["ee"].items()} == {
            "alembic, filled in": 1, "crucible, links": 2, "burette, links": 3
        }  # fmt: skip
        for track, same in (("ner", True), ("ee", False), ("e2e", False)):
            figures = [{name: each["score"]["f1"] for name, each in board[track].items()} for board in (old, new)]
            assert (figures[0] == figures[1]) is same
        ada.goto(TASK)
        expect(ada.locator(".announcement").first).to_contain_text(reason)
        ada.locator(".announcement").first.get_by_role("link", name="What changed").click()
        expect(ada.get_by_role("row", name="Team Crucible crucible, links")).to_contain_text("3 → 2")
        expect(ada.get_by_role("row", name="Team Burette burette, links")).to_contain_text("2 → 3")
        expect(ada.get_by_role("row", name="Team Burette burette, links")).to_contain_text("0.5928 → 0.5459")
        expect(ada.get_by_role("row", name="burette, late")).to_contain_text("0.46 → 0.40")
        expect(ada.get_by_text(f"{FIRST}, {NER}: no published run moved.")).to_be_visible()
        look_at_both(ada)
        ada.goto(f"{TASK}/leaderboard?phase=test-2")
        ada.get_by_role("link", name="what changed, and who moved").click()
        expect(ada.get_by_role("heading", name="Corrections of gold")).to_be_visible()

        # Both figures can be taken along.
        olive.goto(f"{TASK}/organise")
        expect(olive.locator("section.phase", has_text="version 2")).to_contain_text(reason)
        with olive.expect_download() as started:
            olive.get_by_role("button", name="All scores (CSV)").click()
        rows = csv.DictReader(Path(started.value.path()).read_text().splitlines())
        wanted = {"run_id": links, "annotations": "relations", "span": "exact", "labels": "fine", "label": "all"}
        kept = {
            (each["gold_version"], each["gold_is_current"]): each["f1"][:6] for each in rows if wanted.items() <= each.items()
        }
        assert kept == {("1", "0"): "0.4816", ("2", "1"): "0.5809"}
