"""The tables that agreement is told in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluator.analysis.agreement import Agreement, Disagreement
from evaluator.plain_tables import Report, Table


def report_agreement(found: Agreement, signature: dict[str, Any]) -> Report:
    """Tables and plain values."""
    value = {
        "annotators": found.annotators,
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "annotations": pair.kind.value,
                "kappa": [
                    {
                        "label": each.label,
                        "units": each.units,
                        "agreed": each.agreed,
                        "observed": each.observed,
                        "expected": each.expected,
                        "kappa": each.kappa,
                    }
                    for each in pair.kappas
                ],
                "scores": [each.to_json() for each in pair.scores],
            }
            for pair in found.pairs
        ],
        "alpha": {kind.value: value for kind, value in found.alphas},
        "disagreements": [_disagreement(each, found.annotators) for each in found.disagreements],
    }
    return Report(tables=tuple(_tables(found)), value=value, signature=signature)


def _tables(found: Agreement) -> Iterator[Table]:
    yield Table(
        key="f1",
        title="F1 of every two annotators; precision and recall are those of the second, with the first as reference",
        heads=("annotations", "first", "second", "label", "spans", "precision", "recall", "F1"),
        rows=tuple(
            (
                pair.kind.value, pair.first, pair.second, each.label, each.span,
                each.counts.precision, each.counts.recall, each.counts.f1,
            )
            for pair in found.pairs
            for each in pair.scores
            if each.annotations == pair.kind
        ),
    )  # fmt: skip
    yield Table(
        key="kappa",
        title="Cohen's kappa over what at least one of the two marked, O where the other did not",
        heads=("annotations", "first", "second", "label", "units", "agreed", "observed", "expected", "kappa"),
        rows=tuple(
            (
                pair.kind.value, pair.first, pair.second, each.label, each.units, each.agreed,
                each.observed, each.expected, each.kappa,
            )
            for pair in found.pairs
            for each in pair.kappas
        ),
    )  # fmt: skip
    yield Table(
        key="alpha",
        title="Krippendorff's alpha over all annotators",
        heads=("annotations", "alpha"),
        rows=tuple((kind.value, value) for kind, value in found.alphas),
    )
    yield Table(
        key="disagreements",
        title="What they do not agree on",
        heads=("document", "place", "annotations", "text", *found.annotators),
        rows=tuple((each.document, _place(each), each.kind.value, each.text, *each.said) for each in found.disagreements),
        long=True,
    )


def _place(each: Disagreement) -> str:
    return " → ".join(";".join(f"{start} {end}" for start, end in span) for span in each.spans)


def _disagreement(each: Disagreement, annotators: tuple[str, ...]) -> dict[str, Any]:
    return {
        "annotations": each.kind.value,
        "document": each.document,
        "spans": each.spans,
        "text": each.text,
        "said": dict(zip(annotators, each.said, strict=True)),
    }
