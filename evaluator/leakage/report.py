"""What is told of leakage, as a report: `evaluator.plain_tables` writes it as text, CSV, LaTeX and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.leakage.leakage import Leakage
from evaluator.leakage.split import Proposal
from evaluator.leakage.tables import tables_of, tables_of_split
from evaluator.plain_tables import Report


def report_leakage(found: Leakage, signature: Mapping[str, Any]) -> Report:
    """The report of what splits share."""
    return Report(tables=tuple(tables_of(found)), value={"leakage": found.to_json()}, signature=signature)


def report_split(proposal: Proposal, signature: Mapping[str, Any]) -> Report:
    """The report of a proposed split."""
    return Report(tables=tuple(tables_of_split(proposal)), value={"split": proposal.to_json()}, signature=signature)
