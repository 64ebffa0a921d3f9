"""`zero_grad` of modules and optimizers, and what clears gradients in code that is not seen."""

from __future__ import annotations

import re

from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import GradientsCleared
from autograd_lint.project.code import called_name
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter

_SAYS_SO = re.compile(r"(?:zero|clear|reset)_?grad")


def says_it_clears(call: Call) -> bool:
    """Whether the name of what is called says that it clears gradients."""
    return _SAYS_SO.search(called_name(call.node)) is not None


def zero_gradients(interp: Interpreter, tensors: list[Tensor], call: Call) -> None:
    """Drop gradients, or zero them in place with `set_to_none=False`."""
    keep = call.get(0, "set_to_none", True) is False
    interp.emit(GradientsCleared(tensors, interp.place(call.node)))
    for tensor in tensors:
        if keep and tensor.grad is not None:
            write(tensor.grad, "zero_grad", interp.place(call.node))
            tensor.grad.node, tensor.grad.requires = None, None
        else:
            tensor.grad = None
