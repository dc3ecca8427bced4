"""Time and memory of scoring a run over synthetic sentences by gender and decade, beside only reading the same files.

`python -m benchmarks.templates` does so for 56,000, 560,000 and 5,600,000 sentences, and prints seconds, peak memory and
the ratio of scoring to reading: that grows linearly as long as the ratio stays. Each is a process of its own, and they are
run in turn. The corpora lie in a temporary folder, 900 MB for the largest. `--small` leaves the largest out.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from brat.files import read_path

_SEED = 7
_TIMES = 3


@dataclass(frozen=True, slots=True)
class Size:
    """How many names of each of 2 genders and 14 decades; each is in 5 templates with 200 chemicals."""

    top: int

    @property
    def documents(self) -> int:
        """One for each gender, decade, template and name."""
        return self.top * 2 * 14 * 5

    @property
    def sentences(self) -> int:
        """A line for each chemical."""
        return self.documents * 200


SIZES = (Size(2), Size(20), Size(200))


def make_corpus(folder: Path, size: Size) -> None:
    """Gold by `assay templates`, and a run that misses some chemicals, cuts others short, and takes names for chemicals."""
    assay = str(Path(sys.executable).parent / "assay")
    command = [assay, "templates", "--out", str(folder / "gold"), "--top", str(size.top)]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "run").mkdir()
    random = Random(_SEED)
    for path in sorted((folder / "gold").glob("*.ann")):
        name = path.stem.rpartition("-")[2]
        text, gold = path.with_suffix(".txt").read_text(), path.read_text()
        (folder / "run" / path.name).write_text(_predict(random, gold, text, name))


def _predict(random: Random, gold: str, text: str, name: str) -> str:
    spans: list[tuple[int, int]] = []
    at = 0
    for sentence, line in zip(text.splitlines(), gold.splitlines(), strict=True):
        _, start, end = line.split("\t")[1].split(" ")
        luck = random.random()
        if luck > 0.1:
            spans.append((int(start), int(end) - (4 if luck < 0.15 else 0)))
        if luck > 0.98:
            place = at + sentence.index(name)
            spans.append((place, place + len(name)))
        at += len(sentence) + 1
    return "".join(f"T{i}\tCHEMICAL {a} {b}\t{text[a:b]}\n" for i, (a, b) in enumerate(sorted(spans), 1))


def read_only(folder: Path) -> int:
    """The bytes of all files that scoring reads, each read once."""
    gold, run = read_path(folder / "gold"), read_path(folder / "run")
    return sum(len(gold[each]) for each in gold) + sum(len(run[each]) for each in run)


def _measure(command: list[str]) -> dict[str, float]:
    """Seconds and MiB of one process."""
    code = (
        "import json, resource, subprocess, sys, time; begin = time.perf_counter();"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(json.dumps({'s': time.perf_counter() - begin, 'mib': used.ru_maxrss / 1024}))"
    )
    found: dict[str, float] = json.loads(subprocess.check_output([sys.executable, "-c", code, *command]))
    return found


def compare(folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Reading and scoring, in turn; of each the run with the middle time."""
    assay = str(Path(sys.executable).parent / "assay")
    gold, run = str(folder / "gold"), str(folder / "run")
    score = [
        assay,
        "score",
        gold,
        run,
        "--metadata",
        f"{gold}/metadata.tsv",
        "--by",
        "gender",
        "--by",
        "decade",
        "--format",
        "csv",
    ]
    read = [sys.executable, "-m", "benchmarks.templates", "--read", str(folder)]
    taken = [(_measure(read), _measure(score)) for _ in range(_TIMES)]
    middle = [sorted(side, key=lambda each: each["s"])[_TIMES // 2] for side in zip(*taken, strict=True)]
    return middle[0], middle[1]


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--read"]:
        begin = time.perf_counter()
        print(read_only(Path(sys.argv[2])), time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    print(
        f"{'sentences':>10}  {'documents':>9}  {'read s':>7}  {'MiB':>5}  {'score s':>7}  {'MiB':>5}  score/read  µs/sentence"
    )
    for size in SIZES[:2] if "--small" in sys.argv else SIZES:
        folder = Path(tempfile.mkdtemp(prefix="assay-templates-"))
        try:
            make_corpus(folder, size)
            read, score = compare(folder)
            print(
                f"{size.sentences:>10,}  {size.documents:>9,}  {read['s']:>7.2f}  {read['mib']:>5.0f}  {score['s']:>7.2f}"
                f"  {score['mib']:>5.0f}  {score['s'] / read['s']:>10.2f}  {1e6 * score['s'] / size.sentences:>11.2f}",
                flush=True,
            )
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
