"""Tensors that are zero, all of them or in some places."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from autograd_lint.checkers.consumers import MOVING
from autograd_lint.checkers.images import Step, image
from autograd_lint.checkers.intervals import SINGULAR, Interval
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor
from autograd_lint.immutable import immutable
from autograd_lint.project.code import code_of

# What leaves a zero where it was; sums do where they are taken over one dimension.
KEEPING = {
    *("square", "abs", "mul", "neg", "clone", "relu", "view", "reshape", "div", "unsqueeze"),
    *("squeeze", "expand", "permute", "transpose", "t", "contiguous", "flatten"),
    *("to", "float", "double", "half", "bfloat16", "type", "type_as"),
}
SUMS = {"sum", "mean", "amax", "max"}
JOINING = {"stack", "cat", "concat", "concatenate", "hstack", "vstack"}
AT_ZERO = {"sqrt", "rsqrt", "log", "std"}
ROOTS = {"sqrt", "pow"}
CLIPPING = {"max", "maximum"}  # of two tensors


class Where(Enum):
    """Which elements of a tensor are zero."""

    EVERYWHERE = "all"
    SOMEWHERE = "some"
    ROWS = "all of some rows"
    CLIPPED = "all below a bound"
    CLIPPED_ROWS = "sums of what is below a bound"


@immutable
class Zero:
    """A tensor with zeros, and what is assumed for them.

    `along` is the dimension of the rows, where it was added to a tensor: each row repeats one
    element of that. `value` is what the zeros are by now, where numbers were added to them.
    """

    tensor: Tensor
    where: Where
    because: Assumption | None = None
    along: object | None = None
    value: float = 0.0

    def is_singular_in(self, operation: Operation) -> bool:
        """Whether an operator has an infinite derivative for these zeros."""
        name, exponent = operation.operator, operation.arguments.get("1")
        if operation.arguments.get("0") is not self.tensor:
            return False
        if self.where is Where.CLIPPED or (self.where is Where.CLIPPED_ROWS and name not in ROOTS):
            return False
        if self.value:
            return any(domain.holds(self.value) for domain in SINGULAR.get(name, ()))
        if name == "pow":
            return isinstance(exponent, (int, float)) and exponent < 1
        return name in AT_ZERO and (name != "std" or self.where is Where.EVERYWHERE)

    def is_kept_by(self, operation: Operation) -> bool:
        """Whether a result is zero where its argument is, or another number that this is by now."""
        name, second = operation.operator, operation.arguments.get("1")
        if self.value:
            return name in MOVING
        if name in SUMS:
            whole = self.where is Where.EVERYWHERE and not isinstance(second, Tensor)
            rows = self.where in (Where.ROWS, Where.CLIPPED) and self.along in (None, second)
            return whole or (rows and second is not None)
        if name == "pow":
            return isinstance(second, (int, float)) and second > 0
        if name == "div":
            return operation.arguments.get("0") is self.tensor
        return name in KEEPING or name in JOINING


@dataclass(slots=True, eq=False, repr=False)
class Zeros:
    """The tensors with zeros that were not written since, by identity."""

    known: dict[int, Zero] = field(default_factory=dict)

    def made(self, tensor: Tensor, numbers: frozenset[float]) -> None:
        """A tensor was made of numbers."""
        if 0 in numbers:
            where = Where.SOMEWHERE if any(numbers) else Where.EVERYWHERE
            self.known[id(tensor)] = Zero(tensor, where)

    def masked(self, tensor: Tensor, because: Assumption) -> None:
        """A tensor is the product with a condition."""
        self.known[id(tensor)] = Zero(tensor, Where.SOMEWHERE, because)

    def forget(self, tensor: Tensor) -> None:
        """The values of a tensor are not known any more."""
        self.known.pop(id(tensor), None)

    def bound(self, operation: Operation, result: Tensor) -> None:
        """A result is the larger one of a tensor and of zeros: backward goes by what is smaller
        than zero, and is infinite where a tensor happens to be zero itself."""
        given = operation.tensors()
        zeros = [zero for zero in map(self._of, given) if zero is not None]
        clips = operation.operator in CLIPPING and len(given) == 2 and len(zeros) == 1
        if clips and zeros[0].where is Where.EVERYWHERE:
            equal = Assumption(Kind.CONDITION_LAYS_ASIDE, operation.operator, weight=2)
            self.known[id(result)] = Zero(result, Where.CLIPPED, equal)

    def differ(self, operation: Operation, result: Tensor) -> None:
        """All differences of the rows of one tensor: on the diagonal they are zero."""
        one, other = operation.arguments.get("0"), operation.arguments.get("1")
        if not (isinstance(one, Tensor) and isinstance(other, Tensor)) or one is other:
            return
        base = one.base
        if base is None or other.base is not base or base.shape is None:
            return
        rank = len(base.shape) + 1
        shapes = (one.shape, other.shape)
        ranked = all(shape is not None and len(shape) == rank for shape in shapes)
        if ranked and shapes[0] != shapes[1]:
            self.known[id(result)] = Zero(result, Where.ROWS)

    def concern(self, operation: Operation) -> bool:
        """Whether any argument of an operator was known to have zeros."""
        return bool(self.known) and any(id(one) in self.known for one in operation.tensors())

    def behind(self, operation: Operation) -> Zero | None:
        """The argument of an operator that has zeros."""
        return next(filter(None, map(self._of, operation.tensors())), None)

    def _of(self, tensor: Tensor) -> Zero | None:
        zero = self.known.get(id(tensor))
        if zero is None or zero.tensor is not tensor or _is_written(tensor):
            return None
        return zero

    def shifted(self, zero: Zero, steps: Iterable[Step], result: Tensor) -> None:
        """A result is computed from a tensor alone, element by element: what are its zeros now?"""
        for one in image(steps, (Interval(zero.value, zero.value),)):
            if one.low == one.high:
                self.known[id(result)] = replace(zero, tensor=result, value=one.low)

    def kept(
        self, operation: Operation, zero: Zero, result: Tensor, added: int | None = None
    ) -> None:
        """A result is zero where its argument was; `added` is the dimension that an index adds."""
        if operation.operator == "getitem" and added is not None:
            rows = zero.where is Where.SOMEWHERE
            where, along = (Where.ROWS, added) if rows else (zero.where, zero.along)
            self.known[id(result)] = Zero(result, where, zero.because, along, zero.value)
        elif zero.is_kept_by(operation):
            joined = operation.operator in JOINING and _others(operation.tensors(), zero)
            where, along = Where.SOMEWHERE if joined else zero.where, zero.along
            if operation.operator in SUMS and where is Where.CLIPPED:
                where = Where.CLIPPED_ROWS
            if operation.operator == "unsqueeze" and where is Where.SOMEWHERE:
                where, along = Where.ROWS, operation.arguments.get("1")
            self.known[id(result)] = Zero(result, where, zero.because, along, zero.value)


def added_dimension(node: ast.AST) -> int | None:
    """The dimension that an index adds, where it takes all of the others: -1 of `x[..., None]`."""
    if not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    told = [code_of(part) for part in parts]
    if told.count("None") != 1 or not set(told) <= {"None", "...", ":"}:
        return None
    position = told.index("None")
    return position - len(told) if "..." in told[:position] else position


def _is_written(tensor: Tensor) -> bool:
    return bool(tensor.storage.writes or tensor.storage.unversioned_writes)


def _others(tensors: Iterable[Tensor], zero: Zero) -> bool:
    return any(one is not zero.tensor for one in tensors)
