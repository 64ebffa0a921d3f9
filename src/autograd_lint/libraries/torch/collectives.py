"""Functions of torch.distributed that move values between processes, past autograd.

Source: `all_gather` in torch/distributed/distributed_c10d.py.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.graph_breaks import joined
from autograd_lint.engine.inplace import write
from autograd_lint.libraries.torch.tensors.leaving_autograd import taken
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensors_in
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown, Value


def _all_gather(interp: Interpreter, call: Call) -> Value:
    """`all_gather(tensor_list, tensor)`: the tensors of the list get values without their graph."""
    breaks = taken(interp, [call.get(1, "tensor")], "all_gather", call)
    place = interp.place(call.node)
    for gathered in tensors_in(call.get(0, "tensor_list")):
        write(gathered, "all_gather", place)
        if gathered.requires_grad is None:
            gathered.graph_breaks = joined(gathered.graph_breaks, breaks)
    return Unknown(interp.text(call.node))


COLLECTIVES: dict[str, Callable[[Interpreter, Call], Value]] = {
    "torch.distributed.all_gather": _all_gather,
}
