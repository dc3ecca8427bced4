"""Making what a test needs: a task with a small corpus, people with teams, uploads."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from apiflask import APIFlask
from flask.testing import FlaskClient

from app.accounts import services as accounts
from app.accounts import teams
from app.runs.leases import Worker
from app.shared_tasks import installing
from app.shared_tasks import services as shared_tasks
from app.shared_tasks.installing import Bundle
from brat.files import pack_zip

PASSWORD = "correct horse battery"
SECRET_MARK = "GOLDMARK"
"""In every gold label of a blind split, so that a test can look for it anywhere."""

CONF = f"[entities]\nTOP\n\tAA\n\t{SECRET_MARK}\nBB\n"
TOML = """
id = "t"
version = "1"
title = "A task"
summary = "What it is about."
[[tracks]]
id = "ner"
title = "NER"
[[phases]]
id = "dev"
title = "Development"
split = "dev"
tracks = ["ner"]
open = true
[[phases]]
id = "test"
title = "Test"
split = "test"
tracks = ["ner"]
open = true
[[phases]]
id = "late"
title = "Late test"
split = "test"
tracks = ["ner"]
"""
TEXTS = {"d1": "alpha beta gamma", "d2": "delta epsilon"}
DEV_GOLD = {"d1": "T1\tAA 0 5\talpha\nT2\tBB 6 10\tbeta\n", "d2": "T1\tAA 0 5\tdelta\n"}
TEST_TEXTS = {"t1": "zeta eta theta", "t2": "iota kappa"}
TEST_GOLD = {"t1": f"T1\t{SECRET_MARK} 0 4\tzeta\nT2\tBB 5 8\teta\n", "t2": "T1\tBB 0 4\tiota\n"}


def files(texts: dict[str, str], annotations: dict[str, str]) -> dict[str, bytes]:
    """Texts and annotations as files of a folder."""
    named = {f"{id_}.txt": text for id_, text in texts.items()} | {f"{id_}.ann": ann for id_, ann in annotations.items()}
    return {name: content.encode() for name, content in named.items()}


def zipped(annotations: dict[str, str]) -> bytes:
    """Annotations as an upload."""
    return pack_zip((f"{id_}.ann", text.encode()) for id_, text in annotations.items())


@dataclass(slots=True)
class Server:
    """The application and what is behind it."""

    app: APIFlask
    worker: Worker
    tokens: dict[str, str] = field(default_factory=dict)

    def add_task(
        self,
        toml: str = TOML,
        conf: str = CONF,
        dev_texts: dict[str, str] | None = None,
        corpora: dict[str, tuple[dict[str, str], dict[str, str]]] | None = None,
    ) -> None:
        """Install the small task; organiser@x.org runs it. Other texts of the dev split must begin as `TEXTS` do."""
        definition = installing.parse_bundle(Bundle(toml, conf, "## More\n<script>alert(1)</script>"))
        wanted = corpora or {"dev": (dev_texts or TEXTS, DEV_GOLD), "test": (TEST_TEXTS, TEST_GOLD)}
        read = {name: installing.read_gold(files(*each), definition) for name, each in wanted.items()}
        self.add_person("organiser")
        with self.worker.database.session(write=True) as session:
            task = installing.add_task(
                session, self.worker.storage, Bundle(toml, conf, "## More\n<script>alert(1)</script>"), read
            )
            shared_tasks.add_organiser(session, task, accounts.find_user(session, "organiser@x.org"))
            session.commit()

    def add_person(self, name: str, team: str | None = None) -> None:
        """Register a person with an API token, and found their team."""
        with self.worker.database.session(write=True) as session:
            user = accounts.register(session, email=f"{name}@x.org", name=name, password=PASSWORD)
            self.tokens[name] = accounts.issue_token(session, user, "test")
            if team is not None:
                teams.found_team(session, user, shared_tasks.find_task(session, "t"), team)
            session.commit()

    def browser(self, name: str | None = None) -> FlaskClient:
        """A client with cookies, signed in if a name is given."""
        client = self.app.test_client()
        if name is not None:
            answer = client.post("/sign-in", data={"email": f"{name}@x.org", "password": PASSWORD})
            assert answer.status_code == 302, answer.text
        return client

    def api(self, method: str, path: str, name: str | None = None, **options: Any) -> Any:
        """A call of the API, with the person's token if a name is given."""
        headers = {"Authorization": f"Bearer {self.tokens[name]}"} if name else {}
        return self.app.test_client().open(f"/api/v1{path}", method=method, headers=headers, **options)

    def upload(self, name: str, annotations: dict[str, str] | bytes, phase: str = "dev", run: str = "") -> Any:
        """Upload a run through the API; returns the answer's JSON."""
        data = annotations if isinstance(annotations, bytes) else zipped(annotations)
        form = {"phase": phase, "track": "ner", "name": run, "file": (io.BytesIO(data), "run.zip")}
        answer = self.api("POST", "/tasks/t/runs", name, data=form, content_type="multipart/form-data")
        assert answer.status_code == 202, answer.text
        return answer.json

    def run(self, run_id: str, name: str | None = None) -> Any:
        """A run as a person sees it."""
        return self.api("GET", f"/runs/{run_id}", name).json

    def turn(self, phase: str, action: str) -> None:
        """Open or close a phase as the organiser."""
        answer = self.browser("organiser").post(f"/tasks/t/organise/phases/{phase}/{action}")
        assert answer.status_code == 302, answer.text
