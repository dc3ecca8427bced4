"""The project's own rules: imports point one way, types and lint are clean, documents keep up with the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from brat.diagnosis.countings import COUNTINGS
from brat.diagnosis.fits import nearby, steady
from brat.diagnosis.hypotheses import counted, in_place, moved
from brat.problems import ERRORS, WARNINGS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command", [["lint-imports"], ["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]], ids=" ".join
)
def test_a_tool_finds_nothing(command: list[str]) -> None:
    tool = Path(sys.executable).parent / command[0]
    result = subprocess.run([str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stdout + result.stderr


def _explained() -> dict[str, str]:
    """The sections of docs/problems.md by code."""
    guide = (ROOT / "docs" / "problems.md").read_text()
    return {section.split("\n", 1)[0]: section for section in guide.split("\n### ")[1:]}


def test_every_problem_code_is_used_and_explained_with_an_example_and_its_cure() -> None:
    source = "".join(each.read_text() for folder in ("brat", "app") for each in (ROOT / folder).rglob("*.py"))
    sections = _explained()
    for code in (*ERRORS, *WARNINGS):
        assert len(re.findall(f'"{code}"', source)) >= 2, f"{code} is never raised"
        assert code in sections, f"{code} is not explained in docs/problems.md"
    for code, section in sections.items():
        assert section.count("```") == 2, f"{code} has no example"
        assert "\nCure: " in section, f"{code} has no cure"


def test_every_diagnosis_is_explained_and_no_other_code_is() -> None:
    hypotheses = [*(counted(each) for each in COUNTINGS), *in_place(), steady(), nearby(), moved((0, -1)), moved((1, 0))]
    codes = {each.code for each in hypotheses}

    assert _explained().keys() == codes | ERRORS.keys() | WARNINGS.keys()


def test_every_setting_is_explained() -> None:
    names = set(re.findall(r"ASSAY_[A-Z_]+", (ROOT / "app" / "settings.py").read_text()))
    guide = (ROOT / "docs" / "organisers.md").read_text()

    assert names
    assert all(f"`{each}`" in guide for each in names), names


def test_modules_and_functions_stay_small() -> None:
    long = [
        str(each)
        for folder in ("brat", "evaluator", "baselines", "app")
        for each in (ROOT / folder).rglob("*.py")
        if len(each.read_text().splitlines()) > 300
    ]

    assert long == []
