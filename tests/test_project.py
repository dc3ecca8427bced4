"""The project's own rules: imports point one way, types and lint are clean, documents keep up with the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from brat.problems import ERRORS, WARNINGS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command", [["lint-imports"], ["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]], ids=" ".join
)
def test_a_tool_finds_nothing(command: list[str]) -> None:
    tool = Path(sys.executable).parent / command[0]
    result = subprocess.run([str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stdout + result.stderr


def test_every_problem_code_is_used_and_explained() -> None:
    source = "".join(each.read_text() for folder in ("brat", "app") for each in (ROOT / folder).rglob("*.py"))
    guide = (ROOT / "docs" / "teams.md").read_text()
    for code in (*ERRORS, *WARNINGS):
        assert len(re.findall(f'"{code}"', source)) >= 2, f"{code} is never raised"
        assert f"`{code}`" in guide, f"{code} is not explained in docs/teams.md"


def test_every_setting_is_explained() -> None:
    names = set(re.findall(r"ASSAY_[A-Z_]+", (ROOT / "app" / "settings.py").read_text()))
    guide = (ROOT / "docs" / "organisers.md").read_text()

    assert names
    assert all(f"`{each}`" in guide for each in names), names


def test_modules_and_functions_stay_small() -> None:
    long = [
        str(each)
        for folder in ("brat", "evaluator", "app")
        for each in (ROOT / folder).rglob("*.py")
        if len(each.read_text().splitlines()) > 300
    ]

    assert long == []
