"""What a `ParameterList` or `ParameterDict` keeps: of a tensor it makes a parameter.

Source: the `__setitem__` of both in torch/nn/modules/container.py.
"""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.tensors.parameters import parameter_of
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import external_class
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Value

_KINDS = {"torch.nn.ParameterList", "torch.nn.ParameterDict"}


def as_element(interp: Interpreter, container: Instance, value: Value, node: ast.AST) -> Value:
    """What a container has of a value that `node` puts into it."""
    if not isinstance(value, Tensor) or value.parameter:
        return value
    if _KINDS.isdisjoint(external_class(container)):
        return value
    return parameter_of(interp, value, Call([value], {}, node))
