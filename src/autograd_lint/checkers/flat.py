"""Operators whose derivative is zero everywhere: what lies behind them alone is not trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.noting import note
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.machine import Interpreter

CONSTANT = frozenset(
    {"round", "floor", "ceil", "sign", "sgn", "trunc", "round_", "floor_", "ceil_"}
    | {"normal", "bernoulli", "poisson"}  # samples: only `rsample` has a derivative
)


def judge(interp: Interpreter, flat: Sequence[Node], wanted: Mapping[int, Tensor]) -> None:
    """Tell of leaves that were to be trained and got nothing but zeros, from `flat` nodes."""
    closed = [(node, target) for node in flat for target in node.edges]
    left = wanted.keys() - backward_paths.received(interp, closed)
    for node in flat:
        lost = backward_paths.behind(node, left)
        if lost:
            backward_paths.note_lost(interp, lost, node.place, node.operator, node.requires)


def note_term(interp: Interpreter, node: Node, walk: Pass) -> None:
    """Note a term of a loss that only leads through such an operator."""
    note(
        interp,
        Pitfall.CONSTANT_TERM,
        node.place,
        operator=node.operator,
        needed=Needed(walk.call.place, walk.call.name),
        assumptions=node.requires,
    )


def barrier(term: Node) -> Node | None:
    """The operator of zero derivative that every way from a term to a leaf leads through."""
    stack, seen, found = [term], set(), None
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.operator in CONSTANT:
            found = node
        elif node.leaf is not None or node.opaque:
            return None
        else:
            stack.extend(node.edges)
    return found


def makes_up(term: Node, constant: Node) -> bool:
    """Whether another term computes with the same constant: it is the rest of a soft rounding."""
    if barrier(term) is not None:
        return False
    stack, seen = [term], set()
    while stack:
        node = stack.pop()
        if node is constant:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.edges)
    return False
