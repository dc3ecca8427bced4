"""BioC as JSON: a collection, a document, or an array of either."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from brat.convert.bioc import add_entry, as_entry, report_left_out
from brat.convert.bioc_records import MESSAGE, Entry, Link, Mark, Passage
from brat.convert.gather import Gathered, read_files
from brat.convert.json_values import Unparsable, first, items, mapping, offset, parse, words
from brat.convert.losses import Losses
from brat.files import Files
from brat.model import Document
from brat.problems import Problem


def read(files: Files, texts: Mapping[str, str | None]) -> Gathered:
    """Every document of the files. JSON has no lines to speak of: problems are about the file, and name the annotation."""
    return read_files(files, texts, _read_file, frozenset({"json"}))


def _read_file(content: str, path: str, gathered: Gathered) -> None:
    try:
        value = parse(content)
    except Unparsable as bad:
        gathered.report("unreadable-line", path, bad.line, bad.column, message=MESSAGE, found=bad.found, expected="JSON")
        return
    count = left_out = 0
    for each in value if isinstance(value, list) else [value]:
        inside = mapping(each)
        collected = next((items(one) for key in ("documents", "PubTator3") if (one := inside.get(key)) is not None), [each])
        for document in collected:
            if "passages" in mapping(document):
                count += 1
                left_out += add_entry(gathered, _entry(mapping(document)), path)
    report_left_out(gathered, path, left_out)
    if not count and not (isinstance(value, dict) and "documents" in value):
        gathered.report("unreadable-line", path, 1, 1, message=MESSAGE, expected='"documents" with "passages"')


def _entry(value: Mapping[str, object]) -> Entry:
    passages = [mapping(each) for each in items(value.get("passages"))]
    parts = [value, *passages, *(mapping(each) for passage in passages for each in items(passage.get("sentences")))]
    return Entry(
        id=words(first(value, "id", "pmid")) or "",
        passages=[_passage(each) for each in passages],
        marks=[_mark(mapping(each)) for part in parts for each in items(part.get("annotations"))],
        links=[_link(mapping(each)) for part in parts for each in items(part.get("relations"))],
    )


def _passage(value: Mapping[str, object]) -> Passage:
    sentences = [_passage(mapping(each)) for each in items(value.get("sentences")) if not mapping(each).get("sentences")]
    text = value.get("text")
    return Passage(offset(value.get("offset")), text if isinstance(text, str) else None, 0, sentences)


def _mark(value: Mapping[str, object]) -> Mark:
    text = value.get("text")
    return Mark(
        id=words(value.get("id")) or "",
        infons=_infons(value),
        locations=[_location(mapping(each)) for each in items(value.get("locations"))],
        text=text if isinstance(text, str) else None,
    )


def _location(value: Mapping[str, object]) -> tuple[int, int] | None:
    start, length = offset(value.get("offset")), offset(value.get("length"))
    return None if start is None or length is None else (start, length)


def _link(value: Mapping[str, object]) -> Link:
    nodes = [mapping(each) for each in items(value.get("nodes"))]
    named = [(words(each.get("refid")) or "", words(each.get("role")) or "") for each in nodes]
    return Link(words(value.get("id")) or "", _infons(value), named)


def _infons(value: Mapping[str, object]) -> dict[str, str]:
    named = ((key, words(each)) for key, each in mapping(value.get("infons")).items())
    return {key: each for key, each in named if each is not None}


def write(documents: Mapping[str, Document]) -> tuple[Files, tuple[Problem, ...]]:
    """One collection with every document."""
    losses = Losses("BioC")
    written = [_document(as_entry(each, losses)) for each in documents.values()]
    collection = {"source": "Assay", "date": "", "key": "", "infons": {}, "documents": written}
    return {"corpus.json": (json.dumps(collection, ensure_ascii=False, indent=1) + "\n").encode()}, losses.problems


def _document(entry: Entry) -> dict[str, object]:
    nothing: dict[str, object] = {"infons": {}, "relations": []}
    passages = [
        {**nothing, "offset": each.offset, **({} if each.text is None else {"text": each.text}), "sentences": [],
         "annotations": list(_marks(entry))}
        for each in entry.passages
    ]  # fmt: skip
    links = [
        {"id": each.id, "infons": each.infons, "nodes": [{"refid": refid, "role": role} for refid, role in each.nodes]}
        for each in entry.links
    ]
    return {"id": entry.id, "infons": {}, "passages": passages, "annotations": [], "relations": links}


def _marks(entry: Entry) -> Iterator[dict[str, object]]:
    for each in entry.marks:
        locations = [{"offset": place[0], "length": place[1]} for place in each.locations if place is not None]
        yield {"id": each.id, "infons": each.infons, "text": each.text, "locations": locations}
