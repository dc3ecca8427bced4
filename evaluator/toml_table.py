"""Reading TOML tables so that every mistake is told by the name of its key."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

_ID = re.compile(r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$")
_Choice = TypeVar("_Choice", bound=StrEnum)


class TaskError(ValueError):
    """A bundle that cannot be used; the message names the key and what was expected."""


class Table:
    """A table of a TOML file that complains by name, of wrong values and, at the end, of keys nobody asked for."""

    def __init__(self, name: str, values: object) -> None:
        if not isinstance(values, dict):
            raise TaskError(f"{name}: expected a table")
        self._name = name
        self._values: dict[str, Any] = values
        self._asked: set[str] = set()

    @property
    def there(self) -> bool:
        """Whether there is anything in it."""
        return bool(self._values)

    def _get(self, key: str, kind: type, default: object = None) -> Any:
        self._asked.add(key)
        value = self._values.get(key, default)
        if value is None:
            raise TaskError(f"{self._name}: {key} is missing")
        if not isinstance(value, kind):
            raise TaskError(f"{self._name}: {key}: expected {kind.__name__}, found {value!r}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string, without the blanks around it."""
        value: str = self._get(key, str, default)
        return value.strip()

    def id(self, key: str) -> str:
        """A string that can stand in an address."""
        value = self.text(key)
        if _ID.match(value) is None:
            raise TaskError(f"{self._name}: {key}: expected lower-case letters, digits, - and _, found {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of strings."""
        values = self._get(key, list, None if default is None else list(default))
        if not all(isinstance(each, str) for each in values):
            raise TaskError(f"{self._name}: {key}: expected a list of strings, found {values!r}")
        return tuple(values)

    def flag(self, key: str) -> bool:
        """True or false; false when not given."""
        value: bool = self._get(key, bool, False)
        return value

    def whole(self, key: str, default: int) -> int:
        """A whole number."""
        value: int = self._get(key, int, default)
        if value < 0:
            raise TaskError(f"{self._name}: {key}: expected a number that is not negative, found {value}")
        return value

    def moment(self, key: str) -> datetime | None:
        """A date and time with its zone, in UTC; None when not given."""
        if key not in self._values:
            self._asked.add(key)
            return None
        value: datetime = self._get(key, datetime)
        if value.tzinfo is None:
            raise TaskError(f"{self._name}: {key}: expected a zone, such as {value.isoformat()}Z")
        return value.astimezone(UTC)

    def choice(self, key: str, kind: type[_Choice], default: _Choice) -> _Choice:
        """One of the words of an enumeration."""
        value = self.text(key, default.value)
        try:
            return kind(value)
        except ValueError:
            raise TaskError(f"{self._name}: {key}: expected one of {', '.join(kind)}, found {value!r}") from None

    def choices(self, key: str, kind: type[_Choice], default: tuple[_Choice, ...]) -> tuple[_Choice, ...]:
        """A list of words of an enumeration, each once."""
        values = self.texts(key, tuple(each.value for each in default))
        unknown = [each for each in values if each not in set(kind)]
        if unknown:
            raise TaskError(f"{self._name}: {key}: {unknown[0]} is not one of {', '.join(kind)}")
        return tuple(dict.fromkeys(kind(each) for each in values))

    def table(self, key: str) -> Table:
        """A table; empty when not given."""
        return Table(f"{self._name}: {key}", self._get(key, dict, {}))

    def tables(self, key: str) -> list[Table]:
        """An array of tables."""
        return [Table(f"{self._name}: {key}[{i}]", each) for i, each in enumerate(self._get(key, list))]

    def done(self) -> None:
        """Complain of keys that nobody asked for."""
        unknown = sorted(self._values.keys() - self._asked)
        if unknown:
            raise TaskError(f"{self._name}: unknown key {unknown[0]}; known are {', '.join(sorted(self._asked))}")
