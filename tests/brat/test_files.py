"""Uploads are hostile: what is accepted, and what is refused before it is unpacked."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brat.files import ArchiveLimits, pack_zip, read_bytes, read_path
from brat.problems import RefusedInput
from tests.brat.hostile.uploads import ANN, Raw, make_tar, make_zip, patched_tar, raw_zip


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
        dict(read_bytes(data, name, limits).items())
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
    assert refused(make_zip(("a.ann", data))) == "archive-ratio"
    assert refused(make_tar(("a.ann", data))) == "archive-ratio"


def test_a_zip_whose_header_lies_about_its_size() -> None:
    data = pack_zip([("a.ann", b"A" * 5000)])
    assert data.count((5000).to_bytes(4, "little")) == 2, "one local header, one central"
    lying = data.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert refused(lying) == "archive-contradiction"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 not really", b"\x1f\x8b not really", b"hello", b"\x89PNG"])
def test_what_is_no_archive(data: bytes) -> None:
    assert refused(data) == "archive-unreadable"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused_and_not_lost() -> None:
    for names in (("a.ann", "a.ann"), ("a.ann", "./a.ann"), ("d/a.ann", "d\\a.ann")):
        members = [(names[0], ANN), (names[1], b"")]
        assert refused(make_zip(*members)) == "duplicate-document"
        assert refused(make_tar(*members)) == "duplicate-document"


@given(st.integers(10, 300), st.binary(min_size=1, max_size=12))
def test_a_damaged_archive_is_refused_whatever_is_damaged(place: int, damage: bytes) -> None:
    for whole in (make_zip(("a.ann", ANN * 9), ("b.ann", b"")), make_tar(("a.ann", ANN * 9))):
        with contextlib.suppress(RefusedInput):  # and nothing else
            dict(read_bytes(whole[:place] + damage + whole[place + len(damage) :], "run.zip").items())


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
        assert refused(data) == "archive-bad-name"


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


def test_a_single_file_that_gzip_packed() -> None:
    assert read_bytes(gzip.compress(ANN), "some/run.ann.gz") == {"run.ann": ANN}
    assert read_bytes(gzip.compress(ANN), "RUN.ANN.GZ") == {"RUN.ANN": ANN}
    assert read_bytes(gzip.compress(b""), "run.a2.gz") == {"run.a2": b""}


def test_a_member_is_read_when_it_is_asked_for_and_its_name_without_that() -> None:
    good = make_zip(("a.ann", ANN), ("b.ann", b"B" * 99))
    damaged = good.replace(zlib.crc32(b"B" * 99).to_bytes(4, "little"), b"\0\1\2\3")

    files = read_bytes(damaged, "run.zip")

    assert sorted(files) == ["a.ann", "b.ann"]
    assert "b.ann" in files
    assert "c.ann" not in files
    assert len(files) == 2
    assert files["a.ann"] == ANN
    with pytest.raises(RefusedInput, match="checksum"):
        files["b.ann"]
    with pytest.raises(KeyError):
        files["c.ann"]


def test_a_folder_is_read_on_demand(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_bytes(ANN)
    (tmp_path / "b.ann").write_bytes(ANN)

    files = read_path(tmp_path)
    (tmp_path / "b.ann").unlink()

    assert files["a.ann"] == ANN
    with pytest.raises(RefusedInput, match="cannot be read"):
        files["b.ann"]


def test_a_folder_is_as_strict_with_names_as_an_archive(tmp_path: Path) -> None:
    for name in ("a.ann", "A.ann"):
        (tmp_path / name).write_bytes(ANN)
    if len(list(tmp_path.iterdir())) == 2:  # a system where case counts
        with pytest.raises(RefusedInput, match=r"archive-name-collision"):
            read_path(tmp_path)


def test_what_zip_programs_write_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run/", b"")
        with archive.open("run/a.ann", "w", force_zip64=True) as member:
            member.write(ANN)
    assert read_bytes(buffer.getvalue(), "zip64.zip") == {"a.ann": ANN}

    class Pipe(io.RawIOBase):  # no seeking: sizes come after the data
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ann", ANN)
        archive.writestr("b.ann", b"")
        archive.comment = b"made by hand"
    assert read_bytes(pipe.data, "piped.zip") == {"a.ann": ANN, "b.ann": b""}


@pytest.mark.parametrize(("raw", "flags", "name"), [
    ("é.ann".encode(), 0x800, "é.ann"),
    ("é.ann".encode(), 0, "é.ann"),
    ("é.ann".encode("cp437"), 0, "é.ann"),
])  # fmt: skip
def test_a_name_that_is_not_ascii(raw: bytes, flags: int, name: str) -> None:
    assert read_bytes(raw_zip(Raw(name=raw, flags=flags)), "run.zip") == {name: ANN}


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_tar_programs_write_is_read(format: int) -> None:  # noqa: A002
    long = "/".join(["folder-with-a-name"] * 8) + "/ä-" + "n" * 90 + ".ann"
    archive = make_tar(("b/" + long, ANN), ("b/a.ann", b""), ("c/a.ann", ANN * 200), format=format)

    assert read_bytes(archive, "run.tar.gz") == {"b/" + long: ANN, "b/a.ann": b"", "c/a.ann": ANN * 200}


def test_a_tar_of_the_old_format(tmp_path: Path) -> None:
    old = patched_tar(257, b"\0" * 8)

    assert read_bytes(old, "run.tar") == {"a.ann": ANN}
    assert read_bytes(gzip.compress(old), "run.bin") == {"a.ann": ANN}


def test_a_tar_larger_than_what_is_kept_in_memory() -> None:
    large = random.Random(1).randbytes(9_000_000)

    assert read_bytes(make_tar(("a.ann", large), ("b.ann", ANN), mode="w:gz"), "run.tar.gz") == {"a.ann": large, "b.ann": ANN}


def test_links_in_a_folder_are_read_if_they_lead_to_a_file(tmp_path: Path) -> None:
    """Those to folders are not followed, and those that lead nowhere, or to themselves, are no files."""
    (tmp_path / "corpus" / "b").mkdir(parents=True)
    (tmp_path / "corpus" / "b" / "d.ann").write_bytes(b"d")
    (tmp_path / "corpus" / "b.ann").write_bytes(b"b")
    (tmp_path / "corpus" / "a.ann").symlink_to(tmp_path / "corpus" / "b.ann")
    (tmp_path / "corpus" / "c.ann").symlink_to("c.ann")
    (tmp_path / "corpus" / "e.ann").symlink_to("nowhere")
    (tmp_path / "corpus" / "f").symlink_to("b")
    found = read_path(tmp_path / "corpus")

    assert list(found) == ["a.ann", "b/d.ann", "b.ann"]
    assert [found[path] for path in found] == [b"b", b"d", b"b"]
