"""Every kind of hostile or mistaken upload, made here, with the code it is refused with and what its message must say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, replace
from functools import cache

ANN = b"T1\tA 0 1\tx\n"


@dataclass(frozen=True, slots=True)
class Raw:
    """A member of a zip that may lie: what the directory says of it, and where its own header says something else."""

    name: bytes = b"a.ann"
    data: bytes = ANN
    method: int = 0
    flags: int = 0
    checksum: int = zlib.crc32(ANN)
    packed: int = len(ANN)
    size: int = len(ANN)
    mode: int = 0
    start: int | None = None
    extra: bytes = b""
    own: tuple[tuple[str, int | bytes], ...] = ()
    """Fields in which the member's own header differs."""


def local_header(raw: Raw) -> bytes:
    sizes = raw.checksum, raw.packed, raw.size
    return struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, raw.flags, raw.method, 0, 33, *sizes, len(raw.name), 0) + raw.name


def raw_zip(*members: Raw, count: int | None = None, shift: int = 0, zip64: bytes = b"") -> bytes:
    """A zip of just these members; `count` and `shift` are what its end says of the directory."""
    body = directory = b""
    for each in members:
        start = len(body) if each.start is None else each.start
        sizes = each.checksum, each.packed, each.size
        lengths = len(each.name), len(each.extra), 0
        fields = (b"PK\x01\x02", 0x314, 20, each.flags, each.method, 0, 33, *sizes, *lengths, 0, 0, each.mode << 16, start)
        directory += struct.pack("<4s6H3L5H2L", *fields) + each.name + each.extra
        body += local_header(replace(each, **dict(each.own))) + each.data  # type: ignore[arg-type]
    count = len(members) if count is None else count
    place = len(directory), len(body) + shift
    return body + directory + zip64 + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, *place, 0)


def make_zip(*members: tuple[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def make_tar(
    *members: tuple[str, bytes],
    kind: bytes = tarfile.REGTYPE,
    mode: str = "w:gz",
    format: int = tarfile.PAX_FORMAT,  # noqa: A002
    pax: dict[str, str] | None = None,
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=format) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(data) if kind == tarfile.REGTYPE else 0, "/etc/passwd"
            info.pax_headers = pax or {}
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def with_checksums(tar: bytes) -> bytes:
    """The same blocks, each with the checksum that a header of its content has."""
    blocks = [tar[i : i + 512] for i in range(0, len(tar), 512)]
    return b"".join(_with_checksum(each) if len(each) == 512 and any(each) else each for each in blocks)


def _with_checksum(block: bytes) -> bytes:
    total = sum(block) - sum(block[148:156]) + 8 * ord(" ")
    return block[:148] + b"%06o\0 " % total + block[156:]


def patched_tar(at: int, field: bytes, *, data: bytes = ANN) -> bytes:
    """A tar of one file with a field of its header replaced."""
    tar = make_tar(("a.ann", data), mode="w", format=tarfile.USTAR_FORMAT)
    return _with_checksum(tar[:at] + field + tar[at + len(field) : 512]) + tar[512:]


def overlapping_zip(members: int = 20) -> bytes:
    """Every member's data is the headers and the data of all that follow it, so that bytes count many times."""
    names = [b"%d.ann" % i for i in range(members)]
    tails = [ANN]
    for name in reversed(names):
        raw = Raw(name=name, checksum=zlib.crc32(tails[0]), packed=len(tails[0]), size=len(tails[0]))
        tails.insert(0, local_header(raw) + tails[0])
    whole = tails[0]
    entries = [
        Raw(name=name, data=b"", checksum=zlib.crc32(inner), packed=len(inner), size=len(inner), start=len(whole) - len(outer))
        for name, outer, inner in zip(names, tails, tails[1:], strict=False)
    ]
    listed = raw_zip(*(replace(each, data=b"") for each in entries))
    directory = listed[listed.index(b"PK\x01\x02") : listed.rindex(b"PK\x05\x06")]
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, members, members, len(directory), len(whole), 0)
    return whole + directory + end


def _zip64_end(count: int, size: int, start: int, at: int) -> bytes:
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    return record + struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)


def _zip64(count: int) -> bytes:
    plain = raw_zip(Raw())
    start, end = plain.index(b"PK\x01\x02"), plain.index(b"PK\x05\x06")
    return raw_zip(Raw(), count=0xFFFF, zip64=_zip64_end(count, end - start, start, end))


