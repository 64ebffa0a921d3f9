"""`id(...)` of what stays the same object while the program runs."""

from __future__ import annotations

from autograd_lint.vm.calls import Call
from autograd_lint.vm.integers import Identity
from autograd_lint.vm.known_elements import is_parameter
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Items, Mapping, Unknown, Value


def identity(interp: Interpreter, call: Call) -> Value:
    """`id(object)`: of an object, container or parameter that is known a number of its own."""
    value = call.get(0, "obj")
    if isinstance(value, Unknown):
        return value.derived("id", interp.text(call.node), "int")
    if not (isinstance(value, (Instance, Items, Mapping)) or is_parameter(value)):
        return Unknown(interp.text(call.node), "int")
    number = Identity(id(value))
    number.owner = value
    return number
