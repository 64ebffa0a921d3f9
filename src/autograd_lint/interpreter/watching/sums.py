"""Sums of what one model computes for batch after batch, in functions that train nothing."""

from __future__ import annotations

from autograd_lint.engine.graph import Node
from autograd_lint.engine.walk import reached
from autograd_lint.interpreter.machine import Interpreter
from autograd_lint.interpreter.runs.gate import trains

ADDING = {"add", "add_"}


def of_batches(interp: Interpreter, node: Node, before: Node) -> bool:
    """Whether a value is the sum of its earlier one and of what the same parameters gave anew.

    The steps of a recurrent model lead to each other; batches have only the parameters in common.
    """
    function = interp.frame.function
    if function is None or node.operator not in ADDING or before not in node.edges:
        return False
    if trains(function.source.segment(function.node)):
        return False
    added = reached([edge for edge in node.edges if edge is not before])
    earlier = reached(before.edges)
    shared = [added[key] for key in added.keys() & earlier.keys()]
    return bool(shared) and all(one.leaf is not None and one.leaf.parameter for one in shared)
