"""Similarities of all rows of a tensor, which are one on the diagonal: each row with itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor

PRODUCTS = {"matmul", "mm"}
ROUNDS = {"clamp", "clip", "clamp_max"}
AT_ONE = {"acos", "arccos", "asin", "arcsin", "atanh", "arctanh"}
WATCHED = {"normalize", "norm", "div", "cosine_similarity", "rsub", "sub"} | PRODUCTS | ROUNDS


@dataclass(slots=True, eq=False, repr=False)
class Diagonals:
    """The tensors whose rows have a norm of one, the norms of others with what they are the norms
    of, and the tensors with a diagonal of ones; all by identity."""

    unit: dict[int, Tensor] = field(default_factory=dict)
    norms: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict)
    ones: dict[int, Tensor] = field(default_factory=dict)

    def ran(self, operation: Operation, result: Tensor) -> None:
        """An operator has run: do its values have a norm of one, or a diagonal of ones?"""
        name, first = operation.operator, operation.arguments.get("0")
        if not isinstance(first, Tensor):
            return
        if name == "normalize":
            self.unit[id(result)] = result
        elif name == "norm":
            self.norms[id(result)] = result, first
        elif name == "div":
            _, normed = self.norms.get(id(operation.arguments.get("1")), (None, None))
            if normed is first:
                self.unit[id(result)] = result
        elif self._are_similarities(operation, first) or self._keeps(operation, first):
            self.ones[id(result)] = result

    def has_ones(self, tensor: object) -> bool:
        """Whether a tensor has a diagonal of ones that was not written since."""
        return (
            isinstance(tensor, Tensor)
            and self.ones.get(id(tensor)) is tensor
            and not tensor.storage.writes
            and not tensor.storage.unversioned_writes
        )

    def cancels(self, operation: Operation) -> bool:
        """Whether a result is zero on the diagonal: one minus what is one there."""
        name, one, other = operation.operator, *map(operation.arguments.get, "01")
        if name == "rsub":
            return other == 1 and not isinstance(other, Tensor) and self.has_ones(one)
        return name == "sub" and not isinstance(one, Tensor) and one == 1 and self.has_ones(other)

    def _are_similarities(self, operation: Operation, first: Tensor) -> bool:
        """Whether all rows of a tensor are compared with all of them."""
        other = operation.arguments.get("1")
        if not isinstance(other, Tensor):
            return False
        if operation.operator == "cosine_similarity":
            apart = first.shape is not None and first.shape != other.shape
            return apart and first.base is not None and first.base is other.base
        own = self.unit.get(id(first)) is first
        return own and operation.operator in PRODUCTS and other.base is first

    def _keeps(self, operation: Operation, first: Tensor) -> bool:
        """Whether ones go through a clamp unchanged."""
        if operation.operator not in ROUNDS or not self.has_ones(first):
            return False
        at = "1" if operation.operator == "clamp_max" else "2"
        most = operation.arguments.get(at)
        return most is None or (isinstance(most, (int, float)) and most >= 1)
