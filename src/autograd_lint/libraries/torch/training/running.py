"""What of PyTorch is running: the step of an optimizer, the `forward` of a module."""

from __future__ import annotations

from autograd_lint.libraries.torch.training.optimizers import is_optimizer
from autograd_lint.vm.machine import Interpreter


def in_optimizer(interp: Interpreter) -> bool:
    """Whether an optimizer of the program is at work: it writes back what it has computed."""
    return any(is_optimizer(frame.receiver) for frame in interp.frames)


def in_constructor(interp: Interpreter) -> bool:
    """Whether the constructor of some class is at work."""
    return _is_running(interp, "__init__")


def in_forward(interp: Interpreter) -> bool:
    """Whether the `forward` of some module is at work."""
    return _is_running(interp, "forward")


def _is_running(interp: Interpreter, name: str) -> bool:
    """Whether a function or method of that name is at work."""
    functions = (frame.function for frame in interp.frames)
    return any(one is not None and one.name == name for one in functions)
