"""Runs by group on the server: from attributes of documents to differences, for old runs too."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tasks
from app.analysis.groups import unpack_counts
from app.cli.main import main
from app.demo.corpus import generate
from app.demo.runs import pack_run
from app.runs.models import Run, Stratification
from brat.files import read_bytes
from brat.write import write
from evaluator.scores import Counts
from tests.app.test_leakage import counts, give, work
from tests.factories import CONF, TOML, Server, files

TEXTS = {f"t{n}": "copper boron" for n in range(1, 7)}
BOTH = "T1\tGOLDMARK 0 6\tcopper\nT2\tBB 7 12\tboron\n"
GOLD = dict.fromkeys(TEXTS, BOTH)
FIRST = "T1\tGOLDMARK 0 6\tcopper\n"
# Women's documents t1, t2: both right. Men's t3, t4, t5: one right of two each, and in t5 one too many. t6: nobody knows.
RUN = {"t1": BOTH, "t2": BOTH, "t3": FIRST, "t4": FIRST, "t5": f"{FIRST}T2\tAA 7 12\tboron\n", "t6": BOTH}
PEOPLE = "document\tgender\tage\nt1\tfemale\t20\nt2\tfemale\t30\nt3\tmale\t20\nt4\tmale\t30\nt5\tmale\t\n"


@pytest.fixture
def lab(server: Server) -> Server:
    """A task without train: groups need no more than a run and what is known of documents."""
    server.add_task(
        TOML.replace('title = "Test"\n', 'title = "Test"\nquota = 9\n'), corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, GOLD)}
    )
    server.add_person("ann", "Ann's")
    return server


def board(lab: Server, query: str = "?phase=test", who: str = "organiser", file: str = "") -> Any:
    answer = lab.browser(who).get(f"/tasks/t/organise/groups{file}{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


def test_by_hand_and_for_a_phase_that_has_closed(lab: Server) -> None:
    run_id = lab.upload("ann", RUN, "test")["id"]
    lab.turn("test", "close")
    work(lab)
    assert counts(lab, run_id, groups=True) == {}
    assert "Nothing is known of these documents" in board(lab)
    give(lab, PEOPLE, "")
    work(lab)
    assert counts(lab, run_id, groups=True) == {
        ("group:gender", "female"): (4, 0, 0),
        ("group:gender", "male"): (3, 1, 3),
        ("group:gender", "unknown"): (2, 0, 0),
        ("group:age", "20"): (3, 0, 1),
        ("group:age", "30"): (3, 0, 1),
        ("group:age", "unknown"): (3, 1, 1),
    }
    page = board(lab)
    # F1: women 1, men 6/10; female − male = +.4. Recall 1 − 3/6; precision 1 − 3/4.
    assert "female − male" in re.sub(r" <span class=\"quiet\">\(\d+\)</span>", "", page)
    assert all(each in page for each in ("+0.4000", "+0.5000", "+0.2500", "0.6000"))
    assert "Of 1 document the gender is not known" in page
    assert "By stratum" in lab.browser("organiser").get(f"/runs/{run_id}").text
    told = lab.browser("organiser").get(f"/runs/{run_id}").text
    assert "F1 female − male is +0.4000" in told


def test_the_numbers_of_documents_are_kept(lab: Server) -> None:
    give(lab, PEOPLE, "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    with lab.worker.database.session(write=False) as session:
        stored = session.query(Stratification).one().counts
        assert session.get_one(Run, run_id).state == "scored"
    documents, found = unpack_counts(lab.worker.storage.get(stored), "entities", "exact-fine")
    assert documents == tuple(sorted(TEXTS))
    assert found.tolist() == [[2, 0, 0], [2, 0, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1], [2, 0, 0]]
    assert Counts(*found.sum(axis=0).tolist()) == Counts(9, 1, 3)


def test_order_families_and_files(lab: Server) -> None:
    give(lab, PEOPLE, "")
    lab.add_person("bea", "=Bea")
    lab.upload("ann", RUN, "test", "uneven")
    # Men's documents whole, women's half: F1 of women 2·2/(4+2) = 2/3, of all 10/12 of gold right: 20/22.
    lab.upload("ann", GOLD | {"t1": FIRST, "t2": FIRST}, "test", "other way")
    # 4 of 12 missing, evenly: 16/20 = .8 in all.
    lab.upload("bea", GOLD | dict.fromkeys(("t1", "t3", "t4", "t6"), FIRST), "test", "even")
    work(lab)
    whole, worst = _names(lab, "?phase=test"), _names(lab, "?phase=test&order=worst")
    assert whole == ["Ann's, other way", "Ann's, uneven", "=Bea, even"]
    assert worst == ["=Bea, even", "Ann's, other way", "Ann's, uneven"]
    page = board(lab)
    assert "mean of Ann&#39;s" in page
    assert "mean of all" in page
    rows = list(csv.DictReader(io.StringIO(board(lab, file=".csv"))))
    assert {each["group"] for each in rows} == {"female", "male", "unknown", "female − male"}
    uneven = next(each for each in rows if (each["run"], each["group"], each["metric"]) == ("Ann's, uneven", "male", "f1"))
    assert (uneven["tp"], uneven["fp"], uneven["fn"], float(uneven["value"])) == ("3", "1", "3", 0.6)
    assert any(each["run"] == "'=Bea, even" for each in rows), "no formula"
    latex = board(lab, file=".tex")
    assert "{Ann's, uneven} & 0.8182 & 1.0000 & 0.6000 & +0.4000" in latex
    # (20/22 + 18/22) / 2 and (.4 − 1/3) / 2.
    assert "{mean of Ann's} & 0.8636 & 0.8333 & 0.8000 & +0.0333" in latex
    assert "office is no attribute" in lab.browser("organiser").get("/tasks/t/organise/groups?phase=test&attribute=office").text


def _names(lab: Server, query: str) -> list[str]:
    found = board(lab, query)
    return [each.replace("&#39;", "'") for each in re.findall(r'<a href="/runs/\w+">([^<]+)</a></th>', found)]


def test_curves_over_decades(lab: Server) -> None:
    rows = [f"t{n}\t{'female' if n % 2 else 'male'}\t{1880 + 10 * (n // 2)}" for n in range(1, 7)]
    give(lab, "\n".join(["document\tgender\tdecade", *rows]), "")
    lab.upload("ann", RUN, "test", "uneven")
    work(lab)
    page = board(lab, "?phase=test&attribute=gender")
    # 1880: t1. 1890: t2, t3. 1900: t4, t5. 1910: t6. Women: t1 1, t3 2/3, t5 2/4; men: t2 1, t4 2/3, t6 1.
    table = page.split("F1 over decade, of the first runs above")[1].split("</table>")[0]
    assert re.findall(r">(\d{4}|[01]\.\d{4}|–)<", table) == [
        "1880", "1.0000", "–", "1890", "0.6667", "1.0000", "1900", "0.5000", "0.6667", "1910", "–", "1.0000",
    ]  # fmt: skip
    assert 'aria-label="F1 over decade.' in page
    rows = [f"t{n}\t{'abcdef'[n - 1]}\t{1880 + 10 * (n // 2)}" for n in range(1, 7)]
    give(lab, "\n".join(["document\tletter\tdecade", *rows]), "")
    work(lab)
    assert "F1 over decade" not in board(lab, "?phase=test&attribute=letter"), "six groups cannot be told apart in a picture"
    by_decade = board(lab, "?phase=test&attribute=decade")
    assert 'aria-label="F1 by decade.' in by_decade
    assert "− the others" in by_decade


def test_the_same_as_offline(lab: Server, tmp_path: Path) -> None:
    give(lab, PEOPLE, "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    for name, anns in (("gold", GOLD), ("run", RUN)):
        (tmp_path / name).mkdir()
        for file, data in files(TEXTS, anns).items():
            (tmp_path / name / file).write_bytes(data)
    (tmp_path / "m.tsv").write_text(PEOPLE)
    (tmp_path / "annotation.conf").write_text(CONF)
    options = ["--metadata", tmp_path / "m.tsv", "--by", "gender", "--intervals", "--conf", tmp_path / "annotation.conf"]
    arguments = [str(each) for each in ("score", tmp_path / "gold", tmp_path / "run", *options)]
    told = CliRunner().invoke(main, [*arguments, "--format", "json"])
    assert told.exit_code == 0, told.output
    offline = next(
        each for each in json.loads(told.stdout)["comparisons"] if each["of"].startswith("entities, exact spans, fine")
    )
    served = lab.api("GET", f"/runs/{run_id}/groups", "organiser").json["comparisons"][0]
    assert [(each["first"], each["metric"], each["value"], each["chance"]) for each in offline["differences"]] == [
        (each["first"], each["metric"], each["value"], each["chance"]) for each in served["differences"]
    ]
    assert [each["interval"] for each in offline["differences"]] == [None] * 3, "of so few documents"
    assert [each["low"] for each in served["differences"]] == [None] * 3
    assert "female − male  f1" in CliRunner().invoke(main, arguments).output
    for wrong in (["--intervals"], ["--intervals", "--metadata", str(tmp_path / "m.tsv")]):
        refused = CliRunner().invoke(main, [*arguments[:3], *wrong])
        assert refused.exit_code == 2


@pytest.mark.parametrize(
    "values",
    [
        ("7", "07", "8", "9", "10", "7"),
        ("01", "02", "03", "10", "01", "02"),
        ("1", "2", "3", "1" + "0" * 400, "1", "2"),
        ("none", "all", "unknown", "the others", "none", "all"),
        ("nan", "inf", "-inf", "٣", "1e5", "−1"),
        ("<b>x</b>", "=1+1", "a,b", '"', "'", "×"),
    ],
)
@pytest.mark.parametrize("attribute", ["性別", "a\r\nb: c", "group:gender×entropy"])
def test_any_attribute_with_any_values(lab: Server, attribute: str, values: tuple[str, ...]) -> None:
    rows = {f"t{n}": {attribute: value, "half": str(n % 2)} for n, value in enumerate(values, 1)}
    give(lab, json.dumps(rows), "")
    run_id = lab.upload("ann", RUN, "test")["id"]
    work(lab)
    browser = lab.browser("organiser")
    for name in (attribute, "half"):
        query = {"phase": "test", "attribute": name}
        for file in ("", ".csv", ".tex"):
            assert browser.get(f"/tasks/t/organise/groups{file}", query_string=query).status_code == 200
        for file in ("", ".csv", ".tex", ".json"):
            assert browser.get(f"/runs/{run_id}/categories{file}", query_string={"attribute": name}).status_code == 200
    assert browser.get(f"/runs/{run_id}").status_code == 200
    found = lab.api("GET", f"/runs/{run_id}/groups", "organiser").json["comparisons"][0]
    assert sum(each["documents"] for each in found["groups"]) == 6


def test_what_could_not_be_found_anew_is_said(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    give(lab, PEOPLE, "")
    lab.upload("ann", RUN, "test")
    work(lab)
    give(lab, PEOPLE.replace("male", "man"), "")
    monkeypatch.setattr("app.analysis.run_jobs.compare_all", lambda *_: 1 / 0)
    work(lab)
    assert "1 run could not be scored by group; what is shown of it is from before" in board(lab)


def test_means_are_of_teams_and_of_ranked_runs(lab: Server) -> None:
    give(lab, PEOPLE, "")
    lab.add_person("bea", "Alembic, Inc.")
    lab.add_person("cid", "Alembic, Co.")
    lab.upload("bea", RUN, "test", "one")
    lab.upload("bea", GOLD, "test", "two")
    lab.upload("cid", GOLD | {"t1": FIRST}, "test", "three")
    lab.turn("test", "close")
    lab.upload("cid", GOLD | {"t1": ""}, "test", "late")
    work(lab)
    latex = board(lab, file=".tex")
    assert "{mean of Alembic, Inc.}" in latex
    assert "mean of Alembic, Co." not in latex
    assert "(3 runs)" in board(lab)


def test_who_is_told_when(lab: Server) -> None:
    give(lab, PEOPLE, "")
    dev = lab.upload("ann", RUN)["id"]
    run_id = lab.upload("ann", RUN, "test")["id"]
    lab.browser("ann").post(f"/runs/{run_id}/publish")
    lab.browser("ann").post(f"/runs/{dev}/publish")
    work(lab)

    def told(who: str | None) -> list[int]:
        found = [lab.browser(who).get(f"/tasks/t/leaderboard/groups{each}?phase=test") for each in ("", ".csv", ".tex")]
        assert all("female" not in each.text for each in found if each.status_code != 200)
        found += [lab.api("GET", each, who) for each in (f"/runs/{run_id}/groups", "/tasks/t/groups?phase=test")]
        return [each.status_code for each in found]

    assert told("ann") == [403] * 5
    assert "female" not in lab.browser("ann").get(f"/runs/{run_id}").text
    assert "female" in lab.browser("ann").get("/tasks/t/leaderboard/groups?phase=dev").text
    assert "female" in lab.browser("ann").get(f"/runs/{dev}").text
    for phase, action in (("test", "close"), ("late", "open"), ("late", "close")):
        lab.turn(phase, action)
    assert told("ann") == [200] * 5
    assert told(None)[:3] == [200] * 3
    found = lab.api("GET", "/tasks/t/groups?phase=test", None).json
    assert [each["first"] + each["second"] for each in found["runs"][0]["differences"]] == ["femalemale"] * 3
    assert found["runs"][0]["groups"][2] == {
        "group": "unknown",
        "documents": 1,
        "tp": 2,
        "fp": 0,
        "fn": 0,
        "figures": [{"metric": each, "value": 1.0, "low": None, "high": None} for each in ("precision", "recall", "f1")],
    }
    mine = lab.api("GET", f"/runs/{run_id}/groups", "ann").json["comparisons"]
    assert [each["attribute"] for each in mine] == ["gender", "age"]


def test_waiting_and_nothing(lab: Server) -> None:
    assert "No team has sent a run" in board(lab)
    give(lab, PEOPLE, "")
    lab.upload("ann", RUN, "test")
    assert "1 run is still being scored by group" in board(lab)


def test_a_task_without_train_takes_attributes_from_the_page(lab: Server) -> None:
    page = lab.browser("organiser").get("/tasks/t/organise/leakage")
    assert "This task has no train" in page.text
    form = {"file": (io.BytesIO(PEOPLE.encode()), "people.tsv")}
    answer = lab.browser("organiser").post("/tasks/t/organise/leakage/metadata", data=form, follow_redirects=True)
    assert "dev 5 of 6, test 5 of 6" in answer.text


def test_the_demonstration_has_one_difference_and_not_the_other(server: Server) -> None:
    corpus = generate()
    texts = {id_: each.text or "" for id_, each in corpus.splits["test"].items()}
    bundle = Path(tasks.__file__).parent / "demo"
    toml = (bundle / "task.toml").read_text().replace('id = "demo"', 'id = "t"', 1)
    gold = {id_: write(each) for id_, each in corpus.splits["test"].items()}
    server.add_task(
        toml,
        (bundle / "annotation.conf").read_text(),
        corpora={"dev": (texts, gold), "test": (texts, gold), "test-2": (texts, gold)},
    )
    server.add_person("ann", "Ann's")
    rows = ["document\tscale\toffice", *(f"{id_}\t{corpus.about[id_].scale}\t{corpus.about[id_].office}" for id_ in texts)]
    give(server, "\n".join(rows), "")
    for system in ("careful", "off-by-some", "label-mixer"):
        files = {
            name.removesuffix(".ann"): data.decode()
            for name, data in read_bytes(pack_run(system, "test", corpus, 1), "r.zip").items()
        }
        run_id = server.upload("ann", files, "dev", system)["id"]
        work(server)
        found = server.api("GET", f"/runs/{run_id}/groups", "ann").json["comparisons"]
        chance = {each["attribute"]: next(d["chance"] for d in each["differences"] if d["metric"] == "f1") for each in found}
        assert chance["scale"] < 0.01, system
        assert chance["office"] > 0.05, system
