"""The words for gender and age that people write in a self-identification, and what a run of them says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

FEMALE, MALE, NON_BINARY = "female", "male", "non-binary"
TRANS, TRANS_FEMALE, TRANS_MALE = "trans", "trans female", "trans male"

LETTERS: Mapping[str, str] = MappingProxyType(
    {"f": FEMALE, "m": MALE, "nb": NON_BINARY, "enby": NON_BINARY, "mtf": TRANS_FEMALE, "ftm": TRANS_MALE}
)
"""Abbreviations, folded, to groups."""
ADJECTIVES: Mapping[str, str] = MappingProxyType(
    {
        "female": FEMALE,
        "male": MALE,
        "non-binary": NON_BINARY,
        "nonbinary": NON_BINARY,
        "enby": NON_BINARY,
        "genderqueer": "genderqueer",
        "genderfluid": "genderfluid",
        "agender": "agender",
        "trans": TRANS,
        "transgender": TRANS,
        "trans female": TRANS_FEMALE,
        "trans male": TRANS_MALE,
    }
)
"""What stands after `I'm` without an article."""
NOUNS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("female", "woman", "girl", "lady"), FEMALE),
        **dict.fromkeys(("male", "man", "boy", "guy"), MALE),
        **dict.fromkeys(("trans woman", "transwoman", "trans girl", "trans female", "transgender woman"), TRANS_FEMALE),
        **dict.fromkeys(("trans man", "transman", "trans guy", "trans male", "transgender man"), TRANS_MALE),
        **dict.fromkeys(("enby", "non-binary person", "nonbinary person"), NON_BINARY),
    }
)
"""What stands after `I'm a`."""
WORDS: Mapping[str, str] = MappingProxyType({**LETTERS, **ADJECTIVES, **NOUNS})
_PLAIN = str.maketrans({"\u0131": "i", "\u0130": "I", "\u017f": "s", "\u212a": "K"})
_BY_WORD = MappingProxyType({word.replace("-", " "): group for word, group in WORDS.items()})

_BROADER = MappingProxyType(
    {TRANS_FEMALE: {FEMALE, TRANS}, TRANS_MALE: {MALE, TRANS}, NON_BINARY: {TRANS}, "genderqueer": {TRANS, NON_BINARY}}
    | {each: {TRANS, NON_BINARY} for each in ("genderfluid", "agender")}
)
"""What may be said beside something more particular without contradicting it."""


def plain(text: str) -> str:
    """A text, letter for letter, without those that expressions take for i, s and k: ı, İ, ſ, and the kelvin sign."""
    return text.translate(_PLAIN)


def any_of(words: Iterable[str]) -> str:
    """An expression for any of some words, the longest first, since `trans` begins `trans woman`; a hyphen may be a blank."""
    return "|".join(re.sub(r"\\?[ -]", r"[ -]", re.escape(each)) for each in sorted(words, key=len, reverse=True))


YEARS = r"(?:[ -]?(?:years?|yrs?)[ -]?old|[ -]?y\.?/?o\b\.?)"
"""After an age: `year old`, `-yr-old`, `yo`, `y/o`, `y.o.`"""
_AGE = re.compile(rf"(?P<age>[1-9][0-9])(?![0-9'’])(?!0?s\b)(?:{YEARS}|[ -]?(?:years?|yrs?)\b)?", re.IGNORECASE)
_DECADE = re.compile(r"(?:(?:early|mid|late)[ -]{0,2})?[1-9]0['’]?s\b", re.IGNORECASE)
_GENDER = re.compile(rf"(?P<gender>{any_of(WORDS)})(?![a-z'’])", re.IGNORECASE)
_NEUTRAL = re.compile(r"(?:afab|amab|cis|cisgender)(?![a-z'’])", re.IGNORECASE)
_SEPARATOR = re.compile(r"[\s,;/|.:-]*")
_NEW_CLAUSE = re.compile(r"[,;/|.]")


@dataclass(frozen=True, slots=True)
class Told:
    """What a run of words says: a group, and an age in years from 10 to 99, None where it has none."""

    gender: str | None
    age: int | None


def read_words(text: str, *, whole: bool = False) -> Told | None:
    """The gender, with or without an age, that a bracket begins with: `25 M`, `f/23`, `34yo non-binary`, `M, 6'1, 190 lbs`.

    Args:
        text: what stands in the bracket.
        whole: whether nothing may follow; else it may after a comma, a slash or the like.

    Returns:
        None where it begins with something else, names no gender or two that exclude one another, or two ages.
    """
    genders: set[str] = set()
    ages: list[int] = []
    place, gap = 0, _SEPARATOR.match(text)
    while gap and gap.end() < len(text):
        place = gap.end()
        if found := _GENDER.match(text, place):
            genders.add(group_of(found["gender"]))
        elif found := _AGE.match(text, place):
            ages.append(int(found["age"]))
        elif not (found := _DECADE.match(text, place) or _NEUTRAL.match(text, place)):
            if whole or not _NEW_CLAUSE.search(gap[0]):
                return None
            break
        gap = _SEPARATOR.match(text, found.end())
    gender = most_particular(genders)
    if gender is None or len(set(ages)) > 1:
        return None
    return Told(gender, ages[0] if ages else None)


def group_of(word: str) -> str:
    """The group that a word for a gender means.

    Raises:
        KeyError: it is none.
    """
    return _BY_WORD[plain(word).casefold().replace("-", " ")]


def most_particular(genders: Collection[str]) -> str | None:
    """The one of several groups that says the most; None without any, and where they exclude one another.

    A trans woman who also writes `I (25F)` does not contradict herself; `trans` and `female` together are `trans female`.
    """
    wanted = set(genders)
    candidates = [each for each in (*sorted(wanted), TRANS_FEMALE, TRANS_MALE) if wanted <= {each, *_BROADER.get(each, ())}]
    return candidates[0] if wanted and candidates else None
