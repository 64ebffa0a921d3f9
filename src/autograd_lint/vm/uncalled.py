"""Methods that stand where the result of a call is wanted: `loss.item / 2`."""

from __future__ import annotations

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Bound, Value


def result_of(interp: Interpreter, value: Value) -> Value:
    """A value that is computed with: of a method that is not called what the call would give."""
    return interp.models.calls.wanted(interp, value) if type(value) is Bound else value
