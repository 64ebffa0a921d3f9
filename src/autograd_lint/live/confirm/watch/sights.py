"""What was seen: a pitfall, and the rows of the program that took part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from autograd_lint.engine.pitfalls import Pitfall

Rows = frozenset[int]
NOWHERE: Rows = frozenset()


@dataclass(frozen=True, slots=True)
class Sight:
    """The real engine ran into a pitfall at these rows."""

    pitfall: Pitfall
    rows: Rows


@dataclass
class Sights:
    """All that was seen in one run; `rows` gives the rows of the program that run now."""

    rows: Callable[[], Rows]
    found: dict[Sight, None] = field(default_factory=dict)

    def add(self, pitfall: Pitfall, *parts: Iterable[int]) -> None:
        """Something was seen in which all these rows took part."""
        rows = frozenset(row for part in parts for row in part)
        self.found[Sight(pitfall, rows)] = None
