"""Folders, archives and single files to bytes by path. The only module of this package that opens files.

Archives are hostile: names, kinds, sizes and compression ratio are checked before a byte of a member is unpacked, and
the unpacked size is counted again while reading, since a header can lie.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TypeAlias

from brat.problems import RefusedInput, problem, quoted

Files: TypeAlias = dict[str, bytes]

_MEBIBYTE = 1024 * 1024
_LONGEST_PATH = 500
# What the standard library raises on archives that are damaged, or made to be: IndexError comes from names it cannot handle.
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, OSError, ValueError,
    IndexError, RuntimeError,
)  # fmt: skip
_IGNORED_PARTS = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})
_ANNOTATIONS = (".ann", ".a1", ".a2")
_WANTED = (*_ANNOTATIONS, ".txt", ".conf", ".toml", ".tsv", ".json", ".md")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold: members, bytes once unpacked, and unpacked bytes per packed byte."""

    members: int = 50_000
    unpacked_bytes: int = 128 * _MEBIBYTE
    ratio: int = 200


def read_path(path: Path, limits: ArchiveLimits | None = None, *, hidden: bool = False) -> Files:
    """The files of a folder, an archive or a single file, by path relative to it.

    Args:
        path: where they are.
        limits: what an archive may hold.
        hidden: of a folder, also the files that file managers leave behind, such as `._x.ann`.

    Raises:
        RefusedInput: nothing is there, or the archive is broken or breaks a limit.
    """
    if path.is_dir():
        found = (each for each in sorted(path.rglob("*")) if each.is_file())
        names = {each: each.relative_to(path).as_posix() for each in found}
        for name in names.values():
            if not _is_unicode(name):
                raise RefusedInput(problem("archive-unsafe-path", str(path), found=quoted(name), expected="names in UTF-8"))
        return {
            name: each.read_bytes() for each, name in names.items() if name.endswith(_WANTED) and (hidden or not _ignored(name))
        }
    try:
        data = path.read_bytes()
    except OSError as bad:
        raise RefusedInput(
            problem(
                "no-annotations",
                str(path),
                message=f"cannot be read: {bad.strerror}",
                expected="a folder, an archive or a file",
            )
        ) from bad
    return read_bytes(data, str(path), limits)


def read_bytes(data: bytes, name: str, limits: ArchiveLimits | None = None) -> Files:
    """The files in an upload: a zip, a tar (gzip or plain), or one annotation file by its name.

    Raises:
        RefusedInput: it is none of these, or breaks a limit.
    """
    limits = limits or ArchiveLimits()
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return _read_zip(data, name, limits)
    if data[:2] == b"\x1f\x8b" or data[257:262] == b"ustar":
        return _read_tar(data, name, limits)
    if name.lower().endswith(_WANTED):
        return {PurePosixPath(name).name: data}
    raise RefusedInput(problem("archive-unreadable", name, expected="a zip, a tar.gz or a single .ann file"))


def _read_zip(data: bytes, name: str, limits: ArchiveLimits) -> Files:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            _check_members(
                name,
                [(each.filename, _zip_kind(each), each.file_size) for each in members],
                packed=len(data),
                limits=limits,
            )
            budget = _Budget(name, limits.unpacked_bytes)
            kept = [each for each in members if not _ignored(each.filename)]
            return _shorten(name, ((each.filename, budget.read(archive.open(each))) for each in kept))
    except _BROKEN as bad:
        raise RefusedInput(problem("archive-unreadable", name, found=_in_words(bad))) from bad


def _zip_kind(member: zipfile.ZipInfo) -> str:
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "link"
    return "encrypted" if member.flag_bits & 1 else "file"


def _read_tar(data: bytes, name: str, limits: ArchiveLimits) -> Files:
    try:
        return _shorten(name, _tar_members(data, name, limits))
    except _BROKEN as bad:
        raise RefusedInput(problem("archive-unreadable", name, found=_in_words(bad))) from bad


