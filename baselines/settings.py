"""Settings of a method from `key=value`, typed by its frozen dataclass, and back as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from difflib import get_close_matches
from typing import Any, TypeVar, get_type_hints

from baselines.protocol import BaselineError

_Settings = TypeVar("_Settings")
MOST_SEED = 2**32 - 1
DEVICES = ("auto", "cpu", "cuda")
_LONGEST = 500
_LONGEST_NUMBER, _SHOWN = 30, 60
_TRUE, _FALSE = frozenset({"yes", "true", "on", "1"}), frozenset({"no", "false", "off", "0"})


def parse_settings(kind: type[_Settings], given: Mapping[str, str]) -> _Settings:
    """Settings from texts; what is not given is as the dataclass says.

    Raises:
        BaselineError: a name is unknown, which tells the nearest known one, or a value is unusable.
    """
    types = get_type_hints(kind)
    for name in given:
        if name not in types:
            raise BaselineError(unknown("setting", name, types))
    values = {name: _parse(name, types[name], value) for name, value in given.items()}
    return kind(**values)


def unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    """That there is no such thing, and what may have been meant."""
    near = get_close_matches(name, known, 1, 0.5)
    meant = f"; did you mean {near[0]}?" if near else "."
    return f"there is no {what} called {name[:_SHOWN]}{meant} There are: {', '.join(sorted(known)) or 'none'}"


def _parse(name: str, kind: Any, value: str) -> Any:
    word = value.strip()
    if len(word) > _LONGEST:
        raise BaselineError(f"{name}: at most {_LONGEST} characters are expected, not {len(word):,}")
    try:
        if kind is bool:
            if word.lower() not in _TRUE | _FALSE:
                raise ValueError
            return word.lower() in _TRUE
        if kind in (int, float) and len(word) > _LONGEST_NUMBER:
            raise ValueError
        return kind(word)
    except ValueError as bad:
        expected = {int: "a whole number", float: "a number", bool: "yes or no"}.get(kind, "something else")
        raise BaselineError(f"{name}: {expected} is expected, not {value[:_SHOWN]!r}") from bad


def within(settings: object, **bounds: tuple[float, float]) -> None:
    """See that settings are between these, both of which they may be.

    Raises:
        BaselineError: one is not, or is not a number.
    """
    for name, (low, high) in bounds.items():
        value = getattr(settings, name)
        if not low <= value <= high:  # so that nan is refused too
            raise BaselineError(f"{name}: between {low:,g} and {high:,g} is expected, not {value}")


def one_of(settings: object, **choices: tuple[str, ...]) -> None:
    """See that settings are among these words.

    Raises:
        BaselineError: one is not.
    """
    for name, words in choices.items():
        value = getattr(settings, name)
        if value not in words:
            raise BaselineError(f"{name}: one of {', '.join(words)} is expected, not {value!r}")


def to_json(settings: Any) -> dict[str, Any]:
    """All settings as plain values."""
    return asdict(settings)


def described(kind: type[Any]) -> list[tuple[str, str, str]]:
    """Name, type and default of each setting, in order."""
    types = get_type_hints(kind)
    return [(each.name, types[each.name].__name__, str(each.default)) for each in fields(kind)]
