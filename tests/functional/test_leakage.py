"""An organiser finds what leaked in the demonstration, says where documents come from, and takes the tables along."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.functional.conftest import Site
from tests.functional.test_lab import sign_in_as_organiser
from tests.functional.test_loop import look, register, upload, wait_until_done

pytestmark = pytest.mark.functional


def reload_until_gone(page: Page, words: str) -> None:
    """What is found in the background is there after a while; the page does not reload by itself."""
    for _ in range(60):
        if not page.get_by_text(words).is_visible():
            return
        page.wait_for_timeout(500)
        page.reload()
    pytest.fail(f"still there: {words}")


def downloaded(page: Page, link: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("link", name=link, exact=True).first.click()
    return Path(started.value.path()).read_text("utf-8")


def test_what_leaked(browser: Browser, site: Site) -> None:
    planted = json.loads((site.corpus / "planted.json").read_text("utf-8"))
    organiser, team = (browser.new_context(base_url=site.address).new_page() for _ in range(2))
    sign_in_as_organiser(organiser, site)

    # Before anyone submits: the planted copies are there and no others, and nothing is known of sources.
    organiser.get_by_role("heading", name="Leakage").locator("xpath=following-sibling::p[1]").get_by_role(
        "link", name="test", exact=True
    ).click()
    reload_until_gone(organiser, "It is being found")
    expect(organiser.get_by_text("Of no document the source is known")).to_be_visible()
    rows = organiser.get_by_role("region", name="Copies").locator("tbody tr").all()
    found = {tuple(sorted(each.locator("code").all_inner_texts())) for each in rows}
    in_test = {(copy, original) for copy, original in planted["near_copies"] if copy in _ids(site, "test")}
    assert found == {tuple(sorted(each)) for each in [*in_test, *planted["exact_copies"]]}
    look(organiser)
    organiser.get_by_role("region", name="Copies").get_by_role("link").first.click()
    expect(organiser.get_by_text("Nearly a copy")).to_be_visible()
    assert organiser.locator("mark").count() >= 2
    look(organiser)
    organiser.go_back()

    # Sources are given on the page, and found anew.
    organiser.get_by_label("File").set_input_files(site.corpus / "metadata.tsv")
    organiser.get_by_role("button", name="Give these attributes").click()
    expect(organiser.get_by_role("status").first).to_contain_text("test 50 of 50")
    reload_until_gone(organiser, "It is being found anew")
    expect(organiser.get_by_role("img", name="Sources by split")).to_be_visible()
    shared = set(planted["shared_sources"]["test"])
    expect(organiser.get_by_text(f"{len(shared)} of 30 sources of test are in another split too")).to_be_visible()
    look(organiser)

    # A team that only remembers strings: its own page says so on dev at once.
    register(team, "Nora")
    team.goto("/tasks/demo/team/new")
    team.get_by_label("Name").fill("Team Nutsche")
    team.get_by_role("button", name="Found the team").click()
    for name in ("memoriser", "careful"):
        upload(team, "Development", name, site.corpus / "runs" / f"{name}-dev.zip")
        wait_until_done(team)
        team.get_by_role("button", name="Publish").click()
    for _ in range(60):
        if team.get_by_role("heading", name="By stratum").is_visible():
            break
        team.wait_for_timeout(500)
        team.reload()
    look(team)
    team.get_by_role("link", name="All published runs by stratum").click()
    reload_until_gone(team, "still being scored by stratum")
    figures = team.get_by_role("region", name="F1 by entropy", exact=True).get_by_role("row", name="memoriser").locator("td")
    easy, clean = (float(figures.nth(number).inner_text()) for number in (1, figures.count() - 1))
    assert easy > 0.8
    assert clean < 0.2
    look(team)

    # The organiser takes the tables along.
    organiser.goto("/tasks/demo/organise/strata?phase=dev")
    look(organiser)
    section = organiser.locator("section", has=organiser.locator("#entropy"))
    with organiser.expect_download() as started:
        section.get_by_role("link", name="CSV", exact=True).click()
    lines = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text("utf-8"))))
    assert {each["run"] for each in lines} == {"Team Nutsche, memoriser", "Team Nutsche, careful"}
    assert "\\toprule" in downloaded(organiser, "LaTeX")


def _ids(site: Site, split: str) -> set[str]:
    return {each.stem for each in (site.corpus / split).glob("*.ann")}
