"""How certain a board is: on the server, offline, and the same on both."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import tasks
from app.cli.main import main
from app.demo.setup import write_corpus
from tests.app.test_groups import GOLD, RUN, TEXTS, lab
from tests.app.test_leakage import work
from tests.factories import Server, files

__all__ = ["lab"]
WORSE = dict.fromkeys(TEXTS, "") | {"t1": GOLD["t1"]}


def board(lab: Server, query: str = "?phase=test", file: str = "") -> Any:
    answer = lab.browser("organiser").get(f"/tasks/t/organise/certainty{file}{query}")
    assert answer.status_code == 200, answer.text
    return answer.text


def compare(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)])


def folders(path: Path, **runs: dict[str, str]) -> list[Path]:
    for name, annotations_of in {"gold": GOLD, **runs}.items():
        (path / name).mkdir()
        for file, data in files(TEXTS if name == "gold" else {}, annotations_of).items():
            (path / name / file).write_bytes(data)
    return [path / name for name in runs]


def test_the_page_and_the_same_offline(lab: Server, tmp_path: Path) -> None:
    for name, annotations_of in (("whole", GOLD), ("uneven", RUN), ("worse", WORSE)):
        lab.upload("ann", annotations_of, "test", name)
    assert "3 runs are not counted by document yet" in board(lab)
    work(lab)
    page = board(lab)
    assert page.index("Ann&#39;s, whole") < page.index("Ann&#39;s, uneven") < page.index("Ann&#39;s, worse")
    assert "6 documents were drawn again 1,000 times" in page
    rows = list(csv.DictReader(io.StringIO(board(lab, file=".csv"))))
    pairs = {(each["run"], each["other"]): each for each in rows if each["other"]}
    assert len(pairs) == 3
    paths = folders(tmp_path, whole=GOLD, uneven=RUN, worse=WORSE)
    told = compare(*paths, "--gold", tmp_path / "gold", "--format", "json")
    assert told.exit_code == 0, told.output
    offline = json.loads(told.stdout)["certainty"]
    for each in offline["pairs"]:
        mine = pairs[f"Ann's, {each['first']}", f"Ann's, {each['second']}"]
        assert [float(mine[key]) for key in ("value", "chance", "adjusted")] == [
            each[key] for key in ("difference", "chance", "adjusted")
        ]
    of_f1 = {each["run"]: each for each in rows if not each["other"] and each["metric"] == "f1"}
    for run in offline["runs"]:
        mine = of_f1[f"Ann's, {run['run']}"]
        assert (float(mine["low"]), int(mine["rank"]), int(mine["band"])) == (
            run["intervals"]["f1"]["low"],
            run["rank"],
            run["band"],
        )


def test_who_is_told_when(lab: Server) -> None:
    run_id = lab.upload("ann", RUN, "test")["id"]
    lab.browser("ann").post(f"/runs/{run_id}/publish")
    work(lab)
    addresses = [f"/tasks/t/leaderboard/certainty{each}?phase=test" for each in ("", ".csv")]
    assert [lab.browser("ann").get(each).status_code for each in addresses] == [403, 403]
    for phase, action in (("test", "close"), ("late", "open"), ("late", "close")):
        lab.turn(phase, action)
    lab.upload("ann", GOLD, "test", "late and better")
    work(lab)
    assert [lab.browser("ann").get(each).status_code for each in addresses] == [200, 200]
    assert "late and better" not in board(lab), "what is not ranked is not compared"


def test_nothing_to_compare(lab: Server) -> None:
    assert "No run is ranked" in board(lab)


def test_tracks_and_formats(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    demo = Path(tasks.__file__).parent / "demo"
    runs = [tmp_path / "runs" / f"{each}-dev-e2e.zip" for each in ("careful", "label-mixer")]
    options = ["--gold", tmp_path / "dev", "--task", demo, "--track", "e2e", "--draws", "200", "--shuffles", "200"]
    table = compare(*runs, *options)
    assert table.exit_code == 0, table.output
    assert "of:relations" in table.output
    assert "careful-dev-e2e" in table.output
    for format_ in ("csv", "latex"):
        assert compare(*runs, *options, "--format", format_).exit_code == 0


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--task", "x"), "does not exist"),
        (("--track", "ner"), "--task and --track go together"),
        (("--span", "close"), "close"),
        (("--labels", "none"), "none is not one of"),
    ],
)
def test_wrong_use(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    (run,) = folders(tmp_path, one=RUN)
    refused = compare(run, "--gold", tmp_path / "gold", *more)
    assert refused.exit_code == 2
    assert told in refused.output
    assert "given twice" in compare(run, run, "--gold", tmp_path / "gold").output


def test_bars_and_bands_on_the_board_itself(lab: Server) -> None:
    """The same bands and intervals as on the page about it; hidden by the address; untold where per-document figures are."""
    runs = {name: lab.upload("ann", each, "test", name)["id"] for name, each in (("whole", GOLD), ("worse", WORSE))}
    address = "/tasks/t/organise?phase=test"
    organiser = lab.browser("organiser")
    assert 'class="interval"' not in organiser.get(address).text, "nothing has been counted by document yet"
    work(lab)
    told = organiser.get(address).text
    rows = [
        each for each in csv.DictReader(io.StringIO(board(lab, file=".csv"))) if not each["other"] and each["metric"] == "f1"
    ]
    for each in rows:
        low, high = (f"{float(each[end]):.4f}" for end in ("low", "high"))
        assert f"95 % of draws between {low} and {high}" in told
    assert told.count('class="interval"') == 2
    assert 'class="band-a"' in told
    assert "Hide bars and bands" in told
    hidden = organiser.get(f"{address}&certainty=hide").text
    assert 'class="interval"' not in hidden
    assert "Show bars and bands" in hidden

    lab.browser("ann").post(f"/runs/{runs['whole']}/publish")
    public = "/tasks/t/leaderboard?phase=test"
    assert "band" not in lab.browser("ann").get(public).text.replace("bandwidth", ""), "the phase tells nothing yet"
    for phase, action in (("test", "close"), ("late", "open"), ("late", "close")):
        lab.turn(phase, action)
    assert lab.browser("ann").get(public).text.count('class="interval"') == 1


def test_runs_of_one_band_are_said_in_words(lab: Server) -> None:
    lab.upload("ann", GOLD, "test", "one")
    lab.upload("ann", {**GOLD, "t6": f"{GOLD['t6']}T9\tAA 0 6\tcopper\n"}, "test", "two")
    work(lab)
    told = lab.browser("organiser").get("/tasks/t/organise?phase=test").text
    assert "Bands of 2: the runs of a band cannot be told apart from its first." in told
