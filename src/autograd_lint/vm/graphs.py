"""The graph that a value keeps alive."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.contents import tensor_of
from autograd_lint.vm.values import Items, Mapping, Unknown, Value

if TYPE_CHECKING:
    from autograd_lint.vm.machine import Interpreter

DEPTH = 4  # containers in containers that are looked through


def graph_of(value: Value, depth: int = DEPTH) -> Node | None:
    """The graph that a value keeps alive, if it is a tensor or holds one."""
    value = holder(value, depth)
    if isinstance(value, Unknown) and value.tensor is None:
        return value.source if not (value.hint or _replaced(value)) else None
    tensor = tensor_of(value)
    return tensor.node if tensor is not None else None


def holder(value: Value, depth: int = DEPTH) -> Value:
    """The first part of a container that keeps a graph alive, or what is no container itself."""
    if isinstance(value, Mapping):
        value = Items("list", list(value.entries.values()))
    if not isinstance(value, Items):
        return value
    found = [holder(item, depth - 1) for item in value.items] if depth else []
    return next((part for part in found if graph_of(part, 0) is not None), None)


def _replaced(value: Unknown) -> bool:
    """Whether the program has put something without a graph in place of a part of it."""
    parts = [part for key, part in value.attributes.items() if isinstance(key, tuple)]
    return any(isinstance(part, Tensor) and part.node is None for part in parts)


def put_away(interp: Interpreter, value: Value, node: ast.AST, name: str | None = None) -> None:
    """Remember where a value was put into an object or a container, unless it had a name before.

    That is where its graph begins to outlive the call, and not where it is read again later. `name`
    is how the program speaks of it from then on.
    """
    tensor = tensor_of(value)
    graph = tensor.node if tensor is not None else None
    if graph is not None and graph.bound is None:
        graph.bound, graph.name = interp.place(node), name
