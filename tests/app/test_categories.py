"""What a run misses by category and group, on its page."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from app.upkeep import examine
from tests.app.test_groups import PEOPLE, RUN, lab
from tests.app.test_leakage import give, work
from tests.factories import Server

__all__ = ["lab"]
LEXICON = "Copper\tmetal\nBORON\tmetalloid\n"


def page(lab: Server, run_id: str, query: str = "", who: str | None = "organiser", file: str = "") -> Any:
    return lab.browser(who).get(f"/runs/{run_id}/categories{file}{query}")


def cells(lab: Server, run_id: str, query: str = "") -> dict[tuple[str, str, str], str]:
    rows = csv.DictReader(io.StringIO(page(lab, run_id, query, file=".csv").text))
    return {(each["table"], each["name"], each["column"]): each["value"] for each in rows}


def test_by_label_and_by_lexicon(lab: Server) -> None:
    give(lab, PEOPLE, "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    # Every document has a GOLDMARK and a BB. Women's (t1, t2) are found, men's BB (t3, t4, t5) missed: t5's has another label.
    found = cells(lab, run_id)
    assert found["rates", "BB", "total female"] == "2"
    assert float(found["rates", "BB", "FNR female"]) == 0
    assert found["rates", "BB", "total male"] == "3"
    assert float(found["rates", "BB", "FNR male"]) == 1
    assert float(found["rates", "all of these", "FNR male"]) == 0.5
    # FNR female − male: 0 − 3/6.
    assert float(found["weighted", "gap (female minus male)", "FNR"]) == -0.5
    assert "What is missed of each category" in lab.browser("organiser").get(f"/runs/{run_id}").text
    assert float(cells(lab, run_id, "?labels=high")["rates", "BB", "FNR male"]) == 1
    form = {"lexicon": (io.BytesIO(LEXICON.encode()), "words.tsv")}
    answer = lab.browser("organiser").post("/tasks/t/organise/leakage/lexicon", data=form, follow_redirects=True)
    assert "Categories of 2 strings are known." in answer.text
    work(lab)
    by_string = cells(lab, run_id)
    assert by_string["rates", "metalloid", "total male"] == "3"
    assert float(by_string["rates", "metalloid", "FNR male"]) == 1
    assert by_string["rates", "metal", "total female"] == "2"
    assert ("rates", "BB", "total male") not in by_string
    assert "\\toprule" in page(lab, run_id, file=".tex").text
    assert page(lab, run_id, file=".json").json["categories"]["comparison"]["first"] == "female"
    assert all(each.good for each in examine(lab.worker.settings))


def test_which_groups_are_compared(lab: Server) -> None:
    give(lab, "document\tband\nt1\tyoung\nt2\tmiddle\nt3\told\n", "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    assert "middle minus old" in page(lab, run_id).text
    assert "young minus old" in page(lab, run_id, "?first=young&second=old").text
    for query in ("?first=young&second=young", "?first=young&second=nobody", "?attribute=x", "?span=x"):
        assert page(lab, run_id, query).status_code == 422


def test_it_is_told_when_strata_are(lab: Server) -> None:
    give(lab, PEOPLE, "")
    dev, run_id = lab.upload("ann", RUN)["id"], lab.upload("ann", RUN, "test")["id"]
    work(lab)
    assert page(lab, dev, who="ann").status_code == 200
    for file in ("", ".csv", ".tex", ".json"):
        refused = page(lab, run_id, who="ann", file=file)
        assert (refused.status_code, "FNR" in refused.text) == (403, False)
    for phase, action in (("test", "close"), ("late", "open"), ("late", "close")):
        lab.turn(phase, action)
    assert page(lab, run_id, who="ann").status_code == 200


def test_nothing_known(lab: Server) -> None:
    run_id = lab.upload("ann", RUN, "test")["id"]
    assert "has not been found yet" in page(lab, run_id).text
    work(lab)
    assert "Nothing is known of these documents" in page(lab, run_id).text
    assert page(lab, run_id, file=".csv").status_code == 422


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("copper metal\n", "words.tsv:1:1: no tab"),
        ("copper\tmetal\ncopper\tore\n", "words.tsv:2:2: copper is ore here and metal on line 1"),
        ("", "There is no string in the lexicon."),
        (None, "Choose a file"),
    ],
)
def test_a_lexicon_that_cannot_be_used(lab: Server, content: str | None, told: str) -> None:
    form = {} if content is None else {"lexicon": (io.BytesIO(content.encode()), "words.tsv")}
    answer = lab.browser("organiser").post("/tasks/t/organise/leakage/lexicon", data=form)
    assert answer.status_code == 422
    assert told in answer.text
