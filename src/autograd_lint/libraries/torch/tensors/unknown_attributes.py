"""Attributes of what nothing is known of, and may be a tensor or a number out of one."""

from __future__ import annotations

import ast

from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import GraphBreak, leaf_node
from autograd_lint.libraries.torch.modules.opaque_parameters import module_of
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.attributes import set_requires_grad
from autograd_lint.libraries.torch.tensors.evidence import is_parameter
from autograd_lint.libraries.torch.tensors.non_tensors import refuse_taken
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import ARGUMENT, DATA, ELEMENT, Unknown, Value


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


def set_unknown_attribute(
    interp: Interpreter, owner: Unknown, name: str, value: Value, node: ast.AST
) -> None:
    """`owner.name = value`: what is given as data, and is to require grad, is a leaf from here on.

    x.requires_grad = True
    loss(model(x), y).backward()
    """
    if name == "requires_grad" and becomes_leaf(interp, owner, value):
        tensor = as_tensor(interp, owner)
        if tensor is not None:
            set_requires_grad(interp, tensor, value, node)


def becomes_leaf(interp: Interpreter, owner: Unknown, flag: Value) -> bool:
    """Whether something is told to require grad that is given, or an element of what is given, and
    nothing tells that it is a module: these are called."""
    if flag is not True:
        return False
    if owner.weight >= DATA:
        return True
    if owner.attributes.keys().isdisjoint({ARGUMENT, ELEMENT}) or module_of(owner) is not None:
        return False
    function = interp.frame.function
    return function is None or f"{owner.origin}(" not in interp.source.segment(function.node)