def _bomb(size: int) -> bytes:
    return b"\0" * size


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that is refused: `says` is part of the message."""

    id: str
    name: str
    data: bytes
    code: str
    says: str


def _pairs() -> list[Upload]:
    """What a zip and a tar are refused for alike."""
    found = []
    for id_, name, code, says in [
        ("absolute", "/etc/a.ann", "archive-unsafe-path", "relative paths"),
        ("parent", "x/../../a.ann", "archive-unsafe-path", "relative paths"),
        ("windows-parent", "x\\..\\..\\a.ann", "archive-unsafe-path", "relative paths"),
        ("drive", "C:\\a.ann", "archive-unsafe-path", "relative paths"),
        ("line-feed", "a\nb.ann", "archive-bad-name", "without control characters"),
        ("escape", "a\x1b[31mb.ann", "archive-bad-name", "without control characters"),
        ("delete", "a\x7f.ann", "archive-bad-name", "without control characters"),
        ("turned", "a\u202enna.ann", "archive-bad-name", "without control characters"),
        ("long-name", "d/" * 300 + "a.ann", "archive-bad-name", "at most 500 characters"),
        ("zip-inside", "run.zip", "archive-nested", "put the .ann files in directly"),
        ("tar-inside", "run.TAR", "archive-nested", "put the .ann files in directly"),
        ("gzip-inside", "a.ann.gz", "archive-nested", "put the .ann files in directly"),
        ("7z-inside", "run.7z", "archive-nested", "put the .ann files in directly"),
        ("rar-inside", "x/run.rar", "archive-nested", "put the .ann files in directly"),
        ("dot", ".", "archive-bad-name", "a file has no name"),
        ("left-behind", "__MACOSX/._a.ann", "archive-empty", "pack the .ann files"),
    ]:
        found.append(Upload(f"zip-{id_}", "run.zip", make_zip((name, ANN)), code, says))
        found.append(Upload(f"tar-{id_}", "run.tar.gz", make_tar((name, ANN)), code, says))
    for id_, one, other, code, says in [
        ("case", "a.ann", "A.ann", "archive-name-collision", "remove or rename one"),
        ("sharp-s", "straße.ann", "STRASSE.ann", "archive-name-collision", "remove or rename one"),
        ("accent", "\u00e9.ann", "e\u0301.ann", "archive-name-collision", "remove or rename one"),
        ("same", "a.ann", "./a.ann", "duplicate-document", "one file a document"),
    ]:
        found.append(Upload(f"zip-names-{id_}", "run.zip", make_zip((one, ANN), (other, b"")), code, says))
        found.append(Upload(f"tar-names-{id_}", "run.tar.gz", make_tar((one, ANN), (other, b"")), code, says))
    many = [(f"{i}.ann", b"") for i in range(101)]
    noise = random.Random(1).randbytes(1_200_000)
    for kind, pack in (("zip", make_zip), ("tar", make_tar)):
        name = f"run.{kind}"
        found += [
            Upload(f"{kind}-many", name, pack(*many), "archive-too-many-members", "at most 100 members"),
            Upload(f"{kind}-large", name, pack(*((f"{i}.ann", noise) for i in range(9))), "archive-too-large", "at most 10,0"),
            Upload(f"{kind}-bomb", name, pack(("a.ann", _bomb(9_000_000))), "archive-ratio", ""),
            Upload(f"{kind}-empty", name, pack(), "archive-empty", "pack the .ann files"),
        ]
    return found


def _zips() -> list[Upload]:
    unreadable, contradiction, again = "archive-unreadable", "archive-contradiction", "pack it again"
    deflated = zlib.compress(ANN, wbits=-15)
    folder = Raw(name=b"run/", data=b"", checksum=0, packed=0, size=0)
    link, pipe = stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o644
    lie64 = struct.pack("<HHQ", 1, 8, 2**63)
    return [
        Upload(f"zip-{id_}", "run.zip", data, code, says)
        for id_, data, code, says in [
            ("nul", raw_zip(Raw(name=b"a.ann\0.exe")), "archive-bad-name", "without control characters"),
            ("not-utf8", raw_zip(Raw(name=b"\xff.ann", flags=0x800)), "archive-bad-name", "names in UTF-8"),
            ("link", raw_zip(Raw(mode=link)), "archive-link", "a link"),
            ("pipe", raw_zip(Raw(mode=pipe)), "archive-link", "a special file"),
            ("device", raw_zip(Raw(mode=stat.S_IFBLK)), "archive-link", "a special file"),
            ("link-as-folder", raw_zip(replace(folder, mode=link)), "archive-link", "a link"),
            ("encrypted", raw_zip(Raw(flags=1)), "archive-encrypted", "without a password"),
            ("aes", raw_zip(Raw(flags=1, method=99)), "archive-encrypted", "without a password"),
            ("strongly-encrypted", raw_zip(Raw(flags=0x40)), "archive-encrypted", "without a password"),
            ("secretly-encrypted", raw_zip(Raw(own=(("flags", 1),))), contradiction, "a.ann"),
            ("lzma", make_zip(("a.ann", ANN), kind=zipfile.ZIP_LZMA), "archive-method", "LZMA"),
            ("bzip2", make_zip(("a.ann", ANN), kind=zipfile.ZIP_BZIP2), "archive-method", "bzip2"),
            ("deflate64", raw_zip(Raw(method=9)), "archive-method", "Deflate64"),
            ("method-7777", raw_zip(Raw(method=7777)), "archive-method", "method 7777"),
            ("folders", raw_zip(folder), "archive-empty", "pack the .ann files"),
            ("overlapping", overlapping_zip(), "archive-overlap", again),
            ("twice-listed", raw_zip(Raw(), Raw(data=b"", start=0)), "archive-overlap", again),
            ("over-directory", raw_zip(Raw(packed=80, size=80)), "archive-overlap", "the directory"),
            ("other-name", raw_zip(Raw(own=(("name", b"b.ann"),))), contradiction, again),
            ("other-method", raw_zip(Raw(own=(("method", 8),))), contradiction, again),
            ("other-checksum", raw_zip(Raw(own=(("checksum", 1),))), contradiction, again),
            ("other-size", raw_zip(Raw(own=(("size", 1),))), contradiction, again),
            ("other-packed", raw_zip(Raw(own=(("packed", 1),))), contradiction, again),
            ("nowhere", raw_zip(Raw(start=7)), contradiction, again),
            ("beyond", raw_zip(Raw(start=2**31)), contradiction, again),
            ("two-sizes", raw_zip(Raw(size=20, own=(("size", 20),))), contradiction, again),
            ("longer", raw_zip(Raw(method=8, data=deflated, packed=len(deflated), size=3)), contradiction, "no more bytes"),
            ("more-packed", raw_zip(Raw(method=8, data=deflated + b"x", packed=len(deflated) + 1)), contradiction, "no more"),
            ("shorter", raw_zip(Raw(method=8, data=deflated, packed=len(deflated), size=99)), unreadable, "checksum"),
            ("half", raw_zip(Raw(method=8, data=deflated[:5], packed=5)), unreadable, "cut off"),
            ("wrong-checksum", raw_zip(Raw(checksum=1)), unreadable, "checksum is wrong"),
            ("no-deflate", raw_zip(Raw(method=8, data=b"\xff" * 11)), unreadable, "is damaged"),
            ("more-than-told", raw_zip(Raw(), Raw(name=b"b"), count=1), contradiction, "more members than"),
            ("fewer-than-told", raw_zip(Raw(), Raw(name=b"b" * 99), count=3), contradiction, "fewer members than"),
            ("million-told", raw_zip(Raw(), count=65_000), contradiction, again),
            ("directory-shifted", raw_zip(Raw(), shift=9), contradiction, again),
            ("directory-early", raw_zip(Raw(), shift=-9), unreadable, "whole archive"),
            ("several-parts", raw_zip(Raw())[:-18] + b"\x05\0" + raw_zip(Raw())[-16:], unreadable, "several parts"),
            ("no-end", make_zip(("a.ann", ANN))[:-22], unreadable, "cut off"),
            ("zip64-count", _zip64(7), contradiction, again),
            ("zip64-huge-count", _zip64(2**64 - 1), contradiction, again),
            ("zip64-size", raw_zip(Raw(size=0xFFFF_FFFF, extra=lie64)), contradiction, again),
            ("zip64-packed", raw_zip(Raw(packed=0xFFFF_FFFF, extra=lie64)), contradiction, again),
            ("zip64-no-record", _zip64(1).replace(b"PK\x06\x06", b"PK\x06\x05"), unreadable, "zip64"),
            ("zip64-two-ends", _zip64(1)[:-12] + b"\x09\0" + _zip64(1)[-10:], contradiction, "disagree"),
        ]
    ]


def _tars() -> list[Upload]:
    unreadable = "archive-unreadable"
    size, checksum, kind = 124, 148, 156
    plain = make_tar(("a.ann", ANN * 99), mode="w")
    pax = make_tar(("a.ann", ANN), mode="w", pax={"comment": "x" * 20})
    return [
        Upload(f"tar-{id_}", "run.tar", data, code, says)
        for id_, data, code, says in [
            ("link", make_tar(("a.ann", b""), kind=tarfile.SYMTYPE), "archive-link", "a symbolic link"),
            ("hard-link", make_tar(("a.ann", b""), kind=tarfile.LNKTYPE), "archive-link", "a hard link"),
            ("device", make_tar(("a.ann", b""), kind=tarfile.CHRTYPE), "archive-link", "a device"),
            ("disk", make_tar(("a.ann", b""), kind=tarfile.BLKTYPE), "archive-link", "a device"),
            ("pipe", make_tar(("a.ann", b""), kind=tarfile.FIFOTYPE), "archive-link", "a pipe"),
            ("sparse", patched_tar(kind, b"S"), "archive-link", "a file with holes"),
            ("pax-sparse", make_tar(("a", ANN), pax={"GNU.sparse.size": "9" * 18}), "archive-link", "a file with holes"),
            ("unknown-kind", patched_tar(kind, b"Q"), "archive-link", "a special file"),
            ("folders", make_tar(("d/", b""), kind=tarfile.DIRTYPE), "archive-empty", "pack the .ann files"),
            ("not-utf8", patched_tar(0, b"\xff.ann"), "archive-bad-name", "names in UTF-8"),
            ("long-gnu", make_tar(("d/" * 9_000 + "a", ANN), format=tarfile.GNU_FORMAT), "archive-bad-name", "at most 500"),
            ("long-header", patched_tar(kind, b"L", data=b"d" * 17_000_000), unreadable, "headers of many megabytes"),
            ("negative", patched_tar(size, b"-0000000777\0"), unreadable, "no number"),
            ("binary-negative", patched_tar(size, b"\xff" * 12), unreadable, "no number"),
            ("binary-huge", patched_tar(size, b"\x80" + b"\xff" * 11), unreadable, "cut off"),
            ("too-long", patched_tar(size, b"00000777777\0"), unreadable, "cut off"),
            ("pax-size", make_tar(("a", ANN), pax={"size": "9" * 400}), unreadable, "no number"),
            ("pax-cut", with_checksums(pax.replace(b"32 comment=", b"99 comment=")), unreadable, "pax"),
            ("checksum", plain[:checksum] + b"000000" + plain[checksum + 6 :], unreadable, "a damaged tar"),
            ("half", plain[:1200], unreadable, "cut off"),
            ("half-header", plain[:300], unreadable, "cut off"),
            ("no-end", plain[: 512 + 1536], unreadable, "cut off"),
            ("gzip-half", make_tar(("a.ann", bytes(range(256)) * 9))[:-150], unreadable, "cut off"),
            ("gzip-of-text", gzip.compress(ANN), unreadable, "is called like run.ann.gz"),
        ]
    ]


def _others() -> list[Upload]:
    page = b"\n<!DOCTYPE html><html><title>Sign in</title></html>"
    return [
        Upload(id_, name, data, code, says)
        for id_, name, data, code, says in [
            ("7z", "run.7z", b"7z\xbc\xaf\x27\x1c\0\x04" + b"x" * 40, "archive-kind", "a 7z archive"),
            ("rar", "run.rar", b"Rar!\x1a\x07\x01\0" + b"x" * 40, "archive-kind", "a rar archive"),
            ("xz", "run.tar.xz", lzma.compress(ANN), "archive-kind", "packed with xz"),
            ("bz2", "run.tar.bz2", bz2.compress(ANN), "archive-kind", "packed with bzip2"),
            ("bz2-as-ann", "run.ann", bz2.compress(ANN), "archive-kind", "packed with bzip2"),
            ("zstd", "run.zst", b"\x28\xb5\x2f\xfd" + b"x" * 40, "archive-kind", "packed with zstd"),
            ("html", "run.zip", page, "archive-html", "download the file itself"),
            ("html-as-ann", "run.ann", b"\xef\xbb\xbf" + page, "archive-html", "download the file itself"),
            ("nothing", "run.zip", b"", "archive-unreadable", "an empty file"),
            ("picture", "run.png", b"\x89PNG\r\n", "archive-unreadable", "a zip, a tar.gz or a single .ann file"),
            ("zip-in-gzip", "run.zip.gz", gzip.compress(make_zip(("a.ann", ANN))), "archive-nested", "unpack it once"),
            ("gzip-in-gzip", "a.ann.gz.gz", gzip.compress(gzip.compress(ANN)), "archive-nested", "unpack it once"),
            ("gzip-bomb", "a.ann.gz", gzip.compress(_bomb(9_000_000)), "archive-ratio", "at most"),
            ("gzip-garbage", "a.ann.gz", gzip.compress(ANN) + b"garbage", "archive-unreadable", "a damaged gzip"),
            ("gzip-cut", "a.ann.gz", gzip.compress(ANN)[:-9], "archive-unreadable", "cut off"),
            ("gzip-no-header", "a.ann.gz", b"\x1f\x8b", "archive-unreadable", "cut off"),
            ("gzip-control", "a\x1b.ann.gz", gzip.compress(ANN), "archive-bad-name", "without control characters"),
        ]
    ]


@cache
def uploads() -> tuple[Upload, ...]:
    """All of them, with ids of their own."""
    return (*_pairs(), *_zips(), *_tars(), *_others())
