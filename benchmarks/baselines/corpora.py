"""The corpora that baselines are measured on, read from the shared folder."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from baselines.protocol import Corpus
from brat.corpus import read_corpus
from brat.files import read_path
from brat.model import Document, TextBound
from evaluator.criteria import Annotations, Criterion
from evaluator.scores import ALL, Counts
from evaluator.scoring import Scheme, score

SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).parents[3] / "shared"))
TRIGGERS = frozenset({"REACTION_STEP", "WORKUP"})


class Told:
    """Says on standard error what a method tells, with the seconds since it began."""

    folder: Path | None = None

    def __init__(self) -> None:
        self._start = time.monotonic()

    def step(self, done: int, of: int, what: str) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """A line."""
        print(f"  {time.monotonic() - self._start:6.0f} s  {message}", file=sys.stderr, flush=True)


def bc5cdr(split: str, label: str = "Chemical") -> dict[str, Document]:
    """The sentences of a split, each a document, since the file has no others; with the entities of one label."""
    found: dict[str, Document] = {}
    for number, block in enumerate((SHARED / "data/bc5cdr/iob" / f"{split}.tsv").read_text(encoding="utf-8").split("\n\n")):
        words: list[str] = []
        spans: list[tuple[str, int, int]] = []
        at = 0
        for word, tag in (line.split("\t") for line in block.splitlines() if line.strip()):
            end = at + len(word)
            if tag.startswith("B-"):
                spans.append((tag[2:], at, end))
            elif tag.startswith("I-"):
                spans[-1] = (*spans[-1][:2], end)
            words.append(word)
            at = end + 1
        text, id_ = " ".join(words), f"{split}{number:05}"
        wanted = [(a, b) for name, a, b in spans if name == label]
        bounds = (TextBound(f"T{i}", label, ((a, b),), text[a:b]) for i, (a, b) in enumerate(wanted, 1))
        if text:
            found[id_] = Document(id_, tuple(bounds), text)
    return found


def brat(*parts: str) -> dict[str, Document]:
    """The documents below a folder of the shared data."""
    documents = read_corpus(read_path(SHARED.joinpath("data", *parts))).documents
    return {id_: each for id_, each in documents.items() if each.text is not None}


def relabelled(documents: Mapping[str, Document], label: str) -> dict[str, Document]:
    """The entities alone, all with one label."""
    return {
        id_: Document(id_, tuple(replace(each, label=label) for each in document.text_bounds), document.text)
        for id_, document in documents.items()
    }


def counts(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    kind: Annotations = Annotations.ENTITIES,
    triggers: frozenset[str] = frozenset(),
) -> Counts:
    """Counts of exact spans and fine labels, all together."""
    found = score(gold, run, [Criterion()], Scheme(annotations=(kind,), triggers=triggers)).scores
    return next((each.counts for each in found if each.label == ALL and each.annotations == kind), Counts())


def told(value: float | None) -> str:
    """A figure to four places."""
    return "–" if value is None else f"{value:.4f}"


def split_dev(documents: Mapping[str, Document], every: int = 10) -> Corpus:
    """Train, and every so-manieth document as dev."""
    ids = sorted(documents)
    dev = set(ids[::every])
    return Corpus({id_: documents[id_] for id_ in ids if id_ not in dev}, {id_: documents[id_] for id_ in ids if id_ in dev})
