"""What labelled findings have shown: how often findings with some sign were right, and its weight.

The numbers stand in `kinds.toml`, which `python -m benchmarks.labels fit` writes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from autograd_lint.immutable import immutable

PATH = Path(__file__).with_name("kinds.toml")


class Group(Enum):
    """What a sign is: the rule that tells a finding, the same where nothing is assumed, how much it
    assumes altogether, the kind of an assumption, or something that the project shows."""

    RULE = "rule"
    OUTRIGHT = "outright"
    TOGETHER = "together"
    KIND = "kind"
    SIGNAL = "signal"

    @property
    def said(self) -> str:
        """What it is called before the name of a sign."""
        names = {
            Group.OUTRIGHT: "without an assumption",
            Group.TOGETHER: "assumes what is",
            Group.KIND: "assumption",
        }
        return names.get(self, self.value)


@immutable
class Counted:
    """How many labelled findings with a sign were right and wrong, where what is true and harmless
    is half of each, and what the sign adds to the log odds of a finding that it is right."""

    right: float
    wrong: float
    weight: float

    @property
    def labels(self) -> float:
        """How many findings with the sign were labelled."""
        return self.right + self.wrong


@dataclass(frozen=True)
class Counts:
    """All that was counted: `every` finding, and those with a sign, by its group and name.

    A sign that no labelled finding had has no weight of its own. `priced` are the rules of which
    enough findings were read, `raising` those of all rules that tell of what raises an error.
    """

    every: Counted
    signs: Mapping[tuple[Group, str], Counted]
    priced: frozenset[str] = frozenset()
    raising: frozenset[str] = frozenset()

    def of(self, group: Group, name: str) -> Counted:
        """What was counted of one sign."""
        return self.signs.get((group, name), _NEVER)


_NEVER = Counted(0, 0, 0.0)


@cache
def load() -> Counts:
    """The counts that come with the package."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    data = tomllib.loads(PATH.read_text(encoding="utf-8"))
    signs = {
        (group, name): Counted(**numbers)
        for group in Group
        for name, numbers in data.get(group.value, {}).items()
    }
    priced, raising = (frozenset(data["rules"][name]) for name in ("priced", "raising"))
    return Counts(Counted(**data["every"]), signs, priced, raising)
