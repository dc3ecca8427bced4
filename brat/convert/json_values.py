"""JSON from uploads: parsed without trust, and looked at without surprise."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from brat.convert.draft import LARGEST_OFFSET, writable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Unparsable(Exception):
    """What is wrong, and where in the text; line and column count from 1."""

    def __init__(self, line: int, column: int, found: str) -> None:
        super().__init__(found)
        self.line = line
        self.column = column
        self.found = found


def parse(text: str) -> object:
    """The value that the text is.

    Raises:
        Unparsable: it is not JSON, is nested too deeply, has a number of thousands of digits or half a character.
    """
    try:
        value = cast("object", json.loads(text))
        if _SURROGATE.search(text) is not None and not writable(json.dumps(value, ensure_ascii=False)):
            half = _SURROGATE.search(text)
            raise Unparsable(1, half.start() + 1 if half else 1, "half of a surrogate pair")
    except json.JSONDecodeError as bad:
        raise Unparsable(bad.lineno, bad.colno, bad.msg) from None
    except RecursionError:
        raise Unparsable(1, 1, "values nested hundreds of levels deep") from None
    except ValueError:
        raise Unparsable(1, 1, "a number of thousands of digits") from None
    return value


def mapping(value: object) -> Mapping[str, object]:
    """The value if it is an object, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def items(value: object) -> Sequence[object]:
    """The value if it is an array, else an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def offset(value: object) -> int | None:
    """The value if it is a whole number that can be an offset."""
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_OFFSET
    return cast("int", value) if right else None


def words(value: object) -> str | None:
    """A string, or a number as a string (tools write ids so)."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18 else None


def first(value: Mapping[str, object], *names: str) -> object:
    """What the first of the names that is there stands for, None if none is."""
    return next((value[name] for name in names if value.get(name) is not None), None)
