"""What is known of documents beside their annotations: a table or JSON with a row a document, and any attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_MOST_COLUMNS = 200
DOCUMENT = "document"
"""The column that names documents; without a column of that name it is the first one."""


class MetadataError(ValueError):
    """Metadata that cannot be read, with the place as `file:line:column`; line and column count from 1, 0 is unknown."""

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        place = ":".join([file, *(str(each) for each in (line, column) if each)])
        super().__init__(f"{place}: {message}")
        self.file, self.line, self.column, self.message = file, line, column, message


@dataclass(frozen=True, slots=True)
class Metadata:
    """Attributes of documents.

    Attributes:
        attributes: their names, in the order of the file.
        rows: of each document by id, the attributes that it has; one that is empty in the file it has not.
        file: where it was read from, for messages.
    """

    attributes: tuple[str, ...] = ()
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    file: str = ""

    def column(self, name: str) -> dict[str, str]:
        """The value of an attribute for every document that has one.

        Raises:
            MetadataError: there is no such attribute.
        """
        if name not in self.attributes:
            known = ", ".join(self.attributes) or "none"
            raise MetadataError(self.file, 1, 0, f"no column is called {name}; there are: {known}")
        return {id_: row[name] for id_, row in self.rows.items() if name in row}


def parse_metadata(text: str, file: str = "metadata") -> Metadata:
    """Metadata from the text of a file.

    Args:
        text: either columns separated by tabs under a line of names, or JSON: a list of objects, one a document, or an object
            of objects by document id. The values in JSON are texts, numbers, true or false, or null.
        file: its name, for messages.

    Raises:
        MetadataError: it is neither, a document has two rows, or a row has no document or too many columns.
    """
    text = text.removeprefix("\ufeff")
    start = text.lstrip()[:1]
    names: dict[str, None] = {}  # in the order they are met; a table says all of them in its first line
    rows = _json_rows(text, file) if start in ("[", "{") else _tsv_rows(text, file, names)
    found: dict[str, Mapping[str, str]] = {}
    for line, id_, row in rows:
        if id_ in found:
            raise MetadataError(file, line, 0, f"document {id_} has a second row")
        names.update(dict.fromkeys(row))
        found[id_] = {name: value for name, value in row.items() if value}
    return Metadata(tuple(names), found, file)


def as_tsv(metadata: Metadata) -> str:
    """The table that `parse_metadata` reads: a line of names, then a line a document, in the order of the rows.

    Raises:
        ValueError: a name, a document id or a value has a tab, the end of a line or white space around it, which a table cannot
            hold, or an attribute is called as the column of documents is.
    """
    if DOCUMENT in metadata.attributes:
        raise ValueError(f"an attribute cannot be called {DOCUMENT}: that is the column of documents")
    lines = [(DOCUMENT, *metadata.attributes)]
    lines += [(id_, *(row.get(name, "") for name in metadata.attributes)) for id_, row in metadata.rows.items()]
    for cell in (each for line in lines for each in line):
        if cell != cell.strip() or any(end in cell for end in "\t\n\r"):
            raise ValueError(f"{cell!r} cannot be written into a table: it has a tab, the end of a line or blanks around it")
    return "".join("\t".join(line) + "\n" for line in lines)


def _tsv_rows(text: str, file: str, names: dict[str, None]) -> Iterator[tuple[int, str, dict[str, str]]]:
    first, *lines = text.replace("\r\n", "\n").split("\n")
    head = [each.strip() for each in first.split("\t")]
    if not any(head):
        raise MetadataError(file, 1, 0, "no line of column names")
    if len(head) > _MOST_COLUMNS:
        raise MetadataError(
            file, 1, _MOST_COLUMNS + 1, f"{len(head):,} columns; at most {_MOST_COLUMNS} are read. Is a row a document?"
        )
    for number, name in enumerate(head):
        if not name or name in head[:number]:
            raise MetadataError(file, 1, number + 1, f"the column is called {name} twice" if name else "the column has no name")
    key = head.index(DOCUMENT) if DOCUMENT in head else 0
    names.update(dict.fromkeys(name for name in head if name != head[key]))
    for line, cells in enumerate((each.split("\t") for each in lines), 2):
        if not any(each.strip() for each in cells):
            continue
        if len(cells) > len(head):
            raise MetadataError(file, line, len(head) + 1, f"{len(cells)} columns, where the first line has {len(head)}")
        row = dict(zip(head, (each.strip() for each in cells), strict=False))
        id_ = row.pop(head[key], "")
        if not id_:
            raise MetadataError(file, line, key + 1, "no document is named")
        yield line, id_, {name: row.get(name, "") for name in names}


def _json_rows(text: str, file: str) -> Iterator[tuple[int, str, dict[str, str]]]:
    try:
        value = json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=lambda pairs: _object(pairs, file))
    except json.JSONDecodeError as bad:
        raise MetadataError(file, bad.lineno, bad.colno, f"not JSON: {bad.msg}") from bad
    except RecursionError as bad:
        raise MetadataError(file, 0, 0, "not JSON: nested too deeply") from bad
    named = value.items() if isinstance(value, dict) else ((None, each) for each in value)
    for number, (given, entry) in enumerate(named, 1):
        which = f"entry {number}" if given is None else f"document {given}"
        if not isinstance(entry, dict):
            raise MetadataError(file, 0, 0, f"{which} is not an object")
        row = {name: _as_text(each, file, f"{which}, {name}") for name, each in entry.items()}
        id_ = row.pop(DOCUMENT if DOCUMENT in row else next(iter(row), ""), "") if given is None else given
        if not id_:
            raise MetadataError(file, 0, 0, f"{which} names no document")
        yield 0, id_, row


def _object(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    """An object whose names are all different, and can be written to a file as everything in it can."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        for each in (name, value):
            if isinstance(each, str) and any("\ud800" <= c <= "\udfff" for c in each):
                raise MetadataError(file, 0, 0, f"{each!a} is not a text: it has half of a surrogate pair")
        if name in found or not name.strip():
            wrong = f"{name} is there twice in one object" if name in found else "a value has an empty name"
            raise MetadataError(file, 0, 0, wrong)
        found[name] = value
    return found


def _as_text(value: object, file: str, which: str) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():  # numbers stay as they are written
            return value.strip()
        case _:
            raise MetadataError(file, 0, 0, f"{which}: a text or a number is expected")
