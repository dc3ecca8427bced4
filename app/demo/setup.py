"""Putting the demonstration into a server: corpus on disk, task, people; every step can be done again without harm."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

import tasks
from app.accounts import services as accounts
from app.accounts import teams
from app.accounts.models import Team, User
from app.analysis.metadata import parse_bytes, rows_for, set_metadata
from app.cli.task import read_bundle
from app.demo.corpus import SEED, DemoCorpus, generate
from app.demo.runs import MEMORISER, SYSTEMS, TRACKS, pack_memoriser, pack_run
from app.runs.leases import Worker
from app.shared_tasks import installing
from app.shared_tasks import services as shared_tasks
from app.shared_tasks.models import Task
from brat.files import read_path
from brat.write import write

TASK = "demo"
ORGANISER = "organiser@demo.example"
TEAMS = {"Team Alembic": "careful", "Team Burette": "off-by-some", "Team Crucible": "label-mixer", "Team Decanter": MEMORISER}
"""Team to the system whose runs it uploads; the last one has runs of entities only."""


@dataclass(frozen=True, slots=True)
class Credential:
    """An account that was made, with its password; known only now."""

    email: str
    password: str
    role: str


def write_corpus(folder: Path) -> DemoCorpus:
    """Generate the corpus and leave it, its metadata, what is planted, and the runs in a folder."""
    corpus = generate()
    for split, documents in corpus.splits.items():
        target = folder / split
        target.mkdir(parents=True, exist_ok=True)
        for id_, document in documents.items():
            (target / f"{id_}.txt").write_bytes((document.text or "").encode())
            (target / f"{id_}.ann").write_bytes(write(document).encode())
    rows = ["document\tsplit\tsource\tscale\toffice"]
    rows += [f"{id_}\t{a.split}\t{a.source}\t{a.scale}\t{a.office}" for id_, a in corpus.about.items()]
    (folder / "metadata.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    planted = asdict(corpus.planted) | {"reserved": sorted(corpus.planted.reserved)}
    (folder / "planted.json").write_text(json.dumps(planted, ensure_ascii=False, indent=1), "utf-8")
    runs = folder / "runs"
    runs.mkdir(exist_ok=True)
    for system in SYSTEMS:
        for split in ("dev", "test", "test-2"):
            for track in TRACKS:
                (runs / run_name(system, split, track)).write_bytes(pack_run(system, split, corpus, SEED, track))
    for split in ("dev", "test", "test-2"):
        (runs / run_name(MEMORISER, split, "ner")).write_bytes(pack_memoriser(split, corpus))
    return corpus


def run_name(system: str, split: str, track: str) -> str:
    """The file name of the run of a system."""
    return f"{system}-{split}.zip" if track == "ner" else f"{system}-{split}-{track}.zip"


def install(session: Session, worker: Worker, folder: Path) -> list[Credential]:
    """Make people, task and teams that are not there yet; returns the accounts made now."""
    made = [*_people(session)]
    task = session.scalar(select(Task).where(Task.slug == TASK))
    if task is None:
        bundle = read_bundle(Path(tasks.__file__).parent / TASK)
        definition = installing.parse_bundle(bundle)
        splits = ("train", "dev", "test", "test-2")
        corpora = {split: installing.read_gold(read_path(folder / split), definition) for split in splits}
        task = installing.add_task(session, worker.storage, bundle, corpora)
        about = parse_bytes((folder / "metadata.tsv").read_bytes(), "metadata.tsv")
        set_metadata(session, worker.storage, task, rows_for(worker.storage, task, about), "")
    shared_tasks.add_organiser(session, task, accounts.find_user(session, ORGANISER))
    for name in TEAMS:
        user = accounts.find_user(session, address(name))
        if teams.team_of(session, user, task) is None:
            teams.found_team(session, user, task, name)
    return made


def address(team: str) -> str:
    """The e-mail address of a demonstration team's captain."""
    return f"{team.removeprefix('Team ').lower()}@demo.example"


def _people(session: Session) -> Iterator[Credential]:
    for email, role in [(ORGANISER, "organiser"), *((address(team), f"captain of {team}") for team in TEAMS)]:
        if session.scalar(select(User.id).where(User.email == email)) is None:
            password = secrets.token_urlsafe(12)
            name = email.partition("@")[0].capitalize()
            accounts.register(session, email=email, name=name, password=password)
            yield Credential(email, password, role)


def captains(session: Session) -> dict[str, User]:
    """The captain of each demonstration team, by the team's name."""
    task = shared_tasks.find_task(session, TASK)
    found = session.scalars(select(Team).where(Team.task_id == task.id, Team.name.in_(list(TEAMS))))
    return {team.name: team.members[0].user for team in found}
