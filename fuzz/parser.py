"""Fuzzes the standoff parser: it never raises, loses no line, and reads what was written from what it read."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["brat"]):
    from tests.brat.hostile.invariants import check_parser


def test_one_input(data: bytes) -> None:
    """What libFuzzer calls: lines in UTF-8, where wrong bytes become what no file can hold and are dropped."""
    check_parser(data.decode("utf-8", "ignore"))


def main() -> None:
    """Run until a limit of the command line, or a finding, is met."""
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
