"""What a program asks of the flag `requires_grad`."""

from __future__ import annotations

import ast

from autograd_lint.engine.freezing import flag
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import RequiresGradAsked
from autograd_lint.vm.machine import Interpreter


def ask(interp: Interpreter, tensor: Tensor, wanted: bool, node: ast.AST) -> None:
    """`requires_grad` of a tensor is about to be set: tell, and remember leaves that are frozen."""
    place = interp.place(node)
    interp.emit(RequiresGradAsked(tensor, wanted, place))
    if tensor.is_leaf:
        flag(interp.engine, tensor, wanted, place, interp.harness_call)
