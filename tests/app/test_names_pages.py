"""What runs make of names, on the pages of tasks that are about these."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from app.analysis.metadata import parse_bytes, rows_for, set_metadata
from app.shared_tasks.services import find_task
from app.upkeep import examine
from evaluator.fairness.name_lists import own_text, parse_names
from evaluator.fairness.sentences import COLUMNS, Design, parse_chemicals, parse_templates, write_sentences
from tests.app.test_leakage import work
from tests.factories import TOML, Server

ONE_PHASE = TOML[: TOML.index('[[phases]]\nid = "test"')]
CONF = "[entities]\nPERSON\nPLACE\n"
# Emma is right, Ava a place, Lee nothing; of men Liam is a place and Lee right.
TEXTS = {"f": "Emma is here\nAva is here\nLee is here\n", "m": "Liam is here\nLee is here\n"}
GOLD = {
    "f": "T1\tPERSON 0 4\tEmma\nT2\tPERSON 13 16\tAva\nT3\tPERSON 25 28\tLee\n",
    "m": "T1\tPERSON 0 4\tLiam\nT2\tPERSON 13 16\tLee\n",
}
RUN = {"f": "T1\tPERSON 0 4\tEmma\nT2\tPLACE 13 16\tAva\n", "m": "T1\tPLACE 0 4\tLiam\nT2\tPERSON 13 16\tLee\n"}
ABOUT = "document\ttemplate\tyear\tsex\nf\t4\t2018\tfemale\nm\t4\t2018\tmale\n"
CENSUS = b"2018,F,Emma,9\n2018,F,Ava,8\n2018,F,Lee,3\n2018,M,Liam,6\n2018,M,Lee,2\n"


def install(server: Server, section: str, conf: str, corpus: tuple[dict[str, str], dict[str, str]], metadata: str) -> Server:
    server.add_task(f"{ONE_PHASE}\n{section}", conf, corpora={"dev": corpus})
    server.add_person("ann", "Ann's")
    with server.worker.database.session(write=True) as session:
        task, storage = find_task(session, "t"), server.worker.storage
        set_metadata(session, storage, task, rows_for(storage, task, parse_bytes(metadata.encode(), "m")), "")
        session.commit()
    return server


@pytest.fixture
def persons(server: Server) -> Server:
    return install(server, '[names]\ntarget = "person"\n', CONF, (TEXTS, GOLD), ABOUT)


def rates(lab: Server, where: str = "/tasks/t/organise/names.csv") -> dict[tuple[str, str, str], float | None]:
    """Over all years, by sex, error and what it is a share of."""
    answer = lab.browser("organiser").get(where)
    assert answer.status_code == 200, answer.text
    rows = [each for each in csv.DictReader(io.StringIO(answer.text)) if each["year"] == "all"]
    return {
        (each["sex"], each["error"], each["share_of"]): float(each["rate"]) if each["rate"] not in ("", "–") else None
        for each in rows
    }


def give_census(lab: Server, data: bytes = CENSUS) -> Any:
    form = {"census": (io.BytesIO(data), "names.csv")}
    return lab.browser("organiser").post("/tasks/t/organise/leakage/census", data=form, follow_redirects=True)


def test_error_types_by_hand(persons: Server) -> None:
    run_id = persons.upload("ann", RUN)["id"]
    work(persons)
    found = rates(persons)
    assert (found["female", "Type-1", "names"], found["male", "Type-1", "names"]) == (pytest.approx(2 / 3), 0.5)
    assert found["female", "Type-3", "names"] == pytest.approx(1 / 3)
    assert found["female", "Type-1", "frequency"] is None  # nobody has said how many people have the names
    assert "there are shares of names only" in persons.browser("organiser").get("/tasks/t/organise/names").text

    assert "Names of 1 year are known" in give_census(persons).text
    work(persons)
    found = rates(persons)
    assert found["female", "Type-1", "frequency"] == pytest.approx(11 / 20)
    assert found["female", "Type-2", "frequency"] == pytest.approx(8 / 20)
    assert found["male", "Type-1", "frequency"] == pytest.approx(6 / 8)

    page = persons.browser("ann").get(f"/runs/{run_id}/names").text
    assert "The most frequent names in error" in page
    assert "Ava" in page
    for file, mark in ((".csv", "rates"), (".tex", "\\toprule"), (".json", "names-in-error")):
        assert mark in persons.browser("ann").get(f"/runs/{run_id}/names{file}").text
    assert "What it makes of female and of male names" in persons.browser("ann").get(f"/runs/{run_id}").text
    assert all(each.good for each in examine(persons.worker.settings))


def test_a_board_of_published_runs(persons: Server) -> None:
    run_id = persons.upload("ann", RUN, run="first")["id"]
    work(persons)
    address = "/tasks/t/leaderboard/names"
    assert "No run has been published" in persons.browser().get(address).text
    persons.api("POST", f"/runs/{run_id}/publish", "ann")
    told = persons.browser().get(address).text
    assert "Ann&#39;s, first" in told
    assert "+0.1667" in told  # 2/3 − 1/2
    assert "What becomes of names?" in persons.browser().get("/tasks/t/leaderboard?phase=dev").text


def test_a_census_that_cannot_be_used(persons: Server) -> None:
    for data, told in (
        (b"2018,F,Emma\n", "names.csv:1"),
        (b"", "names.csv"),
        (b"PK\x03\x04", "names.csv"),
        (b"2018,F,Emma,9\n", "there are no male names of 2018"),
        (b"2018,F,Emma,9\n2018,F,Emma,3\n2018,M,Lee,3\n", "Emma is among the female names of 2018 a second time"),
    ):
        answer = give_census(persons, data)
        assert answer.status_code == 422
        assert told in answer.text
    run_id = persons.upload("ann", RUN)["id"]
    give_census(persons, b"2018,F,Emma,9\n2018,M,Liam,6\n2018,M,Lee,2\n")
    work(persons)
    assert "&#39;Ava&#39; is not among the female names of 2018" in persons.browser("ann").get(f"/runs/{run_id}/names").text
    assert persons.browser("ann").get(f"/runs/{run_id}/names.csv").status_code == 422


@pytest.mark.parametrize(
    "metadata", ["document\tyear\tsex\nf\t2018\tfemale\n", "document\ttemplate\tyear\tsex\nf\t4\tnow\tfemale\n"]
)
def test_documents_that_are_about_nothing_known(server: Server, metadata: str) -> None:
    lab = install(server, '[names]\ntarget = "person"\n', CONF, (TEXTS, GOLD), metadata)
    run_id = lab.upload("ann", RUN)["id"]
    work(lab)
    for address in (f"/runs/{run_id}/names", "/tasks/t/organise/names"):
        assert "the task&#39;s metadata" in lab.browser("organiser").get(address).text


def test_names_taken_for_chemicals(server: Server) -> None:
    """Of women's sentences every name is tagged beside the chemical, of men's none: Type-2 is 1 and 0."""
    names = parse_names(own_text("names.tsv"))
    design = Design(
        templates=parse_templates(own_text("templates.txt"), "t"), chemicals=parse_chemicals(own_text("chemicals.tsv"), "c"),
        names=names, top=3, decades=(1880, 1890, 1900), sample=60, seed=1,
    )  # fmt: skip
    documents = list(write_sentences(design))
    texts, gold = {each.id: each.text for each in documents}, {each.id: each.annotations for each in documents}
    metadata = "\n".join("\t".join(row) for row in (COLUMNS, *(each.row for each in documents)))
    lab = install(server, '[names]\ntarget = "chemical"\n', "[entities]\nCHEMICAL\n", (texts, gold), metadata)
    run: dict[str, str] = {}
    for each in documents:
        _, gender, _, _, name = each.row
        lines = each.annotations
        if gender == "female":
            for i, line in enumerate(each.text.splitlines(), 1000):
                at = each.text.index(line) + line.index(name)
                lines += f"T{i}\tCHEMICAL {at} {at + len(name)}\t{name}\n"
        run[each.id] = lines
    run_id = lab.upload("ann", run)["id"]
    work(lab)

    assert rates(lab) == {
        (sex, "Type-2", share): value for sex, value in (("female", 1.0), ("male", 0.0)) for share in ("names", "frequency")
    }
    page = lab.browser("ann").get(f"/runs/{run_id}/names").text
    assert "names most often tagged as chemicals, weighted by how many people have them" in page
    assert "needs none" in give_census(lab).text


def test_a_task_about_something_else(server: Server) -> None:
    server.add_task()
    server.add_person("ann", "Ann's")
    assert server.browser("organiser").get("/tasks/t/organise/names").status_code == 404
    assert "is not about names" in give_census(server).text
    run_id = server.upload("ann", {"d1": "", "d2": ""})["id"]
    assert "This task is not about names" in server.browser("ann").get(f"/runs/{run_id}/names").text
