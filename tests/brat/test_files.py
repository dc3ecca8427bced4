"""Uploads are hostile: what is accepted, and what is refused before it is unpacked."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.files import ArchiveLimits, pack_zip, read_bytes, read_path
from brat.problems import RefusedInput

ANN = b"T1\tA 0 1\tx\n"


def make_tar(
    *members: tuple[str, bytes],
    kind: bytes = tarfile.REGTYPE,
    mode: str = "w:gz",
    format: int = tarfile.PAX_FORMAT,  # noqa: A002
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=format) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(data) if kind == tarfile.REGTYPE else 0, "/etc/passwd"
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pack_zip([("a.ann", ANN)]),
        pack_zip([("run/a.ann", ANN)]),
        pack_zip([("./run/deep/a.ann", ANN)]),
        pack_zip([("run/a.ann", ANN), ("__MACOSX/run/._a.ann", b"x"), ("run/.DS_Store", b"x")]),
        make_tar(("run/a.ann", ANN)),
        make_tar(("./a.ann", ANN)),
        make_tar(("a.ann", ANN), mode="w"),
    ],
)
def test_an_archive_of_one_file_however_packed(data: bytes) -> None:
    assert read_bytes(data, "run.bin") == {"a.ann": ANN}


def test_a_single_annotation_file() -> None:
    assert read_bytes(ANN, "some/where/a.ann") == {"a.ann": ANN}


def test_sub_folders_stay() -> None:
    assert set(read_bytes(pack_zip([("run/p/a.ann", ANN), ("run/q/a.ann", ANN)]), "r.zip")) == {"p/a.ann", "q/a.ann"}


def refused(data: bytes, limits: ArchiveLimits | None = None, name: str = "run.zip") -> str:
    with pytest.raises(RefusedInput) as caught:
        read_bytes(data, name, limits)
    return caught.value.problem.code


@pytest.mark.parametrize("name", ["../a.ann", "x/../../a.ann", "/etc/a.ann", "C:\\a.ann", "..\\a.ann", "x\\..\\a.ann"])
def test_paths_that_leave_the_archive(name: str) -> None:
    assert refused(pack_zip([(name, ANN)])) == "archive-unsafe-path"
    assert refused(make_tar((name, ANN))) == "archive-unsafe-path"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar(kind: bytes) -> None:
    assert refused(make_tar(("a.ann", b""), kind=kind)) == "archive-link"


def test_a_link_in_a_zip() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("a.ann")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert refused(buffer.getvalue()) == "archive-link"


def test_too_many_members() -> None:
    members = [(f"{i}.ann", b"") for i in range(11)]
    limits = ArchiveLimits(members=10)
    assert refused(pack_zip(members), limits) == "archive-too-many-members"
    assert refused(make_tar(*members), limits) == "archive-too-many-members"


def test_too_many_bytes() -> None:
    limits = ArchiveLimits(unpacked_bytes=1000)
    data = bytes(i * 7 % 251 for i in range(1001))
    assert refused(pack_zip([("a.ann", data)]), limits) == "archive-too-large"
    assert refused(make_tar(("a.ann", data)), limits) == "archive-too-large"


def test_a_bomb_is_told_by_its_ratio() -> None:
    data = b"\0" * 20_000_000
    assert refused(pack_zip([("a.ann", data)])) == "archive-ratio"
    assert refused(make_tar(("a.ann", data))) == "archive-ratio"


def test_a_zip_whose_header_lies_about_its_size() -> None:
    data = pack_zip([("a.ann", b"A" * 5000)])
    assert data.count((5000).to_bytes(4, "little")) == 2, "one local header, one central"
    lying = data.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert refused(lying) == "archive-unreadable"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 not really", b"\x1f\x8b not really", b"hello", b"\x89PNG"])
def test_what_is_no_archive(data: bytes) -> None:
    assert refused(data) == "archive-unreadable"


def make_zip(*members: tuple[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused_and_not_lost() -> None:
    for names in (("a.ann", "a.ann"), ("a.ann", "./a.ann"), ("d/a.ann", "d\\a.ann")):
        members = [(names[0], ANN), (names[1], b"")]
        assert refused(make_zip(*members)) == "duplicate-document"
        assert refused(make_tar(*members)) == "duplicate-document"


@given(
    st.integers(10, 120),
    st.binary(min_size=1, max_size=12),
    st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]),
)
def test_a_damaged_archive_is_refused_whatever_is_damaged(place: int, damage: bytes, kind: int) -> None:
    for whole in (make_zip(("a.ann", ANN * 9), ("b.ann", b""), kind=kind), make_tar(("a.ann", ANN * 9))):
        with contextlib.suppress(RefusedInput):  # and nothing else
            read_bytes(whole[:place] + damage + whole[place + len(damage) :], "run.zip")


def test_a_file_name_that_is_not_unicode(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"x\xff.ann")).write_bytes(ANN)
    with pytest.raises(RefusedInput, match="names in UTF-8"):
        read_path(tmp_path)


def test_a_truncated_tar() -> None:
    assert refused(make_tar(("a.ann", bytes(range(256)) * 40))[:-200]) == "archive-unreadable"


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RefusedInput, match="cannot be read"):
        read_path(tmp_path / "nothing")


def test_the_same_members_always_make_the_same_zip() -> None:
    assert pack_zip([("a", b"1"), ("b", b"2")]) == pack_zip([("a", b"1"), ("b", b"2")])


def test_a_path_that_is_deep_on_purpose() -> None:
    for data in (
        make_tar(("d/" * 100_000 + "a.ann", ANN), format=tarfile.GNU_FORMAT),
        make_zip(("d/" * 20_000 + "a.ann", ANN)),
    ):
        assert refused(data) == "archive-unsafe-path"


def test_a_gzip_of_several_members_is_read_whole() -> None:
    whole = gzip.decompress(make_tar(("a.ann", ANN), ("b.ann", ANN)))
    parts = gzip.compress(whole[:700]) + gzip.compress(whole[700:])

    assert read_bytes(parts, "run.tar.gz") == {"a.ann": ANN, "b.ann": ANN}
    assert read_bytes(parts + b"\0" * 512, "run.tar.gz") == {"a.ann": ANN, "b.ann": ANN}
    assert refused(parts + b"garbage") == "archive-unreadable"


def test_the_suffix_of_a_single_file_may_be_in_capitals() -> None:
    assert read_bytes(ANN, "A.ANN") == {"A.ANN": ANN}


def test_a_gzip_of_very_many_members_takes_no_longer_than_its_size() -> None:
    # Copying what is left after each member, as one might, would move a hundred gigabytes here.
    many = gzip.compress(b"") * 100_000 + gzip.compress(gzip.decompress(make_tar(("a.ann", ANN))))

    assert read_bytes(many, "run.tar.gz") == {"a.ann": ANN}
