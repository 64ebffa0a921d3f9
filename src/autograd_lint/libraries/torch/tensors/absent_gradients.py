"""`.grad` that stays None, of tensors that are no leaves or do not require grad: a run goes on as
if they did."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.recovery import made_leaf
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import AbsentGradientUsed
from autograd_lint.project.query import query
from autograd_lint.vm.machine import Interpreter

TAKEN = {"from_numpy", "as_tensor"}  # what makes tensors of arrays


@dataclass(slots=True, eq=False, repr=False)
class AbsentGradients:
    """The tensors of which an expression of the program has read a `.grad` that stays None."""

    read_by: dict[ast.AST, Tensor] = field(default_factory=dict)


def stays_none(tensor: Tensor) -> bool:
    """Whether `.grad` of a tensor is None although backward has reached it, for it is no leaf."""
    graph = tensor.node
    if graph is None or graph.opaque or tensor.retains_grad or tensor.grad is not None:
        return False
    return bool(graph.walked_at) and tensor.requires is not None


def is_never_filled(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether `.grad` is None after backward for a tensor of plain numbers: nobody has asked for
    its gradient."""
    if tensor.requires is not None or tensor.grad is not None or tensor.parameter:
        return False
    taken = tensor.made is not None and tensor.made.operator in TAKEN
    plain = tensor.node is None and tensor.base is None and (taken or tensor.anew is not None)
    return plain and bool(interp.engine.backward.passes)


def remember_read(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    """An expression reads `.grad` of a tensor."""
    if (stays_none(tensor) and not tensor.requires) or is_never_filled(interp, tensor):
        interp.state(AbsentGradients).read_by[node] = tensor


def absent_gradient(interp: Interpreter, node: ast.AST | None) -> Tensor | None:
    """The gradient in the place of the None that the program computes with, where that is the
    `.grad` of a tensor which is not a leaf, or was not made to require grad."""
    read = interp.state(AbsentGradients).read_by
    if isinstance(node, ast.Name) and read:
        node = _read_under(interp, node.id)
    tensor = read.get(node) if node is not None else None
    if node is None or tensor is None:
        return None
    if is_never_filled(interp, tensor):
        interp.emit(AbsentGradientUsed(tensor, node))
    if tensor.grad is None:
        made_leaf(tensor)
        tensor.grad = Tensor(dtype=tensor.dtype, shape=tensor.shape, contiguous=None)
    return tensor.grad


def _read_under(interp: Interpreter, name: str) -> ast.expr | None:
    """The read of an absent `.grad` that a name, which is None by now, was bound to."""
    function = interp.frame.function
    code = function.node if function is not None else interp.source.tree
    values = _assigned(code).get(name, [])
    if any(isinstance(value, ast.Constant) and value.value is None for value in values):
        return None
    read = interp.state(AbsentGradients).read_by
    return next((value for value in values if value in read), None)


@query
def _assigned(code: ast.AST) -> dict[str, list[ast.expr]]:
    """The values that a function assigns to each name alone."""
    found: dict[str, list[ast.expr]] = {}
    for part in ast.walk(code):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            found.setdefault(part.targets[0].id, []).append(part.value)
    return found
