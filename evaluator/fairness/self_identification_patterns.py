"""The forms in which people say who they are, each with an example, and what may stand around them."""

from __future__ import annotations

import re
from collections.abc import Callable
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
    read_words,
)

_Reader = Callable[[re.Match[str]], Told | None]
_Context = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way to say who one is.

    Attributes:
        name: in reports.
        example: something that it finds.
        expression: where to look.
        read: what a match says; None: it is no self-identification after all.
        fits: whether it is one, after the text that stands before it.
    """

    name: str
    example: str
    expression: re.Pattern[str]
    read: _Reader
    fits: _Context


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEFORE = 200
"""How many characters before a match are looked at."""
_LAST_QUOTE = re.compile(r'(?:(?P<opens>(?<![^\s(\[,:])"(?=\S|\Z)|[“«„])|["”»])[^"“”«»„\n]*\Z')
_LAST_WORD = re.compile(r"(?P<word>[^\W_](?:[\w'’-]*\w)?)[ \t]+\Z")
_HALOGENS = re.compile(r"\b(?:F|Cl|Br)(?:,|,? (?:and|or))\s+\Z")
_LEADS = _words(
    "about actually after afternoon again ago all also although always and anyway as basically because before but cause"
    " cos cuz earlier even evening ever everyone finally folks friday guys hello hence here hey hi honestly how however"
    " if just last lately like long maybe monday month morning night now nowadays ok okay once only or perhaps plus"
    " recently reddit said saturday say second since so sometimes speaking still sunday than that then therefore though"
    " thursday thus till today tomorrow tonight tuesday until wednesday week what whatever when whenever where which"
    " while who why year yes yesterday yet"
)
"""What may stand before the author's `I`, with a capital too."""
_NUMBERED = _words(
    "act angiotensin appendix arm axis band bipolar book category chapter class classes cohort collagen column complex"
    " cycle era factor fig figure form grade group groups interferon isoform level mark mhc mode model panel part period"
    " phase photosystem plate polymerase schedule section series set stage step study subgroup table tables title"
    " topoisomerase trial trimester type types unit version vol volume war wave world zone"
)
"""What has Roman numerals."""
_HYPOTHESIS = re.compile(
    r"(?:\b(?:if|whether|unless|suppose|supposing|imagine|imagining|pretend\w*|wish|hope|think|thinks|thought|thinking|believes?"
    r"|believed|assum(?:e|es|ed|ing)|guess|feels? like|felt like|as though|like)"
    r"|(?<!\bI )\b(?:says?|said|saying|tells?|told|telling|claim(?:s|ed)?|insist(?:s|ed)?|repl(?:y|ies|ied)|ask(?:s|ed)?"
    r"|wr(?:ites?|ote)|joke[sd]?|state[sd]?)(?:\s+(?:to\s+)?(?:me|him|her|us|them|you|people|everyone))?)"
    r"(?:\s*[,:]|\s+that)?\s+\Z",
    re.IGNORECASE,
)
"""What makes `I am` no statement of the author's: `if`, `people say`."""
_SOMEBODY = re.compile(
    r"\b(?:patient|partner|spouse|husband|wife|boyfriend|girlfriend|bf|gf|fianc[eé]e?|son|daughter|child|kid|baby|infant|toddler"
    r"|mother|father|mom|mum|dad|parent|sister|brother|sibling|cousin|nephew|niece|aunt|uncle|grand\w+|friend|roommate|pet|dog|cat"
    r"|puppy|kitten|donor|doctor|therapist|gp)(?:['’]?s['’]?)?\b(?!\s?[:=]\s?(?:self|me|myself|i)\b)",
    re.IGNORECASE,
)


def _is_own(before: str) -> bool:
    """Not within quotation marks; a review may stand in them as a whole."""
    last = _LAST_QUOTE.search(before)
    opens = bool(last and last["opens"]) and (len(before) >= BEFORE or bool(before[: last.start()].strip() if last else ""))
    return not opens and not before.endswith(("‘", "'"))


def _is_stated(before: str) -> bool:
    return _is_own(before) and not _HYPOTHESIS.search(before)


def _begins_clause(before: str) -> bool:
    """`dressed as a woman, I went`: not of the author."""
    last = _LAST_WORD.search(before)
    return _is_own(before) and (last is None or last["word"].lower() in _LEADS)


def _is_own_form(before: str) -> bool:
    """Nobody else is named shortly before: `Patient: my son`."""
    return not _SOMEBODY.search(before)


def _is_pronoun(match: re.Match[str], age: int | None) -> bool:
    """Whether `I` is no Roman numeral and no iodine: `Table I (F)`, `Group I (12 M)`, `Cu I (F)`, `Cl, Br, I (F)`.

    It is the author where it begins a line or follows a mark or a word such as `and` or `yesterday`; with an age, after
    other words too, but for those with a capital, and those that are numbered.
    """
    if not match.groupdict().get("i"):
        return True
    before = match.string[max(0, match.start("i") - BEFORE) : match.start("i")]
    if _HALOGENS.search(before):
        return False
    last = _LAST_WORD.search(before)
    if last is None or last["word"].lower() in _LEADS:
        return True
    word = last["word"]
    return age is not None and word.islower() and word not in _NUMBERED


