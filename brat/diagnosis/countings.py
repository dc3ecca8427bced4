"""The ways of counting that converters are known for."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from brat.diagnosis.rulers import (
    ENTITY,
    FORMS,
    Counting,
    Form,
    Step,
    same_but_blanks,
    same_escaped,
    same_in,
    same_unescaped,
    same_without_blanks,
)

_BYTE_ORDER_MARK = "\ufeff"
_COMBINING = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u0655\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
)

# Where two tokens meet without a blank: words beside marks, runs of marks, or letters beside digits too.
_WORDS = r"(?<=\w)(?=[^\w\s])|(?<=[^\w\s])(?=\S)"
_RUNS = r"(?<=\w)(?=[^\w\s])|(?<=[^\w\s])(?=\w)"
_FINE = rf"(?<=[^\W\d_])(?=[\d_])|(?<=\d)(?=[^\W\d]|_)|(?<=_)(?=\w)|{_WORDS}"
_AFTER_BLANKS = r"(?<=\s)(?=\S)"


def _wherever(pattern: str, width: Callable[[str], int]) -> Callable[[str], Iterator[Step]]:
    """Steps at every match of a pattern; `width` gives how many characters the match was counted as."""
    compiled = re.compile(pattern)
    return lambda text: ((found.start(), len(found[0]), width(found[0])) for found in compiled.finditer(text))


def _byte_order_mark(text: str) -> Iterable[Step]:
    return ((0, 1, 0),) if text.startswith(_BYTE_ORDER_MARK) else ((0, 0, 1),)


def _single_blanks(pattern: str) -> Callable[[str], Iterator[Step]]:
    """Whatever matches counts as one blank, but as nothing at the very start."""
    compiled = re.compile(pattern)
    return lambda text: ((found.start(), len(found[0]), 1 if found.start() else 0) for found in compiled.finditer(text))


def _normal_form(form: Form) -> Counting:
    steps = _wherever(rf"(?s:.)[{_COMBINING}]+|[^\x00-\x7f]", lambda found: len(unicodedata.normalize(form, found)))
    same = same_in("NFKC" if "K" in form else "NFC")
    return Counting(form.lower(), f"the characters of the text in the normal form {form}", steps, same)


def _escaped(characters: str) -> Counting:
    steps = _wherever(f"[{characters}]", lambda found: len(html.escape(found)))
    return Counting("html-escaped", "characters as HTML writes them (&amp; for &)", steps, same_escaped)


COUNTINGS: tuple[Counting, ...] = (
    Counting(
        "utf16-units",
        "UTF-16 units, as Java and JavaScript do, instead of characters",
        _wherever("[\U00010000-\U0010ffff]", lambda _: 2),
        same_but_blanks,
    ),
    Counting(
        "utf8-bytes",
        "UTF-8 bytes instead of characters",
        _wherever(r"[^\x00-\x7f]", lambda found: len(found.encode("utf-8", "surrogatepass"))),
        same_but_blanks,
    ),
    Counting(
        "crlf-as-two",
        "each line end as two characters, CR and LF",
        _wherever(r"(?<!\r)\n", lambda _: 2),
        same_but_blanks,
    ),
    Counting(
        "crlf-as-one",
        "each CR LF of the text as one character",
        _wherever(r"\r\n", lambda _: 1),
        same_but_blanks,
    ),
    Counting(
        "bom",
        "a byte order mark at the start that the text does not have, or leave out one that it has",
        _byte_order_mark,
        same_but_blanks,
    ),
    *(_normal_form(form) for form in FORMS),
    Counting(
        "html-entities",
        "each HTML entity of the text as the character it stands for",
        _wherever(ENTITY.pattern, lambda found: len(html.unescape(found))),
        same_unescaped,
    ),
    _escaped("&<>"),
    _escaped("&<>\"'"),
    *(
        Counting("drift", words, _single_blanks(pattern), same_without_blanks)
        for words, pattern in (
            ("any run of blanks as one character", r"\s+"),
            ("the tokens (words, single marks) joined by single blanks", rf"\s+|{_WORDS}"),
            ("the tokens (words, runs of marks) joined by single blanks", rf"\s+|{_RUNS}"),
            ("the tokens (letters, digits, single marks) joined by single blanks", rf"\s+|{_FINE}"),
        )
    ),
)


def _both(code: str, words: str, pattern: str, width: Callable[[str], int]) -> Counting:
    """Two ways of counting at once, whose steps are at different characters."""
    return Counting(code, words, _wherever(pattern, width), same_but_blanks)


PAIRS: tuple[Counting, ...] = (
    _both(
        "utf8-bytes+crlf-as-two",
        "UTF-8 bytes instead of characters, with each line end as two, CR and LF",
        r"(?<!\r)\n|[^\x00-\x7f]",
        lambda found: 2 if found == "\n" else len(found.encode("utf-8", "surrogatepass")),
    ),
    _both(
        "utf16-units+crlf-as-two",
        "UTF-16 units instead of characters, with each line end as two, CR and LF",
        "(?<!\r)\n|[\U00010000-\U0010ffff]",
        lambda _: 2,
    ),
    _both(
        "utf8-bytes+crlf-as-one",
        "UTF-8 bytes instead of characters, with each CR LF of the text as one",
        r"\r\n|[^\x00-\x7f]",
        lambda found: 1 if found == "\r\n" else len(found.encode("utf-8", "surrogatepass")),
    ),
    _both(
        "utf16-units+crlf-as-one",
        "UTF-16 units instead of characters, with each CR LF of the text as one",
        "\r\n|[\U00010000-\U0010ffff]",
        lambda found: 1 if found == "\r\n" else 2,
    ),
)


@dataclass(frozen=True, slots=True)
class Marker:
    """Places of a text at which a drift can grow; `words` completes "… characters more …"."""

    words: str
    pattern: re.Pattern[str]

    def counting(self, growth: int) -> Counting:
        """The drift that grows by so many characters at each place."""
        much = f"{abs(growth)} character{'s' if abs(growth) > 1 else ''} {'more' if growth > 0 else 'less'}"
        words = f"{much} {self.words} than the text has"
        return Counting("drift", words, lambda text: ((each, 0, growth) for each in self.places(text)), same_without_blanks)

    def places(self, text: str) -> Iterator[int]:
        """The places, ascending."""
        return (found.end() for found in self.pattern.finditer(text))


MARKERS: tuple[Marker, ...] = tuple(
    Marker(words, re.compile(pattern))
    for words, pattern in (
        ("after each line end", r"\n"),
        ("after each sentence", r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])"),
        ("after each full stop", r"[.!?]\s+"),
        ("after each period", r"\.\s"),
        ("after each period and blank", r"\. "),
        ("for each word", _AFTER_BLANKS),
        ("between tokens that touch (words, single marks)", _WORDS),
        ("between tokens that touch (words, runs of marks)", _RUNS),
        ("between tokens that touch (letters, digits, single marks)", _FINE),
        ("for each word begun", r"(?<!\S)\S"),
        ("for each token begun (words, single marks)", r"\b\w|[^\w\s]"),
        ("for each token (words, single marks)", rf"{_AFTER_BLANKS}|{_WORDS}"),
        ("for each token (words, runs of marks)", rf"{_AFTER_BLANKS}|{_RUNS}"),
        ("for each token (letters, digits, single marks)", rf"{_AFTER_BLANKS}|{_FINE}"),
    )
)
