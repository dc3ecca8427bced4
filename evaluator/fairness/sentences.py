"""Synthetic sentences about a person and a chemical: templates × chemicals × names, as documents with gold.

A corpus of them shows how a tagger treats names (METHODS, section 2): every sentence says the same, but for the name. One
document has one gender, decade, template and name, and a sentence for every chemical.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeVar

from evaluator.fairness.census import Sex
from evaluator.fairness.name_lists import MOST_DIGITS, ListError, PopularName, PopularNames, lines_of

NAME, CHEMICAL = "[NAME]", "[CHEMICAL]"
LABEL = "CHEMICAL"
COLUMNS = ("document", "gender", "decade", "template", "name")
"""Of the metadata."""
_LINES_OF_A_SAMPLE = 10
_T = TypeVar("_T")
_UNSAFE = frozenset('/\\:*?"<>|')


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence in which a name and a chemical stand once each.

    Attributes:
        before, between, after: what stands around the two.
        name_first: whether the name comes before the chemical.
    """

    before: str
    between: str
    after: str
    name_first: bool

    def around(self, name: str) -> tuple[str, str]:
        """The sentence before and after the chemical."""
        if self.name_first:
            return f"{self.before}{name}{self.between}", self.after
        return self.before, f"{self.between}{name}{self.after}"

    def name_start(self, name_length: int, chemical: tuple[int, int]) -> int:
        """Where the name begins, from the span of the chemical in the same sentence."""
        return chemical[0] - len(self.between) - name_length if self.name_first else chemical[1] + len(self.between)

    def __str__(self) -> str:
        first, second = (NAME, CHEMICAL) if self.name_first else (CHEMICAL, NAME)
        return f"{self.before}{first}{self.between}{second}{self.after}"


@dataclass(frozen=True, slots=True)
class Chemical:
    """What a sentence is about, and whether it is a `brand` or a `generic` name; empty where that is not known."""

    name: str
    kind: str = ""


def parse_templates(text: str, file: str = "templates") -> tuple[Template, ...]:
    """Templates, one a line.

    Raises:
        ListError: a line has not exactly one `[NAME]` and one `[CHEMICAL]`, or there is no line.
    """
    found: list[Template] = []
    for number, found_line in lines_of(text, file):
        line = found_line.strip()
        if line.count(NAME) != 1 or line.count(CHEMICAL) != 1 or "\t" in line:
            message = f"a sentence with {NAME} and {CHEMICAL} once each is expected: {line[:80]!r}"
            raise ListError(file, number, message, found_line.index(line) + _wrong_at(line) + 1)
        name_first = line.index(NAME) < line.index(CHEMICAL)
        first, second = (NAME, CHEMICAL) if name_first else (CHEMICAL, NAME)
        before, rest = line.split(first)
        between, after = rest.split(second)
        found.append(Template(before, between, after, name_first))
    if not found:
        raise ListError(file, 0, f"a line with {NAME} and {CHEMICAL} is expected, and there is none")
    return tuple(found)


def _wrong_at(line: str) -> int:
    """Where a template goes wrong: at a tab, or the second of something that is wanted once; else at its start."""
    second = (line.find(each, line.index(each) + 1) for each in (NAME, CHEMICAL) if each in line)
    return min((at for at in (line.find("\t"), *second) if at >= 0), default=0)


