"""The texts of a block of documents as one byte string, in which a code point of a document has a place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluator.columnar.words import ByteString
from evaluator.tables import Flags, Ints

_CONTINUATION, _CONTINUATION_BITS = 0x80, 0xC0


class HostedTexts:
    """Texts of documents, UTF-8, None where one is not known.

    Attributes:
        data: their bytes, one after the other.
        known: [documents] which are known.
        first: [documents] where each begins, counted in code points of all texts.
        length: [documents] in code points.
    """

    def __init__(self, texts: Sequence[bytes | None]) -> None:
        self._texts = texts
        self._last: tuple[int, str] | None = None
        self.data = ByteString(b"".join(each or b"" for each in texts))
        self.known: Flags = np.array([each is not None for each in texts], dtype=bool)
        ends = np.cumsum(np.array([len(each or b"") for each in texts], dtype=np.int64))
        self._characters: Ints | None = None
        if not self.data.data.isascii():
            inside = self.data.bytes[ByteString.shift : ByteString.shift + len(self.data.data)]
            begins = np.flatnonzero((inside & _CONTINUATION_BITS) != _CONTINUATION)
            self._characters = np.append(begins, len(inside))
            ends = np.searchsorted(begins, ends)
        self.length: Ints = np.diff(ends, prepend=0)
        self.first: Ints = ends - self.length

    def place(self, document: Ints, offset: Ints) -> Ints:
        """[n] the place in `data` of a code point of a document; offsets beyond all texts are at the end."""
        place: Ints = self.first[document] + offset
        if self._characters is None:
            np.clip(place, 0, len(self.data.data), out=place)
            return place
        return self._characters[np.clip(place, 0, len(self._characters) - 1)]

    def text(self, document: int) -> str | None:
        """The text of a document."""
        data = self._texts[document]
        if data is None:
            return None
        if self._last is None or self._last[0] != document:  # a long text is not decoded for each of its spans
            self._last = document, data.decode()
        return self._last[1]
