"""Backup, restore, doctor, and migrations of a database with data in it."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from app.db import Database
from app.errors import ConflictError, InvalidError
from app.migrate import migrate
from app.runs.models import Run
from app.settings import Settings, from_environment, make_secret
from app.shared_tasks.deadlines import PhaseState
from app.shared_tasks.models import Phase
from app.upkeep import backup, examine, restore
from tests.factories import DEV_GOLD, Server


@pytest.fixture
def run_id(server: Server) -> str:
    server.add_task()
    server.add_person("ann", "Team One")
    run_id: str = server.upload("ann", DEV_GOLD)["id"]
    return run_id


def restored(settings: Settings, data: Path) -> Settings:
    return replace(settings, data=data, database_url=f"sqlite:///{data / 'assay.db'}", storage_url=f"file://{data / 'objects'}")


def test_a_backup_has_everything_and_can_be_made_while_serving(server: Server, run_id: str, tmp_path: Path) -> None:
    settings, target, data = server.worker.settings, tmp_path / "b.tar.gz", tmp_path / "again"
    with server.worker.database.session(write=True) as session:  # somebody is writing
        session.execute(text("SELECT 1"))
        files = backup(settings, target)
    assert restore(target, data) == files
    findings = list(examine(restored(settings, data)))

    assert [each for each in findings if not each.good] == []
    with Database(restored(settings, data).database_url).session(write=False) as session:
        assert session.get_one(Run, run_id).team.name == "Team One"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(InvalidError, match="exists"):
        backup(settings, target)
    with pytest.raises(ConflictError, match="already"):
        restore(target, data)


def test_a_damaged_backup_is_refused_and_leaves_nothing(server: Server, run_id: str, tmp_path: Path) -> None:
    target, data = tmp_path / "b.tar.gz", tmp_path / "again"
    backup(server.worker.settings, target)
    target.write_bytes(target.read_bytes()[:-300])
    with pytest.raises(InvalidError, match="cut off"):
        restore(target, data)
    (tmp_path / "no.tar.gz").write_bytes(b"hello")
    with pytest.raises(InvalidError, match="is not a backup"):
        restore(tmp_path / "no.tar.gz", data)

    assert not (data / "assay.db").exists()
    assert not (data / "objects").exists()


def test_the_doctor_sees_what_is_missing_or_changed(server: Server, run_id: str) -> None:
    settings = server.worker.settings
    settings.data.chmod(0o700)
    assert [each.subject for each in examine(settings) if not each.good] == []
    stored = sorted(each for each in (settings.data / "objects").rglob("*") if each.is_file())
    stored[0].unlink()
    stored[1].write_bytes(b"changed")
    settings.data.chmod(0o755)

    assert [each.subject for each in examine(settings) if not each.good] == [
        "the data folder is private",
        "stored files are there",
        "stored files are unchanged",
    ]


def test_a_secret_key_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    make_secret(tmp_path)

    assert len(from_environment({"ASSAY_DATA": str(tmp_path)}).secret_key) > 32


FIRST_SCHEMA = """
INSERT INTO tasks VALUES (1, 't', 'T', '', '', '', '2026-11-01 10:00:00');
INSERT INTO users VALUES (1, 'a@x.org', 'A', 'hash', '2026-11-01 10:00:00');
INSERT INTO splits (id, task_id, name, blind, documents, texts, gold, gold_digest) VALUES (1, 1, 'dev', 0, 1, 'x', 'y', 'z');
INSERT INTO splits (id, task_id, name, blind, documents, texts, gold, gold_digest) VALUES (2, 1, 'test', 1, 1, 'x', 'y', 'z');
INSERT INTO phases (id, task_id, split_id, slug, title, position, tells, state, opened_at, closed_at) VALUES
 (1, 1, 1, 'dev', 'Dev', 0, 'full', 'open', '2026-11-01 11:00:00', NULL),
 (2, 1, 2, 'test', 'Test', 1, 'nothing', 'closed', '2026-11-01 11:00:00', '2026-11-02 11:00:00'),
 (3, 1, 2, 'late', 'Late', 2, 'nothing', 'upcoming', NULL, NULL);
INSERT INTO teams (id, task_id, name, name_key, created_at) VALUES (1, 1, 'One', 'one', '2026-11-01 10:00:00');
INSERT INTO memberships (id, user_id, team_id, task_id, role, joined_at) VALUES (1, 1, 1, 1, 'captain', '2026-11-01 10:00:00');
INSERT INTO runs (id, task_id, phase_id, team_id, submitted_by, track, name, file_name, upload, state, problems, problem_counts,
 submitted_at, attempts) VALUES
 ('r1', 1, 2, 1, 1, 'ner', 'first', 'r.zip', 'u', 'scored', '[]', '{}', '2026-11-01 12:00:00', 1),
 ('r2', 1, 2, 1, 1, 'ner', 'second', 'r.zip', 'u', 'rejected', '[]', '{}', '2026-11-01 13:00:00', 1);
INSERT INTO scorings (id, run_id, gold_digest, scorer, signature, matchings, created_at) VALUES
 (1, 'r1', 'z', '1', 's', 'm', '2026-11-01 12:00:01');
INSERT INTO scores (id, scoring_id, annotations, span, labels, matching, stratification, stratum, label, tp, fp, fn) VALUES
 (1, 1, 'entities', 'exact', 'fine', 'exact-first', 'all', 'all', 'all', 3, 1, 2);
"""


def test_a_database_of_the_first_schema_keeps_all_its_data(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'old.db'}")
    migrate(database, "0001")
    with database.engine.begin() as connection:
        for statement in FIRST_SCHEMA.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    migrate(database)

    with database.session(write=False) as session:
        phases = {each.slug: each for each in session.query(Phase)}
        assert {slug: each.state for slug, each in phases.items()} == {
            "dev": PhaseState.OPEN,
            "test": PhaseState.CLOSED,
            "late": PhaseState.UPCOMING,
        }
        assert [phases[each].quota for each in ("dev", "test", "late")] == [None, 3, 3]
        run = session.get_one(Run, "r1")
        assert (run.team.name, run.team.approved_at is not None, run.team.alias[:5]) == ("One", True, "Team ")
        assert session.execute(text("SELECT tp, fp, fn FROM scores")).all() == [(3, 1, 2)]
        assert session.execute(text("SELECT run_id, change FROM quota_entries")).all() == [("r1", -1)]
        assert session.execute(text("PRAGMA foreign_keys")).scalar() == 1
