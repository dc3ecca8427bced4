"""Folders, archives and single files to bytes by path. The only module of this package that opens files.

Uploads are hostile: what kind of file they are is told by their first bytes, names, kinds, sizes and compression ratio are
checked before a member is unpacked, and the sizes again while reading, since a header can lie.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from brat.archives import ArchiveLimits, OnDemand, check_collisions, check_name, is_ignored, refuse
from brat.tars import gunzip, is_tar, open_tar
from brat.zips import open_zip

__all__ = ["ArchiveLimits", "Files", "pack_zip", "read_bytes", "read_path"]

Files: TypeAlias = Mapping[str, bytes]
"""Bytes by path. Those of an archive or a folder are read when they are asked for, and may be refused then."""

_ANNOTATIONS = (".ann", ".a1", ".a2")
_OTHER_FORMATS = (".conll", ".iob", ".iob2", ".bio", ".pubtator", ".xml", ".json", ".jsonl", ".tsv")
_WANTED = (*_ANNOTATIONS, *_OTHER_FORMATS, ".txt", ".conf", ".toml", ".md")
_TAKEN = "a zip, a tar.gz or a single .ann file"
_OTHER_KINDS = (
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\xfd7zXZ\0", "a file packed with xz"),
    (b"BZh", "a file packed with bzip2"),
    (b"\x28\xb5\x2f\xfd", "a file packed with zstd"),
    (b"\x04\x22\x4d\x18", "a file packed with lz4"),
    (b"\x1f\x9d", "a file packed with compress"),
    (b"LZIP", "a file packed with lzip"),
    (b"MSCF", "a cabinet file"),
)
_LARGE = 100_000
_ZIP, _GZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"), b"\x1f\x8b"


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
        names = sorted(_walk(str(path), ""), key=lambda name: name.split("/"))
        wanted = {name: f"{path}/{name}" for name in names if name.endswith(_WANTED) and (hidden or not is_ignored(name))}
        for name in wanted:
            check_name(str(path), name)
        check_collisions(str(path), wanted)
        return OnDemand(wanted, _read_file)
    return read_bytes(_read_file(path), str(path), limits)


def _walk(folder: str, prefix: str) -> Iterator[str]:
    """The files below a folder, by relative path; links to folders are not followed, and what may not be looked at is left.

    Five times faster than `Path.rglob`, which makes several objects of each of tens of thousands of files.
    """
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except PermissionError:
        return
    for each in entries:
        if each.is_dir(follow_symlinks=False):
            yield from _walk(each.path, f"{prefix}{each.name}/")
        elif each.is_file(follow_symlinks=False) or Path(each.path).is_file():  # what a link leads to, if it leads anywhere
            yield f"{prefix}{each.name}"


def _read_file(path: Path | str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a path as text is a fifth of the work of a Path
            return file.read()
    except OSError as bad:
        message = f"cannot be read: {bad.strerror}"
        refuse("no-annotations", str(path), message=message, expected="a folder, an archive or a file")


def read_bytes(data: bytes, name: str, limits: ArchiveLimits | None = None) -> Files:
    """The files in an upload: a zip, a tar (gzip or plain), or one annotation file, packed with gzip or not, by its name.

    Raises:
        RefusedInput: it is none of these, or breaks a limit.
    """
    limits = limits or ArchiveLimits()
    if data.startswith(_ZIP):
        return open_zip(data, name, limits)
    if data.startswith(_GZIP):
        return _read_gzip(data, name, limits)
    if is_tar(data[:512]):
        return open_tar(io.BytesIO(data), name, limits, len(data))
    _refuse_known(data, name)
    if not name.lower().endswith(_WANTED):
        found = "" if data else "an empty file"
        refuse("archive-unreadable", name, found=found, expected=_TAKEN, hint="pack the .ann files as a zip")
    return _single(PurePosixPath(name).name, data, name, limits)


def _read_gzip(data: bytes, name: str, limits: ArchiveLimits) -> Files:
    """A tar, or one annotation file that is called as the upload is without `.gz`."""
    plain = gunzip(data, name, limits)
    plain.seek(0)
    start = plain.read(512)
    if is_tar(start):
        return open_tar(plain, name, limits, len(data))
    with plain:
        if start.startswith((*_ZIP, _GZIP, *(magic for magic, _ in _OTHER_KINDS))):
            hint = "unpack it once, and send what was in it"
            refuse("archive-nested", name, found="packed twice", expected=_TAKEN, hint=hint)
        inner = PurePosixPath(name).name
        inner = inner[:-3] if inner.lower().endswith(".gz") else inner
        if not inner.lower().endswith(_WANTED):
            found, hint = "a gzip file without a tar in it", "a single file packed with gzip is called like run.ann.gz"
            refuse("archive-unreadable", name, found=found, expected=_TAKEN, hint=hint)
        plain.seek(0)
        return _single(inner, plain.read(), name, limits)


def _single(name: str, data: bytes, upload: str, limits: ArchiveLimits) -> Files:
    check_name(upload, name)
    if len(data) > limits.unpacked_bytes:
        refuse("archive-too-large", upload, found=f"{len(data):,} bytes", expected=f"at most {limits.unpacked_bytes:,} bytes")
    return {name: data}


def _refuse_known(data: bytes, name: str) -> None:
    """Say what the upload is, where it is something that teams send by mistake."""
    for magic, kind in _OTHER_KINDS:
        if data.startswith(magic):
            refuse("archive-kind", name, found=kind, expected=_TAKEN, hint="unpack it and pack the .ann files as a zip")
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        hint = "it may be the page that offered the file, or a sign-in page: download the file itself and look into it"
        refuse("archive-html", name, found="HTML", expected=_TAKEN, hint=hint)


def _packs_too_well(data: bytes) -> bool:
    """Whether we would refuse it ourselves for its ratio."""
    return len(data) > _LARGE and len(zlib.compress(data)) * ArchiveLimits().ratio < 2 * len(data)


def pack_zip(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip whose bytes depend on nothing but its members: fixed time stamps, the given order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            kind = zipfile.ZIP_STORED if _packs_too_well(data) else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, kind)
    return buffer.getvalue()
