"""Backup, restore and a check of everything the server keeps (SQLite and files on this machine)."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sqlite3
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select, text
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from app.clock import now
from app.db import Database
from app.errors import ConflictError, InvalidError
from app.migrate import is_current
from app.runs.leases import Worker, runs_to_send
from app.runs.models import GoldReport, LeakageReport, Run, Scoring, Stratification
from app.settings import Settings
from app.shared_tasks.models import GoldVersion, MetadataVersion, Split
from app.storage import Storage
from app.version import VERSION

_DATABASE, _SECRET, _OBJECTS, _MANIFEST = "assay.db", "secret-key", "objects", "manifest.json"
_LEAST_FREE = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    good: bool
    subject: str
    detail: str = ""


def backup(settings: Settings, target: Path) -> int:
    """Write database, stored files and secret key into one archive, consistent also while the server works.

    The database is copied first, by SQLite's own online backup. Files are never changed and only added, so all that the copy
    refers to are there afterwards.

    Returns:
        How many stored files it holds.

    Raises:
        InvalidError: the data is not on this machine, or the target exists.
    """
    database, objects = _local(settings)
    if target.exists():
        raise InvalidError(f"{target} exists; choose another name.")
    with tempfile.TemporaryDirectory(dir=settings.data) as folder:
        copy = Path(folder) / _DATABASE
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as destination:
            source.backup(destination)
        unfinished = target.with_name(target.name + ".new")
        files = [each for each in sorted(objects.rglob("*")) if each.is_file() and "." not in each.name]
        with tarfile.open(unfinished, "w:gz") as archive:
            manifest = {"assay": VERSION, "made_at": now().isoformat(), "files": len(files)}
            _add(archive, _MANIFEST, json.dumps(manifest).encode())
            archive.add(copy, _DATABASE)
            if (settings.data / _SECRET).is_file():
                archive.add(settings.data / _SECRET, _SECRET)
            for each in files:
                archive.add(each, f"{_OBJECTS}/{each.relative_to(objects)}")
        unfinished.chmod(0o600)
        unfinished.replace(target)
    return len(files)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def restore(source: Path, data: Path) -> int:
    """Unpack a backup into a data folder that is not in use.

    Returns:
        How many stored files it held.

    Raises:
        ConflictError: something is there already.
        InvalidError: it is no backup, or it is damaged.
    """
    if (data / _DATABASE).exists() or (data / _OBJECTS).exists():
        raise ConflictError(f"{data} holds a database or files already. Move it away first.")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    data.chmod(0o700)
    try:
        with tempfile.TemporaryDirectory(dir=data) as folder, tarfile.open(source, "r:gz") as archive:
            archive.extractall(folder, filter="data")
            unpacked = Path(folder)
            manifest = json.loads((unpacked / _MANIFEST).read_text())
            files = [each for each in (unpacked / _OBJECTS).rglob("*") if each.is_file()]
            damaged = [each for each in files if hashlib.sha256(each.read_bytes()).hexdigest() != each.parent.name + each.name]
            if len(files) != manifest["files"] or damaged:
                raise InvalidError(
                    f"{source} is damaged: {len(files)} files of {manifest['files']}, {len(damaged)} of them changed."
                )
            (unpacked / _OBJECTS).mkdir(exist_ok=True)
            for name in (_OBJECTS, _SECRET, _DATABASE):
                if (unpacked / name).exists():
                    (unpacked / name).replace(data / name)
    except (tarfile.TarError, OSError, KeyError, ValueError, EOFError) as bad:
        raise InvalidError(f"{source} is not a backup of Assay, or it is cut off.") from bad
    return len(files)


def _local(settings: Settings) -> tuple[Path, Path]:
    """The database file and the folder of stored files."""
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite" or not url.database or not settings.storage_url.startswith("file://"):
        raise InvalidError("Only SQLite and files on this machine are backed up here; for others use their own tools.")
    return Path(url.database), Path(settings.storage_url.removeprefix("file://"))


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything the server keeps."""
    private = stat.S_IMODE(settings.data.stat().st_mode) & 0o077 == 0
    yield Finding(private, "the data folder is private", "" if private else f"others may look in: chmod 700 {settings.data}")
    free = shutil.disk_usage(settings.data).free
    yield Finding(free > _LEAST_FREE, "there is room on the disk", f"{free // (1024 * 1024):,} MiB free")
    database = Database(settings.database_url)
    current = is_current(database)
    yield Finding(current, "the database has the schema of this version", "" if current else "run `assay migrate`")
    if not current:
        return
    worker = Worker(settings, database, Storage(settings.storage_url))
    with database.session(write=False) as session:
        yield from _examine_database(session)
        yield from _examine_files(session, worker.storage)
    waiting = len(runs_to_send(worker))
    yield Finding(True, "runs that wait for a worker", str(waiting))


def _examine_database(session: Session) -> Iterator[Finding]:
    if session.get_bind().dialect.name == "sqlite":
        sound = session.execute(text("PRAGMA integrity_check")).scalar() == "ok"
        yield Finding(sound, "the database is sound")
        broken = session.execute(text("PRAGMA foreign_key_check")).all()
        yield Finding(not broken, "references in the database hold", f"{len(broken)} do not" if broken else "")


def _examine_files(session: Session, storage: Storage) -> Iterator[Finding]:
    wanted = {digest for split in session.scalars(select(Split)) for digest in (split.texts, split.gold)}
    wanted |= {digest for row in session.execute(select(Run.upload, Run.corrected)) for digest in row if digest}
    stored = (
        GoldVersion.stored,
        MetadataVersion.stored,
        MetadataVersion.lexicon,
        MetadataVersion.census,
        LeakageReport.stored,
        GoldReport.stored,
    )
    found = Stratification.counts, Stratification.comparisons, Stratification.categories, Stratification.names
    for column in (*stored, *found):
        wanted |= {digest for digest in session.scalars(select(column)) if digest}
    wanted |= {digest for row in session.execute(select(Scoring.matchings, Scoring.confusion)) for digest in row if digest}
    missing, changed = [], []
    for digest in sorted(wanted):
        try:
            if hashlib.sha256(storage.get(digest)).hexdigest() != digest:
                changed.append(digest)
        except FileNotFoundError:
            missing.append(digest)
    yield Finding(
        not missing, "stored files are there", f"{len(missing)} of {len(wanted)} are missing" if missing else f"{len(wanted)}"
    )
    yield Finding(not changed, "stored files are unchanged", f"{len(changed)} are not: {changed[0]}" if changed else "")
