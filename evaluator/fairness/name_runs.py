"""BRAT runs on sentences with names: what lies on each name of the gold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np

from brat.model import Document
from evaluator.fairness.census import Census, NameCounts, Sex
from evaluator.fairness.name_errors import Labels, TaggedNames
from evaluator.fairness.name_predictions import Place, PredictionsError, Wanted
from evaluator.metadata import Metadata

COLUMNS = ("template", "year", "sex")
"""Attributes that a document must have."""


def places_in(metadata: Metadata, system: str) -> dict[str, Place]:
    """What each document of a corpus is about, by its metadata: template, year and sex.

    Raises:
        PredictionsError: a document lacks one of these, its year is no number, or its sex is neither female nor male.
        evaluator.metadata.MetadataError: there is no such column.
    """
    template, years, sexes = (metadata.column(each) for each in COLUMNS)
    found: dict[str, Place] = {}
    for id_ in metadata.rows:
        lacking = [name for name, values in zip(COLUMNS, (template, years, sexes), strict=True) if id_ not in values]
        if lacking:
            raise PredictionsError(metadata.file, 0, f"document {id_} has no {' and no '.join(lacking)}")
        year, sex = years[id_], sexes[id_]
        if not year.isdecimal() or sex not in list(Sex):
            raise PredictionsError(metadata.file, 0, f"document {id_}: a year, and female or male, are expected: {year}, {sex}")
        found[id_] = Place(system=system, template=template[id_], year=int(year), sex=Sex(sex))
    return found


def read_run(
    gold: Mapping[str, Document],
    run: Mapping[str, Document],
    places: Mapping[str, Place],
    census: Census | None,
    wanted: Wanted,
) -> tuple[TaggedNames, ...]:
    """What a run made of the names that gold marks, ordered by template, year and sex.

    Args:
        gold: documents with their texts, by id; each span in them is a name.
        run: the same documents; one that is missing tags nothing.
        places: what each is about; several about the same are put together.
        census: their frequency; None where it is not known: that of every name is 0 then.
        wanted: which of them are read.

    Raises:
        PredictionsError: a document is about nothing, or one of its names is not in the census, or there twice.
        evaluator.fairness.census.CensusError: the census lacks a year.
    """
    lacking = [id_ for id_ in gold if id_ not in places]
    if lacking:
        raise PredictionsError(lacking[0], 0, "the metadata has no row for this document")
    parts: dict[Place, dict[str, Labels]] = {}
    for id_, document in gold.items():
        place = places[id_]
        if wanted.takes(place):
            part = parts.setdefault(place, {})
            for name, labels in _on_names(document, run.get(id_, Document(id_))):
                if name in part:
                    raise PredictionsError(id_, 0, f"{name} is among the {place.sex} names of {place.year} a second time")
                part[name] = labels
    if not parts:
        raise PredictionsError(wanted_name(places), 0, "nothing of what is asked for")
    found = (_tagged(place, part, census, wanted) for place, part in parts.items())
    return tuple(sorted(found, key=lambda each: each.key))


def wanted_name(places: Mapping[str, Place]) -> str:
    """The system that places belong to."""
    return next((each.system for each in places.values()), "run")


def _on_names(gold: Document, run: Document) -> list[tuple[str, Labels]]:
    """Each name with the labels of the spans that share at least a character with it, in the order of the run's lines."""
    names = sorted((start, end, i) for i, each in enumerate(gold.text_bounds) for start, end in each.fragments)
    starts, ends = [start for start, _, _ in names], [end for _, end, _ in names]
    if any(after < before for before, after in zip(ends, starts[1:], strict=False)):
        raise PredictionsError(gold.id, 0, "two names overlap")
    found: list[dict[str, None]] = [{} for _ in names]
    for each in run.text_bounds:
        for start, end in each.fragments:
            if start < end:  # an empty span has no character to share
                for i in range(_first_after(ends, start), bisect_left(starts, end)):
                    found[i][each.label] = None
    text = gold.text or ""
    return [(text[start:end], tuple(labels)) for (start, end, _), labels in zip(names, found, strict=True)]


def _first_after(ends: Sequence[int], start: int) -> int:
    """The first name that does not end at or before a place."""
    return bisect_left(ends, start + 1)


def _tagged(place: Place, part: Mapping[str, Labels], census: Census | None, wanted: Wanted) -> TaggedNames:
    known = census.names(place.year, place.sex) if census else NameCounts(tuple(part), np.zeros(len(part), dtype=np.int64))
    strange = part.keys() - set(known.names)
    if census and strange:
        message = f"{min(strange)!r} is not among the {place.sex} names of {place.year}"
        raise PredictionsError(census.file, 0, message)
    rows = [i for i, name in enumerate(known.names[: wanted.most]) if name in part]
    names = tuple(known.names[i] for i in rows)
    return TaggedNames(
        system=place.system,
        template=place.template,
        year=place.year,
        sex=place.sex,
        names=names,
        counts=known.counts[np.array(rows, dtype=np.int64)],
        labels=tuple(part[name] for name in names),
    )
