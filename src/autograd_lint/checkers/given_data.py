"""Operands that a caller gives, or a loop: numbers or data as a rule, which have no graph.

def loss(policy, states, rewards):
    return -(policy(states).log_prob(...) * rewards).mean()   # `rewards` weighs, and has no graph
"""

from __future__ import annotations

from collections.abc import Iterable

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node

_MOST = 50  # nodes that are looked at


def own_edges(node: Node) -> list[Node]:
    """The edges of a node aside from those to what it is given as data, as a rule."""
    return [edge for edge in node.edges if not _is_given(edge)]


def only_edge(node: Node) -> Node | None:
    """The one edge of a node aside from those; None where it has none, or several."""
    own = own_edges(node)
    return own[0] if len(own) == 1 else None


def taken_for_data(nodes: Iterable[Node]) -> frozenset[Assumption]:
    """What must hold where such edges of some nodes are passed over: that it requires no grad."""
    given = (edge for node in nodes for edge in node.edges if _is_given(edge))
    return frozenset(why.as_of_data() for edge in given for why in edge.requires)


def _is_given(node: Node) -> bool:
    """Whether a node is computed from arguments and elements of them alone, and so has a graph only
    should these have one."""
    waiting, seen = [node], 0
    while waiting and seen < _MOST:
        one, seen = waiting.pop(), seen + 1
        if not one.edges and not (one.opaque and (one.given or one.element)):
            return False
        waiting += one.edges
    return not waiting
