"""A run with its spans put where an explanation says they would really be, line by line, and nothing else touched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from brat.corpus import annotation_files
from brat.diagnosis.evidence import agrees, is_inside, only_place
from brat.diagnosis.hypotheses import Hypothesis, Placed
from brat.files import Files
from brat.model import TextBound, covered_text
from brat.parse import parse

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_LINE_BREAKS = re.compile(r"[\t\r\n]")
_BYTE_ORDER_MARK = "\ufeff"
_ANNOTATIONS = (".ann", ".a1", ".a2")
_MOSTLY = 9


@dataclass(frozen=True, slots=True)
class Change:
    """A line that was changed; `sure` where the text that the span covers now is what its text column said."""

    file: str
    line: int
    before: str
    after: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Repaired:
    """The annotation files of a run, all of them, and the lines in which they differ from what was sent."""

    files: Mapping[str, bytes]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What an explanation would make of one document: for every span, where it would be and whether it is right as it is."""

    text: str
    spans: Mapping[str, list[TextBound]]
    placed: list[Placed | None]
    right: list[bool]

    @property
    def lead(self) -> int:
        """By how many spans the explanation is better than the offsets as they are."""
        return sum(each is not None and each.sure for each in self.placed) - sum(self.right)


def repair(files: Files, texts: Mapping[str, str | None], hypothesis: Hypothesis) -> Repaired:
    """Put the spans of a run right.

    A document is changed where the explanation makes more spans agree with their text columns than agree as they are. Where
    it is as many, which happens when a short text stands at both places, it is changed if nearly all others are. A span that
    agrees as it is, and would not afterwards, stays.

    Args:
        files: of the run, in BRAT standoff.
        texts: the hosted texts by document id.
        hypothesis: of the diagnosis.
    """
    drafts = []
    for id_, paths in annotation_files(files, texts).items():
        text = texts.get(id_)
        if text is not None:
            by_path = {path: _spans(files[path], path) for path in paths}
            spans = [each for path in paths for each in by_path[path]]
            drafts.append(_Draft(text, by_path, hypothesis.place(text, spans), [agrees(text, each) for each in spans]))
    better, worse = sum(each.lead > 0 for each in drafts), sum(each.lead < 0 for each in drafts)
    single = hypothesis.in_place or hypothesis.guess
    least = 0 if not single and better > _MOSTLY * worse else 1
    repaired = dict(unchanged(files).files)
    changes: list[Change] = []
    for draft in drafts:
        if single or draft.lead >= least:
            settled = iter(_settled(draft, hypothesis))
            for path, of_file in draft.spans.items():
                targets = {span.line: (span, next(settled)) for span in of_file}
                lines = {
                    line: (_written(draft.text, span, placed), placed.sure and not hypothesis.guess)
                    for line, (span, placed) in targets.items()
                    if placed is not None
                }
                repaired[path] = _rewritten(path, files[path], lines, changes)
    return Repaired(repaired, tuple(changes))


def _settled(draft: _Draft, hypothesis: Hypothesis) -> Iterator[Placed | None]:
    """Where each span is put; None where it stays.

    A span that agrees with its text column nowhere is counted as the others are, if the way of counting is certain: then its
    text column is odd for another reason. A drift is certain where it explains most of a document. Otherwise the span is
    put where its text occurs, if that is once in the whole document, and is called unsure.
    """
    wrong = [each for each, right in zip(draft.placed, draft.right, strict=True) if not right]
    sure = sum(each is not None and each.sure for each in wrong)
    loose = hypothesis.free or hypothesis.code.startswith("drift")
    trusted = not hypothesis.free and (not loose or 2 * sure > len(wrong))
    spans = (each for of_file in draft.spans.values() for each in of_file)
    for span, placed, right in zip(spans, draft.placed, draft.right, strict=True):
        if placed is not None and placed.sure:
            yield placed if not right or agrees(draft.text, replace(span, fragments=placed.fragments)) else None
        elif right or hypothesis.in_place or hypothesis.guess:
            yield None
        elif placed is not None and trusted and _is_sound(draft.text, placed):
            yield placed
        else:
            yield _where_it_occurs(draft.text, span, placed) if loose else None


def _is_sound(text: str, placed: Placed) -> bool:
    return is_inside(text, placed.fragments) and all(start < end for start, end in placed.fragments)


def _where_it_occurs(text: str, span: TextBound, placed: Placed | None) -> Placed | None:
    """The one place of a span's text, unless the span would lie about there anyway: then it is the text that is odd."""
    place = only_place(text, span)
    if place is None or len(span.fragments) > 1:
        return None
    end = place + len(span.text or "")
    start, stop = placed.fragments[0] if placed is not None else (0, 0)
    about_there = start < end and place < stop and stop - start != end - place
    return placed if about_there else Placed(((place, end),), sure=False)


def unchanged(files: Files) -> Repaired:
    """The annotation files of a run as they are."""
    return Repaired({path: files[path] for path in files if path.lower().endswith(_ANNOTATIONS)}, ())


def merge_changes(first: Sequence[Change], then: Sequence[Change]) -> tuple[Change, ...]:
    """What two repairs, one after the other, changed in all."""
    merged = {(each.file, each.line): each for each in first}
    for each in then:
        place = (each.file, each.line)
        merged[place] = replace(each, before=merged[place].before if place in merged else each.before)
    return tuple(merged[place] for place in sorted(merged))


def _spans(data: bytes, path: str) -> list[TextBound]:
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        return []
    return list(parse(content, document_id="", file=path)[0].text_bounds)


def _written(text: str, span: TextBound, placed: Placed) -> str:
    """The line of a span at its new place; the text column too, where it said the same in other characters."""
    spans = ";".join(f"{start} {end}" for start, end in placed.fragments)
    column = span.text
    if placed.sure and not agrees(text, replace(span, fragments=placed.fragments)):
        column = _LINE_BREAKS.sub(" ", covered_text(text, placed.fragments))
    return f"{span.id}\t{span.label} {spans}" + ("" if column is None else f"\t{column}")


def _rewritten(path: str, data: bytes, lines: Mapping[int, tuple[str, bool]], changes: list[Change]) -> bytes:
    """A file with some lines replaced, by number; the ends of all lines stay as they are."""
    if not lines:
        return data
    pieces: list[str] = []
    for number, found in enumerate(_LINE.finditer(data.decode("utf-8")), 1):
        before, end = found.groups()
        after, sure = lines.get(number, (before, True))
        mark = _BYTE_ORDER_MARK if number == 1 and before.startswith(_BYTE_ORDER_MARK) else ""
        if mark + after not in (before, mark + before):
            changes.append(Change(path, number, before, mark + after, sure))
            before = mark + after
        pieces += (before, end)
    return "".join(pieces).encode("utf-8")
