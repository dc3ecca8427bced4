"""Which format an upload is in, judged by the names of its files and by how they begin."""

from __future__ import annotations

import re
from collections import Counter

from brat.convert.draft import number
from brat.convert.spans_tsv import header_columns
from brat.convert.tags import split_tag
from brat.files import Files
from brat.problems import RefusedInput

_STANDOFF = (".ann", ".a1", ".a2")
_LOOKED_AT = 20
_HEAD = 20_000
_PUBTATOR = re.compile(r"^[^|\t\r\n]{1,200}\|[ta]\|", re.MULTILINE)
_CONLL_NAMES = (".conll", ".iob", ".iob2", ".bio")
_NEVER = (".md", ".conf", ".toml", ".pdf", ".py")


def recognise(files: Files) -> str | None:
    """The name of the format that most of the first files are in; None where there is BRAT, or nothing that is known."""
    names = {path: path.lower() for path in files}
    if any(name.endswith(_STANDOFF) for name in names.values()):
        return None
    likely = sorted(path for path, name in names.items() if not name.endswith((*_NEVER, ".txt")))
    texts = sorted(path for path, name in names.items() if name.endswith(".txt"))
    for paths in (likely, texts):
        found: Counter[str] = Counter()
        for path in paths[:_LOOKED_AT]:
            try:
                judged = _judge(names[path], files[path][:_HEAD])
            except RefusedInput:  # a damaged member; whoever reads it will say so
                continue
            found.update([judged] if judged else [])
        if found:
            return found.most_common(1)[0][0]
    return None


def _judge(name: str, head: bytes) -> str | None:
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    begins = text.lstrip()
    if begins.startswith("<"):
        return "bioc-xml" if "<collection" in text else None
    if begins.startswith(("{", "[")):
        return _judge_json(name, text)
    if _PUBTATOR.search(text):
        return "pubtator"
    # The last line may be cut, and comments say nothing.
    lines = [each for each in text.splitlines()[:200] if each.strip() and not each.startswith(("# ", "-DOCSTART-"))]
    if len(lines) > 1 and len(head) == _HEAD:
        lines.pop()
    if not lines:
        return "conll" if name.endswith(_CONLL_NAMES) else None
    rows = [each.split("\t") if "\t" in each else each.split() for each in lines]
    if header_columns(lines[0]) is not None:
        return "spans-tsv"
    tagged = sum(len(each) > 1 and split_tag(each[-1].strip()) is not None for each in rows)
    if tagged * 10 >= len(rows) * 9 and (len(rows) > 2 or "\t" in lines[0] or name.endswith(_CONLL_NAMES)):
        return "conll"
    spans = sum("\t" in line and len(row) > 3 and _is_span(row) for line, row in zip(lines, rows, strict=True))
    return "spans-tsv" if spans * 10 >= len(rows) * 9 else None


def _is_span(row: list[str]) -> bool:
    places = [each.strip() for each in row[1:3]]
    return places == ["-", "-"] or all(number(each) is not None for each in places)


def _judge_json(name: str, text: str) -> str | None:
    if '"passages"' in text and name.endswith((".json", ".bioc")):
        return "bioc-json"
    first = text.lstrip().split("\n", 1)[0]
    if name.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    known = any(f'"{each}"' in first for each in ("entities", "spans", "label", "labels"))
    return "jsonl" if first.startswith("{") and '"text"' in first and known else None
