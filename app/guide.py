"""The guide for teams, served to them: docs/teams.md of the project."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = Path(__file__).parent / "guide.md"
_IN_THE_PROJECT = Path(__file__).parents[1] / "docs" / "teams.md"


def guide_text() -> str:
    """The guide as Markdown."""
    return (_INSTALLED if _INSTALLED.is_file() else _IN_THE_PROJECT).read_text("utf-8")
