"""Sums in which the gradient of a term cancels out, as in a straight-through estimator that lacks
its `detach()`.

hard = one_hot(soft.argmax(-1), soft.size(-1))
y = (hard - soft) + soft        # minus one and plus one: no gradient reaches `soft`
y = (hard - soft).detach() + soft           # what was meant
y = x - x + x.round()                       # and no gradient goes through `round`

A loss of the difference of two tensors is such a sum:

F.mse_loss(values, advantages + values)     # the values are subtracted from themselves

What holds the values of a tensor in another shape, or as a copy, has its gradient:

anchor = [p.clone() for p in net.parameters()]              # without `detach()`
drift = sum((p - a).square().sum() for p, a in zip(net.parameters(), anchor))
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.consumers import consumers_in, ends
from autograd_lint.checkers.flat import CONSTANT
from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import ADDITIVE, JOINING, SCALING, SHAPING
from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.graph import Node
from autograd_lint.engine.graph_breaks import leaf_node, linked
from autograd_lint.engine.pitfalls import CANCELLED, WITH_ITSELF, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun, PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

SIGNS = {"__add__": 1, "__sub__": -1}
# Losses that are computed of the difference of two tensors. Source: torch/nn/functional.py
DIFFERENCES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
LOSSES = frozenset({"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"}) | DIFFERENCES
MOST = 4  # terms of a sum that are told apart
# Hand the gradient of each element on to the one that it was copied from, whatever its value.
COPYING = frozenset({"clone", "contiguous"})
FLATTENING = frozenset({"ravel"}) | SHAPING
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Summand:
    """A tensor with a graph that a sum takes `factor` times; `nodes` are the sums that add it."""

    tensor: Tensor
    factor: int
    nodes: tuple[Node, ...]


@dataclass(slots=True, eq=False, repr=False)
class CancelledTerms(Checker):
    """The short sums of a run, by the identity of their nodes, and the summands that came to
    nothing, with the sum that they came to nothing in; `constant` are the sums of which nothing
    else with a graph is left, `joined` the nodes that put together only tensors with a graph."""

    sums: dict[int, tuple[Node, list[Summand]]] = field(default_factory=dict)
    cancelled: list[tuple[Node, Summand]] = field(default_factory=list)
    constant: dict[int, tuple[Node, Summand]] = field(default_factory=dict)
    joined: dict[int, Node] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        only = (LOSSES | {"add", "sub"} | JOINING).__contains__
        to.add(cls, OperatorRun, cls.operator_run, only=only)
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go through sums that nothing is left of?"""
        walk = event.walk
        found = [self.constant[id(node)] for node in walk.order if id(node) in self.constant]
        consumers = consumers_in(walk) if found else {}
        for node, summand in found:
            used = [one for one in ends(node, consumers) if one.operator not in ADDITIVE | SCALING]
            if used or node.operator in LOSSES:
                _tell(interp, node, summand.tensor.name, node.requires)

    def operator_run(self, interp: Interpreter, event: OperatorRun) -> None:
        """Two tensors were added, or subtracted: what does the sum consist of?"""
        if event.operation.operator in JOINING:
            self._put_together(event)
            return
        sign = -1 if event.operation.operator in LOSSES else SIGNS.get(event.dotted)
        node = event.results[0].node if sign is not None and len(event.results) == 1 else None
        if node is None or sign is None:
            return
        operands = [event.operation.arguments.get(key) for key in "01"]
        terms: dict[Key, Summand] = {}
        for operand, factor in zip(operands, (1, sign), strict=True):
            for one in self._summands(operand):
                _add(terms, self._key(one.tensor), one, factor, node)
        gone = [one for one in terms.values() if not one.factor]
        self.cancelled.extend((node, one) for one in gone)
        if gone and len(gone) == len(terms) and operands[0] is not operands[1]:
            self.constant[id(node)] = node, gone[0]
        if len(terms) <= MOST:
            self.sums[id(node)] = node, [one for one in terms.values() if one.factor]

    def _summands(self, operand: object) -> list[Summand]:
        if not isinstance(operand, Tensor) or not linked(operand):
            return []
        known = self.sums.get(id(operand.node))
        return known[1] if known is not None else [Summand(operand, 1, ())]

    def _put_together(self, event: OperatorRun) -> None:
        node = event.results[0].node
        tensors = event.operation.tensors()
        if node is not None and tensors and all(map(linked, tensors)):
            self.joined[id(node)] = node

    def _key(self, tensor: Tensor) -> Key:
        """The same for tensors whose gradients go to the same elements: copies of one leaf, those
        of the same leaves in one order and one shape, and what else is one tensor."""
        node = _begin(tensor)
        while node.operator in COPYING and len(node.edges) == 1:
            node = node.edges[0]
        if node.leaf is not None:
            return (id(node.leaf),)
        leaves = self._leaves(node) if tensor.shape is not None else ()
        if leaves:
            return (*leaves, tensor.shape)
        # The parts of what unknown code has returned are tensors of their own.
        return (id(tensor),) if node.opaque else (id(tensor.node), tensor.output)

    def _leaves(self, node: Node) -> Key:
        """The leaves that a node copies one after the other; none where it does something else."""
        if node.leaf is not None:
            return (id(node.leaf),)
        if node.operator not in COPYING | FLATTENING and id(node) not in self.joined:
            return ()
        parts = [self._leaves(edge) for edge in node.edges]
        return tuple(one for part in parts for one in part) if all(parts) else ()

    def end(self, interp: Interpreter) -> None:
        """The run is over: what was to be trained lies behind such terms alone?"""
        if not self.cancelled:
            return
        closed = [
            (node, _begin(one.tensor))
            for _, one in self.cancelled
            if _added_once(interp, one)
            for node in one.nodes
        ]
        steps = (node for node in _walked(interp) if node.operator in CONSTANT)
        closed += [(node, edge) for node in steps for edge in node.edges]
        wanted = wanted_leaves(interp).keys()
        left = wanted - backward_paths.received(interp, closed)
        for node, one in self.cancelled:
            lost = backward_paths.behind(_begin(one.tensor), left)
            if lost and any(node is walked for walked in _walked(interp)):
                name = one.tensor.name or lost[0].name
                _tell(interp, node, name, node.requires | backward_paths.least(lost))


