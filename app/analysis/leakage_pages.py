"""What the organiser's page on leakage shows: figures in a sentence, pictures, and the documents behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.analysis.bases import roles_of
from app.errors import NotFoundError
from app.pictures.similarity import similarity_histogram
from app.pictures.venn import Sectors, venn
from app.shared_tasks.models import Split, Task
from app.shared_tasks.services import find_split, texts_of
from app.storage import Storage
from brat.model import Fragment
from evaluator.leakage.copies import Copy
from evaluator.leakage.leakage import DEV, TEST, TRAIN, Leakage
from evaluator.leakage.shared_text import find_shared
from evaluator.leakage.similarity import Neighbour

_RUN = 5
"""Words in a row that are highlighted where two texts have such a run; else single words are."""


def splits_to_compare(task: Task) -> list[Split]:
    """The splits that can be compared with train, blind ones first."""
    return sorted((each for each in task.splits if roles_of(each)), key=lambda each: (not each.blind, each.id))


def find_compared(task: Task, name: str) -> Split:
    """The split of that name, or the first one that can be compared.

    Raises:
        NotFoundError: there is none, or it cannot be compared with train.
    """
    known = splits_to_compare(task)
    if not known:
        raise NotFoundError("Leakage is looked for between train and another split. This task has no split called train.")
    if not name:
        return known[0]
    split = find_split(task, name)
    if split not in known:
        raise NotFoundError(f"{name} is what other splits are compared with. There are: {', '.join(e.name for e in known)}.")
    return split


def source_picture(found: Leakage) -> Markup | None:
    """The Venn figure (Figure 16); None where no source is known, or where there are two splits only."""
    if found.sources is None or set(found.sources.unique) != {TRAIN, DEV, TEST}:
        return None
    count = {frozenset(each.splits): each.sources for each in found.sources.sectors}
    letters = {"a": TRAIN, "b": DEV, "c": TEST}
    sectors = Sectors(
        **{name: count[frozenset(letters[each] for each in name)] for name in ("a", "b", "c", "ab", "ac", "bc", "abc")}
    )
    return venn((TRAIN, DEV, TEST), sectors, "Sources by split")


def similarity_picture(found: Leakage) -> Markup:
    """The histogram of similarities with the paper's bins."""
    values = [each.similarity for each in found.similarity.neighbours]
    return similarity_histogram(values, "Similarity of test documents to training")


def nearest_first(found: Leakage) -> list[Neighbour]:
    """The test documents that have a word in common with a training document, the nearest first."""
    there = (each for each in found.similarity.neighbours if each.nearest is not None)
    return sorted(there, key=lambda each: (-each.similarity, each.document))


def across_first(found: Leakage) -> list[Copy]:
    """Copies across splits, then those within one."""
    return sorted(found.copies, key=lambda each: not each.across)


def copied_tests(found: Leakage) -> frozenset[str]:
    """The test documents that are copies of documents of another split."""
    return frozenset(each.documents[i] for each in found.copies if each.across for i in (0, 1) if each.splits[i] == TEST)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two texts side by side: the part its split plays, its id, and its text in pieces, shared ones marked."""

    role: str
    document: str
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents side by side.

    Attributes:
        sides: the two.
        run: how many words in a row what is marked has at least.
        neighbour: set where the second is the training document that is nearest to the first.
        copy: set where they are copies.
    """

    sides: tuple[Side, Side]
    run: int
    neighbour: Neighbour | None
    copy: Copy | None


def pair_of(storage: Storage, split: Split, found: Leakage | None, wanted: Sequence[tuple[str, str]]) -> Pair:
    """Two documents of the splits that are compared.

    Args:
        storage: where texts are kept.
        split: that plays the part of test.
        found: what was found of it, if anything.
        wanted: two of (part, document id).

    Raises:
        NotFoundError: there is no such document.
    """
    roles = roles_of(split) or {}
    texts = []
    for role, id_ in wanted:
        text = texts_of(storage, roles[role]).get(id_) if role in roles else None
        if text is None:
            raise NotFoundError("There is no such document.")
        texts.append(text)
    run = _RUN
    shared = find_shared(texts[0], texts[1], run)
    if not shared.first:
        run = 1
        shared = find_shared(texts[0], texts[1], run)
    first, second = (
        Side(role, id_, tuple(_pieces(text, places)))
        for (role, id_), text, places in zip(wanted, texts, (shared.first, shared.second), strict=True)
    )
    return Pair((first, second), run, _neighbour(found, wanted), _copy(found, wanted))


def _pieces(text: str, places: Sequence[Fragment]) -> list[tuple[str, bool]]:
    pieces, at = [], 0
    for start, end in places:
        pieces += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [each for each in [*pieces, (text[at:], False)] if each[0]]


def _neighbour(found: Leakage | None, wanted: Sequence[tuple[str, str]]) -> Neighbour | None:
    (role, id_), (other_role, other) = wanted
    if found is None or (role, other_role) != (TEST, TRAIN):
        return None
    return next((each for each in found.similarity.neighbours if (each.document, each.nearest) == (id_, other)), None)


def _copy(found: Leakage | None, wanted: Sequence[tuple[str, str]]) -> Copy | None:
    pair = set(wanted)
    copies = found.copies if found is not None else ()
    return next((each for each in copies if set(zip(each.splits, each.documents, strict=True)) == pair), None)
