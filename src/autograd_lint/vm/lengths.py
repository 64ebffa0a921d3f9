"""`len()`: how many elements a value has."""

from __future__ import annotations

import ast

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arithmetic import materialized
from autograd_lint.vm.bounds import LEAST
from autograd_lint.vm.calls import Call
from autograd_lint.vm.instances import call_method, has_method
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.members import content_of
from autograd_lint.vm.registries import complete
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value


def length(interp: Interpreter, call: Call) -> Value:
    """`len(value)`."""
    value = materialized(call.get(0, "obj"))
    value = content_of(value)
    if isinstance(value, Items) and value.closed and not value.partial:
        return len(value.items)
    if isinstance(value, Mapping) and value.rest is None:
        complete(interp, value)
        return len(value.entries)
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Tensor) and value.shape and value.shape[0] is not None:
        return value.shape[0]
    known = _count(interp, value, call.node) if isinstance(value, Instance) else None
    if known is not None:
        return known
    if isinstance(value, Unknown):
        number = value.derived("len", interp.text(call.node), "int")
    else:
        number = Unknown(interp.text(call.node), hint="int")
    surely = len(value.items) if isinstance(value, Items) else 0
    number.attributes[LEAST] = min(surely, 1) if getattr(value, "kind", "") == "set" else surely
    return number


def _count(interp: Interpreter, value: Instance, node: ast.AST) -> Value:
    """How many elements an object says that it has; None where that is not known."""
    if has_method(value, "__len__"):
        return call_method(interp, value, "__len__", [], node)
    return interp.models.elements.count(value)
