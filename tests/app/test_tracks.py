"""Three tracks in two phases on one blind split: what is handed out when, what is taken when, and what is scored."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import timedelta
from zipfile import ZipFile

import pytest

from app.clock import now
from app.errors import ConflictError, InvalidError
from app.runs import gold_versions
from app.shared_tasks import phases
from app.shared_tasks.deadlines import in_words
from app.shared_tasks.installing import read_gold
from app.shared_tasks.services import definition_of, find_phase, find_task
from evaluator.task import Disclosure, Release
from tests.factories import Server, files, zipped

CONF = """[entities]
AA
BB
[relations]
ARG1	Arg1:STEP, Arg2:AA
ARGM	Arg1:STEP, Arg2:BB
[events]
STEP
"""
TOML = """
id = "t"
version = "1"
title = "Three tracks"
[[tracks]]
id = "ner"
title = "Entities"
[[tracks]]
id = "ee"
title = "Steps"
given = ["text", "entities"]
asks = ["triggers", "relations"]
[[tracks]]
id = "e2e"
title = "Both"
asks = ["entities", "triggers", "relations"]
[[phases]]
id = "dev"
title = "Development"
split = "dev"
tracks = ["ner", "ee", "e2e"]
open = true
[[phases]]
id = "one"
title = "Phase 1"
split = "test"
tracks = ["ner", "e2e"]
open = true
[[phases]]
id = "two"
title = "Phase 2"
split = "test"
tracks = ["ee"]
"""
TEXTS = {"d1": "alpha was beta at gamma", "d2": "delta epsilon"}
# d1: T1 and T3 are entities, T2 is the trigger between them.
GOLD = {
    "d1": "T1\tAA 0 5\talpha\nT2\tSTEP 10 14\tbeta\nT3\tBB 18 23\tgamma\nR1\tARG1 Arg1:T2 Arg2:T1\nR2\tARGM Arg1:T2 Arg2:T3\n",
    "d2": "T1\tAA 0 5\tdelta\n",
}
GIVEN = {"d1": "T1\tAA 0 5\talpha\nT2\tBB 18 23\tgamma\n", "d2": "T1\tAA 0 5\tdelta\n"}
# The trigger is right, one relation of two, and one too many.
EE_RUN = {
    "d1": GIVEN["d1"] + "T3\tSTEP 10 14\tbeta\nR1\tARG1 Arg1:T3 Arg2:T1\n",
    "d2": GIVEN["d2"] + "T2\tSTEP 6 13\tepsilon\nR1\tARG1 Arg1:T2 Arg2:T1\n",
}


@pytest.fixture
def lab(server: Server) -> Server:
    server.add_task(toml=TOML, conf=CONF, corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, GOLD)})
    server.add_person("ann", "Ann's")
    return server


def send(lab: Server, annotations: dict[str, str], phase: str, track: str) -> str:
    form = {"phase": phase, "track": track, "file": (io.BytesIO(zipped(annotations)), "run.zip")}
    answer = lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")
    assert answer.status_code == 202, answer.text
    run_id: str = answer.json["id"]
    return run_id


def overall(run: dict[str, object]) -> dict[str, tuple[int, int, int]]:
    """tp, fp and fn by annotations, under exact spans and fine labels."""
    scores = run["scores"]
    assert isinstance(scores, list)
    return {
        each["annotations"]: (each["tp"], each["fp"], each["fn"])
        for each in scores
        if (each["span"], each["labels"], each["label"]) == ("exact", "fine", "all")
    }


def start(lab: Server, name: str | None, phase: str, track: str) -> dict[str, str] | int:
    answer = lab.api("GET", f"/tasks/t/phases/{phase}/tracks/{track}/start.zip", name)
    if answer.status_code != 200:
        return int(answer.status_code)
    with ZipFile(io.BytesIO(answer.data)) as archive:
        return {each: archive.read(each).decode() for each in archive.namelist()}


def test_each_track_is_scored_on_what_it_asks_for(lab: Server) -> None:
    entities = lab.run(send(lab, GIVEN, "dev", "ner"), "ann")
    steps = lab.run(send(lab, EE_RUN, "dev", "ee"), "ann")
    both = lab.run(send(lab, EE_RUN, "dev", "e2e"), "ann")

    assert overall(entities) == {"entities": (3, 0, 0)}, "gold triggers are not asked for"
    # Triggers: beta is right, epsilon is not. Relations: one right, one wrong, one missed. Arguments: of the two gold
    # relations of the right trigger one is found, and nothing wrong is said of it.
    assert overall(steps) == {"triggers": (1, 1, 0), "arguments": (1, 0, 1), "relations": (1, 1, 1)}
    assert overall(both) == {"entities": (3, 0, 0), "triggers": (1, 1, 0), "arguments": (1, 0, 1), "relations": (1, 1, 1)}
    assert "track:ee" in steps["signature"]


def test_boards_rank_by_what_the_track_asks_for(lab: Server) -> None:
    run_id = send(lab, EE_RUN, "dev", "ee")
    lab.api("POST", f"/runs/{run_id}/publish", "ann")

    board = lab.api("GET", "/tasks/t/leaderboard", query_string={"phase": "dev", "track": "ee"}).json
    triggers = lab.api(
        "GET", "/tasks/t/leaderboard", query_string={"phase": "dev", "track": "ee", "annotations": "triggers"}
    ).json

    assert (board["annotations"], board["entries"][0]["score"]["f1"]) == ("relations", 0.5)
    assert (triggers["annotations"], triggers["entries"][0]["score"]["f1"]) == ("triggers", pytest.approx(2 / 3))
    page = lab.browser().get("/tasks/t/leaderboard?phase=dev&track=ee").text
    assert "Annotations" in page
    assert "relations, exact spans" in page


def test_a_run_to_fill_in(lab: Server) -> None:
    assert start(lab, "ann", "dev", "ner") == {
        "d1.ann": "", "d1.txt": TEXTS["d1"], "d2.ann": "", "d2.txt": TEXTS["d2"]
    }  # fmt: skip
    assert start(lab, "ann", "dev", "ee") == {
        "d1.ann": GIVEN["d1"], "d1.txt": TEXTS["d1"], "d2.ann": GIVEN["d2"], "d2.txt": TEXTS["d2"]
    }  # fmt: skip


def test_what_is_handed_out_can_be_sent_back(lab: Server) -> None:
    archive = lab.api("GET", "/tasks/t/phases/dev/tracks/ee/start.zip", "ann").data
    form = {"phase": "dev", "track": "ee", "file": (io.BytesIO(archive), "start.zip")}
    sent = lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data").json

    run = lab.run(sent["id"], "ann")
    assert run["state"] == "scored"
    assert not any(each["severity"] == "error" for each in run["problems"])


def test_before_its_phase_a_file_does_not_exist(lab: Server) -> None:
    assert start(lab, "ann", "two", "ee") == 404
    assert start(lab, "ann", "one", "ee") == 404, "that phase takes no runs of this track"
    assert start(lab, None, "one", "ner") == 401
    assert isinstance(start(lab, "organiser", "two", "ee"), dict)

    lab.turn("one", "close")
    lab.turn("two", "open")
    assert isinstance(start(lab, "ann", "two", "ee"), dict)
    log = lab.browser("organiser").get("/tasks/t/organise/audit").text
    assert "entities downloaded" in log


def test_what_is_given_tells_nothing_of_triggers(lab: Server) -> None:
    # The trigger T2 stands between the two entities: neither a gap in the numbers nor an order may tell of it.
    found = start(lab, "organiser", "two", "ee")
    assert isinstance(found, dict)
    assert "STEP" not in "".join(found.values())
    assert found["d1.ann"] == GIVEN["d1"]


def test_phase_2_cannot_open_before_phase_1_is_over(lab: Server) -> None:
    page = lab.browser("organiser").post("/tasks/t/organise/phases/two/open", follow_redirects=True)
    assert page.status_code == 409
    assert "Phase 1 (Entities), which asks for them, is not closed" in page.text
    assert start(lab, "ann", "two", "ee") == 404


def test_nor_by_dates_nor_in_the_minutes_in_which_bodies_arrive(lab: Server) -> None:
    with lab.worker.database.session(write=True) as session:
        task = find_task(session, "t")
        one, two = find_phase(task, "one"), find_phase(task, "two")
        end = now() + timedelta(days=1)
        phases.set_dates(session, one, one.opens_at, end)
        with pytest.raises(ConflictError, match="takes uploads until"):
            phases.set_dates(session, two, end + timedelta(minutes=29), None)
        phases.set_dates(session, two, end + timedelta(minutes=30), None)
        with pytest.raises(ConflictError, match="Phase 2 hands out texts and gold entities from"):
            phases.set_dates(session, one, one.opens_at, end + timedelta(minutes=1))
        session.rollback()


def test_phase_1_cannot_be_opened_again_once_entities_are_out(lab: Server) -> None:
    lab.turn("one", "close")
    lab.turn("two", "open")
    page = lab.browser("organiser").post("/tasks/t/organise/phases/one/open", follow_redirects=True)
    assert page.status_code == 409


@pytest.mark.parametrize("track", ["ner", "e2e"])
def test_a_late_run_is_refused_once_what_it_asks_for_is_out(lab: Server, track: str) -> None:
    lab.turn("one", "close")
    late = lab.run(send(lab, GIVEN, "one", track), "ann")
    assert late["late"], "between the phases a late run is taken and marked"
    lab.turn("two", "open")

    form = {"phase": "one", "track": track, "file": (io.BytesIO(zipped(GIVEN)), "run.zip")}
    answer = lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")
    assert answer.status_code == 409
    assert "texts and gold entities have been handed out" in answer.json["error"]["message"]
    form = lab.browser("ann").get("/tasks/t/upload").text
    assert "Phase 1 (closed: files are checked only)" in form
    send(lab, EE_RUN, "two", "ee")


def test_the_signature_is_told_with_everything_else(lab: Server) -> None:
    # It has the digest of the gold: with it, guesses of the whole gold could be tried offline.
    run_id = send(lab, EE_RUN, "one", "e2e")
    lab.turn("one", "close")
    assert lab.run(run_id, "ann")["scores"] != []
    assert lab.run(run_id, "ann")["signature"] is None
    assert "gold:" not in lab.browser("ann").get(f"/runs/{run_id}").text
    assert "gold:" in lab.run(run_id, "organiser")["signature"]


def test_the_first_dates_of_a_phase_are_announced(lab: Server) -> None:
    lab.turn("one", "close")
    form = {"opens": "2020-01-01 00:00", "closes": "2199-01-01 00:00"}
    refused = lab.browser("organiser").post("/tasks/t/organise/phases/two/dates", data=form)
    assert refused.status_code == 409, "it would have begun before the other was over"
    form["opens"] = "2198-01-01 00:00"
    lab.browser("organiser").post("/tasks/t/organise/phases/two/dates", data=form)
    assert "begins 2198-01-01 00:00 UTC" in lab.browser().get("/tasks/t").text


def test_full_is_told_only_after_both_phases(lab: Server) -> None:
    run_id = send(lab, EE_RUN, "one", "e2e")
    assert lab.run(run_id, "ann")["told"] == "nothing"
    lab.turn("one", "close")
    told = lab.run(run_id, "ann")
    assert told["told"] == "headline"
    assert {(each["annotations"], each["label"]) for each in told["scores"]} == {("relations", "all")}
    assert lab.api("GET", f"/runs/{run_id}/confusion", "ann").status_code == 403
    lab.turn("two", "open")
    assert lab.run(run_id, "ann")["told"] == "headline"
    lab.turn("two", "close")
    told = lab.run(run_id, "ann")
    assert told["told"] == "full"
    assert {each["annotations"] for each in told["scores"]} == {"entities", "triggers", "arguments", "relations"}
    matrix = lab.api("GET", f"/runs/{run_id}/confusion", "ann").json
    assert (matrix["kind"], matrix["labels"]) == ("entities", ["AA", "BB", "NEG"])
    assert matrix["examples"] == [], "gold stays blind"


def test_examples_are_for_those_who_may_have_the_gold(lab: Server) -> None:
    run_id = send(lab, EE_RUN, "dev", "e2e")
    lab.api("POST", f"/runs/{run_id}/publish", "ann")
    query = {"kind": "triggers"}

    seen = lab.api("GET", f"/runs/{run_id}/confusion", "ann", query_string=query).json
    assert seen["counts"] == [[1, 0], [1, 0]], "STEP as STEP, and one that gold does not have"
    assert [each["text"] for each in seen["examples"]] == ["epsilon"]
    assert lab.api("GET", f"/runs/{run_id}/confusion", query_string=query).json["examples"] == []
    page = lab.browser("ann").get(f"/runs/{run_id}/confusion?kind=triggers").text
    assert "<mark>epsilon</mark>" in page
    assert "epsilon" not in lab.browser().get(f"/runs/{run_id}/confusion?kind=triggers").text


def test_an_organiser_changes_the_rules_of_a_phase(lab: Server) -> None:
    form = {
        "title": "Phase One", "tracks": ["ner", "e2e"], "releases": "text", "tells": "headline", "quota": "5",
        "quota_days": "", "grace_minutes": "10", "reason": "Teams asked for it.",
    }  # fmt: skip
    browser = lab.browser("organiser")
    answer = browser.post("/tasks/t/organise/phases/one/rules", data=form, follow_redirects=True)
    assert answer.status_code == 200, answer.text

    task = lab.api("GET", "/tasks/t").json
    one = next(each for each in task["phases"] if each["id"] == "one")
    assert (one["title"], one["tells"], one["quota"]) == ("Phase One", "headline", 5)
    page = lab.browser().get("/tasks/t").text
    assert "Teams asked for it." in page
    assert "rounded overall figures" in page
    assert "phase rules" in browser.get("/tasks/t/organise/audit").text
    assert "Nothing was changed" in browser.post("/tasks/t/organise/phases/one/rules", data=form, follow_redirects=True).text


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"title": " "}, InvalidError, "characters"),
        ({"tracks": ()}, InvalidError, "Choose a track"),
        ({"tracks": ("ner",)}, ConflictError, "has runs of e2e"),
        ({"tracks": ("ner", "e2e", "ee")}, ConflictError, "The track ee gives entities"),
        ({"releases": Release.ENTITIES}, ConflictError, "The track ner asks for what the phase hands out"),
        ({"quota": 0}, InvalidError, "whole number"),
        ({"tells": Disclosure.FULL}, InvalidError, "no more than overall figures"),
        ({"grace_minutes": 1441}, InvalidError, "minutes"),
    ],
)
def test_rules_that_cannot_be(lab: Server, changed: dict[str, object], error: type[Exception], message: str) -> None:
    with lab.worker.database.session(write=True) as session:
        phase = find_phase(find_task(session, "t"), "one")
        rules = replace(phases.rules_of(phase), **changed)  # type: ignore[arg-type]
        with pytest.raises(error, match=message):
            phases.set_rules(session, phase, rules, used=frozenset({"e2e"}))
        session.rollback()


def test_what_was_handed_out_is_not_taken_back(lab: Server) -> None:
    lab.turn("one", "close")
    lab.turn("two", "open")
    with lab.worker.database.session(write=True) as session:
        phase = find_phase(find_task(session, "t"), "two")
        rules = replace(phases.rules_of(phase), releases=Release.TEXT)
        with pytest.raises(ConflictError, match="cannot be taken back"):
            phases.set_rules(session, phase, rules, used=frozenset())
        session.rollback()


def test_a_phase_that_hands_out_everything(lab: Server) -> None:
    # After the lab: a phase without tracks publishes the gold. No late run counts any more.
    lab.turn("one", "close")
    lab.turn("two", "open")
    lab.turn("two", "close")
    assert lab.api("GET", "/tasks/t/splits/test/gold.zip", "ann").status_code == 403
    with lab.worker.database.session(write=True) as session:
        phase = find_phase(find_task(session, "t"), "two")
        rules = replace(phases.rules_of(phase), releases=Release.EVERYTHING, tracks=())
        phases.set_rules(session, phase, rules, used=frozenset())
        session.commit()
    assert lab.api("GET", "/tasks/t/splits/test/gold.zip", "ann").status_code == 200
    form = {"phase": "one", "track": "ner", "file": (io.BytesIO(zipped(GIVEN)), "run.zip")}
    assert lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data").status_code == 409
    for page in ("/tasks/t", "/tasks/t/leaderboard", "/tasks/t/upload", "/tasks/t/team"):
        assert lab.browser("ann").get(page).status_code == 200, page


def test_a_run_with_entities_that_were_not_given_is_told(lab: Server) -> None:
    moved = {"d1": EE_RUN["d1"].replace("T1\tAA 0 5\talpha", "T1\tAA 0 9\talpha was"), "d2": EE_RUN["d2"]}
    run = lab.run(send(lab, moved, "dev", "ee"), "ann")
    assert "not-given" in run["problem_counts"]
    assert overall(run)["relations"] == (0, 2, 2), "the argument is not the given one"
    assert json.dumps(run["problems"]).count("not-given") == 1


def test_moments_in_errors_are_told_in_both_zones() -> None:
    assert "AoE" in in_words(now())


def dates(lab: Server, phase: str, opens: str, closes: str = "", reason: str = "Because.") -> int:
    form = {"opens": opens, "closes": closes, "reason": reason}
    status: int = lab.browser("organiser").post(f"/tasks/t/organise/phases/{phase}/dates", data=form).status_code
    return status


@pytest.mark.parametrize("opens", ["", "2198-01-01 00:00"])
def test_a_phase_that_has_begun_is_not_unbegun(lab: Server, opens: str) -> None:
    # Its entities are out: the phase that asks for them must not take runs again because of a date.
    lab.turn("one", "close")
    lab.turn("two", "open")
    assert dates(lab, "two", opens) == 409
    assert isinstance(start(lab, "ann", "two", "ee"), dict)


def test_a_phase_without_dates_is_not_over(server: Server) -> None:
    # As tasks/chemu2020 is installed: neither phase has a date. Opened first, phase 2 would keep phase 1 closed for ever.
    server.add_task(toml=TOML.replace("open = true", ""), conf=CONF, corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, GOLD)})
    page = server.browser("organiser").post("/tasks/t/organise/phases/two/open", follow_redirects=True)
    assert page.status_code == 409
    assert dates(server, "two", "2100-01-01 00:00") == 409
    assert dates(server, "one", "2099-01-01 00:00", "2099-02-01 00:00") == 302
    assert dates(server, "two", "2100-01-01 00:00") == 302


def test_checking_tells_nothing_before_the_terms_are_accepted(lab: Server) -> None:
    lab.browser("organiser").post("/tasks/t/organise/terms", data={"text": "Keep it."})
    form = {"phase": "one", "track": "ner", "trial": "1", "file": (io.BytesIO(zipped(GIVEN)), "run.zip")}
    answer = lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")
    assert answer.status_code == 409
    assert "Accept the data terms" in answer.json["error"]["message"]
    lab.browser("ann").post("/tasks/t/terms/1")
    send(lab, GIVEN, "one", "ner")


def test_a_task_keeps_a_phase_that_takes_runs(server: Server) -> None:
    only = TOML[: TOML.index("[[phases]]")] + TOML[TOML.index('[[phases]]\nid = "one"') : TOML.index('[[phases]]\nid = "two"')]
    server.add_task(toml=only, conf=CONF, corpora={"test": (TEXTS, GOLD)})
    form = {"title": "P", "releases": "everything", "tells": "nothing", "grace_minutes": "30", "reason": "Why not."}
    assert server.browser("organiser").post("/tasks/t/organise/phases/one/rules", data=form).status_code == 409
    assert server.browser("organiser").get("/tasks/t/organise").status_code == 200


def test_a_nomination_does_not_follow_the_scores(lab: Server) -> None:
    run_id = send(lab, EE_RUN, "one", "e2e")
    lab.turn("one", "close")
    assert lab.run(run_id, "ann")["scores"] != []
    assert lab.browser("ann").post(f"/runs/{run_id}/nominate").status_code == 409
    lab.turn("one", "open")
    assert lab.run(run_id, "ann")["told"] == "nothing"
    assert lab.browser("ann").post(f"/runs/{run_id}/nominate").status_code == 409, "its scores have been told"
    fresh = send(lab, GIVEN, "one", "e2e")
    assert lab.browser("ann").post(f"/runs/{fresh}/nominate").status_code == 302


def test_a_late_run_that_knew_the_scores_stays_late(lab: Server) -> None:
    send(lab, EE_RUN, "one", "e2e")
    lab.turn("one", "close")
    late = send(lab, GIVEN, "one", "e2e")
    lab.turn("one", "open")
    assert lab.run(late, "ann")["late"]


def test_public_gold_is_not_asked_for_again(server: Server) -> None:
    public = TOML.replace('title = "Three tracks"', 'title = "Three tracks"\ngold_public = true')
    server.add_task(toml=public, conf=CONF, corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, GOLD)})
    server.add_person("ann", "Ann's")
    for phase, action in (("one", "close"), ("two", "open"), ("two", "close")):
        server.turn(phase, action)
    assert server.api("GET", "/tasks/t/splits/test/gold.zip", "ann").status_code == 200
    assert server.browser("organiser").post("/tasks/t/organise/phases/two/open").status_code == 409


def test_a_trigger_with_a_misspelt_label_is_not_handed_out(server: Server) -> None:
    misspelt = {id_: each.replace("STEP 10 14", "STPE 10 14") for id_, each in GOLD.items()}
    server.add_task(toml=TOML, conf=CONF, corpora={"dev": (TEXTS, GOLD), "test": (TEXTS, misspelt)})
    found = start(server, "organiser", "two", "ee")
    assert isinstance(found, dict)
    assert found["d1.ann"] == GIVEN["d1"]


def test_a_trial_keeps_no_track(lab: Server) -> None:
    form = {"phase": "one", "track": "e2e", "trial": "1", "file": (io.BytesIO(zipped(GIVEN)), "run.zip")}
    assert lab.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data").status_code == 202
    rules = {
        "title": "Phase 1", "tracks": ["ner"], "releases": "text", "tells": "nothing", "quota": "3", "grace_minutes": "30",
        "reason": "One track is enough.",
    }  # fmt: skip
    assert lab.browser("organiser").post("/tasks/t/organise/phases/one/rules", data=rules).status_code == 302


def test_minutes_of_grace_are_kept(lab: Server) -> None:
    rules = {
        "title": "Phase 1", "tracks": ["ner", "e2e"], "releases": "text", "tells": "nothing", "quota": "3",
        "grace_minutes": "120", "reason": "Slow lines.",
    }  # fmt: skip
    lab.browser("organiser").post("/tasks/t/organise/phases/one/rules", data=rules)
    lab.turn("one", "close")
    lab.turn("one", "open")
    with lab.worker.database.session(write=False) as session:
        phase = find_phase(find_task(session, "t"), "one")
        assert (phase.grace, phase.grace_minutes) == (timedelta(minutes=120), 120)


def test_entities_that_change_after_they_were_given_are_announced(lab: Server) -> None:
    lab.turn("one", "close")
    lab.turn("two", "open")
    with lab.worker.database.session(write=True) as session:
        split = find_phase(find_task(session, "t"), "two").split
        changed = {"d1": GOLD["d1"].replace("AA 0 5\talpha", "AA 0 9\talpha was"), "d2": GOLD["d2"]}
        corpus = read_gold(files(TEXTS, changed), definition_of(split.task))
        gold_versions.install_version(session, lab.worker.storage, split, corpus, "A span was wrong.")
        session.commit()
    assert "Entities that were given have changed" in lab.browser().get("/tasks/t").text
