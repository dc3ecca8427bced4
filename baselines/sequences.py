"""Documents as sentences of tokens with a label each, and back.

A token has one label, so of spans that overlap one is kept, and a discontinuous span becomes the whole from its first to its
last character. What is lost is counted. Labels are IOB2: `B-X` for the first token of an entity, `I-X` for the others, `O`
outside.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baselines.protocol import Watch
from brat.model import Document, Fragment, TextBound, as_column, covered_text
from evaluator.tokens import Sentence, sentences_of, split_long

OUTSIDE, _BEGIN, _INSIDE = "O", "B-", "I-"
LONGEST = 400
"""Tokens of a sentence that a model gets at once; longer ones are split, and nothing is cut off."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence of a document; `labels` has one for each token, and is empty where none are known."""

    document: str
    text: str
    sentence: Sentence
    labels: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The tokens."""
        return [self.text[start:end] for start, end in self.sentence.tokens]


@dataclass(frozen=True, slots=True)
class Lost:
    """What a sequence of labels could not hold.

    Attributes:
        overlapping: spans that lay on another one, which was kept since it is longer.
        filled: discontinuous spans that were made whole.
        split: spans that cross the end of a sentence, and were cut there.
        moved: spans that end inside of a token, and were stretched to its ends.
    """

    overlapping: int = 0
    filled: int = 0
    split: int = 0
    moved: int = 0

    def __add__(self, other: Lost) -> Lost:
        return Lost(
            self.overlapping + other.overlapping, self.filled + other.filled, self.split + other.split, self.moved + other.moved
        )

    def __str__(self) -> str:
        kinds = (
            (self.overlapping, "overlapping spans left out"),
            (self.filled, "discontinuous spans filled"),
            (self.split, "spans cut at the end of a sentence"),
            (self.moved, "spans stretched to whole tokens"),
        )
        return ", ".join(f"{count:,} {words}" for count, words in kinds if count) or "nothing lost"


def flatten(document: Document, ignored: Collection[str] = ()) -> tuple[list[TextBound], Lost]:
    """The spans of a document, each in one piece and none on another, in the order of the text.

    Of spans that overlap the longest is kept, of equally long ones the first in the text and then in the file.

    Args:
        document: with its annotations.
        ignored: labels that are left out without being counted.
    """
    spans: list[TextBound] = []
    filled = 0
    for each in document.text_bounds:
        if each.label not in ignored and any(start < end for start, end in each.fragments):
            whole = (min(start for start, _ in each.fragments), max(end for _, end in each.fragments))
            filled += len(each.fragments) > 1
            spans.append(TextBound(each.id, each.label, (whole,), each.text))
    kept: list[TextBound] = []
    taken: list[Fragment] = []  # rising, none on another
    for each in sorted(spans, key=lambda one: (one.fragments[0][0] - one.fragments[0][1], one.fragments[0][0])):
        (start, end) = each.fragments[0]
        place = bisect_left(taken, (start, end))
        after_starts = place == len(taken) or end <= taken[place][0]
        before_ends = place == 0 or taken[place - 1][1] <= start
        if after_starts and before_ends:
            taken.insert(place, (start, end))
            kept.append(each)
    kept.sort(key=lambda one: one.fragments[0])
    return kept, Lost(overlapping=len(spans) - len(kept), filled=filled)


def tag_sentences(
    documents: Mapping[str, Document], ignored: Collection[str] = (), longest: int = LONGEST
) -> tuple[list[Tagged], Lost]:
    """All sentences with their labels.

    Args:
        documents: with texts, by id.
        ignored: labels that are not learned, such as those of triggers.
        longest: tokens of a sentence; longer ones are split.
    """
    found: list[Tagged] = []
    lost = Lost()
    for document in documents.values():
        spans, here = flatten(document, ignored)
        sentences = _pieces(document.text or "", longest)
        labels, more = _label(spans, sentences)
        lost += here + more
        found += [
            Tagged(document.id, document.text or "", sentence, tuple(each))
            for sentence, each in zip(sentences, labels, strict=True)
        ]
    return found, lost


def untagged(documents: Mapping[str, Document], longest: int = LONGEST) -> list[Tagged]:
    """All sentences, without labels."""
    return [
        Tagged(id_, document.text or "", sentence)
        for id_, document in documents.items()
        for sentence in _pieces(document.text or "", longest)
    ]


def _pieces(text: str, longest: int) -> list[Sentence]:
    return [piece for sentence in sentences_of(text) for piece in split_long(sentence, longest)]


def _label(spans: Sequence[TextBound], sentences: Sequence[Sentence]) -> tuple[list[list[str]], Lost]:
    """The labels of the tokens of each sentence; spans are in order and do not overlap."""
    tokens = [(start, end, i, j) for i, sentence in enumerate(sentences) for j, (start, end) in enumerate(sentence.tokens)]
    labels = [[OUTSIDE] * len(each.tokens) for each in sentences]
    split = moved = place = 0
    for each in spans:
        start, end = each.fragments[0]
        while place < len(tokens) and tokens[place][1] <= start:
            place += 1
        inside = place
        before = -1
        first, last = start, end
        while inside < len(tokens) and tokens[inside][0] < end:
            token_start, token_end, i, j = tokens[inside]
            first, last = min(first, token_start), max(last, token_end)
            split += before not in (-1, i)
            if labels[i][j] == OUTSIDE:
                labels[i][j] = (_INSIDE if i == before else _BEGIN) + each.label
                before = i
            inside += 1
        moved += (first, last) != (start, end)
    return labels, Lost(split=split, moved=moved)


def spans_of(labels: Sequence[str], tokens: Sequence[Fragment]) -> Iterator[tuple[str, Fragment]]:
    """The entities that labels stand for; an `I-` after something else begins one, so that any labels have a meaning."""
    open_label, start, end = "", 0, 0
    for label, (token_start, token_end) in zip(labels, tokens, strict=True):
        name = label[2:]
        if open_label and (label == OUTSIDE or label.startswith(_BEGIN) or name != open_label):
            yield open_label, (start, end)
            open_label = ""
        if label != OUTSIDE:
            if not open_label:
                open_label, start = name, token_start
            end = token_end
    if open_label:
        yield open_label, (start, end)


def as_documents(
    documents: Mapping[str, Document], sentences: Sequence[Tagged], labels: Sequence[Sequence[str]]
) -> dict[str, Document]:
    """Documents with the entities that were found.

    Args:
        documents: what was tagged; each is in the answer.
        sentences: from `untagged`.
        labels: of each sentence, one a token.
    """
    found: dict[str, list[tuple[str, Fragment]]] = {id_: [] for id_ in documents}
    for sentence, each in zip(sentences, labels, strict=True):
        found[sentence.document] += spans_of(each, sentence.sentence.tokens)
    return {id_: with_entities(documents[id_], spans) for id_, spans in found.items()}


def with_entities(document: Document, spans: Sequence[tuple[str, Fragment]]) -> Document:
    """A document of nothing but these spans, numbered in order."""
    text = document.text or ""
    return Document(document.id, tuple(text_bound(n, label, span, text) for n, (label, span) in enumerate(spans, 1)), text)


def text_bound(number: int, label: str, span: Fragment, text: str) -> TextBound:
    """An annotation `T…` with the text that it covers."""
    return TextBound(f"T{number}", label, (span,), as_column(covered_text(text, (span,))))


def tell_lost(lost: Lost, watch: Watch) -> None:
    """Say what could not be learned, if anything."""
    if lost != Lost():
        watch.say(f"Flattened: {lost}.")
