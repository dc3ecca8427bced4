"""How good is the gold? The organiser's page, what is marked there, and the files."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from app.upkeep import examine
from tests.app.test_leakage import work
from tests.factories import TOML, Server

TEXTS = {"t1": "lye and lye and lye", "t2": "lye or oil"}
GOLD = {
    "t1": "T1\tGOLDMARK 0 3\tlye\nT2\tGOLDMARK 8 11\tlye\nT3\tBB 16 19\tlye\n",
    "t2": "T1\tGOLDMARK 0 3\tlye\nT2\tAA 7 10\toil\n",
}
RUN = {"t1": "T1\tGOLDMARK 0 3\tlye\nT2\tGOLDMARK 8 11\tlye\nT3\tGOLDMARK 16 19\tlye\n", "t2": ""}


@pytest.fixture
def lab(server: Server) -> Server:
    server.add_task(corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, GOLD)}, toml=TOML)
    for name in ("ann", "bob"):
        server.add_person(name, f"{name}'s")
    return server


def page(lab: Server, who: str = "organiser", query: str = "?split=test") -> Any:
    return lab.browser(who).get(f"/tasks/t/organise/gold-report{query}")


def ask(lab: Server) -> None:
    assert lab.browser("organiser").post("/tasks/t/organise/gold-report/ask?split=test").status_code == 302
    assert "being looked at" in page(lab).text
    work(lab)


def test_doubts_are_read_and_marked(lab: Server) -> None:
    assert "Look at it" in page(lab).text
    for who in ("ann", "bob"):
        lab.upload(who, RUN if who == "bob" else {**RUN, "t2": "T1\tBB 7 10\toil\n"}, "test")
    ask(lab)
    told = page(lab).text
    # `lye` is GOLDMARK three times and BB once, which is 3 / 5 of .95; both runs say GOLDMARK there too, which is 2 / 3.
    assert "most runs say the same, and not this: <strong>GOLDMARK lye</strong>, 2 times" in told
    assert "gold says <strong>BB</strong>" in told
    assert "2 runs were asked" in told
    assert "Instances by easiness" in told
    assert "Documents, and their sentences and words" in told
    form = {"document": "t1", "place": "16 19", "verdict": "wrong"}
    answer = lab.browser("organiser").post("/tasks/t/organise/gold-report/mark?split=test", data=form)
    assert (answer.status_code, answer.headers["Location"].endswith("#doubt-1")) == (302, True)
    rows = list(csv.DictReader(io.StringIO(page(lab, query="/marks.csv?split=test").text)))
    assert [(each["document"], each["verdict"], each["gold"], each["instead"]) for each in rows] == [
        ("t1", "wrong", "BB", "GOLDMARK lye")
    ]
    assert 'aria-pressed="true"' in page(lab).text
    for verdict in ("unsure", ""):
        lab.browser("organiser").post("/tasks/t/organise/gold-report/mark?split=test", data={**form, "verdict": verdict})
    assert "marks.csv" not in page(lab).text
    assert "gold marked" in lab.browser("organiser").get("/tasks/t/organise/audit").text
    assert all(each.good for each in examine(lab.worker.settings))


def test_files_and_what_cannot_be(lab: Server) -> None:
    assert page(lab, query="/report.csv?split=test").status_code == 409
    ask(lab)
    assert "table,row,name,column,value" in page(lab, query="/report.csv?split=test").text
    assert "\\toprule" in page(lab, query="/report.tex?split=test").text
    found = page(lab, query="/report.json?split=test").json
    assert found["doubts"][0]["said"] == "BB"
    assert "difficulty" not in found, "no run has been scored"
    for form, status in (
        ({"document": "t1", "place": "16 19", "verdict": "maybe"}, 422),
        ({"document": "t9", "place": "0 1", "verdict": "right"}, 404),
    ):
        assert lab.browser("organiser").post("/tasks/t/organise/gold-report/mark?split=test", data=form).status_code == status
    assert page(lab, query="?split=no").status_code == 404


def test_it_is_the_organisers_only(lab: Server) -> None:
    ask(lab)
    for path in ("?split=test", "/report.json?split=test", "/marks.csv?split=test"):
        refused = page(lab, "ann", path)
        assert (refused.status_code, "GOLDMARK" in refused.text) == (403, False)