def parse_chemicals(text: str, file: str = "chemicals") -> tuple[Chemical, ...]:
    """Chemicals, one a line; after a tab there may be the kind, `brand` or `generic`. A first line `chemical` is a head.

    Raises:
        ListError: a line has more columns or another kind, a chemical is there twice, or there is none.
    """
    found: dict[str, Chemical] = {}
    for number, line in lines_of(text, file):
        name, _, kind = (each.strip() for each in line.partition("\t"))
        if not found and name == "chemical" and kind in ("", "kind"):
            continue
        if not name or kind not in ("", "brand", "generic"):
            message = f"a chemical, and after a tab brand, generic or nothing, is expected: {line[:80]!r}"
            raise ListError(file, number, message, line.index("\t") + 2 if name else 1)
        if name in found:
            raise ListError(file, number, f"{name} is there a second time", line.index(name) + 1)
        found[name] = Chemical(name, kind)
    if not found:
        raise ListError(file, 0, "a chemical a line is expected, and there is none")
    return tuple(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What is crossed with what.

    Attributes:
        templates, chemicals: in order.
        names: where names are taken from.
        top: so many names of each decade and sex.
        decades: first years.
        sample: so many sentences, or all where there are fewer, spread over gender, decade and template so that two of
            these combinations differ by one sentence at most; None for all.
        seed: of the sample. Equal designs give equal documents.

    Raises:
        ListError: there are too few names, or one cannot be part of the name of a file.
        ValueError: the sample has less than a sentence for each gender, decade and template.
    """

    templates: Sequence[Template]
    chemicals: Sequence[Chemical]
    names: PopularNames
    top: int
    decades: Sequence[int]
    sample: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        for decade in self.decades:
            for sex in Sex:
                _check_names(self.names.first(decade, sex, self.top), self.names.file)
        if self.sample is not None and self.sample < self.cells:
            raise ValueError(
                f"a sample of at least {self.cells:,} sentences is expected, one for each gender, decade, template"
            )

    @property
    def cells(self) -> int:
        """How many combinations of gender, decade and template there are."""
        return len(Sex) * len(self.decades) * len(self.templates)

    @property
    def sentences(self) -> int:
        """How many sentences are written."""
        every = self.cells * self.top * len(self.chemicals)
        return every if self.sample is None else min(self.sample, every)

    def longer(self) -> frozenset[tuple[Sex, int, int]]:
        """The genders, decades and templates that have a sentence more than the others, so that the sample is whole.

        Both genders of a decade and template have it, but for one where the number is odd.
        """
        more = self.sentences % self.cells
        pairs = [(decade, number) for decade in self.decades for number in range(1, len(self.templates) + 1)]
        drawn = Random(f"{self.seed} longer").sample(pairs, (more + 1) // 2)  # noqa: S311 - no secret
        return frozenset([(gender, *pair) for pair in drawn for gender in Sex][:more])

    def lines(self, sentences: int) -> tuple[int, ...]:
        """How many lines each document of a gender, decade and template has, which has so many sentences.

        In a sample that is ten, and more where there are too few names for that; two documents differ by one at most.
        """
        if self.sample is None:
            return (len(self.chemicals),) * self.top
        documents = min(self.top, -(-sentences // min(_LINES_OF_A_SAMPLE, len(self.chemicals))))
        each, more = divmod(sentences, documents)
        return (each + 1,) * more + (each,) * (documents - more)


def _check_names(names: Sequence[PopularName], file: str) -> None:
    seen: dict[str, str] = {}
    for each in names:
        if _UNSAFE & set(each.name) or not each.name.isprintable():
            raise ListError(file, 0, f"a name cannot be part of that of a file: {each.name!r}")
        if each.name != each.name.strip():
            raise ListError(file, 0, f"a name has blanks around it: {each.name!r}")
        if each.count >= 10**MOST_DIGITS:
            raise ListError(file, 0, f"{each.name}: the count has more than {MOST_DIGITS} digits")
        twin = seen.setdefault(each.name.casefold(), each.name)
        if twin != each.name:
            raise ListError(file, 0, f"{twin} and {each.name} differ in case only, and their files would be one")


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticDocument:
    """A sentence a line, with the span of the chemical in each.

    Attributes:
        template: its number, from 1.
        text, annotations: the content of `.txt` and `.ann`.
    """

    id: str
    gender: Sex
    decade: int
    template: int
    name: str
    text: str
    annotations: str

    @property
    def row(self) -> tuple[str, ...]:
        """Its row of metadata."""
        return self.id, self.gender.value, str(self.decade), str(self.template), self.name


def write_sentences(design: Design) -> Iterator[SyntheticDocument]:
    """The documents, by gender, decade, template and rank of the name; one at a time, since there may be millions of lines."""
    every = tuple(design.chemicals)
    longer, least = design.longer(), design.sentences // design.cells
    for gender in Sex:
        for decade in design.decades:
            popular = design.names.first(decade, gender, design.top)
            for number, template in enumerate(design.templates, 1):
                # A generator of its own for each cell: a part of the corpus is the same whatever else is written.
                random = Random(f"{design.seed} {gender.value} {decade} {number}")  # noqa: S311 - no secret
                lengths = design.lines(least + ((gender, decade, number) in longer))
                for each, lines in zip(_draw(random, popular, len(lengths)), lengths, strict=True):
                    id_ = f"{gender.value}-{decade}-{number}-{each.name}"
                    before, after = template.around(each.name)
                    chemicals = tuple(one.name for one in _draw(random, every, lines))
                    yield SyntheticDocument(
                        id=id_,
                        gender=gender,
                        decade=decade,
                        template=number,
                        name=each.name,
                        text="".join(f"{before}{chemical}{after}\n" for chemical in chemicals),
                        annotations=_annotations(len(before), len(after), chemicals),
                    )


def _draw(random: Random, values: Sequence[_T], count: int) -> Sequence[_T]:
    """So many different ones, in their order."""
    return values if count >= len(values) else [values[i] for i in sorted(random.sample(range(len(values)), count))]


@lru_cache(maxsize=64)
def _annotations(before: int, after: int, chemicals: tuple[str, ...]) -> str:
    """The lines of an `.ann`, which depend on lengths only, so that names of one length share them."""
    found: list[str] = []
    at = 0
    for number, chemical in enumerate(chemicals, 1):
        start = at + before
        end = start + len(chemical)
        found.append(f"T{number}\t{LABEL} {start} {end}\t{chemical}\n")
        at = end + after + 1
    return "".join(found)


def names_used(design: Design) -> Mapping[tuple[int, Sex], Sequence[PopularName]]:
    """The names that documents are made from, with their counts."""
    return {(decade, sex): design.names.first(decade, sex, design.top) for decade in design.decades for sex in Sex}
