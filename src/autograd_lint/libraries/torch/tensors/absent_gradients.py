"""`.grad` that stays None, of tensors that are no leaves: a run goes on as if they were."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.recovery import made_leaf
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter


@dataclass(slots=True, eq=False)
class AbsentGradients:
    """The tensors of which an expression of the program has read a `.grad` that stays None."""

    read_by: dict[ast.AST, Tensor] = field(default_factory=dict)


def stays_none(tensor: Tensor) -> bool:
    """Whether `.grad` of a tensor is None although backward has reached it, for it is no leaf."""
    graph = tensor.node
    if graph is None or graph.opaque or tensor.retains_grad or tensor.grad is not None:
        return False
    return bool(graph.walked_at) and tensor.requires is not None


def remember_read(interp: Interpreter, tensor: Tensor, node: ast.AST) -> None:
    """An expression reads `.grad` of a tensor."""
    if stays_none(tensor) and not tensor.requires:
        interp.state(AbsentGradients).read_by[node] = tensor


def absent_gradient(interp: Interpreter, node: ast.AST | None) -> Tensor | None:
    """The gradient in the place of the None that the program computes with, where that is the
    `.grad` of a tensor which is not a leaf."""
    tensor = interp.state(AbsentGradients).read_by.get(node) if node is not None else None
    if tensor is None:
        return None
    if tensor.grad is None:
        made_leaf(tensor)
        tensor.grad = Tensor(dtype=tensor.dtype, shape=tensor.shape, contiguous=None)
    return tensor.grad
