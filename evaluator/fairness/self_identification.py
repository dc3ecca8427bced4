"""What the author of a post says of themselves: `I [25 M]`, `My (23F)`, `I [M]`, `I [F34]`.

The form is that of A Comprehensive Study of Gender Bias in Chemical NER Models (section 3, AskDocs): "I" or "My" followed by
gender and, optionally, age. Beside it are other things that people write, each with an example in `PATTERNS`. They are
narrow on purpose: a post that is missed is counted as unknown, while one that is taken for somebody else's spoils two groups.
And each has the same form for every gender, so that no group is found more easily than another. Roles, such as `wife` or
`dad`, are not read: what they say of gender is an inference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.fairness.gender_words import Told, most_particular, plain
from evaluator.fairness.self_identification_patterns import BEFORE, PATTERNS
from evaluator.metadata import Metadata

GENDER, AGE, AGE_BAND = "gender", "age", "age-band"
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
    own = plain(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), text))
    taken = bytearray(len(text))
    kept: list[tuple[int, int, Told, str]] = []
    for pattern in PATTERNS:
        for match in pattern.expression.finditer(own):
            start, end = match.span()
            start += len(match[0]) - len(match[0].lstrip())
            free = not any(taken[start:end]) and pattern.fits(own[max(0, start - BEFORE) : start])
            told = pattern.read(match) if free else None
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
