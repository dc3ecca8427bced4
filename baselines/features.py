"""What a conditional random field is told of a token, as BANNER tells it (Leaman and Gonzalez 2008; METHODS, section 1).

Orthography, affixes, shape, character n-grams, context, and shallow syntax: which kind of function word a neighbour is,
and what a word's ending says about its part of speech.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from baselines.sequences import Tagged

_WINDOW = 2
_LONG = 12
_GREEK = re.compile(r"alpha|beta|gamma|delta|epsilon|kappa|lambda|omega|sigma|theta|[α-ω]", re.IGNORECASE)
_ROMAN = re.compile(r"[IVX]+")
_RUNS = ((re.compile(r"[A-Z]"), "A"), (re.compile(r"[a-z]"), "a"), (re.compile(r"[0-9]"), "0"))
_REPEATED = re.compile(r"(.)\1+")
_FUNCTION = {
    word: kind
    for kind, words in {
        "determiner": "a an the this that these those each every no any some all both such another either neither",
        "preposition": "of in on at by for with from to into onto over under after before during between among through against "
        "without within via per as upon about above below until since toward towards despite",
        "conjunction": "and or but nor so yet plus while whereas although because if when than that whether",
        "auxiliary": "is are was were be been being am has have had having do does did will would shall should can could may "
        "might must",
        "pronoun": "i we you he she it they me us him her them my our your his its their who whom which whose what",
        "negation": "not never none cannot",
        "adverb": "also however therefore thus then there here very more most less least only still often again well",
    }.items()
    for word in words.split()
}
_ENDINGS = (
    ("ing", "gerund"),
    ("ed", "past"),
    ("ly", "adverb"),
    ("tion", "noun"),
    ("ness", "noun"),
    ("ment", "noun"),
    ("ity", "noun"),
    ("ous", "adjective"),
    ("ive", "adjective"),
    ("ic", "adjective"),
    ("al", "adjective"),
    ("able", "adjective"),
    ("s", "plural"),
)


def features_of(sentence: Tagged) -> list[list[str]]:
    """The features of each token."""
    words = sentence.words
    own = [_of_word(each) for each in words]
    brief = [_in_context(each) for each in words]
    spaces = _spaces(sentence)
    return [[*own[i], *spaces[i], *_around(brief, words, i)] for i in range(len(words))]


@lru_cache(maxsize=100_000)
def shape_of(word: str) -> str:
    """`Aa0-` letters and digits by kind, other characters as they are: `Na-23` is `Aa-00`."""
    for pattern, sign in _RUNS:
        word = pattern.sub(sign, word)
    return word


def brief_of(word: str) -> str:
    """The shape with each run of equal signs as one: `Na-23` is `Aa-0`."""
    return _REPEATED.sub(r"\1", shape_of(word))


@lru_cache(maxsize=100_000)
def _of_word(word: str) -> tuple[str, ...]:
    lower, shape = word.lower(), shape_of(word)
    found = ["bias", f"w={lower}", f"stem={stem_of(lower)}", f"shape={shape}", f"brief={brief_of(word)}"]
    found.append(f"length={min(len(word), _LONG)}")
    for size in (2, 3, 4, 5):
        if len(lower) > size:
            found += [f"p{size}={lower[:size]}", f"s{size}={lower[-size:]}"]
    for size in (2, 3):
        found += {f"g={lower[i : i + size]}" for i in range(len(lower) - size + 1)} if len(lower) > size else ()
    found += [f"is={name}" for name in _traits(word)]
    found.append(f"pos={kind_of(word)}")
    return tuple(found)


def _traits(word: str) -> Iterator[str]:
    if word.isupper():
        yield "upper" if len(word) > 1 else "one capital"
    elif word[0].isupper():
        yield "capital"
    elif any(each.isupper() for each in word):
        yield "mixed"
    if word.isdigit():
        yield "number"
    elif any(each.isdigit() for each in word):
        yield "letters and digits" if any(each.isalpha() for each in word) else "digits"
    if not any(each.isalnum() for each in word):
        yield f"mark {word[0]}"
    if _GREEK.search(word):
        yield "greek"
    if _ROMAN.fullmatch(word):
        yield "roman"


@lru_cache(maxsize=100_000)
def stem_of(word: str) -> str:
    """A word without the endings that most inflected words have."""
    for ending in ("ingly", "edly", "ing", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=100_000)
def kind_of(word: str) -> str:
    """A guess at the part of speech: function words by list, others by their ending."""
    lower = word.lower()
    if lower in _FUNCTION:
        return _FUNCTION[lower]
    if not word[0].isalnum():
        return "mark"
    if word[0].isdigit():
        return "number"
    return next((kind for ending, kind in _ENDINGS if lower.endswith(ending) and len(lower) > len(ending) + 2), "word")


@lru_cache(maxsize=100_000)
def _in_context(word: str) -> tuple[str, ...]:
    lower = word.lower()
    return (
        f"w={lower}", f"brief={brief_of(word)}", f"s3={lower[-3:]}", f"stem={stem_of(lower)}",
        f"pos={kind_of(word)}",
    )  # fmt: skip


def _spaces(sentence: Tagged) -> list[list[str]]:
    """Whether a token touches its neighbours: the parts of one chemical name do."""
    tokens = sentence.sentence.tokens
    touches = [before[1] == after[0] for before, after in pairwise(tokens)]
    return [
        [sign for sign, there in (("touches before", before), ("touches after", after)) if there]
        for before, after in zip([False, *touches], [*touches, False], strict=True)
    ]


def _around(brief: Sequence[tuple[str, ...]], words: Sequence[str], i: int) -> Iterator[str]:
    last = len(words) - 1
    for offset in range(-_WINDOW, _WINDOW + 1):
        place = i + offset
        if offset and 0 <= place <= last:
            for each in brief[place]:
                yield f"{offset:+d}{each}"
    yield f"-1,0={words[i - 1].lower() if i else '<'}|{words[i].lower()}"
    yield f"0,+1={words[i].lower()}|{words[i + 1].lower() if i < last else '>'}"
    yield f"-1,+1={words[i - 1].lower() if i else '<'}|{words[i + 1].lower() if i < last else '>'}"
    yield f"kinds={kind_of(words[i - 1]) if i else '<'}|{kind_of(words[i])}|{kind_of(words[i + 1]) if i < last else '>'}"
