"""Names that a run takes for chemicals: false positives whose span overlaps the name in a synthetic sentence.

METHODS, section 2: counted on their own, beside precision, recall and F1. Where the name stands follows from the template of
the document and from the span of the chemical in the same sentence, so that nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.columnar.adding import Block
from evaluator.fairness.name_lists import ListError, PopularNames
from evaluator.fairness.sentences import COLUMNS, Template, parse_templates
from evaluator.metadata import Metadata
from evaluator.overlaps import shared_characters
from evaluator.tables import EntityTable, Ints

_HEAD = "template\tsentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What one document of synthetic sentences is about.

    Attributes:
        gender, decade, template, name: as in the metadata.
        sentence: the template.
        weight: how many children of that gender got the name in that decade.
    """

    gender: str
    decade: str
    template: str
    name: str
    sentence: Template
    weight: int


def parse_numbered_templates(text: str, file: str) -> dict[str, Template]:
    """Templates by number, from a table with the columns template and sentence.

    Raises:
        ListError: a line is not laid out so, or there is none.
    """
    found: dict[str, Template] = {}
    for line, row in enumerate(text.splitlines(), 1):
        number, tab, sentence = row.partition("\t")
        if row == _HEAD or not row.strip():
            continue
        if not tab or number in found:
            raise ListError(file, line, f"a number that is there once, a tab and a template are expected: {row[:80]!r}")
        try:
            found[number] = parse_templates(sentence)[0]
        except ListError as bad:
            raise ListError(file, line, bad.message) from bad
    if not found:
        raise ListError(file, 0, "there is no template; a number, a tab and a sentence are expected on each line")
    return found


def about_documents(
    documents: Sequence[str], metadata: Metadata, templates: Mapping[str, Template], names: PopularNames
) -> list[About]:
    """What each document is about, in their order.

    Raises:
        ListError: it has no row of metadata, a column is missing or empty, or its template or name is in no list.
    """
    weights = {
        (str(decade), sex.value, each.name): each.count for (decade, sex), found in names.lists.items() for each in found
    }
    about: list[About] = []
    for id_ in documents:
        row = metadata.rows.get(id_, {})
        lacking = [each for each in COLUMNS[1:] if each not in row]
        if lacking:
            raise ListError(
                metadata.file, 0, f"document {id_} has no {', '.join(lacking)}; was the corpus written by `assay templates`?"
            )
        gender, decade, template, name = (row[each] for each in COLUMNS[1:])
        if template not in templates:
            raise ListError(metadata.file, 0, f"document {id_} is of template {template}; there are {', '.join(templates)}")
        weight = weights.get((decade, gender, name))
        if weight is None:
            raise ListError(names.file, 0, f"{name}, {gender}, {decade} is expected, the name of document {id_}")
        about.append(
            About(gender=gender, decade=decade, template=template, name=name, sentence=templates[template], weight=weight)
        )
    return about


class NamesAsChemicals:
    """Names taken for chemicals, added up over blocks of documents.

    Attributes:
        counts: [documents, 3] sentences; names that a false positive overlaps, one a sentence at most; such false positives.
    """

    def __init__(self, documents: Sequence[str], about: Sequence[About], file: str) -> None:
        self._documents, self._about, self._file = documents, about, file
        self._length: Ints = np.array([len(each.name) for each in about], dtype=np.int64)
        self._between: Ints = np.array([len(each.sentence.between) for each in about], dtype=np.int64)
        self._first = np.array([each.sentence.name_first for each in about], dtype=bool)
        self.counts: Ints = np.zeros((len(documents), 3), dtype=np.int64)

    def take(self, block: Block) -> None:
        """Count the names of a block, under its first criterion. Its tables must have the texts.

        Raises:
            ListError: the name is not where the template says.
        """
        tables, place = block.tables, block.place
        names = self._names(tables.gold, place)
        for row in _ends(names.document):
            start, end, id_ = int(names.start[row]), int(names.end[row]), int(names.document[row])
            text, about = tables.texts[id_], self._about[int(place[id_])]
            if text is not None and text[start:end] != about.name:
                message = (
                    f"document {tables.documents[id_]}: {about.name} is expected at {start}, by the template {about.sentence}"
                )
                raise ListError(self._file, 0, message)
        spurious = np.ones(len(tables.run), dtype=bool)
        spurious[block.matchings[0].run] = False
        rows = np.flatnonzero(spurious)
        name_rows = np.arange(len(names), dtype=np.int64)
        tagged, by, _ = shared_characters(names, tables.run, names.document, tables.run.document[rows], name_rows, rows)
        columns = (
            names.document,
            names.document[_different(tagged, len(names))],
            tables.run.document[_different(by, len(tables.run))],
        )
        self.counts[place] += np.stack([np.bincount(each, minlength=len(place)) for each in columns], axis=1)

    def _names(self, gold: EntityTable, place: Ints) -> EntityTable:
        """The spans of the names, one for each chemical."""
        document = place[gold.document]
        length, between = self._length[document], self._between[document]
        before, behind = gold.start[gold.first[:-1]], gold.end[gold.first[1:] - 1]
        start = np.where(self._first[document], before - between - length, behind + between)
        every = np.arange(len(gold), dtype=np.int64)
        return EntityTable(
            document=gold.document,
            label=np.zeros_like(every),
            span=every,
            first=np.arange(len(gold) + 1, dtype=np.int64),
            start=start,
            end=start + length,
            text=(),
            repeated=0,
            row=every,
        )


def _different(rows: Ints, size: int) -> Ints:
    """Each of the rows once."""
    return np.flatnonzero(np.bincount(rows, minlength=size))


def _ends(document: Ints) -> list[int]:
    """The first and the last row of each document."""
    changes = np.flatnonzero(np.diff(document))
    return sorted({0, *changes.tolist(), *(changes + 1).tolist(), len(document) - 1}) if len(document) else []
