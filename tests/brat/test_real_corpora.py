"""Every BRAT corpus that is shared parses, with just the problems that its description tells of (DATA.md)."""

from __future__ import annotations

import pytest

from brat.corpus import Corpus, read_corpus
from brat.files import read_path
from brat.parse import parse
from brat.problems import count_by_code
from brat.write import write
from tests.shared import shared

# path: documents, text-bound annotations, problems by code
CORPORA = {
    "chemu-sample/ner/gold": (50, 770, {}),
    "chemu-sample/ee/gold": (50, 1062, {}),
    "ddi2013/train": (714, 14765, {"text-mismatch": 5}),
    "ddi2013/test": (303, 3726, {}),
    "pharmaconer/dev-set.zip": (250, 1926, {}),
    # Counted from the files: one document whose offsets are one, then two, too high from its first line on.
    "pharmaconer/train-set.zip": (500, 3822, {"text-mismatch": 5}),
    # 651 of the gold plus 24 of the two labels that do not count.
    "profner/gold": (2000, 675, {}),
    # protocol_352: a T line broken over two lines; two no-break spaces and a tab in text columns.
    "brat-corpora/wlp": (622, 60745, {"text-mismatch": 4, "unreadable-line": 1}),
    "brat-corpora/bionlp13cg": (400, 24489, {}),
    "brat-corpora/risec": (261, 9170, {"missing-text": 1}),
}


def load(path: str) -> Corpus:
    return read_corpus(read_path(shared("data", *path.split("/"))))


@pytest.mark.parametrize("path", CORPORA)
def test_a_corpus_parses_as_described(path: str) -> None:
    documents, bounds, problems = CORPORA[path]
    corpus = load(path)

    assert len(corpus.documents) == documents
    assert sum(1 for each in corpus.documents.values() for _ in each.text_bounds) == bounds
    assert count_by_code(corpus.problems) == problems


@pytest.mark.parametrize("path", ["brat-corpora/wlp", "brat-corpora/bionlp13cg", "brat-corpora/risec", "ddi2013/train"])
def test_a_corpus_survives_writing(path: str) -> None:
    for id_, document in load(path).documents.items():
        again, problems = parse(write(document), document_id=id_, text=document.text)
        assert problems == []
        assert again == document


def test_the_three_pharmaconer_runs_have_extra_documents_and_no_errors() -> None:
    gold = load("pharmaconer/dev-set.zip")
    for name in ("bl", "c1", "c4"):
        run = read_corpus(read_path(shared("data", "pharmaconer", "runs", f"racai-{name}.zip")), gold.texts)
        assert (len(run.documents), len(run.extra), run.problems) == (250, 3501, ())
