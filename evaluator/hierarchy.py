"""Which label lies under which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Labels and their parents. A label that is not in it is its own topmost label.

    Raises:
        ValueError: a label lies under itself.
    """

    parents: Mapping[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for label in self.parents:
            seen = {label}
            above = self.parents.get(label)
            while above is not None:
                if above in seen:
                    raise ValueError(f"{label} lies under itself")
                seen.add(above)
                above = self.parents.get(above)

    def ancestors(self, label: str) -> list[str]:
        """The labels above this one, nearest first."""
        found: list[str] = []
        above = self.parents.get(label)
        while above is not None:
            found.append(above)
            above = self.parents.get(above)
        return found

    def topmost(self, label: str) -> str:
        """The last label above this one, or the label itself."""
        above = self.ancestors(label)
        return above[-1] if above else label

    @property
    def groups(self) -> list[str]:
        """The labels that have others below them, in order of first mention."""
        named = {parent for parent in self.parents.values() if parent is not None}
        return [label for label in self.parents if label in named]

    def members(self, group: str, labels: Iterable[str]) -> list[str]:
        """Those of the labels that are the group or lie below it."""
        return [label for label in labels if label == group or group in self.ancestors(label)]
