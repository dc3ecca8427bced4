"""What the author of a post says of themselves: `I [25 M]`, `My (23F)`, `I [M]`, `I [F34]`.

The form is that of A Comprehensive Study of Gender Bias in Chemical NER Models (section 3, AskDocs): "I" or "My" followed by
gender and, optionally, age. Beside it are other things that people write, each with an example in `PATTERNS`. They are
narrow on purpose: a post that is missed is counted as unknown, while one that is taken for somebody else's spoils two groups.
And each has the same form for every gender, so that no group is found more easily than another. Roles, such as `wife` or
`dad`, are not read: what they say of gender is an inference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from evaluator.fairness.gender_words import (
    ADJECTIVES,
    LETTERS,
    NOUNS,
    WORDS,
    YEARS,
    Told,
    any_of,
    group_of,
    most_particular,
    read_words,
)
from evaluator.metadata import Metadata

GENDER, AGE, AGE_BAND = "gender", "age", "age-band"

_Reader = Callable[[re.Match[str]], Told | None]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way to say who one is.

    Attributes:
        name: in reports.
        example: something that it finds.
        expression: where to look.
        read: what a match says; None: it is no self-identification after all.
    """

    name: str
    example: str
    expression: re.Pattern[str]
    read: _Reader


def _read_bracket(match: re.Match[str]) -> Told | None:
    """With no blank before the bracket an age is needed: `I(f)` is a current in a pacemaker cell."""
    told = read_words(match["inner"])
    return told if told and (match["gap"] or told.age is not None) else None


def _read_after_my(match: re.Match[str]) -> Told | None:
    """A word without an age is not the author's: `my (male) doctor`."""
    told = read_words(match["inner"])
    return told if told and (told.age is not None or match["inner"].strip().casefold() in LETTERS) else None


def _read_between_commas(match: re.Match[str]) -> Told | None:
    told = read_words(match["inner"], whole=True)
    return told if told and told.age is not None else None


def _read_groups(match: re.Match[str]) -> Told:
    named = match.groupdict()
    gender, age = named.get("gender"), named.get("age") or named.get("after")
    return Told(group_of(gender) if gender else None, int(age) if age else None)


_AM = r"(?:(?<![\w'’.-])(?:I|i)(?:\s+am|\s?['’]\s?m|m)|(?<![\w'’.-])(?:I|i)\s+AM)"
_ALONE = r"(?<![\w'’.-])(?<!type )(?<!bipolar )(?<!part )(?<!phase )(?<!stage )(?<!class )"
_ME = rf"(?:{_ALONE}(?:I|me|myself)|{_AM})"
_INNER = r"(?P<gap>\s{0,2},?\s{0,2})[\[(](?P<inner>[^\[\]()\n]{1,80})[\])]"
_AGE = r"(?P<age>[1-9][0-9])(?![0-9])"
_SHORT = r"(?:F|M|NB|M[Tt]F|F[Tt]M)"
_KIND = (
    r"(?:(?:healthy|otherwise|young|older|old|middle[ -]aged|single|married|straight|gay|lesbian|bi|bisexual|queer|cis"
    r"|cisgender|white|black|brown|asian|hispanic|latino|latina|caucasian|indian|african|american|european)[\s,]+){0,3}"
)
"""Words that may stand before a noun; any others could lead to somebody else: `I'm a doctor treating female patients`."""
_END = r"(?![\w'’])(?!-\w)(?!\s+(?:mom|mum|dad|scout|friend|doctor|nurse)s?\b)"
_NO_NOUN = r"(?!\s+(?!(?:and|but|with|who|from|in|here|so)\b)[a-z])"
"""After an adjective: `I'm male and well`, not `I'm male nurse number two`."""
_NOUN = rf"(?P<gender>{any_of(NOUNS)}){_END}"


_FIELD = r"(?:^|(?<=[\n,;|/(\[])|(?<=[0-9FM] ))[ \t]{0,4}(?:biological )?"
"""Where a line of a form begins, not `mean age: 45` nor `my baby's gender: male`."""
_FIELD_ENDS = r"(?=\s*(?:[,;.|/)\]\n]|$|\w+\s?[:=]))"


def _pattern(name: str, example: str, expression: str, read: _Reader = _read_groups, *, cased: bool = False) -> Pattern:
    return Pattern(name, example, re.compile(expression, re.NOFLAG if cased else re.IGNORECASE), read)


