"""Attributes of what nothing is known of, and may be a tensor or a number out of one."""

from __future__ import annotations

import ast

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, leaf_node
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.evidence import is_parameter
from autograd_lint.libraries.torch.tensors.non_tensors import refuse_taken
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Unknown, Value


def unknown_attribute(interp: Interpreter, value: Unknown, name: str, node: ast.AST) -> Value:
    """`value.name`."""
    if value.hint == "number":
        refuse_taken(interp, value, name, node)
    source = _graph_of(interp, value) if name == "data" else None
    return value.attribute(name) if source is None else _data(interp, value, source, node)


def _graph_of(interp: Interpreter, value: Unknown) -> Node | None:
    """The graph that something unknown comes from, or begins where it is a parameter."""
    if value.source is not None or not is_parameter(interp, value):
        return value.source
    tensor = as_tensor(interp, value)
    return leaf_node(tensor) if tensor is not None and tensor.requires is not None else None


def _data(interp: Interpreter, value: Unknown, source: Node, node: ast.AST) -> Value:
    """`.data` of what comes from a graph: its values, without the graph."""
    found = value.attribute("data")
    if isinstance(found, Unknown) and not found.graph_breaks:
        event = Created(interp.place(node), ".data")
        found.graph_breaks = (GraphBreak(event, source, source.requires),)
        found.source = None
    return found
