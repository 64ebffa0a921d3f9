"""Python's operators, conversions and loops on tensors."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.kinds import names_dtype
from autograd_lint.libraries.torch.tensors.leaving_autograd import outside
from autograd_lint.libraries.torch.tensors.methods import refuse_array
from autograd_lint.libraries.torch.transforms.batching import refuse_number
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import SURELY_ARRAY, Items, Unknown, Value

WITH_ARRAYS = {"__add__", "__sub__", "__mul__", "__truediv__", "__pow__", "__matmul__"}


def operate(
    interp: Interpreter,
    method: str,
    operands: list[Value],
    node: ast.AST,
    label: str | None = None,
) -> Value:
    """A special method of tensors, such as `__add__`.

    Of a tensor that has an array on its right NumPy makes an array.
    """
    if method in WITH_ARRAYS and isinstance(operands[0], Tensor) and _is_array(operands[1]):
        refuse_array(interp, operands[0], node, "numpy")
    return apply_operator(interp, f"torch.Tensor.{method}", operands, {}, node, label=label)


def _is_array(value: Value) -> bool:
    """Whether a value is surely an array: computed from one with numbers, it is one as well."""
    return isinstance(value, Unknown) and SURELY_ARRAY in value.root.attributes


def number(interp: Interpreter, value: Value, kind: str, hint: str, call: Call) -> Unknown:
    """`int(value)`, `float(value)` and the like of what is no constant."""
    refuse_number(interp, value, call.node, kind)
    return outside(interp, kind, call, hint)


def rows(interp: Interpreter, tensor: Tensor, count: int, node: ast.AST) -> Value:
    """The first `count` rows of a tensor: what a loop over it sees."""
    found = apply_operator(interp, "torch.Tensor.unbind", [tensor], {}, node, count=count)
    for row in tensors_in(found, depth=1):
        row.shape = tensor.shape[1:] if tensor.shape else None
    return found


def usually_in(container: Value) -> bool | None:
    """Whether something is in a list as a rule; None where nothing tells.

    It is not where the list names dtypes of integers only: what is trained has another one.
    """
    items = container.items if isinstance(container, Items) and container.closed else []
    integers = bool(items) and all(names_dtype(item) in ("int", "bool") for item in items)
    return False if integers else None
