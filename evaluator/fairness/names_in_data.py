"""Bias in data: which names of the census a corpus has at all (Mehrabi et al. 2020, Table 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from brat.model import Document
from evaluator.fairness.census import Census, Sex
from evaluator.leakage.mentions import mentions
from evaluator.leakage.words import split_words
from evaluator.scores import Json

WORDS, ENTITIES = "words", "entities"
"""Where names are looked for: among all words of the texts, and among the words of annotated strings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesFound:
    """Distinct names of the census that occur in a place; a name of both sexes counts for both.

    Attributes:
        place: a split, or `census`.
        among: `WORDS`, `ENTITIES`, or empty for the census itself.
        female, male: how many different names.
    """

    place: str
    among: str
    female: int
    male: int

    @property
    def female_share(self) -> float | None:
        """The share of female names among the names that occur; None where none does."""
        both = self.female + self.male
        return self.female / both if both else None

    @property
    def male_share(self) -> float | None:
        """The rest."""
        both = self.female + self.male
        return self.male / both if both else None

    def to_json(self) -> Json:
        """The record as plain values."""
        return {
            "place": self.place,
            "among": self.among,
            "female": self.female,
            "male": self.male,
            "female_share": self.female_share,
            "male_share": self.male_share,
        }


def distinct_names(census: Census, years: Iterable[int] | None = None) -> dict[Sex, frozenset[str]]:
    """The different names of each sex over years of the census; over all of them where none are given."""
    wanted = census.years if years is None else tuple(years)
    return {sex: frozenset(census.over(wanted, sex).names) for sex in Sex}


def find_names(
    names: Mapping[Sex, Collection[str]], splits: Mapping[str, Iterable[Document]], labels: Collection[str] = ()
) -> tuple[NamesFound, ...]:
    """The names of the census, and those that occur in each split: among its words, and among the words of its entities.

    A name occurs where a word is the name, with its case; words are those of `evaluator.leakage.words`. So `May` the month
    counts among words, and `Will` at the start of a sentence.

    Args:
        names: of each sex (`distinct_names`).
        splits: their documents, with texts.
        labels: of the entities that are looked at; none for all.
    """
    found = [NamesFound(place="census", among="", female=len(names[Sex.FEMALE]), male=len(names[Sex.MALE]))]
    for split, documents in splits.items():
        words: set[str] = set()
        entities: set[str] = set()
        for each in documents:
            words.update(split_words(each.text or "", lower=False))
            for mention in mentions(each):
                if not labels or mention.label in labels:
                    entities.update(split_words(mention.string, lower=False))
        for among, these in ((WORDS, words), (ENTITIES, entities)):
            female, male = (sum(name in these for name in names[sex]) for sex in (Sex.FEMALE, Sex.MALE))
            found.append(NamesFound(place=split, among=among, female=female, male=male))
    return tuple(found)
