"""Between which bounds an unknown number lies, by what the path has taken it to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TypeGuard

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown, Value

LEAST = "at least"  # under which an unknown number keeps what it cannot be less than
ORDERS = {"gt", "ge", "lt", "le", "eq"}


@dataclass(slots=True)
class Bounds:
    """What a number is known to be; an open bound is one that it does not reach."""

    low: int | float = -inf
    high: int | float = inf
    low_open: bool = False
    high_open: bool = False
    others: set[int | float] = field(default_factory=set)  # what it is not

    def learn(self, name: str, other: int | float, taken: bool) -> None:
        """Take in that `number name other` holds, or does not."""
        if name == "eq":
            if not taken:
                self.others.add(other)
                return
            self._raise(other, False)
            self._lower(other, False)
        elif (name in ("gt", "ge")) == taken:
            self._raise(other, (name == "gt") == taken)
        else:
            self._lower(other, (name == "lt") == taken)

    def whole(self) -> None:
        """Take in that it is a whole number."""
        if self.low_open and self.low != -inf:
            self.low, self.low_open = self.low + 1, False
        if self.high_open and self.high != inf:
            self.high, self.high_open = self.high - 1, False
        while self.low in self.others:
            self.low += 1

    def tell(self, name: str, other: int | float) -> bool | None:
        """Whether `number name other` holds; None where both may be."""
        above = self.low > other or (self.low == other and self.low_open)
        below = self.high < other or (self.high == other and self.high_open)
        if name == "eq":
            if above or below or other in self.others:
                return False
            return True if self.low == self.high == other else None
        if name in ("gt", "le"):
            holds, fails = above, self.high <= other
        else:
            holds, fails = self.low >= other, below
        if not holds and not fails:
            return None
        return holds if name in ("gt", "ge") else fails

    def _raise(self, low: int | float, is_open: bool) -> None:
        if (low, is_open) > (self.low, self.low_open):
            self.low, self.low_open = low, is_open

    def _lower(self, high: int | float, is_open: bool) -> None:
        if (high, not is_open) < (self.high, not self.high_open):
            self.high, self.high_open = high, is_open


def implied(interp: Interpreter, value: Unknown, name: str, other: Value) -> bool | None:
    """What a comparison with a number comes to by earlier answers; None where it is open."""
    if name not in ORDERS or not _is_number(other):
        return None
    return _bounds(interp, value).tell(name, other)


def implied_truth(interp: Interpreter, value: Unknown) -> bool | None:
    """Whether an unknown number counts as true, by earlier answers."""
    if value.negates is not None:
        contrary = implied_truth(interp, value.negates)
        return None if contrary is None else not contrary
    if value.hint not in ("int", "number"):
        return None
    is_zero = _bounds(interp, value).tell("eq", 0)
    return None if is_zero is None else not is_zero


def _bounds(interp: Interpreter, value: Unknown) -> Bounds:
    least = value.attributes.get(LEAST)
    bounds = Bounds(least if isinstance(least, int) else -inf)
    if value.hint in ("int", "number"):
        decided = interp.choices.decided(value)
        if decided is not None:
            bounds.learn("eq", 0, not decided)
    for key, answer in value.attributes.items():
        if not isinstance(key, tuple) or key[0] not in ORDERS or not isinstance(answer, Unknown):
            continue
        taken = interp.choices.decided(answer) if _is_number(key[1]) else None
        if taken is not None:
            bounds.learn(key[0], key[1], taken)
    if value.hint == "int":
        bounds.whole()
    return bounds


def _is_number(value: Value) -> TypeGuard[int | float]:
    return type(value) in (int, float) and value == value
