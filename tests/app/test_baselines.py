"""Baselines on a server: started, trained by a worker, entered as the team Baseline, watched, stopped."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

import pytest
from sqlalchemy import select

import tasks
from app.accounts.models import Team
from app.baseline_runs import jobs, training
from app.baseline_runs.jobs import tidy, train_all, train_next
from app.baseline_runs.models import Baseline, Device
from app.clock import now
from app.runs.jobs import process_run
from app.runs.leases import Worker, runs_to_send
from app.runs.models import Scoring
from app.shared_tasks.services import archive, find_task
from app.upkeep import examine
from baselines.checkpoints import save_checkpoint
from baselines.methods import METHODS
from baselines.tiny import make_bert
from baselines.torch_training import THREADS
from brat.write import write
from tests.app.test_leakage import counts, work
from tests.baselines.demo import SMALL, splits
from tests.factories import TEST_GOLD, TEST_TEXTS, TEXTS, Server

ALL = frozenset(Device)
GOLD = {"d1": "T1\tAA 0 5\talpha\nT2\tBB 6 10\tbeta\n", "d2": "T1\tAA 0 5\tdelta\n"}
TRAIN = ({"r1": "zeta or iota", "r2": "theta"}, {"r1": "T1\tGOLDMARK 0 4\tzeta\nT2\tBB 8 12\tiota\n", "r2": ""})
TRACK = {"ner": ("bilstm-crf", "crf", "dictionary", "majority-vote", "spacy", "transformer")}


class InProcess:
    """Trains in this process: importing torch and flair anew for every method would take the most of the time."""

    def __init__(self, worker: Worker, folder: Path, number: int, errors: IO[bytes]) -> None:
        self.returncode = training.main(folder, number)

    def poll(self) -> int:
        return self.returncode


@pytest.fixture
def lab(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A task with train, dev and a blind test; what trains has its settings from the environment, as a process has."""
    _environment(server, monkeypatch)
    server.add_task(corpora={"train": TRAIN, "dev": (TEXTS, GOLD), "test": (TEST_TEXTS, TEST_GOLD)})
    server.add_person("ann", "Ann's")
    return server


def _environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = server.worker.settings
    for name, value in (
        ("ASSAY_DATA", settings.data), ("ASSAY_DATABASE_URL", settings.database_url), (THREADS, 1),
        ("ASSAY_STORAGE_URL", settings.storage_url), ("ASSAY_SECRET_KEY", settings.secret_key),
    ):  # fmt: skip
        monkeypatch.setenv(name, str(value))


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_begin", InProcess)


def post(lab: Server, who: str = "organiser", **wish: Any) -> Any:
    wish = {"phase": "test", "track": "ner", "method": "dictionary", **wish}
    return lab.api("POST", "/tasks/t/baselines", who, json=wish)


def get(lab: Server, number: int) -> Any:
    return lab.api("GET", f"/tasks/t/baselines/{number}", "organiser").json


def score_all(lab: Server) -> None:
    """What the sweep of a worker does."""
    while waiting := runs_to_send(lab.worker):
        for run_id in waiting:
            process_run(lab.worker, run_id)


def test_a_baseline_enters_the_board_like_any_team(lab: Server, in_process: None) -> None:
    answer = post(lab)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == "/api/v1/tasks/t/baselines/1"
    assert (answer.json["state"], answer.json["queue"], answer.json["run"]) == ("waiting", "cpu", None)
    assert train_next(lab.worker, ALL)
    assert not train_next(lab.worker, ALL)
    score_all(lab)
    told = get(lab, 1)
    assert (told["state"], told["note"]) == ("done", "")
    assert "2 annotations in 2 documents." in told["log"]  # zeta and iota of t1 and t2
    run = lab.run(told["run"], "organiser")
    assert run["state"] == "scored"
    # Of the blind gold (zeta: GOLDMARK, eta: BB, iota: BB) two are found, one is missed.
    work(lab)
    assert counts(lab, told["run"], groups=True) is not None
    with lab.worker.database.session(write=False) as session:
        (scoring,) = session.scalars(select(Scoring))
        assert "|baseline:dictionary|trained-by:0.1.0|train-gold:" in scoring.signature
        team = session.scalars(select(Team).where(Team.baseline)).one()
        assert (team.name, team.members) == ("Baseline", [])
    page = lab.browser().get("/tasks/t/leaderboard?phase=test").text
    assert "Baseline" in page
    assert lab.api("GET", "/tasks/t/leaderboard?phase=test").json["entries"][0]["baseline"]
    assert '<span class="state" title="trained by Assay, not by a team">baseline</span>' in page
    board = lab.browser("organiser").get("/tasks/t/organise?phase=test").text
    assert "0.8000" in board, "F1 = 2 * 2 / (2 * 2 + 0 + 1)"
    assert all(each.good for each in examine(lab.worker.settings))
    assert not (lab.worker.settings.data / "baselines" / "1").exists()


