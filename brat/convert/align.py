"""Tokens to their places in a text: by offsets where a file has them, else by looking for each after the one before.

Where there is no text, one is made of the tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from brat.model import Fragment

_WINDOW = 200
_WIDEST_GAP = 1_000
# What the Penn Treebank's tokeniser, and those after it, write in place of what the text has.
_ESCAPES = {
    "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",), "-RCB-": ("}",),
    "``": ('"', "“", "«", "''"), "''": ('"', "”", "»"), "`": ("'", "‘"), "'": ("’", "‘"), '"': ("“", "”", "''", "``"),
    "--": ("–", "—", "-"), "...": ("…",), "…": ("...",), "-": ("–", "—", "−"),
}  # fmt: skip


def written(token: str) -> tuple[str, ...]:
    """What a token may look like in the text, the likeliest first."""
    plain = token.replace("\\/", "/").replace("\\*", "*") if "\\" in token else token
    ways = (token,) if plain == token else (token, plain)
    return ways + _ESCAPES.get(token, ())


def skip_space(text: str, position: int) -> int:
    """The first place at or after `position` without white space."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


@dataclass(slots=True)
class Hosted:
    """Places in a text that is known."""

    text: str
    position: int = 0

    def place(self, token: str, offsets: Fragment | None) -> Fragment | None:
        """Where a token is, None where it is not."""
        if offsets is not None:
            start, end = offsets
            covered = self.text[start : min(end, start + len(token) + 9)]
            return offsets if end <= len(self.text) and covered in written(token) else None
        self.position = skip_space(self.text, self.position)
        ways = written(token)
        for way in ways:
            if self.text.startswith(way, self.position):
                self.position += len(way)
                return self.position - len(way), self.position
        # A tokeniser may drop characters; looking no further than a little keeps one lost token from losing the rest.
        limit = self.position + _WINDOW + len(token)
        found = [(at, len(way)) for way in ways if (at := self.text.find(way, self.position, limit)) >= 0]
        if not found:
            return None
        start, length = min(found)
        self.position = start + length
        return start, self.position

    def end_sentence(self) -> None:
        """A text that is known has its own ends of sentences."""

    def whole(self) -> str | None:
        """The text."""
        return self.text

    def here(self, offsets: Fragment | None, length: int) -> str:
        """What is in the text where a token was looked for."""
        start = self.position if offsets is None else min(offsets[0], len(self.text))
        return self.text[start : start + max(length, 1) + 10]


@dataclass(slots=True)
class Made:
    """Places in a text that is made of the tokens: a blank between two, a line end between sentences.

    Tokens with offsets are put where those say, unless they overlap or lie far apart; then there is no text.
    """

    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _sentence_ended: bool = False
    _impossible: bool = False

    def place(self, token: str, offsets: Fragment | None) -> Fragment | None:
        """Where the token is put."""
        start = offsets[0] if offsets is not None else self._length + bool(self._length)
        gap = start - self._length
        if self._impossible or gap < 0 or gap > _WIDEST_GAP or (offsets is not None and offsets[1] - start != len(token)):
            self._impossible = True
            self._pieces.clear()
            return offsets
        if gap:
            self._pieces.append("\n".rjust(gap) if self._sentence_ended else " " * gap)
        self._pieces.append(token)
        self._length = start + len(token)
        self._sentence_ended = False
        return start, self._length

    def end_sentence(self) -> None:
        """The next token begins a sentence."""
        self._sentence_ended = True

    def whole(self) -> str | None:
        """The text, None where the offsets do not let one be made."""
        return None if self._impossible else "".join(self._pieces)

    def here(self, offsets: Fragment | None, length: int) -> str:  # noqa: ARG002 - as `Hosted`
        """Nothing is there yet."""
        return ""
