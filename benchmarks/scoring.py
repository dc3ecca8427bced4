"""Time and memory of scoring, beside only reading and parsing the same files, in one process each.

`make bench` prints, for three sizes of corpus, the seconds and the peak memory of reading and parsing gold and run, of
scoring on top (exact and relaxed × fine and high together), and the ratio of the two. The last line of each size is the
whole `assay score` process. Then, for two sizes of a corpus with triggers and relations, the same of scoring its entities,
and of scoring its triggers, arguments and relations.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from brat.conf import parse_conf
from brat.corpus import read_corpus
from brat.files import read_path
from evaluator.criteria import Annotations, parse_criterion
from evaluator.hierarchy import Hierarchy
from evaluator.scoring import Scheme, score

_LABELS = ("STARTING_MATERIAL", "REAGENT_CATALYST", "REACTION_PRODUCT", "SOLVENT", "OTHER_COMPOUND", "TIME", "TEMPERATURE")
_CONF = "[entities]\nCOMPOUND\n" + "".join(f"\t{each}\n" for each in _LABELS[:5]) + "CONDITION\n\tTIME\n\tTEMPERATURE\n"
_TRIGGERS = ("REACTION_STEP", "WORKUP")
_SEED = 7


@dataclass(frozen=True, slots=True)
class Size:
    """How large a generated corpus is."""

    name: str
    documents: int
    entities: int
    linked: bool = False


SIZES = (
    Size("375 documents, 6,700 entities", 375, 6_700),
    Size("20,000 documents, 500,000 entities", 20_000, 500_000),
    Size("1 document, 20,000 entities", 1, 20_000),
)
LINKED = (
    Size("375 documents, 6,700 entities and triggers, relations", 375, 6_700, linked=True),
    Size("20,000 documents, 500,000 entities and triggers, relations", 20_000, 500_000, linked=True),
)


_Entity: TypeAlias = tuple[str, int, int]


def generate(folder: Path, size: Size) -> None:
    """Gold with texts, and a run with moved boundaries, other labels, lost, doubled and nested annotations.

    In a linked corpus, each entity is an argument of the trigger before it; the run finds some others, and loses some.
    """
    random = Random(_SEED)
    per_document = [size.entities // size.documents] * size.documents
    for i in range(size.entities - sum(per_document)):
        per_document[i] += 1
    for side in ("gold", "run"):
        (folder / side).mkdir(parents=True)
    for number, count in enumerate(per_document):
        gold, run, text = _document(random, count, linked=size.linked)
        (folder / "gold" / f"{number:05}.txt").write_text(text)
        (folder / "gold" / f"{number:05}.ann").write_text(gold)
        (folder / "run" / f"{number:05}.ann").write_text(run)


def _document(random: Random, count: int, *, linked: bool) -> tuple[str, str, str]:
    labels = _LABELS + 2 * _TRIGGERS if linked else _LABELS
    text: list[str] = []
    gold: list[_Entity] = []
    run: list[_Entity] = []
    places: dict[int, int] = {}
    at = 0
    for number in range(count):
        gap, length, label = random.randint(1, 40), random.randint(2, 25), random.choice(labels)
        text.append(" " if gap == 1 else " " + "x" * (gap - 2) + " ")  # a span begins and ends with a word
        text.append("y" * length)
        start, end = at + gap, at + gap + length
        at = end
        gold.append((label, start, end))
        luck = random.random()
        if luck < 0.05:
            continue
        if luck < 0.15:
            start, end = max(0, start - random.randint(0, 4)), max(start + 1, end - random.randint(0, 3))
        elif luck < 0.22:
            label = random.choice(labels)
        places[number] = len(run)
        run.append((label, start, end))
        if luck > 0.95:
            run.append((label, start, start + (end - start + 1) // 2))
    text.append(" " + "x" * 39)
    whole = "".join(text)
    lines = ["".join(f"T{i}\t{la} {s} {e}\t{whole[s:e]}\n" for i, (la, s, e) in enumerate(side, 1)) for side in (gold, run)]
    if linked:
        relations = _relations(random, gold, places)
        lines = [bounds + links for bounds, links in zip(lines, relations, strict=True)]
    return lines[0], lines[1], whole


def _relations(random: Random, gold: list[_Entity], places: dict[int, int]) -> tuple[str, str]:
    """The R lines of gold and of the run; `places` has where the run has what gold has."""
    ours: list[str] = []
    theirs: list[str] = []
    trigger = None
    for number, (label, _, _) in enumerate(gold):
        if label in _TRIGGERS:
            trigger = number
        elif trigger is not None:
            name = "ARG1" if label in _LABELS[:5] else "ARGM"
            ours.append(f"R{len(ours) + 1}\t{name} Arg1:T{trigger + 1} Arg2:T{number + 1}\n")
            luck = random.random()
            if luck > 0.1 and {trigger, number} <= places.keys():
                name = "ARGM" if luck < 0.15 else name
                other = random.choice(list(places.values())) if luck > 0.95 else places[number]
                theirs.append(f"R{len(theirs) + 1}\t{name} Arg1:T{places[trigger] + 1} Arg2:T{other + 1}\n")
    return "".join(ours), "".join(theirs)


def measure(folder: Path) -> dict[str, float]:
    """Seconds and peak MiB of parsing, of scoring entities after it, and of scoring relations after that, in this process."""
    begin = time.perf_counter()
    gold = read_corpus(read_path(folder / "gold"))
    run = read_corpus(read_path(folder / "run"), gold.texts)
    parsed, memory = time.perf_counter(), _peak()
    criteria = [parse_criterion(span, labels) for labels in ("fine", "high") for span in ("exact", "relaxed")]
    hierarchy = Hierarchy(parse_conf(_CONF)[0].parents())
    score(gold.documents, run.documents, criteria, Scheme(hierarchy=hierarchy))
    scored, scored_memory = time.perf_counter(), _peak()
    asked = (Annotations.TRIGGERS, Annotations.ARGUMENTS, Annotations.RELATIONS)
    score(
        gold.documents,
        run.documents,
        criteria,
        Scheme(annotations=asked, triggers=frozenset(_TRIGGERS), hierarchy=hierarchy),
    )
    return {
        "parse_s": parsed - begin,
        "score_s": scored - parsed,
        "relations_s": time.perf_counter() - scored,
        "parse_mib": memory,
        "score_mib": scored_memory,
        "relations_mib": _peak(),
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    if len(sys.argv) == 2:
        print(json.dumps(measure(Path(sys.argv[1]))))
        return
    for size in SIZES + LINKED:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            generate(folder, size)
            (folder / "annotation.conf").write_text(_CONF)
            best = [json.loads(subprocess.check_output([sys.executable, "-m", "benchmarks.scoring", name])) for _ in range(3)]
            best.sort(key=lambda each: each["parse_s"] + each["score_s"])
            m = best[1]
            print(size.name)
            print(f"  read and parse  {m['parse_s']:8.3f} s  peak {m['parse_mib']:7.0f} MiB")
            print(f"  score           {m['score_s']:8.3f} s  peak {m['score_mib']:7.0f} MiB")
            print(f"  score / parse   {m['score_s'] / m['parse_s']:8.2f}")
            if size.linked:
                print(
                    f"  score relations {m['relations_s']:8.3f} s  peak {m['relations_mib']:7.0f} MiB  (all from triggers up)"
                )
                print(f"  relations/score {m['relations_s'] / m['score_s']:8.2f}")
                continue
            print(f"  assay score     {_whole_process(folder):8.3f} s  (the whole process, exact and relaxed × fine and high)")
            print(f"  brateval, exact {_whole_process(folder, '--matching', 'brateval'):8.3f} s  (the whole process, one mode)")


def _whole_process(folder: Path, *options: str) -> float:
    rules = options or (
        "--span=exact",
        "--span=relaxed",
        "--labels=fine",
        "--labels=high",
        f"--conf={folder / 'annotation.conf'}",
    )
    command = [str(Path(sys.executable).parent / "assay"), "score", str(folder / "gold"), str(folder / "run"), *rules]
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return sorted(times)[1]


if __name__ == "__main__":
    main()
