"""What `assay score` is asked to score by."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import click

from evaluator.criteria import Criterion, LabelRule, parse_span
from evaluator.task import TaskDefinition

_Mode = TypeVar("_Mode", bound=StrEnum)


def criteria_of(spans: tuple[str, ...], labels: tuple[str, ...], task: TaskDefinition | None) -> list[Criterion]:
    """The criteria given with --span and --labels; those of the task where neither is given."""
    if task and not spans and not labels:
        return list(task.criteria)
    rules = modes_of(LabelRule, labels)
    return [Criterion(each.span, rule, each.threshold) for rule in rules for each in spans_of(spans, ("exact",))]


def spans_of(given: tuple[str, ...], default: tuple[str, ...]) -> list[Criterion]:
    """The spans given with --span, each once, as criteria of fine labels; the default if none is."""
    try:
        parsed = dict.fromkeys(parse_span(each) for each in given or default)
    except ValueError as bad:
        raise click.BadParameter(str(bad), param_hint="--span") from bad
    return [Criterion(rule, LabelRule.FINE, threshold) for rule, threshold in parsed]


def modes_of(kind: type[_Mode], given: tuple[str, ...]) -> list[_Mode]:
    """The modes given with --labels, each once; fine if none is."""
    unknown = [each for each in given if each not in set(kind)]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(kind)}", param_hint="--labels")
    return [kind(each) for each in dict.fromkeys(given or ("fine",))]
