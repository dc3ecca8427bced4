"""What must hold of any input, tried on inputs made at random, on cut ones, and on every one that once broke something."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.files import pack_zip
from tests.brat.hostile.invariants import check_archive, check_parser
from tests.brat.hostile.uploads import ANN, Upload, make_tar, make_zip, uploads, with_checksums

_FINDINGS = sorted(each for each in (Path(__file__).parent / "findings").iterdir() if each.name != "README.md")
_PIECES = [
    *("T1", "T2a", "E1", "R1", "A1", "M1", "N1", "#1", "*", "Reference", "Annotation:", "Referent:", "Arg1:", "Equiv", "GO:1"),
    *(
        "\t",
        " ",
        "  ",
        ";",
        ":",
        "\n",
        "\r",
        "\r\n",
        "\ufeff",
        "\0",
        "\x85",
        "\u2028",
        "\u200f",
        "\U0001d6fc",
        "٥",
        "-",
        "+",
        "_",
    ),
    *("0", "5", "0 5", "9" * 12, "9" * 5000),
]
_lines = st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=40).map("".join)
_WHOLE = {
    "run.zip": make_zip(("run/a.ann", ANN * 3), ("run/b.ann", b"")),
    "run.tar": make_tar(("run/a.ann", ANN * 3), ("run/b.ann", b""), mode="w"),
    "run.tar.gz": make_tar(("run/a.ann", ANN * 3), ("run/b.ann", b"")),
    "run.ann.gz": gzip.compress(ANN * 3),
}


@pytest.mark.parametrize("finding", _FINDINGS, ids=lambda path: path.name)
def test_a_finding_of_the_fuzzers_stays_mended(finding: Path) -> None:
    data = finding.read_bytes()
    if finding.suffix == ".ann":
        check_parser(data.decode())
    else:
        check_archive(data, finding.name)


@given(_lines)
@settings(max_examples=200, deadline=None)
def test_any_lines_are_read_or_told_of(content: str) -> None:
    check_parser(content.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("name", list(_WHOLE))
def test_an_archive_that_is_cut_anywhere_is_refused(name: str) -> None:
    whole = _WHOLE[name]
    assert check_archive(whole, name)
    end = whole.index(b"\0" * 1024) + 512 if name == "run.tar" else len(whole)  # what follows in a tar is padding

    for cut in range(0, end, 1 if len(whole) < 1_000 else 7):
        assert check_archive(whole[:cut], name) == {}


@pytest.mark.parametrize("name", list(_WHOLE))
def test_an_archive_with_one_byte_changed_gives_the_same_files_or_none(name: str) -> None:
    # Names and times may differ unseen: a tar guards its names by a sum, a zip guards its times by nothing.
    whole = _WHOLE[name]
    good = set(check_archive(whole, name).values())

    for at in range(0, min(len(whole), 1600), 1 if len(whole) < 1_000 else 3):
        found = check_archive(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :], name)
        if name != "run.tar":  # which has no checksum of what is in its files
            assert set(found.values()) <= good, at


_SMALL = [each for each in uploads() if len(each.data) < 20_000]


@given(st.sampled_from(_SMALL), st.data())
@settings(max_examples=200, deadline=None)
def test_any_change_of_a_hostile_upload_is_read_or_refused(upload: Upload, data: st.DataObject) -> None:
    content = bytearray(upload.data)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, max(0, len(content) - 1)))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=8) | st.just(b"\xff" * 8))
    changed = bytes(content)
    check_archive(changed, upload.name)
    check_archive(with_checksums(changed), "run.tar")


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3})?\.ann", fullmatch=True), st.binary(max_size=300), min_size=1, max_size=15
    )
)
def test_what_is_packed_is_read(files: dict[str, bytes]) -> None:
    members = [("run/" + name, data) for name, data in files.items()] + [("other/a.txt", b"")]  # so that no folder is shared
    expected = dict(members)

    assert check_archive(pack_zip(members), "run.zip") == expected
    assert check_archive(make_tar(*members), "run.tar.gz") == expected
