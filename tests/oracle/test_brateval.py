"""BRATEval's own output, case for case: the oracle, the tables shipped with the program, and the probes of its description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.brateval.hash_map import JavaHashMap
from evaluator.brateval.order import spread, visiting_order
from tests.oracle.cases import annotation_files, calls, names, options, rows
from tests.shared import shared


@pytest.mark.parametrize("name", names() or ["missing"])
def test_a_case_of_the_oracle(name: str) -> None:
    case = shared("oracle", name)
    gold, run = annotation_files(case / "gold"), annotation_files(case / "run")
    different = []
    for call in calls(case):
        conf = (case / "annotation.conf").read_bytes() if call["conf"] else None
        found = rows(gold, run, options(str(call["span"]), str(call["type"])), conf, full=bool(call["full_taxonomy"]))
        if found != call["rows"]:
            different.append((call["span"], call["type"], call["conf"]))

    assert different == []


TABLES = ["exact", "overlap", "approx0.8"]


@pytest.mark.parametrize("span", TABLES)
@pytest.mark.parametrize("types", ["exact", "inexact", "hierarchical"])
def test_a_table_shipped_with_the_program(span: str, types: str) -> None:
    sample = shared("data", "chemu-sample")
    printed = (sample / "brateval-output" / f"ner-gt-test-{span}-{types}.txt").read_text().splitlines()
    expected = [line for line in printed[printed.index("|tp|fp|fn|precision|recall|f1") + 1 :] if line]
    found = rows(annotation_files(sample / "ner" / "gold"), annotation_files(sample / "ner" / "run"), options(span, types))

    assert found is not None
    assert ["|".join(map(str, row)) for row in found] == expected


def probes() -> list[tuple[str, str, str]]:
    """(name, inputs and command, output) of every probe of CompareEntities in the description."""
    try:
        text = shared("spec", "BRATEVAL_SPEC.md").read_text()
    except pytest.skip.Exception:
        return []
    found = []
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        name = section.split()[0]
        for block in re.findall(r"```\n(.*?)```", section, flags=re.DOTALL):
            state: dict[str, str] = {}
            for number, part in enumerate(re.split(r"^(?=gold: |run: |conf: |\$ )", block, flags=re.MULTILINE)):
                kind, _, rest = part.partition(" ")
                if kind in ("gold:", "run:", "conf:"):
                    state[kind] = rest.removeprefix(" ") if kind == "run:" else rest  # columns are aligned
                    if kind == "gold:":
                        state.pop("conf:", None)
                elif kind == "$":
                    command, _, output = rest.partition("\n")
                    inputs = "\0".join(state.get(each, "") for each in ("gold:", "run:", "conf:"))
                    found.append((f"{name}-{number}", f"{command}\0{inputs}", output))
    return found


def unescape(text: str) -> bytes:
    lines = [line.removeprefix("      ") for line in text.rstrip("\n").split("\n")]
    joined = "\n".join(lines).replace("→", "\t").replace("␍\n", "\r\n").replace("␍", "\r")
    joined = joined.replace("<U+2028>", "\u2028").replace("␋", "\x0b").replace("␌", "\x0c")
    return joined.encode()


PLAIN = re.compile(r"^CompareEntities -e e -g g((?: -(?:s|t|ft|config)(?: (?!-)\S+)*)*)$")
SPANS = {"overlap": "overlap", "inexact": "overlap", "o": "overlap", "exact": "exact", "relaxed": "exact"}


def parse_command(command: str) -> tuple[str, str, bool, bool] | None:
    """(span, type, conf, full) of a probe that this test can run, None for other tools, formats and locales."""
    match = PLAIN.match(command)
    if match is None:
        return None
    span, types, conf, full = "exact", "exact", False, False
    words = match[1].split()
    while words:
        word = words.pop(0)
        if word == "-s":
            value = words.pop(0)
            span = f"approx{words.pop(0)}" if value.startswith("approx") else SPANS.get(value, value)
        elif word == "-t":
            types = words.pop(0)
        elif word == "-config":
            conf = words.pop(0) == "tax.conf"
        else:
            full = True
    return span, types, conf, full


def is_simple(inputs: str) -> bool:
    """One document a side, as text; probes of folders and of escapes are told otherwise."""
    gold, run, _ = inputs.split("\0")
    return "[" not in gold + run and "<BOM>" not in gold + run


def test_the_probes_of_the_description() -> None:
    shared("spec", "BRATEVAL_SPEC.md")
    different, run_count = [], 0
    for name, call, output in probes():
        command, _, inputs = call.partition("\0")
        chosen = parse_command(command)
        if chosen is None or not is_simple(inputs):
            continue
        span, types, has_conf, full = chosen
        if types not in ("exact", "inexact", "hierarchical"):
            continue
        gold, run, conf = (unescape(each) for each in inputs.split("\0"))
        if conf.startswith(b"(ChEMU tree)"):
            conf = shared("oracle", "p01_ner_identity", "annotation.conf").read_bytes()
        found = rows({"0.ann": gold}, {"0.ann": run}, options(span, types), conf if has_conf else None, full=full)
        if output.startswith("(exit 1)"):
            expected = None
        else:
            lines = output.rstrip("\n").split("\n")
            expected = lines[lines.index("|tp|fp|fn|precision|recall|f1") + 1 :]
        run_count += 1
        if (found and ["|".join(map(str, row)) for row in found]) != expected:
            different.append(name)

    assert different == []
    assert run_count >= 78, "the description has more probes than that"


@pytest.mark.parametrize(
    ("letter", "numbers", "order"),
    [
        ("T", range(1, 13), "4 5 6 10 7 8 12 9 11 1 2 3"),
        ("T", range(1, 14), "4 5 6 7 8 9 10 12 11 13 1 2 3"),
        ("T", range(1, 26), "21 20 23 22 25 24 1 2 3 4 5 6 7 8 9 10 12 11 14 13 16 15 18 17 19"),
        ("R", range(16), "2 3 4 5 6 7 8 9 10 12 11 14 13 15 0 1"),
    ],
)
def test_the_visiting_order_is_that_of_a_hash_map(letter: str, numbers: range, order: str) -> None:
    # BRATEVAL_SPEC, section 4, check values.
    assert visiting_order(f"{letter}{i}" for i in numbers) == [f"{letter}{i}" for i in order.split(" ")]


def test_a_missing_document_stops_it(tmp_path: Path) -> None:
    assert rows({"a.ann": b"", "b.ann": b""}, {"a.ann": b""}, options("exact", "exact")) is None
    assert rows({}, {"a.ann": b"T1\tA 0 1\tx\n"}, options("exact", "exact")) == [["all", 0, 0, 0, "0.0000", "0.0000", "0.0000"]]


@pytest.mark.parametrize(
    ("gold", "run", "expected"),
    [
        # Offsets below 0 are read (section 2.5); 1 to -1 and 0 to 5 have nothing to do with one another.
        ("T1\tA 1 -1\tx\n", "T1\tA 0 5\tx\n", (0, 1, 1)),
        ("T1\tA 1 -1\tx\n", "T1\tA 1 -1\tx\n", (1, 0, 0)),
        # Pieces between single blanks: "" and "Neg" are two (section 2.9).
        ("T1\tA 0 5\tx\nA1\t Neg\n", "T1\tA 0 5\tx\n", (1, 0, 0)),
    ],
)
def test_odd_lines_that_are_read(gold: str, run: str, expected: tuple[int, int, int]) -> None:
    found = rows({"a.ann": gold.encode()}, {"a.ann": run.encode()}, options("exact", "exact"))

    assert found is not None
    assert tuple(found[-1][1:4]) == expected


def test_white_space_of_java_is_not_that_of_python() -> None:
    # Character.isWhitespace is false for U+00A0, U+0085, U+2007 and U+202F: they do not set the level of a line back.
    conf = "[entities]\nA\n  \u00a0B\n"
    found = rows({"a.ann": b"T1\tA 0 5\tx\n"}, {"a.ann": b""}, options("exact", "exact"), conf.encode(), full=True)

    assert found is not None
    assert [row[0] for row in found] == ["ALL", " A", "   \u00a0B", "all"]


def test_a_map_with_colliding_ids_keeps_all_its_keys() -> None:
    """Against a set: whatever is put in and taken out, what is left is what should be."""

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 80)), max_size=160))
    def check(changes: list[tuple[bool, int]]) -> None:
        # "Aa" and "BB" have one hash code, so have all words of them of one length.
        words = ["".join("Aa" if number >> bit & 1 else "BB" for bit in range(7)) for number in range(81)]
        found, expected = JavaHashMap(), set()
        for adds, number in changes:
            if adds:
                found.put(words[number], spread(words[number]))
                expected.add(words[number])
            else:
                found.remove(words[number], spread(words[number]))
                expected.discard(words[number])
            keys = list(found)
            assert len(keys) == len(set(keys))
            assert set(keys) == expected

    check()
