"""What a graph leads on to: earlier graphs, freed ones, and what may not be there at all."""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CERTAINLY, Requires, either
from autograd_lint.places import Place
from autograd_lint.vm.graphs import holder
from autograd_lint.vm.terms import is_dictionary
from autograd_lint.vm.values import Unknown, Value

FAR = 60  # nodes that are looked through for a freed one
NEAR = 6  # nodes between one value of a running sum and the next


def unproven(value: Value, graph: Node) -> frozenset[Assumption]:
    """What must hold of a value that unknown code has made for it to keep a graph at all.

    Such code gives numbers as well, above all where it gives several values.
    """
    value = holder(value)
    if not isinstance(value, Unknown) or value.tensor is not None or is_dictionary(value):
        return _doubt(graph)
    weight = 2 if value.several else 1
    return _doubt(graph) | {Assumption(Kind.IS_TENSOR, value.origin, weight=weight)}


def _doubt(graph: Node) -> frozenset[Assumption]:
    """What must hold for gradients to pass through the unknown code that made a value of late.

    Where backward went through it nothing must.
    """
    stack, found = [graph], CERTAINLY
    for _ in range(NEAR):
        if not stack:
            break
        current = stack.pop()
        if not current.walked_at:
            found |= current.doubt
        if not (current.opaque or current.walked_at):
            stack.extend(current.edges)
    return found


def doubt_of_terms(node: Node) -> frozenset[Assumption]:
    """What must hold for what was added up in a node to have a graph."""
    return CERTAINLY.union(*map(_doubt, node.edges))


def freed_behind(node: Node, since: int = 0, after: Node | None = None) -> Requires:
    """Whether, and on what assumptions, backward can no longer walk what leads on from a node.

    What was walked before the time `since` does not count, nor what is older than `after`.
    """
    stack, seen = [node], 0
    found: Requires = None
    while stack and seen < FAR:
        current = stack.pop()
        if after is not None and current.sequence <= after.sequence:
            continue
        seen += 1
        assumed = current.opaque and not current.edges and not _is_term(current)
        keeps = (current.frees or current.saved) and not assumed
        if keeps and current.freed is not None and current.walked_at >= since:
            because = current.freed.assumptions | (current.requires - node.requires)
            if not because:
                return because
            found = either(found, because)
        stack.extend(current.edges)
    return found


def _is_term(node: Node) -> bool:
    """Whether what unknown code gave is a term of a loss, and not perhaps data."""
    return any(why.kind is Kind.TERM_OF_LOSS for why in node.requires)


def leads(node: Node, before: Node, near: int) -> bool:
    """Whether a graph goes on from an earlier one, so many nodes away."""
    stack, seen = [node], 0
    while stack and seen < near:
        current = stack.pop(0)
        seen += 1
        if before in current.edges:
            return True
        stack.extend(current.edges)
    return False


def sums_at(place: Place, graph: Node | None) -> bool:
    """Whether a graph begins, but for a few nodes, with the sum that is computed in a line."""
    near = [graph] if graph is not None else []
    for node in near[:NEAR]:
        near.extend(node.edges[:1])
    return any(
        node.place is not None
        and (node.place.filename, node.place.row) == (place.filename, place.row)
        for node in near[:NEAR]
    )
