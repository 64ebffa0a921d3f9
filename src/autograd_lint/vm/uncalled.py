"""Methods that stand where the result of a call is wanted: `loss.item / 2`."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Value


def result_of(interp: Interpreter, value: Value) -> Value:
    """A value that is computed with: of a method that is not called what the call would give."""
    return interp.models.calls.wanted(interp, value) if type(value) is Bound else value


def shown_of(interp: Interpreter, value: Value) -> Value:
    """A value that is made a text: of a method of a tensor that is not called what it would give.

    The text of a method of another object is that of the object too, which may be meant:
    `print(model.parameters)` shows the layers.
    """
    of_tensor = type(value) is Bound and isinstance(value.receiver, Tensor)
    return result_of(interp, value) if of_tensor else value