@pytest.mark.parametrize("method", list(SMALL))
def test_every_method_is_ranked_on_the_demonstration(
    method: str, server: Server, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _environment(server, monkeypatch)
    bundle = Path(tasks.__file__).parent / "demo"
    toml = (bundle / "task.toml").read_text().replace('id = "demo"', 'id = "t"', 1)
    corpora = {
        name: ({id_: each.text or "" for id_, each in part.items()}, {id_: write(each) for id_, each in part.items()})
        for name, part in splits().items()
    }
    server.add_task(toml, (bundle / "annotation.conf").read_text(), corpora={**corpora, "test-2": corpora["test"]})
    track = "ner" if method in TRACK["ner"] else "e2e" if "+" in method else "ee"
    answer = post(server, phase="dev", track=track, method=method, settings=dict(SMALL[method]))
    assert answer.status_code == 202, answer.text
    assert train_next(server.worker, ALL)
    score_all(server)
    told = get(server, 1)
    assert told["state"] == "done", told
    board = server.api("GET", f"/tasks/t/leaderboard?phase=dev&track={track}").json
    assert [(each["team"], each["rank"]) for each in board["entries"]] == [("Baseline", 1)]


@pytest.mark.parametrize(
    ("wish", "status", "told"),
    [
        ({"method": "crff"}, 422, "there is no method called crff; did you mean crf?"),
        ({"method": "crf", "settings": {"c3": "1"}}, 422, "there is no setting called c3; did you mean c2?"),
        ({"method": "crf", "settings": {"c1": "-1"}}, 422, "c1: between 0 and 1e+06 is expected, not -1.0"),
        ({"method": "cooccurrence"}, 422, "needs a method for entities, such as crf; cooccurrence is none"),
        ({"track": "x"}, 422, "Test takes runs of: ner."),
        ({"phase": "x"}, 404, "t has no phase x"),
        ({"minutes": 0}, 422, "minutes"),
        ({"minutes": 1.7}, 422, "minutes"),
        ({"method": "crf", "settings": {"iterations": "9" * 400}}, 422, "iterations: a whole number is expected"),
        ({"method": "crf", "settings": {"c2": "1e999"}}, 422, "c2: between 0 and"),
        ({"method": "crf", "settings": {"c2": "nan"}}, 422, "c2: between 0 and"),
        ({"method": "crf", "settings": {"c2": [1]}}, 422, "Settings are texts, numbers, true or false."),
        ({"method": "crf", "settings": {"c2": "\ud800"}}, 422, "Settings are printable characters"),
        ({"method": "transformer", "settings": {"dropout": 1.5}}, 422, "dropout: between 0 and 0.95"),
        ({"method": "transformer", "settings": {"device": "nonsense"}}, 422, "device: one of auto, cpu, cuda"),
        ({"method": "spacy", "settings": {"seed": "9" * 20}}, 422, "seed: between 0 and"),
        ({"method": "majority-vote", "settings": {"methods": "crf/foo"}}, 422, "there is no method called foo"),
        ({"method": "majority-vote", "settings": {"runs": "../x"}}, 422, "runs: .. is no published run"),
        ({"method": "majority-vote", "settings": {"majority-vote.runs": "teams"}}, 422, "no team has published"),
        ({"phase": "late"}, 409, "Late test has not opened yet"),
        ({"method": "transformer", "settings": {"model": "/var/objects/ab"}}, 422, "model: tiny, the name of a file"),
        ({"method": "transformer", "settings": {"model": "a/../../b"}}, 422, "model: tiny, the name of a file"),
        ({"method": "bilstm-crf", "settings": {"forward": "../lm.pt"}}, 422, "forward: tiny, the name of a file"),
        ({"method": "bilstm-crf+cooccurrence", "settings": {"bilstm-crf.vectors": "/x"}}, 422, "tiny, the name of a file"),
        ({"queue": "tpu"}, 422, "queue"),
    ],
)
def test_wishes_that_cannot_be(lab: Server, wish: dict[str, Any], status: int, told: str) -> None:
    answer = post(lab, **wish)
    assert (answer.status_code, told in answer.text) == (status, True), answer.text
    assert lab.api("GET", "/tasks/t/baselines", "organiser").json == []


def test_a_task_without_train_has_nothing_to_learn_from(server: Server) -> None:
    server.add_task()
    answer = post(server)
    assert answer.status_code == 409
    assert "t has no split train, which a baseline learns from" in answer.text


def test_it_is_the_organisers_only(lab: Server) -> None:
    assert post(lab, "ann").status_code == 403
    assert lab.api("POST", "/tasks/t/baselines", json={}).status_code == 401
    post(lab)
    for method, path in (("GET", ""), ("GET", "/1"), ("POST", "/1/stop")):
        assert lab.api(method, f"/tasks/t/baselines{path}", "ann").status_code == 403
    for path in ("", "/1", "/1/progress"):
        assert lab.browser("ann").get(f"/tasks/t/organise/baselines{path}").status_code == 403
    assert lab.api("GET", "/tasks/t/baselines/2", "organiser").status_code == 404


def test_from_the_pages(lab: Server, in_process: None) -> None:
    browser = lab.browser("organiser")
    form = {"phase": "test", "track": "ner", "method": "crf", "settings": "c1=0\niterations", "minutes": "5"}
    answer = browser.post("/tasks/t/organise/baselines", data=form)
    assert (answer.status_code, "Line 2 of the settings: a new key=value is expected" in answer.text) == (422, True)
    assert "c1=0" in answer.text, "what was filled in is still there"
    for minutes in ("", "x", "-1", "99999999"):
        answer = browser.post("/tasks/t/organise/baselines", data={**form, "settings": "", "minutes": minutes})
        assert answer.status_code == 422
    answer = browser.post("/tasks/t/organise/baselines", data={**form, "settings": "c1=0\n\niterations = 5"})
    assert answer.headers["Location"] == "/tasks/t/organise/baselines/1"
    page = browser.get("/tasks/t/organise/baselines/1").text
    assert "assay worker --queue cpu" in page
    assert browser.get("/tasks/t/organise/baselines/1/progress").json["state"] == "waiting"
    train_next(lab.worker, ALL)
    page = browser.get("/tasks/t/organise/baselines/1").text
    assert "baseline:crf|trained-by:0.1.0|c1:0.0|c2:0.02|iterations:5" in page
    assert "Its run" in page
    run_id = get(lab, 1)["run"]
    assert lab.browser().get(f"/runs/{run_id}").status_code == 404, "it was not to be published"
    assert browser.post(f"/runs/{run_id}/publish").status_code == 409, "it has no scores yet"
    score_all(lab)
    assert browser.post(f"/runs/{run_id}/publish").status_code == 302, "organisers publish what is nobody's"
    assert lab.browser().get(f"/runs/{run_id}").status_code == 200
    assert "crf" in browser.get("/tasks/t/organise/baselines").text


def test_queues_take_what_is_theirs(lab: Server, in_process: None) -> None:
    post(lab, method="transformer", settings={"epochs": "1"})
    post(lab, queue="gpu")
    assert [get(lab, number)["queue"] for number in (1, 2)] == ["gpu", "gpu"]
    assert not train_next(lab.worker, frozenset({Device.CPU}))
    post(lab)
    assert train_next(lab.worker, frozenset({Device.CPU}))
    assert [get(lab, number)["state"] for number in (1, 2, 3)] == ["waiting", "waiting", "done"]


def test_what_cannot_be_trained_fails_with_the_reason_and_is_not_tried_again(
    lab: Server, in_process: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    post(lab, method="transformer", settings={"model": "nowhere/bert"})
    train_next(lab.worker, ALL)
    told = get(lab, 1)
    assert told["state"] == "failed"
    assert told["note"].startswith("model: nowhere/bert is no checkpoint that is there")
    assert not train_next(lab.worker, ALL)
    assert "nowhere/bert" in lab.browser("organiser").get("/tasks/t/organise/baselines/1").text


def test_models_lie_where_the_servers_keeper_puts_them(
    lab: Server, in_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lab.worker.settings.data / "models"
    save_checkpoint(*make_bert(["zeta or iota"]), folder / "own")
    post(lab, method="transformer", settings={"model": "own", "epochs": "1"})
    train_next(lab.worker, ALL)
    assert (get(lab, 1)["state"], get(lab, 1)["note"]) == ("done", "")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    post(lab, method="transformer", settings={"model": "elsewhere"})
    train_next(lab.worker, ALL)
    assert get(lab, 2)["note"] == "model: elsewhere is not in the folder models of the server's data"


def test_a_crash_is_tried_again_and_then_given_up(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_begin", lambda *_: subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]))
    post(lab)
    states = []
    while train_next(lab.worker, ALL):
        states.append(get(lab, 1)["state"])
    assert states == ["waiting", "waiting", "failed"]
    assert "an error of ours" in get(lab, 1)["note"]


def _sleeper(seconds: float = 60) -> Any:
    return lambda *_: subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds})"])


def test_it_is_stopped_while_it_waits_and_while_it_runs(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    post(lab)
    assert lab.browser("organiser").post("/tasks/t/organise/baselines/1/stop").status_code == 302
    assert (get(lab, 1)["state"], get(lab, 1)["note"]) == ("stopped", "stopped by organiser")
    assert lab.api("POST", "/tasks/t/baselines/1/stop", "organiser").status_code == 409
    assert not train_next(lab.worker, ALL)

    monkeypatch.setattr(jobs, "_begin", _sleeper())
    post(lab)
    thread = threading.Thread(target=train_next, args=(lab.worker, ALL))
    thread.start()
    _until(lambda: get(lab, 2)["state"] == "running")
    assert lab.api("POST", "/tasks/t/baselines/2/stop", "organiser").json["state"] == "running"
    thread.join(20)
    assert not thread.is_alive()
    assert (get(lab, 2)["state"], get(lab, 2)["note"]) == ("stopped", "stopped by an organiser")


def test_it_takes_no_longer_than_it_may(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_begin", _sleeper())
    number = post(lab).json["id"]
    with lab.worker.database.session(write=True) as session:
        session.get_one(Baseline, number).seconds = 1
        session.commit()
    train_next(lab.worker, ALL)
    assert (get(lab, 1)["state"], get(lab, 1)["note"]) == ("failed", "it took longer than it may")


def test_a_worker_that_stops_gives_it_back(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_begin", _sleeper())
    post(lab)
    stopped = threading.Event()
    thread = threading.Thread(target=train_all, args=(lab.worker, ALL, stopped))
    thread.start()
    _until(lambda: get(lab, 1)["state"] == "running")
    stopped.set()
    thread.join(20)
    assert not thread.is_alive()
    assert get(lab, 1)["state"] == "waiting"
    with lab.worker.database.session(write=False) as session:
        assert session.get_one(Baseline, 1).attempts == 0


def _until(holds: Any) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_as_a_process_of_its_own_and_killed_it_goes_on_from_its_last_epoch(lab: Server) -> None:
    post(lab, method="spacy", settings={"epochs": "400", "width": "16", "depth": "1"})
    command = [sys.executable, "-m", "app.cli", "worker", "--queue", "cpu"]
    with lab.worker.database.session(write=True) as session:
        session.get_one(Baseline, 1).device = Device.CPU
        session.commit()
    first = subprocess.Popen(command, env=os.environ | {"ASSAY_LEASE_SECONDS": "2"}, stderr=subprocess.DEVNULL)
    try:
        _until_epoch(lab, 3)
    finally:
        first.kill()
        first.wait()
    folder = lab.worker.settings.data / "baselines" / "1"
    subprocess.run(["pkill", "-KILL", "-f", str(folder)], check=False)  # its child too, as when the machine goes down
    reached = get(lab, 1)["log"].count("Epoch ")
    with lab.worker.database.session(write=True) as session:
        session.get_one(Baseline, 1).lease_until = None
        session.commit()
    second = subprocess.Popen(command, env=os.environ | {"ASSAY_LEASE_SECONDS": "2"}, stderr=subprocess.DEVNULL)
    try:
        _until_log(lab, "Goes on after epoch")
        lab.api("POST", "/tasks/t/baselines/1/stop", "organiser")
        end = time.monotonic() + 20
        while get(lab, 1)["state"] != "stopped" and time.monotonic() < end:
            time.sleep(0.1)
    finally:
        second.terminate()
        second.wait()
    told = get(lab, 1)
    assert told["state"] == "stopped"
    assert int(told["log"].split("Goes on after epoch ")[1].split(".")[0]) >= reached - 1 > 0


def _until_epoch(lab: Server, number: int) -> None:
    _until_log(lab, f"Epoch {number} of")


def _until_log(lab: Server, words: str) -> None:
    end = time.monotonic() + 60
    while words not in get(lab, 1)["log"]:
        assert time.monotonic() < end, get(lab, 1)
        time.sleep(0.1)


def test_published_runs_of_teams_vote(lab: Server, in_process: None) -> None:
    lab.add_person("bob", "Bob's")
    private = lab.upload("ann", {"t1": "", "t2": ""}, "test")["id"]
    assert post(lab, method="majority-vote", settings={"runs": private}).status_code == 422, "its votes could be read off"
    for who in ("ann", "bob"):
        run_id = lab.upload(who, {"t1": "T1\tBB 5 8\teta\n", "t2": ""}, "test")["id"]
        lab.api("POST", f"/runs/{run_id}/publish", who)
    answer = post(lab, method="majority-vote", settings={"runs": "teams"})
    assert answer.status_code == 202, answer.text
    train_next(lab.worker, ALL)
    assert "1 annotations in 2 documents." in get(lab, 1)["log"]
    assert "runs:" in get(lab, 1)["signature"]
    assert private not in get(lab, 1)["signature"]


def test_no_team_may_be_called_baseline(lab: Server, in_process: None) -> None:
    lab.add_person("eve")
    answer = lab.browser("eve").post("/tasks/t/team/new", data={"name": "BASELINE"})
    assert "Baseline is the team of what Assay trains itself." in answer.text


def test_every_baseline_is_official(lab: Server, in_process: None) -> None:
    for method in ("dictionary", "crf"):
        post(lab, method=method, phase="dev")
        train_next(lab.worker, ALL)
    score_all(lab)
    page = lab.browser().get("/tasks/t/leaderboard?phase=dev&runs=official").text
    assert page.count(">official</span>") == 4, "two rows, each with its badge for wide and for narrow screens"


def test_an_archived_task_takes_none(lab: Server) -> None:
    with lab.worker.database.session(write=True) as session:
        archive(session, find_task(session, "t"), archived=True)
        session.commit()
    assert (post(lab).status_code, "archived" in post(lab).text) == (409, True)


def test_what_is_left_of_baselines_that_ended_goes(lab: Server) -> None:
    post(lab)
    kept = lab.worker.settings.data / "baselines"
    for name in ("1", "2", "notes"):
        (kept / name).mkdir(parents=True)
    tidy(lab.worker)
    assert sorted(each.name for each in kept.iterdir()) == ["1", "notes"], "of 1 is known that it waits, of 2 nothing"
    lab.api("POST", "/tasks/t/baselines/1/stop", "organiser")
    tidy(lab.worker)
    assert [each.name for each in kept.iterdir()] == ["notes"]


def test_only_training_counts(lab: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline that was paused for a day has the rest of its time."""
    post(lab)
    with lab.worker.database.session(write=True) as session:
        row = session.get_one(Baseline, 1)
        row.began_at, row.spent, row.seconds = now() - timedelta(days=1), 1, 60
        session.commit()
    monkeypatch.setattr(jobs, "_begin", _sleeper(0.1))
    train_next(lab.worker, ALL)
    assert "longer than it may" not in get(lab, 1)["note"]


def test_the_web_process_imports_no_toolkit() -> None:
    """Every page that lists methods and checks their settings included."""
    names = sorted({package for about in METHODS.values() for package in about.needs})
    assert {"torch", "flair", "transformers", "spacy", "pycrfsuite"} == set(names)
    code = f"""
import sys
import app.wiring
from baselines.methods import METHODS
from baselines.recipes import parse_all, parse_recipe
[parse_all(parse_recipe(name), {{}}) for name in METHODS]
print([name for name in {names} if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_form_that_is_no_form(lab: Server) -> None:
    answer = lab.browser("organiser").post("/tasks/t/organise/baselines", data={"file": (io.BytesIO(b"x"), "x")})
    assert answer.status_code == 404, answer.text
    assert "t has no phase" in answer.text
