"""Zip archives, read without trusting them.

The directory is walked here instead of by `zipfile`, which makes an object of each of a million entries before one can be
counted, believes the directory where the members' own headers disagree, and unpacks members that share their bytes.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

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

_END, _END64, _LOCATOR64 = (struct.Struct(each) for each in ("<4s4H2LH", "<4sQ2H2L4Q", "<4sLQL"))
_ENTRY, _LOCAL = struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFF_FFFF  # "see the zip64 field"
_AGAIN = "pack it again"
_STORED, _DEFLATED = 0, 8
_METHODS = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "XZ",
    98: "PPMd",
    99: "AES",
}
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x2041, 0x8, 0x800  # flags; the first are three ways of being encrypted


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the directory says of a member; `start` is where its own header begins."""

    name: str
    raw_name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    start: int
    mode: int

    @property
    def kind(self) -> str:
        if self.flags & _ENCRYPTED:
            return "encrypted"
        form = stat.S_IFMT(self.mode)
        if form not in (0, stat.S_IFREG, stat.S_IFDIR):
            return "a link" if form == stat.S_IFLNK else "a special file"
        return "folder" if form == stat.S_IFDIR or self.name.endswith(("/", "\\")) else "file"


@dataclass(frozen=True, slots=True)
class _Packed:
    """A member whose header agreed with the directory."""

    name: str
    method: int
    checksum: int
    start: int
    end: int
    size: int


def open_zip(data: bytes, archive: str, limits: ArchiveLimits) -> OnDemand[_Packed]:
    """The files of a zip.

    Raises:
        RefusedInput: it is damaged, contradicts itself, holds what is not taken, or breaks a limit.
    """
    entries: list[_Entry] = []
    directory, size, count = _find_directory(data, archive)
    for entry in _entries(data, archive, directory, directory + size, count):
        check_count(archive, len(entries) + 1, limits)
        check_name(archive, entry.name)
        check_kind(archive, entry.name, entry.kind)
        entries.append(entry)
    members = _locate_all(data, archive, entries, directory)
    check_sizes(archive, (member.size for member in members), packed=len(data), limits=limits)
    return OnDemand(arrange(archive, ((each.name, each) for each in members)), lambda member: _unpack(data, archive, member))


def _entries(data: bytes, archive: str, at: int, end: int, count: int) -> Iterator[_Entry]:
    """The entries of the central directory, which lies between two places."""
    for _ in range(count):
        if at + _ENTRY.size > end:
            refuse("archive-contradiction", archive, found="fewer members than its end says", hint=_AGAIN)
        (signature, _, _, flags, method, _, _, checksum, packed, unpacked, *lengths, disk, _, attributes, offset) = (
            _ENTRY.unpack_from(data, at)
        )
        name_end = at + _ENTRY.size + lengths[0]
        extra_end = name_end + lengths[1]
        if signature != b"PK\x01\x02" or extra_end + lengths[2] > end:
            refuse_damaged(archive, "a damaged directory of members")
        raw = data[at + _ENTRY.size : name_end]
        extra = _zip64_values(data[name_end:extra_end])
        unpacked, packed, offset = (next(extra, each) if each == _FULL_32 else each for each in (unpacked, packed, offset))
        if disk not in (0, _FULL_16):
            refuse_damaged(archive, "one part of an archive in several parts")
        yield _Entry(_decoded(raw, flags), raw, flags, method, checksum, packed, unpacked, offset, attributes >> 16)
        at = extra_end + lengths[2]
    if at != end:
        refuse("archive-contradiction", archive, found="more members than its end says", hint=_AGAIN)


def _find_directory(data: bytes, archive: str) -> tuple[int, int, int]:
    """Where the central directory begins, its size, and how many entries it has."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - _END.size - _LONGEST_COMMENT))
    if at < 0 or at + _END.size > len(data):
        refuse_damaged(archive, "a zip that is cut off: its end is missing")
    _, disk, _, _, count, size, start, _ = _END.unpack_from(data, at)
    end = at
    locator = at - _LOCATOR64.size
    if locator >= 0 and data[locator : locator + 4] == b"PK\x06\x07":
        end = _LOCATOR64.unpack_from(data, locator)[2]
        if end + _END64.size > locator or data[end : end + 4] != b"PK\x06\x06":
            refuse_damaged(archive, "a damaged zip64 end")
        values = _END64.unpack_from(data, end)
        for said, full, meant in zip((count, size, start), (_FULL_16, _FULL_32, _FULL_32), values[7:], strict=True):
            if said not in (full, meant):
                refuse("archive-contradiction", archive, found="two ends that disagree, zip and zip64", hint=_AGAIN)
        count, size, start = values[7:]
    if disk not in (0, _FULL_16):
        refuse_damaged(archive, "one part of an archive in several parts")
    if start + size > end or count * _ENTRY.size > size:
        refuse("archive-contradiction", archive, found="a directory that is not where its end says", hint=_AGAIN)
    return start, size, count


def _zip64_values(extra: bytes) -> Iterator[int]:
    """The 64-bit values in an extra field, in their order."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + size]
            yield from (each for (each,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8]))
            return
        at += 4 + size


