"""What `nn.Parameter` makes of a tensor: a leaf on the same memory."""

from __future__ import annotations

from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.events import ParameterMade
from autograd_lint.libraries.torch.tensors.factories import refuse_dtype
from autograd_lint.libraries.torch.tensors.leaving_autograd import taken
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Value


def parameter_of(interp: Interpreter, data: Value, call: Call, *, trained: bool = True) -> Tensor:
    """`nn.Parameter(data, requires_grad=trained)`, made by a call."""
    made = Tensor(parameter=True, requires=CERTAINLY if trained else None)
    if not isinstance(data, Tensor):
        return made
    made.storage, made.shape, made.dtype = data.storage, data.shape, data.dtype
    made.contiguous, made.inference = data.contiguous, data.inference
    if data.dtype in ("int", "bool") and trained:
        refuse_dtype(interp, made, interp.text(call.node), call.node)
    interp.emit(ParameterMade(made, data, call.node))
    # A leaf that was made for the parameter is nobody else's: nothing is cut off from it.
    if not data.is_leaf or data.name is not None:
        made.graph_breaks = taken(interp, [data], "nn.Parameter", call)
    return made