PATTERNS: tuple[Pattern, ...] = (
    _pattern("I in brackets", "I [25 M]", rf"{_ME}{_INNER}", _read_bracket),
    _pattern("My in brackets", "My (23F)", rf"(?<![\w'’.-])my{_INNER}", _read_after_my),
    _pattern("I between commas", "I, 26F, ", rf"{_ALONE}(?:I|me),\s{{1,2}}(?P<inner>[^,.\n]{{2,25}}),", _read_between_commas),
    # Capitals only: `I'm 15m from it` are metres.
    _pattern("I am, age first", "I'm a 34F", rf"{_AM}\s+(?:an?\s+)?{_AGE}/?(?P<gender>{_SHORT})(?![\w'’/-])", cased=True),
    _pattern(
        "I am, age last", "I'm F/23", rf"{_AM}\s+(?:an?\s+)?(?P<gender>{_SHORT})/?(?P<age>[1-9][0-9])(?![\w'’/-])", cased=True
    ),
    _pattern("25F here", "25F here", rf"(?<![\w'’.,$-]){_AGE}\s?/?(?P<gender>{_SHORT}) here\b", cased=True),
    _pattern(
        "I am, in words",
        "I am a 25 year old white male",
        rf"{_AM}\s+an?\s+{_KIND}(?:{_AGE}{YEARS}?[\s,]+)?{_KIND}{_NOUN}(?:\s*[,(]\s*(?P<after>[1-9][0-9])(?=\s*[,.;)\n]))?",
    ),
    _pattern(
        "I am, without article",
        "I'm female, 23",
        rf"{_AM}\s+(?P<gender>{any_of(ADJECTIVES)}){_END}{_NO_NOUN}(?:\s*[,(]\s*(?P<after>[1-9][0-9])(?=\s*[,.;)\n]))?",
    ),
    _pattern("As a, with age", "as a 34yo woman", rf"\bas\s+an?\s+{_KIND}{_AGE}{YEARS}[\s,]+{_KIND}{_NOUN}"),
    _pattern("As a, then I", "As a woman, I", rf"\bas\s+an?\s+{_KIND}{_NOUN},?\s+I\b"),
    _pattern("form, gender", "Sex: F", rf"{_FIELD}(?:sex|gender)\s?[:=]\s?(?P<gender>{any_of(WORDS)}){_FIELD_ENDS}"),
    _pattern("form, age", "Age: 25", rf"{_FIELD}age\s?[:=]\s?{_AGE}{_FIELD_ENDS}"),
    _pattern("I am, age alone", "I am 54 years old", rf"{_AM}\s+(?:an?\s+)?{_KIND}{_AGE}{YEARS}(?!\w)"),
)
"""In the order in which they are tried; of two that overlap the earlier one counts."""
_QUOTED = re.compile(r"^[ \t]{0,3}(?:>|&gt;).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfIdentification:
    """One place where an author says who they are.

    Attributes:
        gender: the group, None where only an age is told.
        age: in years, None where only a gender is told.
        start, end: code points of the text.
        text: what stands there.
        line, column: of `start`, counted from 1.
        pattern: the name of what found it.
    """

    gender: str | None
    age: int | None
    start: int
    end: int
    text: str
    line: int
    column: int
    pattern: str


@dataclass(frozen=True, slots=True)
class Author:
    """What a post says of its author.

    Attributes:
        found: where it does, in the order of the text.
        gender: None where nothing says it, and where two places contradict each other.
        age: the same.
        contradictions: the attributes that are contradicted: `gender`, `age`.
    """

    found: tuple[SelfIdentification, ...]
    gender: str | None
    age: int | None
    contradictions: tuple[str, ...]


def find_self_identifications(text: str) -> list[SelfIdentification]:
    """Every self-identification in a post, in the order of the text; none overlap.

    Lines that begin with `>`, which quote somebody else, are not read.
    """
    own = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    taken = bytearray(len(text))
    kept: list[tuple[int, int, Told, str]] = []
    for pattern in PATTERNS:
        for match in pattern.expression.finditer(own):
            start, end = match.span()
            start += len(match[0]) - len(match[0].lstrip())
            told = None if any(taken[start:end]) else pattern.read(match)
            if told:
                taken[start:end] = b"\1" * (end - start)
                kept.append((start, end, told, pattern.name))
    return list(_placed(text, sorted(kept, key=lambda each: each[0])))


def _placed(text: str, kept: list[tuple[int, int, Told, str]]) -> Iterator[SelfIdentification]:
    line, begins, place = 1, 0, 0
    for start, end, told, pattern in kept:
        line += text.count("\n", place, start)
        begins = max(begins, text.rfind("\n", place, start) + 1)
        place = start
        yield SelfIdentification(
            gender=told.gender,
            age=told.age,
            start=start,
            end=end,
            text=text[start:end],
            line=line,
            column=start - begins + 1,
            pattern=pattern,
        )


def author_of(text: str) -> Author:
    """What a post says of its author; contradicting genders give no gender, different ages no age."""
    found = tuple(find_self_identifications(text))
    genders = {each.gender for each in found if each.gender is not None}
    ages = {each.age for each in found if each.age is not None}
    gender = most_particular(genders)
    age = next(iter(ages)) if len(ages) == 1 else None
    contradicted = ((GENDER, bool(genders) and gender is None), (AGE, len(ages) > 1))
    return Author(found, gender, age, tuple(name for name, is_so in contradicted if is_so))


def find_authors(texts: Mapping[str, str]) -> dict[str, Author]:
    """What each post says of its author, by document id, sorted."""
    return {id_: author_of(texts[id_]) for id_ in sorted(texts)}


def as_metadata(authors: Mapping[str, Author], bands: tuple[int, ...] = ()) -> Metadata:
    """A row for every document: its gender, its age and, where bands are asked for, its age band.

    Args:
        authors: by document id.
        bands: the ages at which a band begins, ascending, such as (18, 30, 45): the bands are then 0–17, 18–29, 30–44 and 45+.

    Raises:
        ValueError: the bands do not ascend.
    """
    if any(b <= a for a, b in zip((0, *bands), bands, strict=False)):
        raise ValueError(f"age bands begin at ascending ages above 0, not {', '.join(map(str, bands))}")
    rows = {id_: dict(_row(each, bands)) for id_, each in authors.items()}
    return Metadata((GENDER, AGE, AGE_BAND) if bands else (GENDER, AGE), rows, "")


def _row(author: Author, bands: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    if author.gender is not None:
        yield GENDER, author.gender
    if author.age is not None:
        yield AGE, str(author.age)
        if bands:
            yield AGE_BAND, band_of(author.age, bands)


def band_of(age: int, bands: tuple[int, ...]) -> str:
    """The band that an age is in: `30–44`, or `45+` for the last."""
    below = [each for each in (0, *bands) if each <= age]
    above = [each for each in bands if each > age]
    return f"{below[-1]}–{above[0] - 1}" if above else f"{below[-1]}+"
