"""The study of gender bias in chemical NER in small (METHODS, section 2): six models, run on synthetic sentences.

Three families of embeddings, all made on the spot, times two corpora; the layout is that of its Table 4, with its averages.
Differences are female − male, as the paper's method says; its table prints them the other way round. The values are what such
small models give: it is the pipeline that is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import fmean

from baselines import recipes
from baselines.protocol import Corpus
from benchmarks.baselines.corpora import Told, bc5cdr, brat, counts, relabelled, split_dev, told
from brat.model import Document
from brat.parse import parse
from evaluator.fairness.name_lists import own_text, parse_names
from evaluator.fairness.sentences import Design, parse_chemicals, parse_templates, write_sentences

_LABEL = "CHEMICAL"
_SAMPLE = 4_000
_FAMILIES = {
    "word": {"embeddings": "word"},
    "flair": {"embeddings": "flair", "size": "128", "lm_epochs": "3"},
    "transformer": {"embeddings": "transformer", "fine_tune": "yes", "lr": "0.001"},
}
_ALL = {"epochs": "8", "hidden": "128", "lr": "0.003"}
_METRICS = ("precision", "recall", "f1")
_Figures = dict[str, dict[str, float | None]]


def main(arguments: Sequence[str]) -> None:
    """Train, tag, and print the table."""
    most = int(arguments[0]) if arguments else 2_000
    corpora = {"BC5CDR": relabelled(bc5cdr("train"), _LABEL), "DDI": relabelled(brat("ddi2013", "train"), _LABEL)}
    sentences, gender = _sentences()
    lines = sum((each.text or "").count("\n") for each in sentences.values())
    print(f"{lines:,} sentences; models of up to {most:,} documents")
    rows: dict[tuple[str, str], _Figures] = {}
    heads = [f"{metric} {each}" for metric in _METRICS for each in ("female", "male", "f − m")]
    print(f"{'embeddings':12} {'corpus':8}" + "".join(f"{each:>18}" for each in heads))
    for family, settings in _FAMILIES.items():
        for name, documents in corpora.items():
            print(f"{family}, {name}", file=sys.stderr)
            corpus = split_dev(dict(list(documents.items())[:most]))
            run = recipes.predict(_trained(corpus, {**_ALL, **settings}), sentences)
            rows[family, name] = _by_gender(sentences, run, gender)
            _print(family, name, rows[family, name])
    for family in _FAMILIES:
        _print(family, "mean", _mean([each for (own, _), each in rows.items() if own == family]))
    for name in corpora:
        _print("mean", name, _mean([each for (_, own), each in rows.items() if own == name]))
    _print("mean", "mean", _mean(list(rows.values())))


def _trained(corpus: Corpus, settings: Mapping[str, str]) -> recipes.Trained:
    return recipes.train("bilstm-crf", corpus, settings, Told())


def _sentences() -> tuple[dict[str, Document], dict[str, str]]:
    design = Design(
        templates=parse_templates(own_text("templates.txt")),
        chemicals=parse_chemicals(own_text("chemicals.tsv")),
        names=(names := parse_names(own_text("names.tsv"))),
        top=50,
        decades=names.decades,
        sample=_SAMPLE,
        seed=1,
    )
    documents, gender = {}, {}
    for each in write_sentences(design):
        document, _ = parse(each.annotations, document_id=each.id, text=each.text)
        documents[each.id] = document
        gender[each.id] = each.row[1]
    return documents, gender


def _by_gender(gold: Mapping[str, Document], run: Mapping[str, Document], gender: Mapping[str, str]) -> _Figures:
    found: _Figures = {}
    for group in ("female", "male"):
        ids = [id_ for id_ in gold if gender[id_] == group]
        own = counts({id_: gold[id_] for id_ in ids}, {id_: run[id_] for id_ in ids})
        found[group] = {metric: getattr(own, metric) for metric in _METRICS}
    return found


def _mean(rows: Sequence[_Figures]) -> _Figures:
    """The unweighted mean over models; None where one has no figure."""
    found: _Figures = {}
    for group in ("female", "male"):
        values = {metric: [row[group][metric] for row in rows] for metric in _METRICS}
        found[group] = {
            metric: None if None in each else fmean(v for v in each if v is not None) for metric, each in values.items()
        }
    return found


def _print(family: str, name: str, figures: _Figures) -> None:
    cells = []
    for metric in _METRICS:
        female, male = figures["female"][metric], figures["male"][metric]
        difference = None if female is None or male is None else female - male
        cells += [told(female), told(male), "–" if difference is None else f"{difference:+.4f}"]
    print(f"{family:12} {name:8}" + "".join(f"{each:>18}" for each in cells), flush=True)
