"""Frames that a program asks for, with what the functions that run have bound."""

from __future__ import annotations

from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Mapping, Value

_MOST = 6  # frames above each other that are told of


def current(interp: Interpreter, call: Call) -> Value:
    """`inspect.currentframe()`, `sys._getframe(depth)`: the frame of the function that asks, or
    one above; `f_locals` holds what it has bound so far, `f_back` is the frame that has called."""
    depth = call.get(0, "depth")
    above = depth if isinstance(depth, int) else 0
    back: Value = None
    frames = [frame for frame in interp.frames if not frame.inner]
    for frame in frames[max(0, len(frames) - above - _MOST) : len(frames) - above]:
        names = Mapping({})
        names.entries.update(frame.scope.names)
        back = Instance(External("types.FrameType"), {"f_locals": names, "f_back": back})
    return back
