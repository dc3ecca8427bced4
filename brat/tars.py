"""Tar archives and what is packed with gzip, read without trusting them.

Read here instead of by `tarfile`, whose readers of odd headers have known patterns and offsets that take for ever. What is
taken: ustar and the old format, long names of GNU and pax, plain files. All else is refused.
"""

from __future__ import annotations

import io
import re
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO

from brat.archives import (
    ArchiveLimits,
    OnDemand,
    arrange,
    check_count,
    check_kind,
    check_name,
    check_sizes,
    refuse,
    refuse_damaged,
)
from brat.problems import quoted

_MEBIBYTE = 1024 * 1024
_BLOCK = 512
_SMALLEST_PIECE, _LARGEST_PIECE = 512, 64 * 1024
_IN_MEMORY = 8 * _MEBIBYTE
_MOST_PARTS = 200_000  # programs that pack side by side make one of 64 KiB or so
_LONGEST_HEADERS = 16 * _MEBIBYTE
_ZEROS = re.compile(rb"\0*")
_OCTAL = re.compile(rb"[ \0]*([0-7]*)[ \0]*")
_ABOUT_THE_NEXT = (b"x", b"X", b"g", b"L", b"K")
_KINDS = {
    b"0": "file", b"\0": "file", b"7": "file", b"5": "folder", b"1": "a hard link", b"2": "a symbolic link",
    b"3": "a device", b"4": "a device", b"6": "a pipe", b"S": "a file with holes",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    size: int


def gunzip(data: bytes, archive: str, limits: ArchiveLimits) -> IO[bytes]:
    """A whole gzip file, which may have several members one after the other, unpacked to a temporary file.

    Raises:
        RefusedInput: it is damaged, or unpacks to too much.
    """
    allowed = min(limits.unpacked_bytes, len(data) * limits.ratio + _MEBIBYTE)
    plain: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (the files read from it later close it)
    try:
        size = 0
        for piece in _unpacked(memoryview(data), archive):
            size += len(piece)
            if size > allowed:
                code = "archive-too-large" if allowed == limits.unpacked_bytes else "archive-ratio"
                hint = "leave out what is neither .ann nor text, and pack the files again"
                refuse(code, archive, found="more", expected=f"at most {allowed:,} bytes unpacked", hint=hint)
            plain.write(piece)
    except BaseException:
        plain.close()
        raise
    return plain


def _unpacked(data: memoryview, archive: str) -> Iterator[bytes]:
    at = parts = 0
    while at < len(data):
        parts += 1
        if parts > _MOST_PARTS:
            refuse_damaged(archive, f"a gzip file of more than {_MOST_PARTS:,} parts")
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        piece = _SMALLEST_PIECE  # growing, since what is left of it after the end of a member is copied
        while not stream.eof:
            if at >= len(data):
                refuse_damaged(archive, "a gzip file that is cut off")
            try:
                yield stream.decompress(data[at : at + piece], _MEBIBYTE)
                at += min(piece, len(data) - at)
                while stream.unconsumed_tail and not stream.eof:
                    yield stream.decompress(stream.unconsumed_tail, _MEBIBYTE)
            except zlib.error:
                refuse_damaged(archive, "a damaged gzip file")
            piece = min(2 * piece, _LARGEST_PIECE)
        at -= len(stream.unused_data)
        padding = _ZEROS.match(data, at)
        at = padding.end() if padding else at


def open_tar(plain: IO[bytes], archive: str, limits: ArchiveLimits, packed: int) -> OnDemand[_Place]:
    """The files of a tar that is not packed any more; they are read from it when asked for.

    Args:
        plain: the tar; it is closed with what is returned.
        archive: the name of the upload.
        limits: what it may hold.
        packed: how large the upload is.

    Raises:
        RefusedInput: it is damaged, holds what is not taken, or breaks a limit.
    """
    try:
        files = OnDemand(_list(plain, archive, limits, packed), lambda place: _read(plain, place.start, place.size))
    except BaseException:
        plain.close()
        raise
    weakref.finalize(files, plain.close)
    return files


def _list(plain: IO[bytes], archive: str, limits: ArchiveLimits, packed: int) -> dict[str, _Place]:
    members: list[tuple[str, _Place]] = []
    for count, (name, kind, place) in enumerate(_members(plain, archive), 1):
        check_count(archive, count, limits)
        check_name(archive, name)
        check_kind(archive, name, kind)
        if kind == "file":
            members.append((name, place))
    check_sizes(archive, (place.size for _, place in members), packed=packed, limits=limits)
    return arrange(archive, members)


def _members(plain: IO[bytes], archive: str) -> Iterator[tuple[str, str, _Place]]:
    """Name, kind and place of every member."""
    total = plain.seek(0, io.SEEK_END)
    at = about = 0
    pax: dict[str, str] = {}
    while any(header := _read(plain, at, _BLOCK)):
        if len(header) < _BLOCK or not _is_sound(header):
            refuse_damaged(archive, "a damaged tar" if len(header) == _BLOCK else "a tar that is cut off")
        at += _BLOCK
        if header[156:157] in _ABOUT_THE_NEXT:
            size = _number(header[124:136], archive)
            about += size
            if about > _LONGEST_HEADERS:  # reading them costs far more than their bytes
                refuse_damaged(archive, "a tar with headers of many megabytes")
            pax |= _about_the_next(header[156:157], _read(plain, at, size), archive)
        else:
            name, kind, size = _described(header, pax, archive)
            if at + size > total:
                refuse_damaged(archive, f"{quoted(name)} is cut off")
            yield name, kind, _Place(at, size)
            pax = {}
        at += -(-size // _BLOCK) * _BLOCK
    if len(header) < _BLOCK:
        refuse_damaged(archive, "a tar that is cut off")


def _about_the_next(kind: bytes, content: bytes, archive: str) -> dict[str, str]:
    """What a header that is no member itself says of the member after it."""
    if kind == b"L":
        return {"path": _text(content.partition(b"\0")[0])}
    return _pax(content, archive) if kind in (b"x", b"X") else {}


def _described(header: bytes, pax: dict[str, str], archive: str) -> tuple[str, str, int]:
    """Name, kind and size of a member; only files have data."""
    name = pax.get("path") or _name(header)
    kind = _KINDS.get(header[156:157], "a special file")
    if kind == "file" and name.endswith("/"):
        kind = "folder"
    if any(each.startswith("GNU.sparse.") for each in pax):
        kind = _KINDS[b"S"]
    if kind != "file":
        return name, kind, 0
    if "size" not in pax:
        return name, kind, _number(header[124:136], archive)
    if not re.fullmatch("[0-9]{1,18}", pax["size"]):
        refuse_damaged(archive, "a tar with a size that is no number")
    return name, kind, int(pax["size"])


def is_tar(start: bytes) -> bool:
    """Whether a file begins as a tar does, be it one of the old format, an empty or a damaged one."""
    return start[257:262] == b"ustar" or (len(start) == _BLOCK and (not any(start) or _is_sound(start)))


def _is_sound(header: bytes) -> bool:
    """Whether the checksum is right; it is summed as if its own field held blanks."""
    said = _OCTAL.match(header[148:156])
    return said is not None and said[1] != b"" and int(said[1], 8) == sum(header) - sum(header[148:156]) + 8 * ord(" ")


def _number(field: bytes, archive: str) -> int:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    octal = _OCTAL.fullmatch(field)
    if octal is None:
        refuse_damaged(archive, "a tar with a size that is no number")
    return int(octal[1] or b"0", 8)


def _name(header: bytes) -> str:
    name = header[:100].partition(b"\0")[0]
    prefix = header[345:500].partition(b"\0")[0] if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _pax(content: bytes, archive: str) -> dict[str, str]:
    """The records of a pax header, each "LENGTH KEY=VALUE" and a line end."""
    found: dict[str, str] = {}
    at = 0
    while at < len(content) and content[at]:
        blank = content.find(b" ", at, at + 9)
        digits = content[at:blank] if blank > 0 else b""
        end = at + int(digits) if digits.isdigit() else 0
        key, equals, value = content[blank + 1 : end].partition(b"=")
        if not equals or value[-1:] != b"\n" or end > len(content):
            refuse_damaged(archive, "a tar with a damaged pax header")
        if key in (b"path", b"size") or key.startswith(b"GNU.sparse."):
            found[_text(key)] = _text(value[:-1])
        at = end
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _read(plain: IO[bytes], start: int, size: int) -> bytes:
    plain.seek(start)
    return plain.read(size)
