"""Time and memory of checking a run, for growing numbers of documents: right ones, and ones whose offsets count bytes.

`make bench` prints the seconds of the whole `assay check` process and its peak memory, for each size the time a document
relative to the size before (1.0 is linear growth), and what finding and correcting a systematic fault adds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.scoring import Size, generate

_SIZES = (
    Size("375 documents, 6,700 entities", 375, 6_700),
    Size("2,000 documents, 50,000 entities", 2_000, 50_000),
    Size("20,000 documents, 500,000 entities", 20_000, 500_000),
)


def _spoil(folder: Path, target: Path) -> None:
    """The same run with offsets in bytes, beside texts that begin with a character of two bytes."""
    (target / "texts").mkdir(parents=True)
    (target / "run").mkdir()
    for text in (folder / "gold").glob("*.txt"):
        (target / "texts" / text.name).write_text("é" + text.read_text()[1:])
    for sent in (folder / "run").glob("*.ann"):
        lines = [_two_bytes(line) for line in sent.read_text().splitlines()]
        (target / "run" / sent.name).write_text("".join(f"{line}\n" for line in lines))


def _two_bytes(line: str) -> str:
    id_, spans, text = line.split("\t")
    label, start, end = spans.split(" ")
    return f"{id_}\t{label} {int(start) + (start != '0')} {int(end) + 1}\t{text}"


def _check(run: Path, texts: Path) -> tuple[float, float]:
    """Seconds and peak MiB of one process; the middle one of three."""
    command = [str(Path(sys.executable).parent / "assay"), "check", str(run), "--texts", str(texts)]
    measured = []
    for _ in range(3):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        measured.append((time.perf_counter() - begin, used.ru_maxrss / 1024))
    return sorted(measured)[1]


def main() -> None:
    """Print the table."""
    before = 0.0
    for size in _SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            generate(folder, size)
            seconds, memory = _check(folder / "run", folder / "gold")
            _spoil(folder, folder / "bytes")
            faulty, faulty_memory = _check(folder / "bytes" / "run", folder / "bytes" / "texts")
        each = seconds / size.documents
        growth = f"  {each / before:.2f} × the time a document of the size before" if before else ""
        before = each
        print(size.name)
        print(f"  assay check            {seconds:8.3f} s  peak {memory:7.0f} MiB{growth}")
        print(f"  with offsets in bytes  {faulty:8.3f} s  peak {faulty_memory:7.0f} MiB  {faulty / seconds:.2f} × that")


if __name__ == "__main__":
    main()
