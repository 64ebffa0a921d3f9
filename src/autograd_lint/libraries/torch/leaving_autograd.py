"""What leaves autograd: numbers, arrays and copies, which go on without their graph."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograd_lint.engine.events import Created
from autograd_lint.engine.inplace import write
from autograd_lint.engine.severing import Severings, joined, sever
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Slice, Unknown, Value

# Methods of arrays that write them, and those whose results share their memory.
WRITERS = {"fill", "sort", "partition", "put", "itemset", "resize", "setfield", "byteswap"}
VIEWING = {"reshape", "ravel", "view", "transpose", "squeeze", "swapaxes", "diagonal"}
STORAGE_WRITERS = {"fill_", "copy_"}  # of storages, which are taken for arrays


def behind(values: Iterable[Value], depth: int = 2) -> Severings:
    """The severings behind values that are in no graph themselves."""
    found: list[Severings] = []
    for value in values:
        if isinstance(value, Unknown):
            if value.severed:
                found.append(value.severed)
        elif isinstance(value, Tensor):
            if value.severed and value.requires_grad is None:
                found.append(value.severed)
        elif depth and isinstance(value, Items):
            found.append(behind([*value.items, value.rest], depth - 1))
    return joined(*found) if found else ()


def taken(interp: Interpreter, values: Iterable[Value], operator: str, call: Call) -> Severings:
    """The severings behind what `operator` computes outside of autograd from `values`."""
    given = list(values)
    event = Created(interp.place(call.node), operator)
    cuts = [sever(interp.engine, tensor, event) for tensor in _in_graphs(given)]
    return joined(*cuts, behind(given))


def _in_graphs(values: Iterable[Value], depth: int = 2) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        tensor = value.tensor if isinstance(value, Unknown) else value
        if isinstance(tensor, Tensor) and tensor.requires_grad is not None:
            found.append(tensor)
        elif depth and isinstance(value, Items):
            found.extend(_in_graphs(value.items, depth - 1))
    return found


def outside(interp: Interpreter, operator: str, call: Call, hint: str = "number") -> Unknown:
    """What a function of another library computes from its arguments."""
    result = Unknown(interp.text(call.node), hint=hint)
    result.severed = taken(interp, [*call.args, *call.keywords.values()], operator, call)
    return result


def write_array(array: Value, operator: str, place: Place) -> bool:
    """Write to the memory that an array shares with tensors; whether it shares any."""
    if not isinstance(array, Unknown) or array.memory is None:
        return False
    alias = Tensor(storage=array.memory, name=array.origin)
    write(alias, operator, place, bumps=0)
    return True


def array_method(interp: Interpreter, array: Unknown, name: str, call: Call) -> Unknown:
    """`array.name(...)`: arrays are on the memory of the tensors that they were made of."""
    if name in WRITERS | STORAGE_WRITERS:
        write_array(array, name, interp.place(call.node))
    result = Unknown(interp.text(call.node), "array", weight=2)
    result.severed = joined(array.severed, behind(call.args))
    result.memory = array.memory if name in VIEWING else None
    return result


def array_part(interp: Interpreter, array: Unknown, index: Value, node: ast.AST) -> Unknown:
    """`array[index]`: a view, unless elements are picked."""
    part = Unknown(interp.text(node), "array", weight=2)
    part.severed = array.severed
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    if all(isinstance(one, (int, Slice)) or one in (None, Ellipsis) for one in parts):
        part.memory = array.memory
    return part


def shared(interp: Interpreter, array: Value, operator: str, call: Call) -> Tensor:
    """`torch.from_numpy(array)`: a tensor on the memory of the array."""
    tensor = Tensor(dtype=None, made=Created(interp.place(call.node), operator))
    if isinstance(array, Unknown):
        if array.memory is None:
            array.memory = tensor.storage
        tensor.storage, tensor.severed = array.memory, array.severed
    return tensor
