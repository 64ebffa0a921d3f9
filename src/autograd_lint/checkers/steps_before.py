"""What one line of code computes in step after step, each time from what it was before."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lint.engine.backward import Pass
from autograd_lint.engine.graph import Node
from autograd_lint.vm.machine import Interpreter

FAR = 60  # nodes that are looked through for an earlier one


def same_step(node: Node) -> Node | None:
    """An earlier node that the same line made, among what a node leads to."""
    return next(same_steps(node), None)


def same_steps(node: Node) -> Iterator[Node]:
    """The earlier nodes that the same line made, among what a node leads to."""
    for one in _behind(node):
        if one.place == node.place and one.operator == node.operator:
            yield one


def takes_in(node: Node, earlier: Node) -> bool:
    """Whether a value has a graph from more than what it was in an earlier step."""
    return any(one is not earlier and not one.edges for one in _behind(node, earlier))


def takes_in_parameters(node: Node, earlier: Node) -> bool:
    """Whether parameters of a module go into a value beside what it was in an earlier step."""
    leaves = (one.leaf for one in _behind(node, earlier))
    return any(leaf is not None and leaf.parameter for leaf in leaves)


def _behind(node: Node, last: Node | None = None) -> Iterator[Node]:
    """What a node leads to, as far as it is looked through, without what lies behind `last`."""
    stack, seen = list(node.edges), 0
    while stack and seen < FAR:
        current = stack.pop()
        seen += 1
        yield current
        if current is not last:
            stack.extend(current.edges)


def came_between(interp: Interpreter, earlier: Node, later: Node) -> bool:
    """Whether a backward came between two nodes, so that they are of different steps."""
    return any(True for _ in _passes_between(interp, earlier, later))


def steps_between(interp: Interpreter, earlier: Node, later: Node) -> int:
    """How many backwards between two nodes have accumulated gradients.

    `grad` is called several times for one value as well: once for each component of a divergence.
    """
    return sum(walk.call.accumulate for walk in _passes_between(interp, earlier, later))


def _passes_between(interp: Interpreter, earlier: Node, later: Node) -> Iterator[Pass]:
    for walk in interp.engine.backward.passes:
        if earlier.sequence <= walk.began < later.sequence:
            yield walk


def passed_by(interp: Interpreter, node: Node) -> bool:
    """Whether backward after backward has had no use for what grows from step to step."""
    first = same_step(node)
    if first is None or node.walked_at or first.walked_at:
        return False
    passes = interp.engine.backward.passes
    return sum(walk.began > first.sequence for walk in passes) > 1
