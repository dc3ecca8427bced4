"""PsyTAR, drug reviews by patients who tell their gender and age, as a BRAT corpus with metadata.

    python examples/psytar_to_brat.py PsyTAR_dataset.xlsx OUT [--list]

The workbook (Zolnoori et al. 2019, CC BY 4.0) names mentions of reactions (ADR), withdrawal symptoms (WD), signs and symptoms
(SSI) and indications (DI) by their strings, sentence by sentence, without offsets. So each is looked for in its review,
which is the side effects and, on a line of its own, the comment:

1. where its string stands, not as a part of a longer word: exactly or, if it does not so anywhere, with case folded and any
   white space for white space;
2. among several places those in its sentence, where the sentence is found in the review in the same way, without its full stop;
3. among what is left the first that no earlier mention of the same label has; it is counted as ambiguous.

A mention that stands nowhere, or whose places all belong to earlier ones, is left out and counted as unfound; --list prints
these, and the ambiguous ones.

OUT gets a .txt and an .ann a review, and metadata.tsv with document, gender, age, drug, class, condition, rating and date.
"""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

from brat.model import Document, Fragment, TextBound
from brat.write import write
from evaluator.metadata import Metadata, as_tsv

LABELS = ("ADR", "WD", "SSI", "DI")
ATTRIBUTES = ("gender", "age", "drug", "class", "condition", "rating", "date")
_GENDERS = {"F": "female", "M": "male"}
_NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FIRST_DAY = date(1899, 12, 30)  # Excel counts days from here

Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Mention:
    """A string that somebody marked in a sentence of a review."""

    review: str
    label: str
    sentence: str
    string: str


