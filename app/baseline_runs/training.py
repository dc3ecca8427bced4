"""Trains one baseline and writes its run: a process of its own, so that it can be stopped, and can die, without its worker.

    python -m app.baseline_runs.training FOLDER NUMBER

It reads the database and writes to FOLDER only: `progress.json` and `log.txt` on the way, and at the end `run.zip` with
`signature.txt`, or `error.txt`. What a method keeps of its epochs is there too, so that it goes on after it was killed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from sqlalchemy.orm import Session

from app.baseline_runs.models import Baseline
from app.baseline_runs.services import VOTE, laid_out, voters
from app.db import Database
from app.errors import InvalidError
from app.parents import die_with_parent
from app.settings import from_environment
from app.shared_tasks.releases import given_documents
from app.shared_tasks.services import corpus_of, definition_of, texts_of
from app.storage import Storage
from app.version import VERSION
from baselines import majority_vote, recipes
from baselines.protocol import BaselineError, Corpus
from brat.corpus import Corpus as BratCorpus
from brat.corpus import read_corpus
from brat.files import pack_zip, read_bytes
from brat.model import Document
from brat.write import write
from evaluator.signature import digest_documents, digest_texts
from evaluator.task import Split

PROGRESS, LOG, RUN, SIGNATURE, ERROR = "progress.json", "log.txt", "run.zip", "signature.txt", "error.txt"
REFUSED = 3
"""The exit status where the message in `error.txt` says all there is to say, and another attempt would end the same."""
_BETWEEN = 0.3
_SHORT_DIGEST = 12


_Work: TypeAlias = "Callable[[FileWatch], tuple[dict[str, Document], str]]"


class FileWatch:
    """Tells by files; the worker reads them."""

    def __init__(self, folder: Path) -> None:
        self.folder: Path | None = folder / "epochs"
        self._progress, self._log = folder / PROGRESS, folder / LOG
        self._last = 0.0

    def step(self, done: int, of: int, what: str) -> None:
        """Now and then, whole or not at all."""
        if time.monotonic() - self._last >= _BETWEEN:
            self._last = time.monotonic()
            fresh = self._progress.with_suffix(".new")
            fresh.write_text(json.dumps({"done": done, "total": of, "unit": what}), encoding="utf-8")
            fresh.replace(self._progress)

    def say(self, message: str) -> None:
        """A line with the time of day."""
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {message}\n")


def main(folder: Path, number: int) -> int:
    """Train, tag, write; returns the exit status."""
    settings = from_environment(os.environ)
    database, storage, watch = Database(settings.database_url), Storage(settings.storage_url), FileWatch(folder)
    try:
        with database.session(write=False) as session:
            work = _prepare(session, storage, session.get_one(Baseline, number), settings.data)
        run, signature = work(watch)  # takes minutes or hours, in which nobody waits for the database
    except (BaselineError, InvalidError) as bad:
        (folder / ERROR).write_text(str(bad), encoding="utf-8")
        return REFUSED
    data = pack_zip((f"{id_}.ann", write(each).encode()) for id_, each in sorted(run.items()))
    (folder / SIGNATURE).write_text(signature, encoding="utf-8")
    fresh = folder / f"{RUN}.new"
    fresh.write_bytes(data)
    fresh.replace(folder / RUN)
    found = sum(len(each.annotations) for each in run.values())
    watch.say(f"{found:,} annotations in {len(run):,} documents.")
    return 0


def _prepare(session: Session, storage: Storage, row: Baseline, data: Path) -> _Work:
    """Read what is needed; what is left to do gives a run and its signature."""
    definition = definition_of(row.task)
    track = definition.track(row.track)
    assert track is not None, "BUG: a baseline of a track that the task does not have"  # noqa: S101
    split = row.phase.split
    texts = texts_of(storage, split)
    given = given_documents(storage, split) if track.gives_entities else {}
    documents = {id_: given.get(id_, Document(id_, (), text)) for id_, text in texts.items()}
    asked = row.settings.get("runs", row.settings.get(f"{VOTE}.runs", "")) if row.recipe == VOTE else ""
    if asked:
        return _vote(session, storage, row, documents, asked)
    corpora = {
        each.name: corpus_of(storage, each)
        for each in row.task.splits
        if each.name in (Split.TRAIN, Split.DEV) and each.id != split.id
    }
    if Split.TRAIN not in corpora:
        raise BaselineError("the runs of this phase are on train itself, or there is no train: there is nothing to learn from")
    learned = {
        name: {id_: each for id_, each in corpus.documents.items() if id_ not in texts} for name, corpus in corpora.items()
    }
    corpus = Corpus(learned[Split.TRAIN], learned.get(Split.DEV, {}), definition.triggers)
    digests = {f"{name}-{kind}": value for name, each in corpora.items() for kind, value in _digests(each).items()}
    recipe, settings = row.recipe, laid_out(data, recipes.parse_recipe(row.recipe), row.settings)

    def train_and_tag(watch: FileWatch) -> tuple[dict[str, Document], str]:
        trained = recipes.train(recipe, corpus, settings, watch)
        watch.say(f"Tagging {len(documents):,} documents.")
        return recipes.predict(trained, documents, watch), _sign(recipe, {**trained.settings, **digests})

    return train_and_tag


def _digests(corpus: BratCorpus) -> dict[str, str]:
    found = {"gold": digest_documents(corpus.digests), "texts": digest_texts(corpus.texts)}
    return {kind: digest[:_SHORT_DIGEST] for kind, digest in found.items()}


def _sign(recipe: str, values: Mapping[str, object]) -> str:
    return "|".join([f"baseline:{recipe}", f"trained-by:{VERSION}", *(f"{key}:{value}" for key, value in values.items())])


def _vote(session: Session, storage: Storage, row: Baseline, documents: Mapping[str, Document], asked: str) -> _Work:
    """What runs of the same phase and track agree on."""
    chosen = voters(session, row.phase, row.track, asked)
    (settings,) = recipes.parse_all(recipes.parse_recipe(VOTE), row.settings)
    texts = {id_: each.text for id_, each in documents.items()}
    runs = [read_corpus(read_bytes(storage.get(each.upload), each.file_name), texts).documents for each in chosen]
    signature = _sign(VOTE, {"threshold": settings.threshold, "runs": "/".join(each.id for each in chosen)})
    return lambda _: (majority_vote.vote(documents, runs, settings.threshold), signature)


if __name__ == "__main__":
    die_with_parent()  # another worker takes over then, and starts a process of its own in the same folder
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