def _tar_members(data: bytes, name: str, limits: ArchiveLimits) -> list[tuple[str, bytes]]:
    # A tar has no directory: the whole stream is unpacked to list it, so the size is bounded first, in pieces.
    if data[:2] == b"\x1f\x8b":
        data_plain = _gunzip(data, name, limits)
    else:
        data_plain = data
    with tarfile.open(fileobj=io.BytesIO(data_plain), mode="r:") as archive:
        listed: list[tarfile.TarInfo] = []
        for member in archive:
            listed.append(member)
            if len(listed) > limits.members:
                break
        members = [each for each in listed if not each.isdir()]
        _check_members(
            name,
            [(each.name, "file" if each.isreg() and not each.issparse() else "link", each.size) for each in members],
            packed=len(data),
            limits=limits,
        )
        budget = _Budget(name, limits.unpacked_bytes)
        found: list[tuple[str, bytes]] = []
        for member in members:
            content = archive.extractfile(member)
            if content is not None and not _ignored(member.name):
                found.append((member.name, budget.read(content)))
        return found


def _gunzip(data: bytes, name: str, limits: ArchiveLimits) -> bytes:
    """A whole gzip file, which may have several members one after the other, unpacked within the limits."""
    allowed = min(limits.unpacked_bytes, len(data) * limits.ratio + _MEBIBYTE)
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        plain = packed.read(allowed + 1)
    if len(plain) > allowed:
        code = "archive-too-large" if allowed == limits.unpacked_bytes else "archive-ratio"
        raise RefusedInput(problem(code, name, expected=f"at most {allowed:,} bytes unpacked"))
    return plain


def _check_members(name: str, members: list[tuple[str, str, int]], *, packed: int, limits: ArchiveLimits) -> None:
    if len(members) > limits.members:
        raise RefusedInput(
            problem("archive-too-many-members", name, found=f"{len(members):,}", expected=f"at most {limits.members:,} members")
        )
    for member, kind, _ in members:
        if _unsafe(member):
            raise RefusedInput(problem("archive-unsafe-path", name, found=quoted(member), expected="paths inside the archive"))
        if kind != "file":
            code = "archive-link" if kind == "link" else "archive-encrypted"
            raise RefusedInput(problem(code, name, found=quoted(member), expected="plain files only"))
    total = sum(size for _, _, size in members)
    if total > limits.unpacked_bytes:
        raise RefusedInput(
            problem("archive-too-large", name, found=f"{total:,} bytes", expected=f"at most {limits.unpacked_bytes:,} bytes")
        )
    if total > packed * limits.ratio + _MEBIBYTE:
        raise RefusedInput(
            problem("archive-ratio", name, found=f"{total:,} bytes from {packed:,}", expected=f"at most {limits.ratio} to 1")
        )


class _Budget:
    """Bytes that may still be unpacked, whatever the headers say."""

    def __init__(self, name: str, left: int) -> None:
        self._name = name
        self._left = left

    def read(self, member: IO[bytes]) -> bytes:
        with member:
            data = member.read(self._left + 1)
        if len(data) > self._left:
            raise RefusedInput(problem("archive-too-large", self._name, expected="no more bytes than its headers say"))
        self._left -= len(data)
        return data


def _unsafe(member: str) -> bool:
    path = member.replace("\\", "/")
    odd = not path or len(path) > _LONGEST_PATH or "\0" in path or not _is_unicode(path)
    return odd or path.startswith("/") or path[1:2] == ":" or ".." in path.split("/")


def _ignored(member: str) -> bool:
    parts = member.replace("\\", "/").split("/")
    return any(part in _IGNORED_PARTS for part in parts) or parts[-1].startswith("._")


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _in_words(bad: Exception) -> str:
    return "a damaged archive" if isinstance(bad, zipfile.BadZipFile | IndexError) or not str(bad) else str(bad)


def _shorten(archive: str, members: Iterable[tuple[str, bytes]]) -> Files:
    """Paths without `./` and without the one folder that everything lies in.

    Raises:
        RefusedInput: two members have one path, so that one would be lost.
    """
    tidy: Files = {}
    for name, data in members:
        path = str(PurePosixPath(name.replace("\\", "/")))
        if path in tidy:
            raise RefusedInput(
                problem(
                    "duplicate-document",
                    archive,
                    message="two members have one name",
                    found=quoted(path),
                    expected="one file a document",
                )
            )
        tidy[path] = data
    common = min((name.count("/") for name in tidy), default=0)
    first = next(iter(tidy), "").split("/")[:common]
    for name in tidy:
        parts = name.split("/")[: len(first)]
        first = first[: next((i for i, (a, b) in enumerate(zip(first, parts, strict=False)) if a != b), len(first))]
    top = "".join(f"{each}/" for each in first)
    return {name.removeprefix(top): data for name, data in tidy.items()}


def pack_zip(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip whose bytes depend on nothing but its members: fixed time stamps, the given order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