def _begin(tensor: Tensor) -> Node:
    """Where the graph of a tensor begins; of a leaf that is the leaf itself."""
    return tensor.node if tensor.node is not None else leaf_node(tensor)


def _tell(
    interp: Interpreter, node: Node, name: str | None, assumptions: frozenset[Assumption]
) -> None:
    note(
        interp,
        Pitfall.GRADIENT_CUT,
        node.place,
        tensor=name,
        operator=node.operator,
        detail=WITH_ITSELF if node.operator in LOSSES else CANCELLED,
        assumptions=assumptions,
    )


def _add(terms: dict[Key, Summand], key: Key, one: Summand, factor: int, node: Node) -> None:
    """Put a summand into a sum that takes it `factor` times."""
    before = terms.get(key)
    nodes = (*(before.nodes if before else ()), *one.nodes, node)
    total = one.factor * factor + (before.factor if before else 0)
    terms[key] = Summand(one.tensor, total, nodes)


def _walked(interp: Interpreter) -> list[Node]:
    return [node for walk in interp.engine.backward.passes for node in walk.order]


def _added_once(interp: Interpreter, one: Summand) -> bool:
    """Whether the partial sums of a summand are used for nothing but the whole."""
    sums, last = {id(node) for node in one.nodes}, one.nodes[-1]
    users = [(user, edge) for user in _walked(interp) for edge in user.edges if id(edge) in sums]
    return all(edge is last or id(user) in sums for user, edge in users)