def _read_bracket(match: re.Match[str]) -> Told | None:
    """With no blank before the bracket or after it an age is needed: `I(f)` is a current in the heart, `I [f]eel` a word."""
    told = read_words(match["inner"])
    if told is None or not _is_pronoun(match, told.age):
        return None
    return told if told.age is not None or (match["gap"] and match["glued"] is None) else None


def _read_after_my(match: re.Match[str]) -> Told | None:
    """A word without an age is not the author's: `my (male) doctor`."""
    told = read_words(match["inner"])
    is_letter = match["inner"].strip().casefold() in LETTERS and match["glued"] is None
    return told if told and (told.age is not None or is_letter) else None


def _read_between_commas(match: re.Match[str]) -> Told | None:
    told = read_words(match["inner"], whole=True)
    return told if told and told.age is not None and _is_pronoun(match, told.age) else None


def _read_both(match: re.Match[str]) -> Told | None:
    told = read_words(match["inner"], whole=True)
    return told if told and told.age is not None else None


def _read_groups(match: re.Match[str]) -> Told:
    named = match.groupdict()
    gender, age = named.get("gender"), named.get("age") or named.get("after")
    return Told(group_of(gender) if gender else None, int(age) if age else None)


_AM = r"(?:(?<![\w'’.-])(?:I|i)(?:\s+am|\s?['’]\s?m|m)|(?<![\w'’.-])(?:I|i)\s+AM)"
_ALONE = r"(?<![\w'’.-])"
_ME = rf"(?:{_ALONE}(?:(?P<i>I)|me|myself)|{_AM})"
_INNER = r"(?P<gap>\s{0,2},?\s{0,2})[\[(](?P<inner>[^\[\]()\n]{1,80})[\])](?=(?P<glued>[\w'’])?)"
_AGE = r"(?P<age>[1-9][0-9])(?![0-9])"
_SHORT = r"(?:F|M|NB|M[Tt]F|F[Tt]M)"
_KIND = (
    r"(?:(?:healthy|otherwise|young|older|old|middle[ -]aged|single|married|straight|gay|lesbian|bi|bisexual|queer|cis"
    r"|cisgender|white|black|brown|asian|hispanic|latino|latina|caucasian|indian|african|american|european)[\s,]+){0,3}"
)
"""Words that may stand before a noun; any others could lead to somebody else: `I'm a doctor treating female patients`."""
_END = r"(?![\w'’])(?!-\w)(?!\s*/\s*[a-z])"
_NO_NOUN = r"(?!\s+(?!(?:and|but|with|who|from|in|here|so)\b)[a-z])"
"""After an adjective: `I'm male and well`, not `I'm male nurse number two`."""
_NO_COMPOUND = (
    r"(?!\s+(?:mom|mum|dad|scout|friend|doctor|nurse)s?\b)(?![ \t]+(?!(?:and|but|with|without|who|whom|whose|that|which|from|in"
    r"|on|at|of|for|to|by|as|about|around|over|under|near|after|before|since|because|so|here|now|just|also|too|then|when|while|if"
    r"|though|although|not|never|i|im|i['’]m|my|we|it|this|has|have|had|was|is|am|[a-z]+(?:ing|ed|ly))(?![\w-]))[a-z])"
)
"""After a noun: `I'm a woman with`, `I'm a guy taking`, not `I'm a woman hater`, `I'm a Lady Gaga fan`."""
_NOUN = rf"(?P<gender>{any_of(NOUNS)}){_END}"
_AFTER = r"(?:\s*[,(]\s*(?P<after>[1-9][0-9])(?=\s*[,.;)\n]))?"
_NOT_MET = (
    r"(?!\s+I(?:['’]\w+)?(?:\s+(?:have|had|was|am|once|recently|just))?"
    r"\s+(?:treat|saw|seen?\b|seeing|kn[eo]w|me?et|dat(?:e|ing)|loved?\b|work|look|car(?:e|ing)|interview|examin|nurs|help))"
)
"""`as a 34yo woman I treated said` is about her."""

_FIELD = (
    r"(?:^|(?<=[\n,;|/(\[])|(?<=[0-9] )|(?<=[\s:][FM] )|(?<=[0-9][FM] ))[ \t]{0,4}(?:(?:[-*+•–]|[0-9]{1,2}[.)])[ \t]{1,4})?"
    r"[*_]{0,2}(?:biological )?"
)
"""Where a line of a form begins, not `mean age: 45` nor `my baby's gender: male`."""
_IS = r"[*_]{0,2}\s?[:=][*_]{0,2}\s?[*_]{0,2}"
_FIELD_ENDS = r"(?=[*_]{0,2}\s*(?:[,;.|/)\]\n]|$|\w+\s?[:=]))"
_NO_CHOICE = (
    rf"(?![ \t]*(?:[,;/|)(\[\]\\-]|or\b|and\b)+[ \t]*(?:or[ \t]+)?(?:{any_of(WORDS)}|others?|x|prefer|unknown|d|u)(?![\w'’]))"
)
"""`Sex: M/F` is a form that nobody filled in."""
_BOTH = (
    rf"(?:[1-9][0-9]{YEARS}?\s?[,/]?\s?(?:{any_of(WORDS)})(?![\w'’])|(?:{any_of(WORDS)})\s?[,/]?\s?[1-9][0-9]{YEARS}?(?!\w))"
)


