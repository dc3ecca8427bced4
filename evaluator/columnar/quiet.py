"""Which documents of plain lines have nothing that a check would tell, and what their spans do to the habits of a run.

The checks themselves are `brat.validate`, `brat.run` and `brat.habits`. A document that is not quiet is read and checked by
them, so every message is theirs; here is only decided, for many documents at once, that they would say nothing.
"""

from __future__ import annotations

import numpy as np

from brat.habits import LONG, SAMPLE, SAMPLE_OF_ONE, Habits, cuts, goes_on
from brat.run import Expectations, most_annotations
from evaluator.columnar.hosted import HostedTexts
from evaluator.columnar.lines import PlainLines
from evaluator.columnar.words import equal
from evaluator.tables import Flags, Ints

_ASCII = 0x80
_ENDS = ".!?\n"
"""Without one of these in it, no sentence ends in a span."""
_IS_LETTER = np.array([i < _ASCII and chr(i).isalpha() for i in range(256)])
_IS_LOWER = np.array([i < _ASCII and chr(i).islower() for i in range(256)])
_IS_UPPER = np.array([i < _ASCII and chr(i).isupper() for i in range(256)])
_LEAST_CROSSING = 3


def quiet_documents(lines: PlainLines, hosted: HostedTexts, expected: Expectations | None = None) -> Flags:
    """[documents] whether the file is plain and every check would find nothing to tell.

    Args:
        lines: the annotations, a file for every document.
        hosted: the texts of these documents.
        expected: what a run is held to; None for gold. It must be what `assay score` asks for: every kind of annotation,
            no label ignored, nothing given.
    """
    quiet = lines.plain & ~_with_repetitions(lines)
    known = hosted.known[lines.file]
    right = (lines.start <= lines.end) & ((lines.end <= hosted.length[lines.file]) | ~known)
    start, end = (hosted.place(lines.file, each) for each in (lines.start, lines.end))
    begin, finish = lines.column_start, lines.column_end
    covered = finish - begin == end - start
    rows = np.flatnonzero(covered & right)
    covered[rows] = equal(lines.text, begin[rows], finish[rows], hosted.data, start[rows])
    right &= covered | ~known
    if expected is not None:
        length = lines.end - lines.start
        right &= (length <= LONG) | (2 * length <= hosted.length[lines.file])
        if expected.labels is not None:
            right &= np.array([each in expected.labels for each in lines.labels], dtype=bool)[lines.label]
        most = np.array([most_annotations(each) for each in hosted.length.tolist()], dtype=np.int64)
        quiet &= np.bincount(lines.file, minlength=len(quiet)) <= most
    quiet[lines.file[~right]] = False
    return quiet


def _with_repetitions(lines: PlainLines) -> Flags:
    """[files] in which two annotations have one label and one span."""
    found = np.zeros(len(lines.plain), dtype=bool)
    same_file = np.diff(lines.file) == 0
    unsure = np.unique(lines.file[1:][same_file & (np.diff(lines.start) <= 0)])  # growing starts do not come back
    if len(unsure):
        rows = np.flatnonzero(np.isin(lines.file, unsure))
        columns = (lines.file[rows], lines.start[rows], lines.end[rows], lines.label[rows])
        order = np.lexsort(columns[::-1])
        equal_rows = np.ones(max(len(rows) - 1, 0), dtype=bool)
        for each in columns:
            equal_rows &= np.diff(each[order]) == 0
        found[columns[0][order][1:][equal_rows]] = True
    return found


class QuietHabits:
    """The habits of quiet documents, as `brat.habits.Habits.add` counts them: at once, but for the sample."""

    def __init__(self, lines: PlainLines, hosted: HostedTexts, quiet: Flags) -> None:
        self._hosted = hosted
        rows = np.flatnonzero(quiet[lines.file] & hosted.known[lines.file] & (lines.start < lines.end))
        self._lines = spans = lines.take(rows)
        self._bounds: Ints = np.searchsorted(spans.file, np.arange(len(quiet) + 1))
        start, end = (hosted.place(spans.file, each) for each in (spans.start, spans.end))
        inside = spans.start > 0, spans.end < hosted.length[spans.file]
        cut = np.zeros(len(spans), dtype=bool)
        for place, offset, within in ((start, spans.start, inside[0]), (end, spans.end, inside[1])):
            cut |= within & self._cut(place, offset)
        self._cut_spans = np.bincount(spans.file, weights=cut, minlength=len(quiet)).astype(np.int64)
        crossed = self._crossed(start, end)
        self._crossed_spans = np.bincount(spans.file, weights=crossed, minlength=len(quiet)).astype(np.int64)

    def add_to(self, habits: Habits, document: int) -> None:
        """Count the spans of one of the documents; documents must come in order."""
        first, last = int(self._bounds[document]), int(self._bounds[document + 1])
        habits.spans += last - first
        habits.cut += int(self._cut_spans[document])
        habits.crossed += int(self._crossed_spans[document])
        room = min(SAMPLE - len(habits.some), SAMPLE_OF_ONE, last - first)
        text = self._hosted.text(document) if room > 0 else None
        if text is not None:
            some = slice(first, first + room)
            for start, end in zip(self._lines.start[some].tolist(), self._lines.end[some].tolist(), strict=True):
                habits.some.append((text, start, end))

    def _cut(self, place: Ints, offset: Ints) -> Flags:
        """Whether each place is between two letters of a word; those beside letters beyond ASCII are looked at singly."""
        before, after = self._hosted.data.at(place - 1), self._hosted.data.at(place)
        cut: Flags = _IS_LETTER[before] & _IS_LETTER[after] & ~(_IS_LOWER[before] & _IS_UPPER[after])
        for row in np.flatnonzero((before >= _ASCII) | (after >= _ASCII)).tolist():
            cut[row] = cuts(self._text(row), int(offset[row]))
        return cut

    def _crossed(self, start: Ints, end: Ints) -> Flags:
        data = self._hosted.data
        ends = np.sort(np.concatenate([*(data.find(ord(each)) for each in _ENDS), [len(data.data)]]))
        may = (ends[np.searchsorted(ends, start)] < end) & (self._lines.end - self._lines.start > _LEAST_CROSSING)
        crossed = np.zeros(len(may), dtype=bool)
        for row in np.flatnonzero(may).tolist():
            crossed[row] = goes_on(self._text(row), int(self._lines.start[row]), int(self._lines.end[row]))
        return crossed

    def _text(self, row: int) -> str:
        return self._hosted.text(int(self._lines.file[row])) or ""
