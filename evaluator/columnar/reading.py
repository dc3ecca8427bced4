"""Gold and a run, read and checked side by side, a block of documents at a time, so that memory does not grow with them.

What is told of them is what `brat.corpus.read_corpus` and `brat.run.check_run` tell. Documents whose files are plain and quiet
on both sides become columns; every other document is read and checked by those modules, and laid out from its annotations.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from brat.corpus import Grouped, Reading, decode, group_files, read_document
from brat.files import Files
from brat.habits import Habits
from brat.model import Document
from brat.problems import Problem, ProblemList, problem
from brat.run import Expectations, survey_run
from evaluator.columnar.hosted import HostedTexts
from evaluator.columnar.layout import lay_out_lines
from evaluator.columnar.lines import PlainLines, is_utf8, read_lines
from evaluator.columnar.quiet import QuietHabits, quiet_documents
from evaluator.scoring import keep_labels
from evaluator.tables import Flags, Ints, Tables, build_tables

_BLOCK_DOCUMENTS, _BLOCK_BYTES = 512, 8 << 20

Take: TypeAlias = Callable[[Tables, Ints], object]
"""Takes the tables of a block, and the place of each of their documents among all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How to read.

    Attributes:
        expected: what the run is held to: every kind of annotation is welcome, no label is ignored, nothing is given.
        only, ignore: labels that are kept (all when empty), and labels that are left out.
        texts: whether the tables must have the texts.
    """

    expected: Expectations
    only: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    texts: bool = False

    def keeps(self, label: str) -> bool:
        """Whether annotations with a label are kept."""
        return label not in self.ignore and (not self.only or label in self.only)


@dataclass(slots=True)
class Side:
    """What was found of one side, as of a `brat.corpus.Corpus`; `digests` by document id."""

    problems: Sequence[Problem] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Read:
    """What was found while reading.

    Attributes:
        gold, run: of each side.
        texts: SHA-256 of each text that is known, by document id.
        labels: those of all text-bound annotations, kept or not.
        columnar: how many documents became columns without being objects.
    """

    gold: Side = field(default_factory=Side)
    run: Side = field(default_factory=Side)
    texts: dict[str, str] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    columnar: int = 0


class BothSides:
    """The files of gold and of a BRAT run, grouped by document.

    Attributes:
        documents: ids of gold, sorted.
    """

    def __init__(self, gold: Files, run: Files) -> None:
        self._files = gold, run
        self._gold_problems, self._run_problems = ProblemList(), ProblemList()
        self._gold = group_files(gold, None, self._gold_problems)
        self.documents = sorted({*self._gold.annotated, *self._gold.plain})
        self._unknown = dict.fromkeys(self.documents)
        self._run = group_files(run, self._unknown, self._run_problems)

    def read(self, wishes: Wishes, take: Take) -> Read:
        """Read everything once, and hand over the tables of block after block.

        Tables come before it is known whether there is an error further on: then nothing that was taken holds.
        """
        found, habits = Read(), Habits()
        text_problems, document_problems = ProblemList(), ProblemList()
        block = _Blocks(self._files, (self._gold, self._run), (text_problems, document_problems, self._run_problems))
        documents = self._run_documents(block, wishes, take, found, habits)
        paths = {id_: each[-1] for id_, each in self._run.annotated.items()}
        reading = Reading(documents, self._run_problems, paths, tuple(self._run.extra))
        surveyed = survey_run(reading, self._unknown, wishes.expected, habits)
        found.run.problems, found.run.counts = surveyed.problems, surveyed.counts
        told = ProblemList()
        for each in (self._gold_problems, text_problems, self._missing_texts(), document_problems):
            told.extend(each.kept)
            told.counts.update(each.counts - Counter(one.code for one in each.kept))
        found.gold.problems, found.gold.counts = tuple(told.kept), told.counts
        return found

    def _missing_texts(self) -> ProblemList:
        gold, problems = self._gold, ProblemList()
        if gold.plain:
            lonely = sorted(gold.annotated.keys() - gold.plain.keys())
            problems.extend(problem("missing-text", gold.annotated[id_][0], expected=f"{id_}.txt") for id_ in lonely)
        return problems

    def _run_documents(
        self, block: _Blocks, wishes: Wishes, take: Take, found: Read, habits: Habits
    ) -> Iterator[tuple[str, Document]]:
        """The annotated documents of the run in order. Quiet ones are empty, since no check has anything to say of them."""
        start = 0
        while start < len(self.documents):
            start += block.load(self.documents, start, found)
            yield from self._of_block(block, wishes, take, found, habits)

    def _of_block(
        self, block: _Blocks, wishes: Wishes, take: Take, found: Read, habits: Habits
    ) -> Iterator[tuple[str, Document]]:
        hosted = HostedTexts(block.texts)
        gold, run = (read_lines(each) for each in block.plain_files())
        quiet = quiet_documents(gold, hosted) & quiet_documents(run, hosted, wishes.expected) & block.single_files()
        counted = QuietHabits(run, hosted, quiet)
        objects: tuple[dict[str, Document], dict[str, Document]] = {}, {}
        for number, id_ in enumerate(block.ids):
            if quiet[number]:
                counted.add_to(habits, number)
                sent = Document(id_)
            else:
                text = hosted.text(number)
                objects[0][id_] = block.read_gold(number, text)
                if id_ not in self._run.annotated:
                    continue
                sent = objects[1][id_] = block.read_run(number, text)
            if id_ in self._run.annotated:
                yield id_, sent
        found.columnar += int(np.count_nonzero(quiet))
        self._lay_out_lines(block, wishes, (gold, run), quiet, (hosted, found, take))
        self._lay_out_objects(block, wishes, objects, found, take)

    def _lay_out_lines(
        self,
        block: _Blocks,
        wishes: Wishes,
        sides: tuple[PlainLines, PlainLines],
        quiet: Flags,
        rest: tuple[HostedTexts, Read, Take],
    ) -> None:
        hosted, found, take = rest
        kept = []
        for side in sides:
            rows = quiet[side.file]
            found.labels.update(side.labels[i] for i in side.take(rows).labels_met())
            keeps = np.array([wishes.keeps(each) for each in side.labels], dtype=bool)
            kept.append(side.take(rows & keeps[side.label] if len(keeps) else rows))
        texts = [hosted.text(i) if wishes.texts and quiet[i] else None for i in range(len(block.ids))]
        take(lay_out_lines(block.ids, texts, *kept), block.first + np.arange(len(block.ids), dtype=np.int64))

    def _lay_out_objects(
        self, block: _Blocks, wishes: Wishes, sides: tuple[dict[str, Document], dict[str, Document]], found: Read, take: Take
    ) -> None:
        if not sides[0]:
            return
        for side in sides:
            found.labels.update(each.label for document in side.values() for each in document.text_bounds)
        tables = build_tables(*(keep_labels(each, wishes.only, wishes.ignore) for each in sides))
        place = {id_: block.first + i for i, id_ in enumerate(block.ids)}
        take(tables, np.array([place[id_] for id_ in tables.documents], dtype=np.int64))


class _Blocks:
    """The bytes of some documents at a time; `first` is the place of the first of them among all."""

    def __init__(
        self,
        files: tuple[Files, Files],
        grouped: tuple[Grouped, Grouped],
        problems: tuple[ProblemList, ProblemList, ProblemList],
    ) -> None:
        self._files, self._grouped = files, grouped
        self._text_problems, self._gold_problems, self._run_problems = problems
        self.first = 0
        self.ids: list[str] = []
        self.texts: list[bytes | None] = []
        self._content: tuple[list[list[bytes]], list[list[bytes]]] = [], []

    def load(self, documents: Sequence[str], first: int, found: Read) -> int:
        """Read documents from a place on; returns how many."""
        self.first, self.ids, self.texts, self._content = first, [], [], ([], [])
        size = 0
        for id_ in documents[first : first + _BLOCK_DOCUMENTS]:
            self.ids.append(id_)
            text = self._read_text(id_)
            self.texts.append(text)
            if text is not None:
                found.texts[id_] = hashlib.sha256(text).hexdigest()
                size += len(text)
            for files, grouped, content, side in zip(
                self._files, self._grouped, self._content, (found.gold, found.run), strict=True
            ):
                data = [files[path] for path in grouped.annotated.get(id_, ())]
                content.append(data)
                if id_ in grouped.annotated:
                    side.digests[id_] = hashlib.sha256(data[0] if len(data) == 1 else b"".join(data)).hexdigest()
                size += sum(len(each) for each in data)
            if size > _BLOCK_BYTES:
                break
        return len(self.ids)

    def _read_text(self, id_: str) -> bytes | None:
        path = self._grouped[0].plain.get(id_)
        if path is None:
            return None
        data = self._files[0][path]
        sound = b"\0" not in data and (data.isascii() or is_utf8(data))
        return data if sound or decode(data, path, self._text_problems) is not None else None

    def plain_files(self) -> Iterator[list[bytes]]:
        """Of each side, the annotation file of each document, empty where there is none or several."""
        for content in self._content:
            yield [each[0] if len(each) == 1 else b"" for each in content]

    def single_files(self) -> Flags:
        """[documents] whether neither side has several annotation files of it."""
        return np.array([max(len(gold), len(run)) <= 1 for gold, run in zip(*self._content, strict=True)], dtype=bool)

    def read_gold(self, number: int, text: str | None) -> Document:
        """One document of gold as objects; its problems are told."""
        return self._read(0, number, text, self._gold_problems)

    def read_run(self, number: int, text: str | None) -> Document:
        """One document of the run as objects; its problems are told."""
        return self._read(1, number, text, self._run_problems)

    def _read(self, side: int, number: int, text: str | None, problems: ProblemList) -> Document:
        id_ = self.ids[number]
        paths = self._grouped[side].annotated.get(id_, [])
        return read_document(id_, paths, dict(zip(paths, self._content[side][number], strict=True)), text, problems)
