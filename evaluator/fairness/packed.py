"""Files packed with xz, which uploads may not be, and published data are."""

from __future__ import annotations

import lzma

XZ = b"\xfd7zXZ\0"
"""What such a file starts with."""
LARGEST = 512 * 1024 * 1024
"""Bytes that one may unpack to; the census of the years 1880 to 2018 is a fifteenth of it."""


def unpack_xz(data: bytes, largest: int = LARGEST) -> bytes:
    """What is in a file packed with xz.

    Raises:
        ValueError: it is damaged, cut short, or unpacks to more than `largest` bytes.
    """
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        plain = unpacker.decompress(data, max_length=largest)
    except lzma.LZMAError as bad:
        raise ValueError(f"a damaged xz file: {bad}") from bad
    if not unpacker.eof:
        raise ValueError("the xz file is cut short" if unpacker.needs_input else f"it unpacks to more than {largest:,} bytes")
    return plain
