"""Stretches of one long byte string, many at once: numbers, comparison, letters. Eight bytes are looked at as one number."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluator.tables import Flags, Ints

Words: TypeAlias = NDArray[np.uint64]
Bytes: TypeAlias = NDArray[np.uint8]

WIDTH = 8
"""Bytes in a word, and how many digits a number may have here."""
_ZEROS = np.uint64(0x3030303030303030)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)


class ByteString:
    """Bytes, and the word that begins at each of them.

    Attributes:
        data: the bytes as they were given.
        bytes: the same as numbers, with a word of zeros before and behind, so that a word can be taken anywhere.
        shift: what to add to a place in `data` for its place in `bytes`.
    """

    shift = WIDTH

    def __init__(self, data: bytes) -> None:
        self.data = data
        padded = bytes(WIDTH) + data + bytes(2 * WIDTH)
        self.bytes: Bytes = np.frombuffer(padded, np.uint8)
        # A word at every byte, not every eighth: the strides say so, and nothing is copied.
        self._words: Words = np.ndarray((len(padded) - WIDTH + 1,), "<u8", padded, strides=(1,))

    def at(self, place: Ints) -> Bytes:
        """[n] the byte at each place; places from -8 to 8 behind the end are 0."""
        return self.bytes[place + self.shift]

    def word(self, place: Ints) -> Words:
        """[n] the eight bytes from each place on, the first of them the least significant."""
        return self._words[place + self.shift]

    def find(self, byte: int) -> Ints:
        """Where a byte stands, in order."""
        return np.flatnonzero(self.bytes[self.shift : self.shift + len(self.data)] == byte)


def numbers(text: ByteString, start: Ints, end: Ints) -> tuple[Ints, Flags]:
    """The whole numbers from 0 that stand between places, of one to eight digits, and which of them are some.

    Args:
        text: the bytes.
        start, end: [n] places in them.
    """
    digits = end - start
    good = (digits > 0) & (digits <= WIDTH)
    junk = (WIDTH * (WIDTH - np.clip(digits, 1, WIDTH))).astype(np.uint64)  # bits of what stands before the number
    value = ((text.word(end - WIDTH) ^ _ZEROS) >> junk) << junk
    good &= (((value + _ABOVE_NINE) | value) & _HIGH_BITS) == 0
    # Neighbouring digits become pairs, pairs fours, and fours eight: three products instead of eight.
    value = (value * np.uint64(2561)) >> np.uint64(8)
    value = ((value & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    value = ((value & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)
    return value.astype(np.int64), good


def equal(one: ByteString, start: Ints, end: Ints, other: ByteString, other_start: Ints) -> Flags:
    """Which stretches of one byte string are those of the same length that begin at places of another.

    Args:
        one: the bytes.
        start, end: [n] of each stretch.
        other: the other bytes.
        other_start: [n] or [1] places in these.
    """
    same = np.ones(len(start), dtype=bool)
    for done in range(0, int((end - start).max(initial=0)), WIDTH):
        difference = one.word(np.minimum(start + done, end)) ^ other.word(np.minimum(other_start + done, len(other.data)))
        behind = WIDTH * (WIDTH - np.clip(end - start - done, 0, WIDTH))  # bits behind the end
        # A shift by all 64 bits is not defined, and nothing is left to compare then.
        same &= ((difference << np.minimum(behind, 63).astype(np.uint64)) == 0) | (behind == 8 * WIDTH)
    return same


def number_stretches(text: ByteString, start: Ints, end: Ints, most: int = 64) -> tuple[Ints, list[bytes]]:
    """A number for each stretch, equal ones alike, in the order of their first occurrence, and what they are.

    Quick for few different ones; where there are more than `most`, the rest is looked up one by one.
    """
    number = np.full(len(start), -1, dtype=np.int64)
    found: dict[bytes, int] = {}
    left = np.arange(len(start))
    while len(left) and len(found) < most:
        first, last = int(start[left[0]]), int(end[left[0]])
        here, there = start[left], end[left]
        same = there - here == last - first
        same[same] = equal(text, here[same], there[same], text, np.array([first]))
        number[left[same]] = len(found)
        found[text.data[first:last]] = len(found)
        left = left[~same]
    for row in left.tolist():
        number[row] = found.setdefault(text.data[int(start[row]) : int(end[row])], len(found))
    return number, list(found)
