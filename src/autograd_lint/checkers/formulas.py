"""What a custom Function computes, taken for a formula of single numbers.

A Function that is right for tensors of any shape is right for those of one element, of which a sum
is the element itself, and a matrix product the product of two numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from autograd_lint.checkers.consumers import MOVING
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor

Numbers = Mapping[int, float]

SAME = MOVING | {"sum", "clone", "expand", "expand_as", "sum_to_size", "alias"}
OF_ONE: dict[str, Callable[[float], float]] = {
    **dict.fromkeys(SAME, lambda x: x),
    "neg": lambda x: -x,
    "exp": math.exp,
    "log": math.log,
    "log1p": math.log1p,
    "expm1": math.expm1,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "square": lambda x: x * x,
    "abs": abs,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "sin": math.sin,
    "cos": math.cos,
    "reciprocal": lambda x: 1 / x,
}
OF_TWO: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("add", "radd"), lambda x, y: x + y),
    **dict.fromkeys(("mul", "rmul", "matmul", "mm", "bmm"), lambda x, y: x * y),
    "sub": lambda x, y: x - y,
    "rsub": lambda x, y: y - x,
    "div": lambda x, y: x / y,
    "pow": math.pow,
}
REVERSED = "__rtruediv__"
DEEPEST = 200  # operators of one formula


@dataclass(slots=True, eq=False, repr=False)
class Formulas:
    """The operators by which tensors were computed, by the identity of the results."""

    steps: dict[int, tuple[Tensor, Operation, str]] = field(default_factory=dict)

    def ran(self, operation: Operation, result: Tensor, dotted: str) -> None:
        """An operator has run."""
        self.steps[id(result)] = result, operation, dotted

    def sources(self, of: Tensor) -> Iterator[Tensor]:
        """A tensor, and all that it was computed from, as far as that is known."""
        stack, seen = [of], set[int]()
        while stack:
            one = stack.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                known = self.steps.get(id(one))
                stack.extend(known[1].tensors() if known is not None else ())

    def value(self, of: object, numbers: Numbers, depth: int = 0) -> float | None:
        """What a tensor holds where others hold these numbers; None if that cannot be told."""
        if isinstance(of, (int, float)) and not isinstance(of, bool):
            return float(of)
        if not isinstance(of, Tensor) or of.storage.writes or depth > DEEPEST:
            return None
        if id(of) in numbers:
            return numbers[id(of)]
        known = self.steps.get(id(of))
        if known is None:
            return None
        try:
            return self._computed(known[1], known[2], numbers, depth + 1)
        except (ArithmeticError, ValueError):
            return None

    def _computed(
        self, operation: Operation, dotted: str, numbers: Numbers, depth: int
    ) -> float | None:
        name, arguments = operation.operator, operation.arguments
        first = self.value(arguments.get("0"), numbers, depth)
        if first is None:
            return None
        if name in OF_ONE:
            return OF_ONE[name](first)
        second = self.value(arguments.get("1"), numbers, depth)
        if second is None or name not in OF_TWO:
            return None
        if dotted.endswith(REVERSED):
            first, second = second, first
        return OF_TWO[name](first, second)
