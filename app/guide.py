"""The guides for teams, served to them: docs/teams.md and docs/problems.md of the project."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "guides"
_IN_THE_PROJECT = Path(__file__).parents[1] / "docs"


def guide_text(name: str) -> str:
    """A guide, `teams` or `problems`, as Markdown."""
    return ((_INSTALLED if _INSTALLED.is_dir() else _IN_THE_PROJECT) / f"{name}.md").read_text("utf-8")
