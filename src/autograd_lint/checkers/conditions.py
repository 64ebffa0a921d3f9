"""Tensors of truth values: which numbers a condition takes, and which it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.images import FUNCTIONS, SAME, Intervals, preimage
from autograd_lint.checkers.intervals import OPPOSITE, holding
from autograd_lint.checkers.number_record import NumberRecord
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable

NEGATING = {"logical_not", "bitwise_not"}
JOINING = {"bitwise_and": True, "logical_and": True, "bitwise_or": False, "logical_or": False}
WATCHED = {*OPPOSITE, *NEGATING, *JOINING, *(k for k, step in FUNCTIONS.items() if step is SAME)}


@immutable
class Part:
    """What a condition says of one tensor: for which numbers it may hold, and may fail; None where
    that depends on others, too."""

    root: Tensor
    holds: Intervals | None
    fails: Intervals | None


@dataclass(slots=True, eq=False, repr=False)
class Conditions:
    """The conditions of a run, by the identity of the tensor that holds them."""

    known: dict[int, tuple[Tensor, tuple[Part, ...]]] = field(default_factory=dict)

    def of(self, value: object) -> tuple[Part, ...] | None:
        """What a tensor says of others; None where it is no condition."""
        found = self.known.get(id(value))
        return found[1] if found is not None and found[0] is value else None

    def ran(self, operation: Operation, result: Tensor, numbers: NumberRecord) -> None:
        """An operator has run: is its result a condition?"""
        parts = self._parts(operation, numbers)
        if parts is not None:
            self.known[id(result)] = (result, parts)

    def _parts(self, operation: Operation, numbers: NumberRecord) -> tuple[Part, ...] | None:
        name, arguments = operation.operator, operation.arguments
        first, second = arguments.get("0"), arguments.get("1")
        if name in OPPOSITE:
            return tuple(_compared(name, first, second, numbers))
        known = self.of(first)
        if known is None:
            return None
        if name in NEGATING:
            return tuple(Part(part.root, part.fails, part.holds) for part in known)
        if name in JOINING:
            both = (*known, *(self.of(second) or ()))
            if JOINING[name]:
                return tuple(Part(part.root, None, part.fails) for part in both)
            return tuple(Part(part.root, part.holds, None) for part in both)
        return known if FUNCTIONS.get(name) is SAME else None


def _compared(name: str, left: object, bound: object, numbers: NumberRecord) -> Iterator[Part]:
    known, number = None, 0.0
    if isinstance(left, Tensor) and isinstance(bound, (int, float)):
        known, number = numbers.chain(left), float(bound)
    elif isinstance(left, Tensor) and isinstance(bound, Tensor):
        known = numbers.difference(left, bound)
    if known is not None:
        root, steps = known
        sides = (holding(kind, number) for kind in (name, OPPOSITE[name]))
        yield Part(root, *(preimage(steps, (side,)) for side in sides))