def _decoded(raw: bytes, flags: int) -> str:
    # Names without the flag are of code page 437 by the standard, and of UTF-8 as macOS and Info-ZIP write them.
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape") if flags & _UTF8 else raw.decode("cp437")


def _locate_all(data: bytes, archive: str, entries: list[_Entry], directory: int) -> list[_Packed]:
    """The files in the order of their data, none of which may be that of another or of the directory.

    A small archive of members that share their bytes unpacks to terabytes, with no ratio that is odd.
    """
    members: list[_Packed] = []
    end, before = 0, ""
    for entry in sorted(entries, key=lambda each: each.start):
        _check_apart(archive, before, end, entry.name, entry.start)
        member = _locate(data, archive, entry)
        if entry.kind == "file":
            members.append(member)
        end, before = member.end, entry.name
    _check_apart(archive, before, end, "the directory", directory)
    return members


def _check_apart(archive: str, before: str, end: int, name: str, start: int) -> None:
    if start < end:
        found = f"{quoted(before)} and {quoted(name)}"
        refuse("archive-overlap", archive, found=found, expected="members one after the other", hint=_AGAIN)


def _locate(data: bytes, archive: str, entry: _Entry) -> _Packed:
    """The place of a member's data, if its own header agrees with the directory."""
    begin = entry.start + _LOCAL.size
    if begin > len(data) or data[entry.start : entry.start + 4] != b"PK\x03\x04":
        refuse("archive-contradiction", archive, found=f"no member where {quoted(entry.name)} should be", hint=_AGAIN)
    _, _, flags, method, _, _, *sizes, name_length, extra_length = _LOCAL.unpack_from(data, entry.start)
    data_start = begin + name_length + extra_length
    extra = _zip64_values(data[begin + name_length : data_start])
    unpacked, packed = (next(extra, each) if each == _FULL_32 else each for each in (sizes[2], sizes[1]))
    said, meant = (sizes[0], packed, unpacked), (entry.checksum, entry.packed, entry.size)
    agrees = said == meant or (flags & _SIZES_FOLLOW and all(a in (0, b) for a, b in zip(said, meant, strict=True)))
    same = data[begin : begin + name_length] == entry.raw_name and method == entry.method and not flags & _ENCRYPTED
    if not (agrees and same):
        found = f"{quoted(entry.name)} is another in the directory than in its own header"
        refuse("archive-contradiction", archive, found=found, hint=_AGAIN)
    if method not in (_STORED, _DEFLATED):
        hint = "choose the method Deflate, or “normal” compression"
        found = f"{quoted(entry.name)}, {_METHODS.get(method, f'method {method}')}"
        refuse("archive-method", archive, found=found, expected="Deflate, or no compression", hint=hint)
    if method == _STORED and entry.packed != entry.size:
        refuse("archive-contradiction", archive, found=f"{quoted(entry.name)}, stored, with two sizes", hint=_AGAIN)
    return _Packed(entry.name, method, entry.checksum, data_start, data_start + entry.packed, entry.size)


def _unpack(data: bytes, archive: str, member: _Packed) -> bytes:
    packed = memoryview(data)[member.start : member.end]
    if member.method == _STORED:
        content = bytes(packed)
    else:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = stream.decompress(packed, member.size + 1)
        except zlib.error:
            refuse_damaged(archive, f"{quoted(member.name)} is damaged")
        if len(content) > member.size or stream.unused_data:
            found = f"{quoted(member.name)} is longer than its header says"
            refuse("archive-contradiction", archive, found=found, expected="no more bytes than its headers say")
        if not stream.eof:
            refuse_damaged(archive, f"{quoted(member.name)} is cut off")
    if len(content) != member.size or zlib.crc32(content) != member.checksum:
        refuse_damaged(archive, f"{quoted(member.name)} is damaged: its checksum is wrong")
    return content
