"""Uploads spoiled at random, sent to the application as a team would: `python -m fuzz.endpoint SECONDS [SEED]`.

Whatever is sent, the answer is one of those that the API describes, the run ends in a state that costs a try only if it has
scores, and nobody reads a stack trace. What breaks that is written to the present folder with its seed.
"""

from __future__ import annotations

import io
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from app import create_app
from app.db import Database
from app.migrate import migrate
from app.runs.leases import Worker
from app.settings import Settings
from app.storage import Storage
from brat.convert.formats import FORMATS, write
from brat.corpus import read_corpus
from brat.files import ArchiveLimits
from tests.brat.hostile.uploads import make_tar, make_zip, uploads
from tests.conftest import InlineQueue
from tests.factories import DEV_GOLD, TEXTS, Server, files

_NAMES = (
    "run.zip",
    "run.tar.gz",
    "run.ann",
    "d1.ann",
    "run.tsv",
    "run.xml",
    "run.json",
    "run.jsonl",
    "run.txt",
    "run.conll",
    "",
)
_BITS = (
    b"\0",
    b"\xff\xfe",
    b"\t",
    b"\r",
    b"9" * 400,
    b"T1\tAA 0 5\talpha\n",
    b"&a;",
    b"{",
    b"\xf0\x9f\x98\x80",
    b"../",
    b";1 2" * 50,
)
_ENDS = {"scored", "rejected", "held", "tried"}
_ROUNDS_OF_A_SERVER = 400


def _seeds() -> list[bytes]:
    documents = read_corpus(files(TEXTS, DEV_GOLD)).documents
    members = [(f"{id_}.ann", text.encode()) for id_, text in DEV_GOLD.items()]
    right = [make_zip(*members), make_tar(*members), members[0][1]]
    for name in FORMATS:
        written, _ = write(name, documents)
        right += [*written.values(), make_zip(*written.items())]
    return right * 5 + [each.data for each in uploads() if len(each.data) < 100_000]


def _spoiled(dice: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.choice((0, 1, 1, 2, 5, 20))):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(5):
            case 0 if data:
                data[at % len(data)] = dice.randrange(256)
            case 1:
                data[at:at] = dice.choice(_BITS)
            case 2:
                del data[at : at + dice.randrange(1, 40)]
            case 3:
                other = dice.choice(seeds)
                data[at:at] = other[dice.randrange(len(other) + 1) :][:200]
            case _:
                data = data[:at] if dice.random() < 0.2 else data
    return bytes(data)


def _server(folder: Path) -> Server:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    settings = Settings(
        data=folder,
        database_url=f"sqlite:///{folder / 'assay.db'}",
        storage_url=f"file://{folder / 'objects'}",
        secret_key="for fuzzing only, and long enough",
        https=False,
        rate_limits=False,
        archive=ArchiveLimits(members=200, unpacked_bytes=4 * 1024 * 1024),
    )
    database = Database(settings.database_url)
    migrate(database)
    queue = InlineQueue()
    app = create_app(settings, queue)
    app.testing = False
    queue.worker = Worker(settings, database, Storage(settings.storage_url))
    server = Server(app, queue.worker)
    server.add_task()
    server.add_person("ann", "Team One")
    return server


def _try(server: Server, data: bytes, name: str, trial: bool) -> str:
    """What is wrong with how the server takes this; nothing if all is well."""
    form = {"phase": "dev", "track": "ner", "trial": str(trial).lower(), "file": (io.BytesIO(data), name)}
    answer = server.api("POST", "/tasks/t/runs", "ann", data=form, content_type="multipart/form-data")
    if answer.status_code in (409, 413, 422):
        return ""
    if answer.status_code != 202:
        return f"answered {answer.status_code}: {answer.text[:200]}"
    run = server.run(answer.json["id"], "ann")
    if run["state"] not in _ENDS:
        return f"the run is {run['state']}: {run['history']}"
    return "" if "Traceback" not in str(run) else "a stack trace"


def main() -> None:
    """Send until the time is over."""
    end = time.monotonic() + float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seeds, sent, found = _seeds(), 0, 0
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            server = _server(Path(name) / "data")
            for _ in range(_ROUNDS_OF_A_SERVER):
                if time.monotonic() > end:
                    break
                dice = random.Random(f"{seed} {sent}")
                data, file_name = _spoiled(dice, seeds), dice.choice(_NAMES)
                begun = time.monotonic()
                wrong = _try(server, data, file_name, dice.random() < 0.5)
                took = time.monotonic() - begun
                wrong = wrong or (f"took {took:.0f} s" if took > 10 else "")
                if wrong:
                    found += 1
                    Path(f"endpoint-{seed}-{sent}").write_bytes(data)
                    print(f"seed {seed}, number {sent}, {file_name!r}: {wrong}", flush=True)
                sent += 1
    print(f"{sent:,} uploads sent, {found} findings")


if __name__ == "__main__":
    main()
