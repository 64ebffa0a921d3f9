"""The order in which backward goes through the nodes."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CERTAINLY, Tensor, weight
from autograd_lint.operators.facts import GapKind


def reached(starts: Iterable[Node]) -> dict[int, Node]:
    """All nodes that edges lead to from `starts`, those included, by identity."""
    found: dict[int, Node] = {}
    stack = list(starts)
    while stack:
        node = stack.pop()
        if id(node) not in found:
            found[id(node)] = node
            stack.extend(node.edges)
    return found


def leads_to(starts: Iterable[Node], leaves: Container[int]) -> bool:
    """Whether a gradient would get from some nodes to one of some leaves, given by identity."""
    return any(id(leaf) in leaves for leaf in leaves_of(list(starts)))


def walk_order(starts: list[Node], targets: set[int] | None) -> list[Node]:
    """The nodes backward runs, youngest first; with `targets` only those that lead to one."""
    order = sorted(reached(starts).values(), key=lambda node: node.sequence)[::-1]
    return order if targets is None else leading_to(order, targets)


def leading_to(order: list[Node], targets: set[int]) -> list[Node]:
    """Of nodes in the order in which backward runs them those that lead to one of `targets`."""
    leading: set[int] = set()
    for node in reversed(order):
        if any(id(target) in targets or id(target) in leading for target in node.edges):
            leading.add(id(node))
    return [node for node in order if id(node) in leading]


def nodes_given_gradients(starts: list[Node], order: list[Node]) -> set[int]:
    """The identities of the nodes that a gradient gets to, be it of zeros."""
    given = {id(node) for node in starts}
    for node in order:
        if id(node) not in given:
            continue
        closed = [id(target) for target, gap in node.gaps if gap.kind is GapKind.NOTHING]
        given.update(id(target) for target in node.edges if id(target) not in closed)
    return given


def once_only(order: list[Node], target: Node | None) -> Node | None:
    """The first node on the way to `target` whose gradient moves, and has no derivative."""
    if target is None or not any(node.once or node.gaps for node in order):
        return None
    way = walk_order(order, {id(target)})
    moving: set[int] = set()
    for node in way:
        own = node.second is not None or any(s.tensor.requires_grad is not None for s in node.saved)
        if own or id(node) in moving:
            moving.update(map(id, [node, *node.edges]))
            ends = {id(target), *map(id, way)}
            if any(gap.kind is GapKind.ONCE and id(to) in ends for to, gap in node.gaps):
                return node
        if node.once is not None:
            return node
    return None


def leaves_of(starts: list[Node], closed: Collection[tuple[int, int]] = ()) -> Iterator[Tensor]:
    """The leaves that a gradient would get to from `starts`, but for the edges that are `closed`.

    An edge is given by the identities of its two nodes.
    """
    stack, seen = list(starts), set()
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if node.leaf is not None:
                yield node.leaf
            stack.extend(edge for edge in node.edges if (id(node), id(edge)) not in closed)


def doubts_of(order: list[Node]) -> dict[int, frozenset[Assumption]]:
    """What must hold for backward to come to a node, on the way to it that assumes least."""
    doubts = _joined(order)
    if not any(node.doubt for node in order):
        return doubts
    for node in order:
        beyond = doubts.get(id(node), CERTAINLY) | node.doubt
        for target in node.edges:
            known = doubts.get(id(target))
            if known is None or weight(beyond) < weight(known):
                doubts[id(target)] = beyond
    return doubts


def _joined(order: list[Node]) -> dict[int, frozenset[Assumption]]:
    """What must hold for several parts of what unknown code gave to come from one graph.

    Who runs backward on one after the other has them come from several. What is handed to unknown
    code again, as states are, is another matter.
    """
    opaque = [node for node in order if node.opaque]
    found: dict[int, frozenset[Assumption]] = {}
    for node in opaque:
        if node.freed is None or len(node.parts) < 2 or _handed_on(node, opaque):
            continue
        because = Assumption(Kind.SHARED_GRAPH, node.operator, weight=2)
        found[id(node)] = frozenset({because})
    return found


def _handed_on(node: Node, opaque: list[Node]) -> bool:
    """Whether what a node gave was handed to unknown code again."""
    later = [edge for one in opaque if one is not node for edge in one.edges]
    return id(node) in reached(later)


def carried_node(order: list[Node]) -> Node | None:
    """The youngest node of an old graph that a new one leads to.

    Old is what backward has walked before. What was computed from it before that, but not walked
    itself, belongs to it.
    """
    joined = [node for node in order if not node.walked_at]
    old = [target for node in joined for target in node.edges if target.walked_at]
    if not old:
        return None
    walked_at = max(node.walked_at for node in old)
    derived = [
        node
        for node in joined
        if node.sequence <= walked_at and any(target.walked_at for target in node.edges)
    ]
    return max([*old, *derived], key=lambda node: node.sequence)
