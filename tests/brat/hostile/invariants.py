"""What must hold of any input at all; for hypothesis, for the kept findings and for the harnesses in `fuzz/`."""

from __future__ import annotations

import re

from brat.files import ArchiveLimits, read_bytes
from brat.parse import iter_lines, parse, split_lines
from brat.problems import RefusedInput
from brat.write import write

_ODD = re.compile("[\x00-\x1f\x7f-\x9f\\\\\ud800-\udfff]")
LIMITS = ArchiveLimits(members=20, unpacked_bytes=50_000, ratio=50)


def check_parser(content: str) -> None:
    """The parser never raises, never loses a line silently, and reads what was written from what it read."""
    document, problems = parse(content, document_id="d")
    lines = split_lines(content.removeprefix("\ufeff"))
    blank = sum(not line or line.isspace() for line in lines)
    told = [each for each in problems if each.code != "byte-order-mark"]
    assert len(document.annotations) + len(told) + blank == len(lines)
    assert {each.code for each in told} <= {"unreadable-line"}
    places = [each.line for each in document.annotations] + [each.line for each in told]
    assert len(set(places)) == len(places)
    for each in told:
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1
    assert list(iter_lines(content)) == split_lines(content)
    again, more = parse(write(document), document_id="d")
    assert more == []
    assert again == document


def check_archive(data: bytes, name: str, limits: ArchiveLimits = LIMITS) -> dict[str, bytes]:
    """The reader raises `RefusedInput` alone, stays within the limits, and gives no path that leaves a folder."""
    try:
        files = read_bytes(data, name, limits)
        found = {path: files[path] for path in files}
        assert all(files[path] == content for path, content in found.items()), "a second reading gives the same"
    except RefusedInput as refused:
        shown = refused.problem
        assert shown.expected or shown.hint, f"says nothing to do: {shown}"
        assert len(str(shown)) < 1_500
        return {}
    assert len(found) <= limits.members
    assert sum(map(len, found.values())) <= limits.unpacked_bytes
    for path in found:
        assert not _ODD.search(path), path
        assert not {"", ".", ".."} & set(path.split("/")), path
    return found
