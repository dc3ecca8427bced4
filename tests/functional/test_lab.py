"""A lab as it is played: terms, invitations, quotas, a nomination, an extension, a late run, and the final board."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.functional.conftest import Site
from tests.functional.test_loop import look, register, upload, wait_until_done

pytestmark = pytest.mark.functional


def sign_in_as_organiser(page: Page, site: Site) -> None:
    page.goto("/sign-in?next=/tasks/demo/organise")
    page.get_by_label("E-mail address").fill("organiser@x.org")
    page.get_by_label("Password").fill(site.organiser)
    page.get_by_role("button", name="Sign in").click()


def set_dates(page: Page, phase: str, opens: datetime, closes: datetime, reason: str) -> None:
    """Move the phase instead of the clock: for everybody else it is the same."""
    page.goto("/tasks/demo/organise")
    section = page.locator("section.phase", has_text=phase)
    section.get_by_text(f"Dates of {phase}").click()
    section.get_by_label("Opens").fill(f"{opens:%Y-%m-%d %H:%M:%S}")
    section.get_by_label("Closes").fill(f"{closes:%Y-%m-%d %H:%M:%S}")
    section.get_by_label("Reason").fill(reason)
    section.get_by_role("button", name="Set the dates").click()
    expect(page.get_by_role("status").first).to_contain_text(f"{phase} ends")


def test_a_lab(browser: Browser, site: Site, tmp_path: Path) -> None:
    organiser, second, team, member = (browser.new_context(base_url=site.address).new_page() for _ in range(4))
    runs, now = site.corpus / "runs", datetime.now(UTC)
    phase = "Test 2"

    # An organiser sets terms, invites another, and opens the phase until tomorrow.
    sign_in_as_organiser(organiser, site)
    organiser.get_by_text("Change the terms").click()
    organiser.get_by_label("Terms").fill("The texts stay with **you**.")
    organiser.get_by_role("button", name="Make a new version").click()
    organiser.get_by_role("button", name="Invite an organiser").click()
    link = organiser.locator(".secret code").inner_text()
    register(second, "Oskar")
    second.goto(link)
    second.get_by_role("button", name="Become an organiser").click()
    expect(second.get_by_role("heading", name="Organise", exact=True)).to_be_visible()
    set_dates(second, phase, now - timedelta(minutes=1), now + timedelta(days=1), "")
    look(second)

    # A team is founded; its first invitation is revoked, its second joins Mika.
    register(team, "Lena")
    team.goto("/tasks/demo/team/new")
    team.get_by_label("Name").fill("Team Litmus")
    team.get_by_role("button", name="Found the team").click()
    team.get_by_role("button", name="Make an invitation link").click()
    revoked = team.locator(".secret code").inner_text()
    team.get_by_role("button", name="Revoke").click()
    register(member, "Mika")
    member.goto(revoked)
    expect(member.get_by_text("This invitation is not valid any more")).to_be_visible()
    team.get_by_role("button", name="Make an invitation link").click()
    member.goto(team.locator(".secret code").inner_text())
    member.get_by_role("button", name="Join the team").click()

    # The terms stand before the download.
    member.goto("/tasks/demo")
    member.get_by_role("row", name="test-2").get_by_role("link", name="texts.zip").click()
    expect(member.get_by_text("Accept the data terms")).to_be_visible()
    look(member)
    member.get_by_role("button", name="I accept version 1").click()
    with member.expect_download():
        member.get_by_role("row", name="test-2").get_by_role("link", name="texts.zip").click()

    # Three tries; the same run asks; a rejected one costs nothing; nothing is told but that they are accepted.
    expect(member.locator(".quotas")).to_contain_text("Test 2 3 of 3 runs left")
    for name in ("careful", "label-mixer"):
        upload(member, phase, name, runs / f"{name}-test-2.zip")
        expect(member.locator(".lead")).to_contain_text("accepted", timeout=30_000)
    upload(member, phase, "again", runs / "careful-test-2.zip")
    expect(member.get_by_text("has sent these very annotations as “careful”")).to_be_visible()
    look(member)
    broken = tmp_path / "broken.ann"
    broken.write_text("nonsense")
    upload(member, phase, "broken", broken)
    wait_until_done(member)
    expect(member.locator(".quotas")).to_contain_text("Test 2 1 of 3 runs left")

    # The first run is nominated, published and described; then the captain leaves.
    member.get_by_role("link", name="My team").click()
    member.get_by_label("Phase").get_by_role("link", name=phase).click()
    expect(member.get_by_role("row", name="label-mixer")).to_contain_text("official")
    member.get_by_role("link", name="careful", exact=True).click()
    member.get_by_role("button", name="Make it our official run").click()
    member.get_by_role("button", name="Publish").click()
    member.get_by_text("Rename and describe").click()
    member.get_by_label("Description of the system").fill("A *careful* tagger.")
    member.get_by_role("button", name="Change").click()
    expect(member.locator("em", has_text="careful")).to_be_visible()
    look(member)
    team.goto("/tasks/demo/team")
    team.get_by_text("Leave the team").click()
    team.get_by_role("button", name="Leave Team Litmus").click()
    member.goto("/tasks/demo/team")
    expect(member.locator("li", has_text="Mika")).to_contain_text("captain")

    # The phase ends, is extended with a reason that everybody reads, and ends again; the last run comes too late.
    set_dates(organiser, phase, now - timedelta(days=2), now - timedelta(days=1), "The corpus had to be frozen.")
    set_dates(organiser, phase, now - timedelta(days=2), now + timedelta(days=1), "The mail server was down.")
    team.goto("/tasks/demo")
    expect(team.get_by_text("The mail server was down.")).to_be_visible()
    section = organiser.locator("section.phase", has_text=phase)
    section.get_by_text("Close now").click()
    section.get_by_role("button", name=f"Close {phase}").click()
    look(organiser)
    upload(member, f"{phase} (closed: late runs are scored and not ranked)", "too late", runs / "off-by-some-test-2.zip")
    wait_until_done(member)
    expect(member.locator(".lead")).to_contain_text("late *")
    member.get_by_role("button", name="Publish").click()

    # The final board: the official run ranked, the late one marked and not.
    page = team
    page.goto("/tasks/demo/leaderboard?phase=test-2")
    expect(page.get_by_role("row", name=re.compile("careful"))).to_contain_text("official")
    expect(page.get_by_role("row", name=re.compile("careful")).locator(".rank")).to_have_text("1")
    expect(page.get_by_role("row", name=re.compile("too late")).locator(".rank")).to_have_text("–")
    expect(page.get_by_role("row", name=re.compile("too late"))).to_contain_text("*")
    look(page)

    # What was done is in the log, and all of it can be taken along.
    organiser.goto("/tasks/demo/organise")
    with organiser.expect_download() as started:
        organiser.get_by_role("button", name="All scores (CSV)").click()
    assert "too late" in Path(started.value.path()).read_text()
    organiser.get_by_role("link", name="Audit log").click()
    for done in ("organiser joined", "team left", "phase dates", "terms", "export"):
        expect(organiser.get_by_role("cell", name=done, exact=True).first).to_be_visible()
    look(organiser)
