"""Fuzzes the archive reader: it raises one exception alone, stays within its limits, and gives no path that leaves a folder.

The first byte of an input says how the rest is dressed: as it is, as a tar whose checksums are put right, or as such a tar
packed with gzip; bytes at random would not come past a checksum.
"""

from __future__ import annotations

import gzip
import sys

import atheris

with atheris.instrument_imports(include=["brat"]):
    from tests.brat.hostile.invariants import check_archive
from tests.brat.hostile.uploads import with_checksums

NAMES = ("run.zip", "run.tar", "a.ann", "a.ann.gz")


def dressed(data: bytes) -> tuple[bytes, str]:
    """An upload and its name, from what the fuzzer made."""
    how, rest = data[0], data[1:]
    if how & 12 == 4:
        rest = with_checksums(rest)
    elif how & 12 == 8:
        rest = gzip.compress(with_checksums(rest), 1)
    return rest, NAMES[how & 3]


def test_one_input(data: bytes) -> None:
    """What libFuzzer calls."""
    if data:
        check_archive(*dressed(data))


def main() -> None:
    """Run until a limit of the command line, or a finding, is met."""
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
