"""Writes what the fuzzers begin with: `python -m fuzz.seeds FOLDER` makes FOLDER/parser and FOLDER/archives."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from tests.brat.hostile.uploads import ANN, make_tar, make_zip, uploads

_LINES = (
    "T1\tA 0 5\thello",
    "T2\tA 0 5;6 11\thello world",
    "T3\tA +0 ٥\thello",
    "R1\tX Arg1:T1 Arg2:T2\t",
    "E1\tA:T1 Theme:T2 Theme2:E3",
    "A1\tConf T1 very high",
    "M1\tNeg E1",
    "N1\tReference T1 GO:0005515\tprotein binding",
    "N1\tReference Annotation:T1 Referent:GO:1",
    "N1\tReference Referent:GO:1 Annotation:T1",
    "#1\tAnnotatorNotes T1\tsee",
    "*\tEquiv T1 T2",
    "T4\tA 0 1\ta\u2028b\x85c",
    "\ufeffT1\tA 0 1\tx\r\nT2\tA 0 1\ty\rR1\tX",
)
_LARGEST = 20_000
_RAW, _TAR, _PACKED_TAR = 0, 4, 8
_ZIP_NAME, _TAR_NAME, _ANN_NAME, _GZIP_NAME = range(4)


def write(folder: Path) -> None:
    """Write the seeds."""
    for each in ("parser", "archives"):
        (folder / each).mkdir(parents=True, exist_ok=True)
    for number, line in enumerate([*_LINES, "\n".join(_LINES)]):
        (folder / "parser" / str(number)).write_text(line, newline="")
    good = make_tar(("run/a.ann", ANN), ("run/b.txt", b"x"), mode="w")
    archives = [
        bytes([_RAW + _ZIP_NAME]) + make_zip(("run/a.ann", ANN), ("run/b.ann", b"")),
        bytes([_TAR + _TAR_NAME]) + good,
        bytes([_PACKED_TAR + _TAR_NAME]) + good,
        bytes([_RAW + _GZIP_NAME]) + gzip.compress(ANN),
        bytes([_RAW + _ANN_NAME]) + ANN,
    ]
    for data in (upload.data for upload in uploads() if len(upload.data) <= _LARGEST):
        is_tar = data[257:262] == b"ustar"
        archives.append(bytes([_TAR + _TAR_NAME if is_tar else _RAW + _ZIP_NAME]) + data)
    for number, data in enumerate(archives):
        (folder / "archives" / str(number)).write_bytes(data)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
