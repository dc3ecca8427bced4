"""A way of counting characters other than by code points, laid along a text.

Such a way is a piecewise constant function: between two steps an offset differs from the offset in code points by the same
number. A step is a stretch of text, possibly empty, that is counted wider or narrower than it is.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

from brat.model import Fragment

Step: TypeAlias = tuple[int, int, int]  # position in the text, length in code points, width as counted
Same: TypeAlias = Callable[[str, str], bool]
Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_MOST_STEPS = 4
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Ruler:
    """A way of counting, laid along one text.

    Attributes:
        ends: for every step, the counted offset of its end, ascending.
        shifts: for every step, counted minus real offset from there on.
    """

    ends: tuple[int, ...]
    shifts: tuple[int, ...]

    def place(self, fragment: Fragment) -> Iterator[Fragment]:
        """The real spans that a counted span can stand for, the most likely one first.

        There are several only where a step lies at an end of the span.
        """
        starts, stops = self._real(fragment[0]), self._real(fragment[1])
        return ((start, stop) for start, stop in product(starts, stops) if start <= stop)

    def _real(self, offset: int) -> list[int]:
        passed = bisect_right(self.ends, offset)
        real = [offset - self._shift(passed)]
        for direction in (-1, 1):  # steps that end about here may or may not have been passed
            last = passed + direction
            while 0 <= last <= len(self.ends) and abs(last - passed) <= _MOST_STEPS:
                boundary = last if direction < 0 else last - 1
                if abs(offset - self.ends[boundary]) > abs(self._shift(last) - self._shift(passed)):
                    break
                real.append(offset - self._shift(last))
                last += direction
        return real

    def _shift(self, passed: int) -> int:
        return self.shifts[passed - 1] if passed else 0


def lay(steps: Iterable[Step]) -> Ruler:
    """The ruler with these steps, which are in the order of the text and do not overlap."""
    ends: list[int] = []
    shifts: list[int] = []
    shift = 0
    for position, length, width in steps:
        if width != length:
            shift += width - length
            ends.append(max(position + length + shift, ends[-1] if ends else -1))
            shifts.append(shift)
    return Ruler(tuple(ends), tuple(shifts))


@dataclass(frozen=True, slots=True)
class Counting:
    """A way of counting, for any text.

    Attributes:
        code: its stable name in a diagnosis.
        words: the same, to complete "the offsets count …".
        steps: the steps it makes in a text.
        same: whether a text column says what the text under a span does, under this way of reading.
    """

    code: str
    words: str
    steps: Callable[[str], Iterable[Step]]
    same: Same


def same_but_blanks(covered: str, column: str) -> bool:
    """Equal when any run of white space counts as one blank."""
    return covered == column or _BLANKS.sub(" ", covered) == _BLANKS.sub(" ", column)


def same_without_blanks(covered: str, column: str) -> bool:
    """Equal when white space does not count; the covered text neither starts nor ends with any."""
    if not covered or covered[0].isspace() or covered[-1].isspace():
        return False
    return covered == column or _BLANKS.sub("", covered) == _BLANKS.sub("", column)


def unescape(text: str) -> str:
    """The characters that HTML's entities stand for, of those that end as they should."""
    return ENTITY.sub(lambda found: html.unescape(found[0]), text)


def same_unescaped(covered: str, column: str) -> bool:
    """Equal, or equal when the entities of the text are replaced."""
    return same_but_blanks(covered, column) or same_but_blanks(unescape(covered), column)


def same_escaped(covered: str, column: str) -> bool:
    """Equal, or equal when the entities of the text column are replaced."""
    return same_but_blanks(covered, column) or same_but_blanks(covered, unescape(column))


def same_in(form: Form) -> Same:
    """Equal in a normal form of Unicode."""
    return lambda covered, column: same_but_blanks(unicodedata.normalize(form, covered), unicodedata.normalize(form, column))
