"""Tags of tokens to spans: IOB2, IOB1, IOBES and BILOU, without being told which.

A tag is `O`, or a prefix, a hyphen and a label; a bare prefix has the label `Entity`. In all four schemes an entity begins
at B, S or U, and wherever the label changes; they differ in what is odd. So the scheme is needed for warnings only:
IOB1 begins entities with I, and is recognised by B occurring nowhere but between two entities of one label.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BARE = "Entity"
_BEGINS, _INSIDE, _ENDS, _SINGLE = frozenset("B"), frozenset("IM"), frozenset("EL"), frozenset("SUW")
_PREFIXES = _BEGINS | _INSIDE | _ENDS | _SINGLE


def split_tag(tag: str) -> tuple[str, str] | None:
    """Prefix and label; ("O", "") outside; None for what is no tag."""
    if tag in {"O", "o"}:
        return "O", ""
    if tag[:1] not in _PREFIXES:
        return None
    if len(tag) == 1:
        return tag, BARE
    return (tag[0], tag[2:]) if tag[1] == "-" and len(tag) > 2 else None


@dataclass(slots=True)
class Scheme:
    """What the tags seen so far have in common."""

    ends: bool = False
    plain_begin: bool = False
    previous: str = ""

    def see(self, tag: tuple[str, str] | None) -> None:
        """Take in the tag of the next token, None at the end of a sentence."""
        prefix, label = tag or ("O", "")
        self.ends |= prefix in _ENDS or prefix in _SINGLE
        self.plain_begin |= prefix in _BEGINS and label != self.previous
        self.previous = "" if prefix == "O" else label

    @property
    def is_iob1(self) -> bool:
        """Whether entities begin with I."""
        return not self.ends and not self.plain_begin


@dataclass(slots=True)
class Spans:
    """Spans from tokens, one token after the other.

    Attributes:
        scheme: of the whole upload.
        found: label, first and last token (whatever stands for a token), in order.
    """

    scheme: Scheme
    label: str = ""
    complete: bool = True
    found: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, token: int, prefix: str, label: str) -> str:
        """Take in a token; what was odd about its tag, empty if nothing was."""
        if prefix == "O":
            odd = self._unended()
            self.label = ""
            return odd
        begins = prefix in _BEGINS or prefix in _SINGLE
        continues = not begins and label == self.label
        odd = "" if continues else self._unended()
        if not begins and not continues and not self.scheme.is_iob1:
            before = f"after {self.label}" if self.label else "where nothing began"
            odd = f"{prefix}-{label} {before}"
        if continues:
            self.found[-1] = (label, self.found[-1][1], token)
        else:
            self.found.append((label, token, token))
        closed = prefix in _ENDS or prefix in _SINGLE
        self.complete = closed or not self.scheme.ends
        self.label = "" if closed else label
        return odd

    def end_sentence(self) -> str:
        """What was odd at the end of a sentence."""
        odd = self._unended()
        self.label = ""
        return odd

    def _unended(self) -> str:
        return f"{self.label} not ended before" if self.label and not self.complete else ""
