"""The annotated strings of a document."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from brat.model import Document, Fragment, covered_text
from evaluator.leakage.words import collapse


@dataclass(frozen=True, slots=True)
class Mention:
    """A label on a span, and the string that it covers: its fragments joined by a blank, white space collapsed, case kept."""

    label: str
    fragments: tuple[Fragment, ...]
    string: str


def mentions(document: Document, ignored: Collection[str] = ()) -> list[Mention]:
    """The annotations of a document in the order of its lines, each once; a span with two labels is two.

    Args:
        document: with its text; without it the text columns are what its annotations cover.
        ignored: labels that are left out, such as those of triggers.
    """
    found: dict[tuple[str, tuple[Fragment, ...]], Mention] = {}
    for each in document.text_bounds:
        fragments = tuple(sorted(set(each.fragments)))
        if each.label not in ignored and (each.label, fragments) not in found:
            covered = (each.text or "") if document.text is None else covered_text(document.text, fragments)
            found[each.label, fragments] = Mention(each.label, fragments, collapse(covered))
    return list(found.values())
