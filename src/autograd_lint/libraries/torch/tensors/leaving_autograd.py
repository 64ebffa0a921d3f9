"""What leaves autograd: numbers, arrays and copies, which go on without their graph."""

from __future__ import annotations

from collections.abc import Iterable

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph_breaks import GraphBreaks, break_graph, joined
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.arrays import behind, write_array
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Unknown, Value

# Methods of arrays that write them, and those whose results share their memory.
WRITERS = {"fill", "sort", "partition", "put", "itemset", "resize", "setfield", "byteswap"}
VIEWING = {"reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "diagonal"}
STORAGE_WRITERS = {"fill_", "copy_"}  # of storages, which are taken for arrays


def taken(interp: Interpreter, values: Iterable[Value], operator: str, call: Call) -> GraphBreaks:
    """The graph breaks behind what `operator` computes outside of autograd from `values`."""
    given = list(values)
    event = Created(interp.place(call.node), operator)
    cuts = [break_graph(interp.engine, tensor, event) for tensor in _in_graphs(given)]
    return joined(*cuts, behind(given))


def _in_graphs(values: Iterable[Value], depth: int = 2) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        tensor = tensor_of(value)
        if tensor is not None and tensor.requires_grad is not None:
            found.append(tensor)
        elif depth and isinstance(value, Items):
            found.extend(_in_graphs(value.items, depth - 1))
    return found


def outside(interp: Interpreter, operator: str, call: Call, hint: str = "number") -> Unknown:
    """What a function of another library computes from its arguments."""
    result = Unknown(interp.text(call.node), hint=hint)
    result.graph_breaks = taken(interp, [*call.args, *call.keywords.values()], operator, call)
    return result


def array_method(interp: Interpreter, array: Unknown, name: str, call: Call) -> Unknown:
    """`array.name(...)`: arrays are on the memory of the tensors that they were made of."""
    if name in WRITERS | STORAGE_WRITERS:
        write_array(array, name, interp.place(call.node))
    result = Unknown(interp.text(call.node), "array", weight=2)
    result.graph_breaks = joined(array.graph_breaks, behind(call.args))
    result.memory = array.memory if name in VIEWING else None
    return result


def shared(interp: Interpreter, array: Value, operator: str, call: Call) -> Tensor:
    """`torch.from_numpy(array)`: a tensor on the memory of the array, with a version counter of its
    own."""
    tensor = Tensor(dtype=None, made=Created(interp.place(call.node), operator))
    if isinstance(array, Unknown):
        if array.memory is None:
            array.memory = tensor.storage
        else:
            tensor.storage = array.memory.twin()
        tensor.graph_breaks = array.graph_breaks
    return tensor
