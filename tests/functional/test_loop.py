"""The whole loop in Chromium, as people would go through it, with the accessibility of every page on the way."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.functional.conftest import Site

pytestmark = pytest.mark.functional


@pytest.fixture
def visitors(browser: Browser, site: Site) -> Iterator[list[Page]]:
    """Pages of three people, who share nothing but the server; one of them without JavaScript."""
    contexts = [browser.new_context(base_url=site.address, java_script_enabled=scripts) for scripts in (True, False, True)]
    pages = [each.new_page() for each in contexts]
    yield pages
    for each in contexts:
        each.close()


def look(page: Page) -> None:
    """No fault of accessibility, nothing wider than the window, no other host."""
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def register(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Register").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("E-mail address").fill(f"{name.lower()}@lab.org")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("status")).to_have_text(f"Welcome, {name}.")


def upload(page: Page, phase: str, name: str, file: Path, track: str | None = None) -> None:
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("Phase").select_option(label=phase)
    if track is not None:
        page.get_by_label("Track").select_option(label=track)
    page.get_by_label("Name of the run").fill(name)
    page.get_by_label("Annotations").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()


def wait_until_done(page: Page) -> None:
    """The page looks again by itself, by a refresh that needs no script."""
    expect(page.locator(".lead .state").first).to_have_text(re.compile("scored|rejected|accepted"), timeout=30_000)


def test_the_whole_loop(visitors: list[Page], site: Site, tmp_path: Path) -> None:
    team, member, organiser = visitors
    runs = site.corpus / "runs"

    # A person registers, founds a team and downloads what is released.
    register(team, "Tess")
    team.get_by_role("link", name="Demonstration").click()
    look(team)
    with team.expect_download() as started:
        team.get_by_role("row", name="dev").get_by_role("link", name="texts.zip").click()
    with zipfile.ZipFile(started.value.path()) as texts:
        assert len(texts.namelist()) == 30
    expect(team.get_by_role("row", name=re.compile("^test 50"))).to_contain_text("blind")
    team.get_by_role("link", name="Take part").click()
    look(team)
    team.get_by_label("Name").fill("Team Titration")
    team.get_by_role("button", name="Found the team").click()
    expect(team.get_by_role("heading", name="Team Titration")).to_be_visible()
    look(team)

    # Another joins by the invitation link; her browser runs no scripts.
    team.get_by_role("button", name="Make an invitation link").click()
    link = team.locator(".secret code").inner_text()
    assert link.startswith(site.address)
    register(member, "Mara")
    member.goto(link)
    member.get_by_role("button", name="Join the team").click()
    expect(member.get_by_role("heading", name="Team Titration")).to_be_visible()

    # A broken run is rejected with its problems.
    broken = tmp_path / "broken.zip"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("0120.ann", "T1\tSOLVENT 5 2\tx\nT2 SOLVENT 0 1 y\n")
    upload(member, "Development", "broken", broken)
    wait_until_done(member)
    expect(member.get_by_role("status")).to_contain_text("31 problems were found")
    expect(member.get_by_role("table").first).to_contain_text("0120.ann:1:12")

    # A good one is scored, seen on the private board, published, seen by everyone, and withdrawn.
    upload(member, "Development", "first try", runs / "careful-dev.zip")
    wait_until_done(member)
    look(team)
    member.get_by_role("link", name="My team").click()
    row = member.get_by_role("row", name="first try")
    f1 = row.locator("td.main").inner_text()
    assert re.fullmatch(r"0\.9\d{3}", f1)
    team.goto("/tasks/demo/leaderboard")
    expect(team.get_by_text("No team has published a run")).to_be_visible()
    look(team)
    row.get_by_role("link").click()
    member.get_by_role("button", name="Publish").click()
    organiser.goto("/tasks/demo/leaderboard?phase=dev")
    expect(organiser.get_by_role("row", name="first try").locator("td.main")).to_have_text(f1)
    look(organiser)
    organiser.get_by_role("link", name="relaxed").click()
    assert "span=relaxed" in organiser.url
    with member.expect_download() as started:
        member.get_by_role("link", name="careful-dev.zip").click()
    assert Path(started.value.path()).read_bytes() == (runs / "careful-dev.zip").read_bytes()
    member.get_by_role("button", name="Withdraw").click()
    organiser.reload()
    expect(organiser.get_by_text("No team has published a run")).to_be_visible()

    # A test run is scored and not told; the organiser sees it, closes the phase, and then it is told.
    upload(team, "Test 1", "for the record", runs / "careful-test.zip")
    wait_until_done(team)
    expect(team.get_by_text("are told when the phase closes")).to_be_visible()
    expect(team.get_by_role("heading", name="Scores")).to_have_count(0)
    team.get_by_role("button", name="Publish").click()
    look(team)
    organiser.goto("/sign-in?next=/tasks/demo/organise%3Fphase=test-1")
    organiser.get_by_label("E-mail address").fill("organiser@x.org")
    organiser.get_by_label("Password").fill(site.organiser)
    organiser.get_by_role("button", name="Sign in").click()
    expect(organiser.get_by_role("row", name="for the record").locator("td.main")).to_have_text(re.compile(r"0\.9"))
    look(organiser)
    organiser.locator("section", has_text="Test 1").get_by_text("Close now").click()
    look(organiser)
    organiser.get_by_role("button", name="Close Test 1").click()
    expect(organiser.get_by_role("status")).to_have_text("Test 1 is closed.")
    member.goto("/tasks/demo/leaderboard?phase=test-1")
    expect(member.get_by_role("row", name="for the record").locator("td.main")).to_have_text(re.compile(r"0\.9\d\d\d"))


def test_by_keyboard_alone(browser: Browser, site: Site) -> None:
    page = browser.new_page(base_url=site.address)
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.goto("/sign-in")
    page.get_by_label("E-mail address").focus()
    page.keyboard.type("organiser@x.org")
    page.keyboard.press("Tab")
    page.keyboard.type(site.organiser)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_page_fits_and_reads(browser: Browser, site: Site, width: int, scheme: str) -> None:
    context = browser.new_context(
        base_url=site.address, viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    for path in ("/", "/register", "/sign-in", "/tasks/demo", "/tasks/demo/leaderboard", "/nowhere"):
        page.goto(path)
        look(page)
    page.goto("/sign-in")
    page.get_by_label("E-mail address").fill("organiser@x.org")
    page.get_by_label("Password").fill(site.organiser)
    page.get_by_role("button", name="Sign in").click()
    for path in ("/account", "/tasks/demo/organise", "/tasks/demo"):
        page.goto(path)
        look(page)
    assert hosts == {site.address.removeprefix("http://")}
    context.close()


def test_a_run_with_a_converters_fault_is_read_repaired_and_submitted(browser: Browser, site: Site, tmp_path: Path) -> None:
    page = browser.new_page(base_url=site.address)
    register(page, "Rita")
    page.goto("/tasks/demo/team/new")
    page.get_by_label("Name").fill("Team Repair")
    page.get_by_role("button", name="Found the team").click()

    # A right run, each end moved onto the last character, as a converter with inclusive ends writes it.
    off = tmp_path / "off.zip"
    with zipfile.ZipFile(site.corpus / "runs" / "careful-dev.zip") as right, zipfile.ZipFile(off, "w") as archive:
        for name in right.namelist():
            lines = right.read(name).decode()
            archive.writestr(name, re.sub(r"(\d+) (\d+)(?=[;\t])", lambda m: f"{m[1]} {int(m[2]) - 1}", lines))

    # Checked only: it costs nothing, and says what is wrong.
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("Phase").select_option(label="Development")
    page.get_by_label("Annotations").set_input_files(off)
    look(page)
    page.get_by_role("button", name="Check only").click()
    expect(page.locator(".lead .state").first).to_have_text("tried", timeout=30_000)
    diagnosis = page.locator(".diagnosis")
    expect(diagnosis).to_contain_text("inclusive-end")
    expect(diagnosis).to_contain_text(re.compile(r"explains (\d+) of \1 spans"))
    page.get_by_text("What the correction changes").click()
    look(page)
    diagnosis.get_by_role("link", name="inclusive-end").click()
    expect(page.get_by_role("heading", name="inclusive-end")).to_be_in_viewport()
    look(page)
    page.go_back()

    # Submitted as it is, it is held; corrected, it has the scores of the right run.
    page.get_by_role("button", name="Submit it as it is").click()
    expect(page.locator(".lead .state").first).to_have_text("scored", timeout=30_000)
    upload(page, "Development", "off", off)
    expect(page.locator(".lead .state").first).to_have_text("held", timeout=30_000)
    look(page)
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the corrected run").click()
    with zipfile.ZipFile(started.value.path()) as mine, zipfile.ZipFile(site.corpus / "runs" / "careful-dev.zip") as right:
        assert {name: mine.read(name) for name in mine.namelist()} == {name: right.read(name) for name in right.namelist()}
    page.get_by_role("button", name="Submit the corrected run").click()
    expect(page.locator(".lead .state").first).to_have_text("scored", timeout=30_000)
    expect(page.get_by_role("heading", name="off, corrected")).to_be_visible()
    page.close()


def test_a_file_can_be_dropped(browser: Browser, site: Site) -> None:
    page = browser.new_page(base_url=site.address)
    register(page, "Dora")
    page.goto("/tasks/demo/team/new")
    page.get_by_label("Name").fill("Team Drop")
    page.get_by_role("button", name="Found the team").click()
    page.goto("/tasks/demo/upload")
    transfer = page.evaluate_handle("""() => {
        const data = new DataTransfer(); data.items.add(new File(["T1"], "dropped.ann")); return data; }""")
    page.dispatch_event(".drop", "drop", {"dataTransfer": transfer})

    assert page.evaluate("document.querySelector('input[type=file]').files[0].name") == "dropped.ann"
    page.close()
