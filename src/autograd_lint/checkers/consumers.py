"""What computes with the result of each node that a backward goes through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograd_lint.checkers.terms import SHAPING
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.graph import Node

Consumers = Mapping[int, list[Node]]
# What only gives values another shape, or another place.
MOVING = SHAPING | {
    *("permute", "transpose", "contiguous", "movedim", "t", "T", "mT", "view_as", "to", "float"),
}


def consumers_in(walk: Pass) -> Consumers:
    """The nodes of a backward that compute with the result of each, by its identity."""
    found: dict[int, list[Node]] = {}
    for node in walk.order:
        for edge in node.edges:
            found.setdefault(id(edge), []).append(node)
    return found


def ends(node: Node, consumers: Consumers) -> Iterator[Node]:
    """What computes with the values of a node, over what only gives them another shape."""
    for consumer in consumers.get(id(node), []):
        if consumer.operator in MOVING:
            yield from ends(consumer, consumers)
        else:
            yield consumer
