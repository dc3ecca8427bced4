"""What can happen to an upload besides its content: nothing is lost, nothing is counted twice, and people read what to do."""

from __future__ import annotations

import errno
import gc
import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import event, func, select
from werkzeug.serving import make_server

from app.clock import now
from app.runs.jobs import process_run
from app.runs.leases import runs_to_send
from app.runs.models import QuotaEntry, Run, RunState, Scoring
from app.storage import Storage
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, TOML, Server, zipped


@pytest.fixture(autouse=True)
def task(server: Server) -> None:
    server.add_task(TOML.replace('split = "dev"', 'split = "dev"\nquota = 2', 1))
    server.add_person("ann", "Team One")


def send(server: Server, data: bytes | None = None) -> Any:
    form = {"phase": "dev", "track": "ner", "file": (io.BytesIO(data or zipped(DEV_GOLD)), "run.zip")}
    return server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")


def count(server: Server, model: type[Run | QuotaEntry | Scoring]) -> int:
    with server.worker.database.session(write=False) as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


@contextmanager
def listening(server: Server) -> Iterator[int]:
    """The application behind a real socket; yields its port."""
    web = make_server("127.0.0.1", 0, server.app, threaded=True)
    thread = threading.Thread(target=web.serve_forever, daemon=True)
    thread.start()
    try:
        yield web.server_port
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


# The form parser leaves the temporary file of a part that never ends to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_upload_that_is_cut_off_is_none(server: Server) -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="phase"\r\n\r\ndev\r\n--x\r\n'
        b'Content-Disposition: form-data; name="track"\r\n\r\nner\r\n--x\r\n'
        b'Content-Disposition: form-data; name="file"; filename="run.zip"\r\n\r\n' + zipped(DEV_GOLD) + b"\r\n--x--\r\n"
    )
    head = (
        f"POST /api/v1/tasks/t/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.tokens['ann']}\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with listening(server) as port:
        for cut in (0, 10, len(body) // 2, len(body) - 12):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head + body[:cut])
                connection.shutdown(socket.SHUT_WR)
                answer = connection.makefile("rb").read()
            assert b" 4" in answer[:13] or not answer
            assert (count(server, Run), count(server, QuotaEntry)) == (0, 0)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head + body)
            assert b" 202 " in connection.makefile("rb").readline()
    assert count(server, Run) == 1
    gc.collect()


def test_the_same_upload_twice_at_once_is_one_run(server: Server, queue: InlineQueue) -> None:
    queue.held = True
    statuses: list[int] = []
    barrier = threading.Barrier(4)

    def race() -> None:
        barrier.wait()
        statuses.append(send(server).status_code)

    threads = [threading.Thread(target=race) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert sorted(statuses) == [202, 409, 409, 409]
    assert (count(server, Run), count(server, QuotaEntry)) == (1, 1)


def test_a_full_disk_is_told_and_nothing_counts(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Storage, "put", full)
        answer = send(server)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert "no room left" in answer.json["error"]["message"]
    assert (count(server, Run), count(server, QuotaEntry)) == (0, 0)

    assert send(server).status_code == 202


def test_a_full_disk_while_scoring_is_waited_out(server: Server, queue: InlineQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    queue.held = True
    run_id = send(server).json["id"]

    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Storage, "put", full)
        for _ in range(server.worker.settings.attempts + 2):
            process_run(server.worker, run_id)
    assert runs_to_send(server.worker) == []
    with time_machine.travel(now() + timedelta(seconds=61)):
        assert runs_to_send(server.worker) == [run_id]
        process_run(server.worker, run_id)

    assert server.run(run_id, "ann")["state"] == "scored"
    assert count(server, Scoring) == 1


def test_a_database_that_is_locked_for_a_while_is_waited_for(server: Server) -> None:
    locked, done = threading.Event(), threading.Event()

    def lock() -> None:
        with server.worker.database.session(write=True) as session:
            session.execute(select(1))
            locked.set()
            done.wait(1.5)

    holder = threading.Thread(target=lock)
    holder.start()
    locked.wait()
    begun = time.monotonic()
    assert send(server).status_code == 202
    assert time.monotonic() - begun > 1
    holder.join()


def test_a_database_that_stays_locked_is_told(server: Server) -> None:
    engine = server.app.extensions["assay"].database.engine
    engine.dispose()
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout=50"))
    with server.worker.database.session(write=True) as session:
        session.execute(select(1))
        answer = send(server)

    assert answer.status_code == 503
    assert "busy" in answer.json["error"]["message"]
    assert count(server, Run) == 0


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400)], ids=["back", "ahead"])
def test_a_clock_that_jumps_leaves_no_run_behind_and_scores_none_twice(
    server: Server, queue: InlineQueue, jump: timedelta
) -> None:
    queue.held = True
    run_id = send(server).json["id"]
    with server.worker.database.session(write=True) as session:  # a worker has it, and dies
        run = session.get_one(Run, run_id)
        run.owner, run.lease_until, run.attempts = "gone", now() + timedelta(seconds=2), 1
        session.commit()
    with time_machine.travel(now() + jump):
        assert runs_to_send(server.worker) == [run_id]
        process_run(server.worker, run_id)
        process_run(server.worker, run_id)

    assert server.run(run_id, "ann")["state"] == "scored"
    assert count(server, Scoring) == 1


def test_a_server_that_dies_between_the_file_and_the_row_leaves_no_half_run(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """As SIGKILL: nothing after it runs."""

    def die(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("app.runs.views.take_run", die)
        with pytest.raises(Killed):
            send(server)
    assert (count(server, Run), count(server, QuotaEntry)) == (0, 0)

    run = server.run(send(server).json["id"], "ann")
    assert run["state"] == RunState.SCORED
