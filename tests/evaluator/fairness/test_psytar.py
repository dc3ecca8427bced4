"""The example that turns the PsyTAR workbook into a BRAT corpus with metadata."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.fairness.self_identification import find_authors
from evaluator.metadata import parse_metadata
from tests.shared import shared

EXAMPLE = Path(__file__).parents[3] / "examples" / "psytar_to_brat.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("psytar_to_brat", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_where_a_mention_stands(example: ModuleType) -> None:
    text = "Painful pain.  PAIN again, weight\ngain. No pain"

    assert example.places("pain", text) == [(8, 12), (43, 47)], "not in Painful; PAIN only where nothing is exactly so"
    assert example.places("Weight gain", text) == [(27, 38)], "case and white space folded"
    assert example.places("Painfu", text) == []


def test_which_of_several_places_is_meant(example: ModuleType) -> None:
    text = "I had pain. Then a pain came.\npain"
    mentions = [
        example.Mention("r", "ADR", "Then a pain came.", "pain"),  # the sentence says which
        example.Mention("r", "ADR", "pain pain", "pain"),  # no such sentence: the first that is free, one of two
        example.Mention("r", "WD", "I had pain .", "pain"),  # another label may have the same place
        example.Mention("r", "ADR", "", "pain"),  # the last one that is free: not ambiguous any more
        example.Mention("r", "ADR", "", "pain"),  # none is left
        example.Mention("r", "ADR", "", "agony"),
    ]
    located = example.locate(mentions, {"r": text})

    assert [(each.label, each.fragments) for each in located.annotations["r"]] == [
        ("ADR", ((19, 23),)),
        ("ADR", ((6, 10),)),
        ("WD", ((6, 10),)),
        ("ADR", ((30, 34),)),
    ]
    assert [each.sentence for each in located.ambiguous] == ["pain pain"]
    assert [each.string for each in located.unfound] == ["pain", "agony"]


def test_a_file_that_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_text("no zip")
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "x.xlsx"), str(tmp_path / "out")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=EXAMPLE.parents[1])

    assert (result.returncode, "not the PsyTAR workbook" in result.stderr) == (1, True)


def test_the_whole_corpus(example: ModuleType, tmp_path: Path) -> None:
    reviews, located = example.convert(shared("data", "psytar", "PsyTAR_dataset.xlsx"), tmp_path)
    corpus = read_corpus({path: data for path, data in read_path(tmp_path).items() if path != "metadata.tsv"})
    metadata = parse_metadata((tmp_path / "metadata.tsv").read_text("utf-8"))

    # DATA.md: 891 reviews, F 669, M 212, missing 10.
    assert (len(reviews), len(corpus.documents), corpus.problems) == (891, 891, ())
    assert Counter(metadata.column("gender").values()) == {"female": 669, "male": 212}
    assert metadata.rows["lexapro.1"]["age"] == "39"
    # Measured, so that a change of the rule is seen: most of what is not found is a paraphrase, `First 10 days, anxiety`.
    assert located.found == {"ADR": 4307, "WD": 523, "SSI": 1187, "DI": 768}
    assert Counter(each.label for each in located.unfound) == {"ADR": 506, "WD": 67, "SSI": 32, "DI": 25}
    assert sum(len(list(each.text_bounds)) for each in corpus.documents.values()) == sum(located.found.values())
    # The reviews leave gender to a field of the form: four tell an age, which is the one that is given.
    said = {id_: each for id_, each in find_authors(corpus.texts).items() if each.found}
    assert all(each.gender is None for each in said.values())
    assert {id_: str(each.age) for id_, each in said.items()} == {id_: metadata.rows[id_]["age"] for id_ in said}
    assert len(said) == 4
