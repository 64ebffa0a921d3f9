"""Bounds at which the function behind them has no finite derivative.

angle = torch.acos(cosine.clamp(-1, 1))       # infinite where the cosine is exactly one

A clamp gives no gradient to what lies outside its bounds, but to what lies on them. Whoever clamps
a cosine for its rounding has such values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable

CLAMPING = {"clamp", "clip", "clamp_", "clip_", "clamp_min", "clamp_max"}
ROOTS = {"sqrt", "pow"}
ARCS = {"acos", "arccos", "asin", "arcsin"}


@immutable
class Bounds:
    """The tensor that holds what was clamped, and to what."""

    tensor: Tensor
    low: object | None
    high: object | None


@dataclass(slots=True, eq=False, repr=False)
class Clamps:
    """The bounds of what was clamped, by the identity of the tensor."""

    bounds: dict[int, Bounds] = field(default_factory=dict)

    def ran(self, operation: Operation, result: Tensor) -> None:
        """An operator has run: does it clamp?"""
        if operation.operator in CLAMPING:
            self.bounds[id(result)] = Bounds(result, *_bounds(operation))

    def ends_below(self, operation: Operation, value: float) -> bool:
        """Whether what is large is clamped below a value, and what is small is let be."""
        low, high = _bounds(operation)
        return low in (None, 0) and isinstance(high, (int, float)) and high < value

    def ends_in(self, operation: Operation) -> bool:
        """Whether a function is given what was clamped to where its derivative is infinite."""
        given, exponent = map(operation.arguments.get, "01")
        known = self.bounds.get(id(given))
        if known is None or known.tensor is not given:
            return False
        if operation.operator in ARCS:
            return known.high == 1 or known.low == -1
        if operation.operator == "pow" and not (isinstance(exponent, float) and 0 < exponent < 1):
            return False
        return operation.operator in ROOTS and known.low == 0 and known.low is not False


def _bounds(operation: Operation) -> tuple[object | None, object | None]:
    one, other = map(operation.arguments.get, "12")
    return (None, one) if operation.operator == "clamp_max" else (one, other)
