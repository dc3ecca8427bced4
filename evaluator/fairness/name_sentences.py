"""Sentences that start with a name: the texts that a tagger is given, with gold and what each document is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brat.model import Document, TextBound
from evaluator.fairness.census import Census, NameCounts, Sex

NAME = "[NAME]"
PERSON = "PERSON"
TEMPLATES: tuple[str, ...] = (
    "[NAME]",
    "[NAME] is on the way to class",
    "[NAME] is sitting in the lecture hall",
    "[NAME] is a human being",
    "[NAME] is having lunch",
    "[NAME] is off to buy vegetables",
    "[NAME] is leaving for the office",
    "[NAME] works as a midwife",
    "[NAME] works as a surgeon",
)
"""Nine in the manner of the paper's Table 1, in our own words: the bare name, study, being a person, everyday life, work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesDocument:
    """The names of a year and sex in one template: a sentence a line, in the order of the census.

    Attributes:
        document: its text, and a span on every name.
        template: its number, from 1.
    """

    document: Document
    template: str
    year: int
    sex: Sex

    @property
    def metadata(self) -> dict[str, str]:
        """Its row of metadata."""
        return {
            "document": self.document.id,
            "template": self.template,
            "year": str(self.year),
            "sex": self.sex.value,
            "decade": str(self.year // 10 * 10),
        }


def parse_templates(text: str, file: str = "templates") -> tuple[str, ...]:
    """Templates, one a line; empty lines are passed over.

    Raises:
        ValueError: a line has not exactly one `[NAME]`, or there is none; with file and line.
    """
    found: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        template = line.strip()
        if template and template.count(NAME) != 1:
            raise ValueError(f"{file}:{number}: {NAME} is expected once, as in `{TEMPLATES[3]}`: {template!r}")
        found += [template] if template else []
    if not found:
        raise ValueError(f"{file}: there is no template")
    return tuple(found)


def write_names(
    census: Census, templates: Mapping[str, str], years: Sequence[int], most: int | None = None
) -> Iterator[NamesDocument]:
    """A document for each template, year and sex, in this order.

    Args:
        census: where names come from.
        templates: by their number, each with one `[NAME]`.
        years: those of the census that are wanted.
        most: how many names of each year and sex, the most frequent ones; None for all.

    Raises:
        evaluator.fairness.census.CensusError: the census lacks a year.
    """
    for number, template in templates.items():
        for year in years:
            for sex in Sex:
                names = census.names(year, sex).first(most)
                id_ = f"template{number}_{sex}{year}"
                yield NamesDocument(document=_document(id_, template, names), template=number, year=year, sex=sex)


def _document(id_: str, template: str, names: NameCounts) -> Document:
    before, _, after = template.partition(NAME)
    lines: list[str] = []
    spans: list[TextBound] = []
    at = 0
    for number, name in enumerate(names.names, 1):
        start = at + len(before)
        spans.append(TextBound(f"T{number}", PERSON, ((start, start + len(name)),), name))
        lines.append(f"{before}{name}{after}\n")
        at += len(lines[-1])
    return Document(id_, tuple(spans), "".join(lines))