@dataclass(slots=True)
class Located:
    """The annotations of all reviews, and what could not be located, or not for sure."""

    annotations: dict[str, list[TextBound]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    unfound: list[Mention] = field(default_factory=list)
    ambiguous: list[Mention] = field(default_factory=list)


def read_sheet(book: zipfile.ZipFile, name: str) -> Iterator[Row]:
    """The rows of a sheet below its first row, which names the columns; empty cells are left out.

    Raises:
        ValueError: there is no such sheet.
    """
    sheets = {
        each.get("name", "").strip(): each.get(_REFERENCE)
        for each in _parse(book, "xl/workbook.xml").iter(f"{_NAMESPACE}sheet")
    }
    if name not in sheets:
        raise ValueError(f"{book.filename}: no sheet is called {name}; there are: {', '.join(sheets)}")
    targets = {each.get("Id"): each.get("Target", "") for each in _parse(book, "xl/_rels/workbook.xml.rels")}
    strings = [
        "".join(part.text or "" for part in each.iter(f"{_NAMESPACE}t")) for each in _parse(book, "xl/sharedStrings.xml")
    ]
    rows = (dict(_cells(row, strings)) for row in _parse(book, f"xl/{targets[sheets[name]]}").iter(f"{_NAMESPACE}row"))
    head = next(rows, {})
    for row in rows:
        yield {head[column]: value for column, value in row.items() if column in head and value.strip()}


def _parse(book: zipfile.ZipFile, path: str) -> ET.Element:
    return ET.fromstring(book.read(path))  # noqa: S314 - a file of one's own, and Python's expat refuses bombs


def _cells(row: ET.Element, strings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The column letters and the text of every cell."""
    for cell in row:
        value = cell.find(f"{_NAMESPACE}v")
        if value is not None and value.text is not None:
            text = strings[int(value.text)] if cell.get("t") == "s" else value.text
            yield cell.get("r", "").rstrip("0123456789"), text


def text_of(review: Row) -> str:
    """The side effects and the comment, each on its lines."""
    return "".join(f"{review[each].strip()}\n" for each in ("side-effect", "comment") if each in review)


def about(review: Row) -> dict[str, str]:
    """What is known of a review, as metadata; what is missing is left out."""
    days = review.get("date", "")
    values = {
        "gender": _GENDERS.get(review.get("gender", ""), ""),
        "age": review.get("age", ""),
        "drug": review["drug_id"].partition(".")[0].lower(),
        "class": review.get("category", ""),
        "condition": review.get("disorder", "").lower(),
        "rating": review.get("rating", ""),
        "date": (_FIRST_DAY + timedelta(int(days))).isoformat() if days.isdecimal() else "",
    }
    return {name: " ".join(value.split()) for name, value in values.items() if value.strip()}


def read_mentions(book: zipfile.ZipFile, label: str) -> Iterator[Mention]:
    """The mentions with a label, in the order of the sheet."""
    for row in read_sheet(book, f"{label}_Identified"):
        for column, value in row.items():
            if re.fullmatch(rf"{label}[0-9]+", column):
                yield Mention(row["drug_id"], label, row.get("sentences", ""), value.strip())


def places(string: str, text: str) -> list[Fragment]:
    """Where a string stands, not as a part of a longer word: exactly or else, if nowhere so, folded."""
    words = r"\s+".join(re.escape(each) for each in string.split())
    for pattern, flags in ((re.escape(string), re.NOFLAG), (words, re.IGNORECASE)):
        found = [match.span() for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, flags)]
        if found:
            return found
    return []


def locate(mentions: Iterable[Mention], texts: Mapping[str, str]) -> Located:
    """Give every mention its place in the text of its review, by the rule at the top of this module."""
    located = Located()
    taken: set[tuple[str, str, Fragment]] = set()
    for mention in mentions:
        text = texts.get(mention.review, "")
        candidates = places(mention.string, text) if mention.string else []
        sentences = places(mention.sentence.strip().rstrip(".").rstrip(), text) if len(candidates) > 1 else []
        inside = [each for each in candidates if any(start <= each[0] and each[1] <= end for start, end in sentences)]
        free = [each for each in inside or candidates if (mention.review, mention.label, each) not in taken]
        if not free:
            located.unfound.append(mention)
            continue
        if len(free) > 1:
            located.ambiguous.append(mention)
        located.found[mention.label] += 1
        taken.add((mention.review, mention.label, free[0]))
        own = located.annotations.setdefault(mention.review, [])
        start, end = free[0]
        own.append(TextBound(f"T{len(own) + 1}", mention.label, (free[0],), " ".join(text[start:end].splitlines())))
    return located


def convert(path: Path, out: Path) -> tuple[list[Row], Located]:
    """Write the corpus; the reviews, and what became of the mentions."""
    with zipfile.ZipFile(path) as book:
        reviews = list(read_sheet(book, "Sample"))
        mentions = [each for label in LABELS for each in read_mentions(book, label)]
    texts = {each["drug_id"]: text_of(each) for each in reviews}
    located = locate(mentions, texts)
    out.mkdir(parents=True, exist_ok=True)
    for id_, text in texts.items():
        document = Document(id_, tuple(located.annotations.get(id_, ())), text)
        (out / f"{id_}.txt").write_bytes(text.encode())
        (out / f"{id_}.ann").write_bytes(write(document).encode())
    metadata = Metadata(ATTRIBUTES, {each["drug_id"]: about(each) for each in reviews})
    (out / "metadata.tsv").write_text(as_tsv(metadata), "utf-8", newline="\n")
    return reviews, located


def main() -> None:
    """Convert, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workbook", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--list", action="store_true", help="print the mentions that were not found, and the ambiguous ones")
    given = parser.parse_args()
    try:
        reviews, located = convert(given.workbook, given.out)
    except (ValueError, OSError, KeyError, zipfile.BadZipFile) as bad:
        sys.exit(f"{given.workbook}: not the PsyTAR workbook: {bad}")
    genders = Counter(about(each).get("gender", "unknown") for each in reviews)
    print(f"{len(reviews)} documents: {', '.join(f'{name} {count}' for name, count in genders.most_common())}")
    unfound, ambiguous = (Counter(each.label for each in some) for some in (located.unfound, located.ambiguous))
    for label in LABELS:
        print(f"{label}\tfound {located.found[label]}\tof these ambiguous {ambiguous[label]}\tunfound {unfound[label]}")
    for kind, some in (("unfound", located.unfound), ("ambiguous", located.ambiguous)):
        for each in some if given.list else ():
            print(f"{kind}\t{each.review}\t{each.label}\t{each.string}\t{each.sentence}")


if __name__ == "__main__":
    main()