def _pattern(
    name: str,
    example: str,
    expression: str,
    read: _Reader = _read_groups,
    *,
    cased: bool = False,
    fits: _Context = _is_stated,
) -> Pattern:
    return Pattern(name, example, re.compile(expression, re.NOFLAG if cased else re.IGNORECASE), read, fits)


PATTERNS: tuple[Pattern, ...] = (
    _pattern("I in brackets", "I [25 M]", rf"{_ME}{_INNER}", _read_bracket, fits=_is_own),
    _pattern("My in brackets", "My (23F)", rf"(?<![\w'’.-])my{_INNER}", _read_after_my, fits=_is_own),
    _pattern(
        "I between commas",
        "I, 26F, ",
        rf"{_ALONE}(?:(?P<i>I)|me),\s{{1,2}}(?:an?\s)?(?P<inner>[^,.\n]{{2,25}}),",
        _read_between_commas,
        fits=_is_own,
    ),
    # Capitals only: `I'm 15m from it` are metres.
    _pattern(
        "I am, age first",
        "I'm a 34F",
        rf"{_AM}\s+(?:an?\s+)?{_AGE}(?:(?i:{YEARS})[ ,]?)?/?(?P<gender>{_SHORT})(?![\w'’/-])",
        cased=True,
    ),
    _pattern(
        "I am, age last", "I'm F/23", rf"{_AM}\s+(?:an?\s+)?(?P<gender>{_SHORT})/?(?P<age>[1-9][0-9])(?![\w'’/-])", cased=True
    ),
    _pattern(
        "I am, age and gender",
        "I'm 19, female",
        rf"{_AM}\s+{_AGE}{YEARS}?\s?[,/]\s?(?P<gender>{any_of(ADJECTIVES)}|(?-i:{_SHORT})(?![.]))(?![\w'’/-]){_NO_NOUN}",
    ),
    _pattern("25F here", "25F here", rf"(?<![\w'’.,$-]){_AGE}\s?/?(?P<gender>{_SHORT}) here\b", cased=True, fits=_is_own),
    _pattern(
        "I am, in words",
        "I am a 25 year old white male",
        rf"{_AM}\s+an?\s+{_KIND}(?:{_AGE}{YEARS}?[\s,]+)?{_KIND}{_NOUN}{_NO_COMPOUND}{_AFTER}",
    ),
    _pattern("I am, without article", "I'm female, 23", rf"{_AM}\s+(?P<gender>{any_of(ADJECTIVES)}){_END}{_NO_NOUN}{_AFTER}"),
    _pattern(
        "As a, with age",
        "as a 34yo woman",
        rf"\bas\s+an?\s+{_KIND}{_AGE}{YEARS}[\s,]+{_KIND}{_NOUN}{_NO_COMPOUND}{_NOT_MET}",
        fits=_is_own,
    ),
    _pattern(
        "As a, in letters", "as a 25F I", rf"\b[Aa]s\s+an?\s+{_AGE}/?(?P<gender>{_SHORT})(?:,|{_NOT_MET})\s+[Ii]\b", cased=True
    ),
    _pattern("As a, then I", "As a woman, I", rf"\bas\s+an?\s+{_KIND}{_NOUN},\s+I\b", fits=_begins_clause),
    _pattern(
        "form, both",
        "Age/Sex: 34F",
        rf"{_FIELD}(?:age\s?[/&,]\s?(?:sex|gender)|(?:sex|gender)\s?[/&,]\s?age){_IS}(?P<inner>{_BOTH}){_NO_CHOICE}{_FIELD_ENDS}",
        _read_both,
        fits=_is_own_form,
    ),
    _pattern(
        "form, gender",
        "Sex: F",
        rf"{_FIELD}(?:sex|gender){_IS}(?P<gender>{any_of(WORDS)})(?![\w'’]){_NO_CHOICE}{_FIELD_ENDS}",
        fits=_is_own_form,
    ),
    _pattern("form, age", "Age: 25", rf"{_FIELD}age{_IS}{_AGE}{_FIELD_ENDS}", fits=_is_own_form),
    _pattern("I am, age alone", "I am 54 years old", rf"{_AM}\s+(?:an?\s+)?{_KIND}{_AGE}{YEARS}(?!\w)"),
)
"""In the order in which they are tried; of two that overlap the earlier one counts."""
