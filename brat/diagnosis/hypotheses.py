"""Single explanations of wrong spans: where each span would really be if a converter had made one kind of mistake."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from brat.diagnosis.evidence import is_inside
from brat.diagnosis.rulers import FORMS, Counting, Form, Same, lay, same_but_blanks
from brat.model import Fragment, TextBound, covered_text


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a span would really be.

    Attributes:
        fragments: in code points of the hosted text.
        sure: whether the text there is what the text column says.
    """

    fragments: tuple[Fragment, ...]
    sure: bool


_FARTHEST_TRIM = 50

Placing: TypeAlias = Callable[[str, Sequence[TextBound]], list[Placed | None]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One kind of mistake.

    Attributes:
        code: its stable name.
        words: a sentence about the run.
        plainness: at most 1; what explains the same spans with fewer free choices has more of it.
        place: for a text and spans of one document, where each would really be; None where nothing is said of a span.
        in_place: the counting is right; single spans or their text columns are not.
        free: fitted to each document rather than following a rule; the spans that are right speak against it.
        guess: a last resort, which is never applied unasked.
    """

    code: str
    words: str
    plainness: float
    place: Placing
    in_place: bool = False
    free: bool = False
    guess: bool = False


def counted(counting: Counting, edges: tuple[int, int] = (0, 0), plainness: float = 1.0) -> Hypothesis:
    """The offsets were counted in some way, and on top of it starts and ends are off by two constants."""
    name, extra = _edges_in_words(edges)
    code = counting.code if edges == (0, 0) else f"{counting.code}+{name}"
    words = f"The offsets count {counting.words}{extra and ', and ' + extra}."
    return Hypothesis(code, words, plainness, _by_ruler(counting, edges))


def moved(edges: tuple[int, int]) -> Hypothesis:
    """Starts and ends are off by two constants."""
    name, extra = _edges_in_words(edges)
    plain = Counting(name, "", lambda _: (), same_but_blanks)
    named = name in ("inclusive-end", "one-based")
    return Hypothesis(name, extra[:1].upper() + extra[1:] + ".", 0.99 if named else 0.98, _by_ruler(plain, edges))


def _edges_in_words(edges: tuple[int, int]) -> tuple[str, str]:
    match edges:
        case (0, 0):
            return "", ""
        case (0, -1):
            return "inclusive-end", "the ends are those of the last character instead of behind it"
        case (1, 0):
            return "one-based", "the starts count from one instead of zero"
        case (start, end) if start == end:
            return "shift", f"all offsets are {abs(start)} too {'high' if start > 0 else 'low'}"
        case (start, end):
            return "shift", f"the starts are off by {start:+d} and the ends by {end:+d}"


def _by_ruler(counting: Counting, edges: tuple[int, int]) -> Placing:
    first, last = edges

    def place(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
        ruler = lay(counting.steps(text))
        placed: list[Placed | None] = []
        for each in spans:
            choices = [list(ruler.place((start - first, end - last))) for start, end in each.fragments]
            if not all(choices):
                placed.append(None)
                continue
            best = tuple(each[0] for each in choices)
            if len(choices) == 1:
                here = next((one for one in choices[0] if _says(text, (one,), each.text, counting.same)), None)
                placed.append(Placed(best if here is None else (here,), here is not None))
            else:
                placed.append(Placed(best, _says(text, best, each.text, counting.same)))
        return placed

    return place


def _says(text: str, fragments: tuple[Fragment, ...], column: str | None, same: Same) -> bool:
    if not column or not is_inside(text, fragments):
        return False
    length = sum(end - start for start, end in fragments)
    if length > 10 * len(column) + 100 or len(column) > 10 * length + 100:  # an entity is ten characters or so
        return False
    return same(covered_text(text, fragments), column)


def _in_place(test: Callable[[str, str], bool]) -> Placing:
    """The offsets are right and only the text column is odd."""

    def place(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
        return [Placed(each.fragments, sure=True) if _says(text, each.fragments, each.text, test) else None for each in spans]

    return place


def _trimmed(removable: Callable[[str], bool]) -> Placing:
    """The span or its text column has something around the other; the shorter of the two is meant."""

    def place(text: str, spans: Sequence[TextBound]) -> list[Placed | None]:
        return [_trim(text, each, removable) for each in spans]

    return place


def _trim(text: str, each: TextBound, removable: Callable[[str], bool]) -> Placed | None:
    start, end = each.fragments[0]
    column = each.text or ""
    if len(each.fragments) > 1 or not 0 <= start < end <= len(text):
        return None
    if not column or abs(end - start - len(column)) > _FARTHEST_TRIM:
        return None
    covered = text[start:end]
    before, found, after = covered.partition(column)
    if found and all(map(removable, before + after)):
        return Placed(((start + len(before), end - len(after)),), sure=True)
    before, found, after = column.partition(covered)
    if found and all(map(removable, before + after)):
        return Placed(each.fragments, sure=True)
    return None


def _is_mark(character: str) -> bool:
    return character.isspace() or unicodedata.category(character)[0] in "PS"


def _written_in(form: Form) -> Same:
    return lambda covered, column: same_but_blanks(unicodedata.normalize(form, covered), column)


def in_place() -> Iterator[Hypothesis]:
    """Faults of single spans and of text columns, without any fault of counting."""
    yield Hypothesis(
        "letter-case",
        "The offsets are right; the text column is in another letter case.",
        1.0,
        _in_place(lambda covered, column: covered.casefold() == column.casefold()),
        in_place=True,
    )
    for form in FORMS:
        words = f"The offsets are right; the text column is in the normal form {form} of Unicode, and the text is not."
        yield Hypothesis(form.lower(), words, 1.0, _in_place(_written_in(form)), in_place=True)
    words = "The spans, or their text columns, have blanks around them that the other does not have."
    yield Hypothesis("surrounding-blanks", words, 0.99, _trimmed(str.isspace), in_place=True)
    words = "The spans, or their text columns, have punctuation or blanks around them that the other does not have."
    yield Hypothesis("surrounding-punctuation", words, 0.97, _trimmed(_is_mark), in_place=True)
