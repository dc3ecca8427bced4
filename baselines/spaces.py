"""What random search draws settings from."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values, all as likely."""

    values: tuple[Any, ...]

    def draw(self, source: random.Random) -> Any:
        """One of them."""
        return source.choice(self.values)


@dataclass(frozen=True, slots=True)
class Uniform:
    """A number between two."""

    low: float
    high: float

    def draw(self, source: random.Random) -> float:
        """With four digits."""
        return float(f"{source.uniform(self.low, self.high):.4g}")


@dataclass(frozen=True, slots=True)
class LogUniform:
    """A number between two, whose logarithm is uniform."""

    low: float
    high: float

    def draw(self, source: random.Random) -> float:
        """With four digits."""
        return float(f"{math.exp(source.uniform(math.log(self.low), math.log(self.high))):.4g}")


Space: TypeAlias = Mapping[str, Choice | Uniform | LogUniform]
