"""Methods that stand without parentheses, so that they are not called."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.optimizers import is_optimizer
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Value

TELLING = {"backward", "zero_grad"}  # what nothing but tensors, modules and optimizers have
TRAINING = {"backward", "step", "zero_grad"}  # without arguments; other methods may want some


def is_method(interp: Interpreter, value: Bound) -> bool:
    """Whether something is a method of a tensor, a module or an optimizer."""
    owner = value.receiver
    if isinstance(owner, Tensor):
        return interp.world.table.is_tensor_method(value.name) or value.name in TELLING
    return is_module(owner) or is_optimizer(owner)


def go_on_as_called(interp: Interpreter, node: ast.Attribute, value: Value) -> None:
    """Run a step of training that a statement only names, as if that mistake had been fixed."""
    if isinstance(value, Bound) and value.name in TRAINING and is_method(interp, value):
        call_value(interp, value, Call([], {}, node))
