"""`torch.broadcast_tensors` and `torch.atleast_1d`: views of what they are given, or that itself.

Source: `broadcast_tensors` in torch/functional.py, aten/src/ATen/native/TensorTransformations.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autograd_lint.engine.shapes import broadcast
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.operators.apply import apply_operator
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value

# Where further dimensions are put in, after those that a tensor has.
_ADDED = {1: (0,), 2: (0, 0), 3: (0, 0, -1)}


def _broadcast_tensors(interp: Interpreter, call: Call) -> Value:
    first = call.args[0] if call.args else None
    given = first.items if isinstance(first, Items) else call.args
    tensors = [as_tensor(interp, value) for value in given]
    known = [tensor for tensor in tensors if tensor is not None]
    if len(known) < len(tensors) or call.open or call.more:
        return Unknown(interp.text(call.node))
    shape = broadcast([tensor.shape for tensor in known])
    sizes: list[Value] = [Unknown("the sizes", "shape")] if shape is None else list(shape)
    views: list[Value] = []
    for tensor in known:
        if shape is not None and tensor.shape == shape and None not in shape:
            views.append(tensor)
        else:
            operator = "torch.Tensor.expand"
            views.append(apply_operator(interp, operator, [tensor, *sizes], {}, call.node))
    return Items("tuple", views)


def _at_least(interp: Interpreter, call: Call, rank: int) -> Value:
    """A tensor itself where it has as many dimensions, else a view; for several of them a tuple."""
    tensors = [as_tensor(interp, value) for value in call.args]
    results = [_widened(interp, tensor, rank, call) for tensor in tensors]
    return results[0] if len(results) == 1 else Items("tuple", results)


def _widened(interp: Interpreter, tensor: Tensor | None, rank: int, call: Call) -> Value:
    if tensor is None:
        return Unknown(interp.text(call.node))
    if tensor.shape is None:
        return apply_operator(interp, f"torch.atleast_{rank}d", [tensor], {}, call.node)
    wider: Value = tensor
    for dim in _ADDED[rank][len(tensor.shape) :]:
        wider = apply_operator(interp, "torch.Tensor.unsqueeze", [wider, dim], {}, call.node)
    return wider


BROADCASTING: dict[str, Callable[[Interpreter, Call], Value]] = {
    "torch.broadcast_tensors": _broadcast_tensors,
    **{f"torch.atleast_{rank}d": partial(_at_least, rank=rank) for rank in (1, 2, 3)},
}
