"""Training by epochs, whatever the toolkit: the best one on dev is kept, and what is interrupted goes on from the last one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from baselines.protocol import Asks, Corpus, Watch
from baselines.settings import to_json
from brat.model import Document
from brat.write import write

_TOLD, _LAST, _BEST = "epochs.json", "last.bin", "best.bin"


class Learner(Protocol):
    """What is trained."""

    def epoch(self, number: int) -> float:
        """Go through the training documents once; returns the mean loss."""

    def judge(self) -> float | None:
        """F1 on dev as things stand; None without dev, or where it has none."""

    def state(self, *, resume: bool) -> bytes:
        """What it has learned; with what is needed to learn on, if it is to resume."""

    def restore(self, state: bytes) -> None:
        """Have learned this."""


@dataclass(frozen=True, slots=True)
class _Reached:
    epoch: int
    best_epoch: int
    best: float | None


def run_epochs(learner: Learner, epochs: int, key: str, watch: Watch) -> None:
    """Train for so many epochs, and leave the learner with the best of them on dev, or with the last where there is no dev.

    Args:
        learner: is trained.
        epochs: how many.
        key: what the training depends on: what was kept under another key is not gone on with.
        watch: follows; what is kept is in its folder.
    """
    folder = watch.folder / key if watch.folder is not None else None
    reached = _resume(learner, folder, watch)
    best = _read(folder, _BEST)
    for number in range(reached.epoch + 1, epochs + 1):
        watch.step(number - 1, epochs, "epochs")
        loss = learner.epoch(number)
        f1 = learner.judge()
        better = reached.best_epoch == 0 or f1 is None or reached.best is None or f1 > reached.best
        if better:
            reached, best = _Reached(number, number, f1), learner.state(resume=False)
        else:
            reached = _Reached(number, reached.best_epoch, reached.best)
        judged = "" if f1 is None else f", F1 on dev {f1:.4f}{' (best so far)' if better else ''}"
        watch.say(f"Epoch {number} of {epochs}: loss {loss:.4f}{judged}.")
        if folder is not None:
            _keep(folder, reached, best if better else None, learner.state(resume=True))
    watch.step(epochs, epochs, "epochs")
    if reached.best_epoch != epochs and best:
        learner.restore(best)
        watch.say(f"Epoch {reached.best_epoch} is kept.")


def _resume(learner: Learner, folder: Path | None, watch: Watch) -> _Reached:
    told = _read(folder, _TOLD)
    if not told:
        return _Reached(0, 0, None)
    reached = _Reached(**json.loads(told))
    learner.restore(_read(folder, _LAST))
    watch.say(f"Goes on after epoch {reached.epoch}.")
    return reached


def _read(folder: Path | None, name: str) -> bytes:
    file = folder / name if folder is not None else None
    return file.read_bytes() if file is not None and file.exists() else b""


def _keep(folder: Path, reached: _Reached, best: bytes | None, last: bytes) -> None:
    """All of an epoch, or nothing of it: what says how far it is comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps({"epoch": reached.epoch, "best_epoch": reached.best_epoch, "best": reached.best})
    for name, data in ((_BEST, best), (_LAST, last), (_TOLD, told.encode())):
        if data is not None:
            fresh = folder / f"{name}.new"
            fresh.write_bytes(data)
            fresh.replace(folder / name)


def key_of(method: str, corpus: Corpus, settings: Any) -> str:
    """What the training of a method depends on, as a short text that can be the name of a folder."""
    digest = hashlib.sha256(json.dumps([method, to_json(settings), sorted(corpus.triggers)]).encode())
    for part in (corpus.train, corpus.dev):
        for id_ in sorted(part):
            digest.update(f"{id_}\0{part[id_].text}\0{write(part[id_])}\0".encode())
        digest.update(b"\1")
    return f"{method}-{digest.hexdigest()[:16]}"


def judge_by(corpus: Corpus, predict: Callable[[], dict[str, Document]], asks: Asks) -> float | None:
    """F1 of what is predicted for dev; None without dev."""
    from baselines.search import dev_f1  # noqa: PLC0415 - scoring is not needed to load a model

    return dev_f1(corpus.dev, predict(), asks, corpus.triggers) if corpus.dev else None
