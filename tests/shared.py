"""Where the real corpora, the oracle and the specifications lie; tests on them skip where they are missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).parents[2] / "shared"))


def shared(*parts: str) -> Path:
    """A path in the shared folder; skips the test where it is missing, and fails it under CI."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        reason = f"{path} is not here"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}, and CI must have it")
        pytest.skip(reason)
    return path
