"""The tables of what authors say of themselves: how many, what of, where they contradict themselves, and what was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from evaluator.fairness.gender_words import WORDS, group_of
from evaluator.fairness.self_identification import AGE, AGE_BAND, GENDER, Author, as_metadata
from evaluator.plain_tables import Report, Table
from evaluator.strata.groups import groups_in
from evaluator.strata.model import UNKNOWN


def report_authors(
    authors: Mapping[str, Author],
    signature: Mapping[str, Any],
    bands: tuple[int, ...] = (),
    given: Mapping[str, str] | None = None,
) -> Report:
    """What was found in a corpus.

    Args:
        authors: by document id.
        signature: what it depends on.
        bands: where age bands begin; none without.
        given: the gender of documents by another source, to compare with; letters and words for it are known.
    """
    metadata = as_metadata(authors, bands)
    ages = metadata.column(AGE_BAND) if bands else dict.fromkeys(metadata.column(AGE), "any age")
    tables = [_groups(GENDER, metadata.column(GENDER), authors), _groups(AGE_BAND if bands else AGE, ages, authors)]
    tables += [_patterns(authors), _contradictions(authors)]
    if given is not None:
        tables += _compared(authors, given)
    value = {id_: _plain(author, metadata.rows[id_]) for id_, author in authors.items()}
    return Report(tables=tuple(tables), value={"authors": value}, signature=signature)


def _plain(author: Author, row: Mapping[str, str]) -> dict[str, Any]:
    return {
        GENDER: author.gender,
        AGE: author.age,
        **({AGE_BAND: row[AGE_BAND]} if AGE_BAND in row else {}),
        "contradictions": list(author.contradictions),
        "found": [asdict(each) for each in author.found],
    }


def _groups(attribute: str, values: Mapping[str, str], authors: Mapping[str, Author]) -> Table:
    """Documents of every group, and those of none: with a contradiction, or with nothing said."""
    counts = Counter(values.values())
    told = AGE if attribute == AGE_BAND else attribute
    against = sum(told in each.contradictions for each in authors.values())
    rows = [(group, counts[group]) for group in groups_in(values)]
    silent = len(authors) - len(values) - against
    return Table(
        key=attribute,
        title=f"Documents by what their authors say of their {told}",
        heads=(attribute, "documents"),
        rows=(*rows, ("contradicting, in no group", against), ("nothing said, in no group", silent)),
    )


def _patterns(authors: Mapping[str, Author]) -> Table:
    counts = Counter(each.pattern for author in authors.values() for each in author.found)
    documents = sum(bool(each.found) for each in authors.values())
    return Table(
        key="self-identifications",
        title=f"Self-identifications: {sum(counts.values()):,} in {documents:,} documents",
        heads=("pattern", "found"),
        rows=tuple((name, counts[name]) for name in sorted(counts, key=lambda each: (-counts[each], each))),
    )


def _contradictions(authors: Mapping[str, Author]) -> Table:
    """A row for every self-identification of a post that contradicts itself."""
    against = {id_: each for id_, each in authors.items() if each.contradictions}
    return Table(
        key="contradictions",
        title=f"Documents that contradict themselves: {len(against):,}",
        heads=("document", "about", "line", "column", "text", GENDER, AGE),
        rows=tuple(
            (id_, " and ".join(author.contradictions), str(each.line), str(each.column), each.text, each.gender, each.age)
            for id_, author in against.items()
            for each in author.found
        ),
        long=True,
    )


def _compared(authors: Mapping[str, Author], given: Mapping[str, str]) -> Iterator[Table]:
    """How the gender that was given and the one that was found agree, and the documents where they do not."""
    pairs = {id_: (_known(given.get(id_)), each.gender or UNKNOWN) for id_, each in authors.items()}
    counts = Counter(pairs.values())
    rows = [(*pair, counts[pair], _verdict(*pair)) for pair in sorted(counts)]
    yield Table(
        key="given-and-found",
        title="The gender that was given, and the one that was found",
        heads=("given", "found", "documents", ""),
        rows=tuple(rows),
    )
    yield Table(
        key="disagreements",
        title="Documents whose author says something else than was given",
        heads=("document", "given", "found", "text"),
        rows=tuple(
            (id_, *pair, " … ".join(each.text for each in authors[id_].found if each.gender))
            for id_, pair in pairs.items()
            if _verdict(*pair) == "disagree"
        ),
        long=True,
    )


def _known(value: str | None) -> str:
    """A gender as it was given, in our words where it is one of them."""
    if value is None:
        return UNKNOWN
    return group_of(value) if value.casefold() in WORDS else value


def _verdict(given: str, found: str) -> str:
    if UNKNOWN in (given, found):
        return "cannot be compared"
    return "agree" if given == found else "disagree"
