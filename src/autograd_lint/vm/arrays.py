"""Arrays: values without a graph, on memory that they may share with tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from autograd_lint.engine.graph_breaks import GraphBreaks, joined
from autograd_lint.engine.inplace import write
from autograd_lint.engine.tensor import Tensor
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Items, Mapping, Slice, Unknown, Value


def behind(values: Iterable[Value], depth: int = 2) -> GraphBreaks:
    """The graph breaks behind values that are in no graph themselves."""
    found: list[GraphBreaks] = []
    for value in values:
        if isinstance(value, Unknown):
            if value.graph_breaks and value.source is None:
                found.append(value.graph_breaks)
        elif isinstance(value, Tensor):
            if value.graph_breaks and value.requires_grad is None:
                found.append(value.graph_breaks)
        elif depth and isinstance(value, Items):
            found.append(behind([*value.items, value.rest], depth - 1))
        elif depth and isinstance(value, Mapping):
            found.append(behind([*value.entries.values(), value.rest], depth - 1))
        elif isinstance(value, Slice):
            found.append(behind((value.lower, value.upper, value.step), depth))
    return joined(*found) if found else ()


def write_array(array: Value, operator: str, place: Place) -> bool:
    """Write to the memory that an array shares with tensors; whether it shares any."""
    if not isinstance(array, Unknown) or array.memory is None:
        return False
    alias = Tensor(storage=array.memory, name=array.origin)
    write(alias, operator, place, bumps=0)
    return True


def array_part(interp: Interpreter, array: Unknown, index: Value, node: ast.AST) -> Unknown:
    """`array[index]`: a view, unless elements are picked."""
    part = Unknown(interp.text(node), "array", weight=2)
    part.graph_breaks = array.graph_breaks
    parts = index.items if isinstance(index, Items) and index.kind == "tuple" else [index]
    if all(isinstance(one, (int, Slice)) or one in (None, Ellipsis) for one in parts):
        part.memory = array.memory
    return part


def indexes_arrays(index: Value) -> bool:
    """Whether only tensors and arrays can be indexed so: along several dimensions."""
    if not isinstance(index, Items) or index.kind != "tuple":
        return False
    return any(isinstance(part, Slice) or part is Ellipsis for part in index.items)
