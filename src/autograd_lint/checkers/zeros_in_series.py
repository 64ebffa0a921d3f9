"""Two weights in series that both begin with zeros: each keeps the gradient of the other at zero.

nn.init.zeros_(down.weight)
nn.init.zeros_(up.weight)
y = x + up(down(x))                # one of the two has to begin with other numbers
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers import backward_paths
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.consumers import MOVING
from autograd_lint.checkers.leaf_record import wanted_leaves
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Created
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import ZEROS_IN_SERIES, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import ParameterMade, PassBegun
from autograd_lint.places import Place
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

ZEROING = {"zeros_", "zero_"}
LAYERS = {"Linear", "linear", "Conv1d", "conv1d", "Conv2d", "conv2d", "Conv3d", "conv3d"}
PRODUCTS = {"matmul", "mm", "bmm", "mul", "rmul", "einsum"}
# What gives zeros for zeros.
KEEPING = MOVING | {
    *("ReLU", "relu", "Tanh", "tanh", "GELU", "gelu", "SiLU", "silu", "LeakyReLU", "leaky_relu"),
    *("Dropout", "dropout", "ELU", "elu", "neg", "div", "sin", "abs", "square", "clone"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Stuck:
    """A product of a weight that is zero with a value that another such weight makes zero."""

    node: Node
    weight: Tensor
    before: Tensor


@dataclass(slots=True, eq=False, repr=False)
class ZerosInSeries(Checker):
    """The products of zeros that backwards went through, and the parameters that were made of
    zeros, by identity."""

    stuck: list[Stuck] = field(default_factory=list)
    made: dict[int, tuple[Tensor, Place]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ParameterMade, cls.parameter_made)
        to.add(cls, PassBegun, cls.passed)

    def parameter_made(self, interp: Interpreter, event: ParameterMade) -> None:
        """A parameter is made: of zeros?"""
        if event.data.storage.constant == "zeros":
            self.made[id(event.made)] = event.made, interp.place(event.node)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: which products does it go through, both of whose factors are zero?"""
        for node in event.walk.order:
            if node.operator in LAYERS | PRODUCTS:
                self.stuck.extend(self._stuck(node))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which weights are trained by nothing else?"""
        closed = [(one.node, edge) for one in self.stuck for edge in one.node.edges]
        if not closed:
            return
        left = wanted_leaves(interp).keys() - backward_paths.received(interp, closed)
        told: set[Place | None] = set()
        for one in self.stuck:
            lost = id(one.weight) in left and id(one.before) in left
            if lost and one.node.place not in told:
                told.add(one.node.place)
                note(
                    interp,
                    Pitfall.GRADIENT_CUT,
                    self._zeroed_at(one.before) or one.node.place,
                    tensor=one.before.name,
                    operator=one.node.operator,
                    detail=ZEROS_IN_SERIES,
                    built=Created(one.node.place, one.node.operator),
                    assumptions=one.node.requires,
                )

    def _stuck(self, node: Node) -> Iterator[Stuck]:
        """The zeros that a product multiplies."""
        factors = _factors(node)
        for factor in factors:
            weight = _moved(factor).leaf
            if weight is None or not self._is_zeroed(weight):
                continue
            before = (self._source(one) for one in factors if one is not factor)
            yield from (Stuck(node, weight, one) for one in before if one is not None)

    def _source(self, node: Node) -> Tensor | None:
        """The parameter by which a node gives nothing but zeros; None if it gives others."""
        if node.leaf is not None:
            return node.leaf if self._is_zeroed(node.leaf) else None
        if node.operator in LAYERS and not all(map(self._source, _bias(node))):
            return None
        if node.operator in LAYERS | PRODUCTS:
            return next(filter(None, map(self._source, _factors(node))), None)
        return self._source(node.edges[0]) if node.operator in KEEPING and node.edges else None

    def _is_zeroed(self, leaf: Tensor) -> bool:
        """Whether a parameter holds zeros; steps along a gradient of zero leave it as it is."""
        storage = leaf.storage
        if not leaf.parameter or (storage.unversioned_writes and storage.writes):
            return False
        writes = [one.event for one in (*storage.writes, *storage.unversioned_writes)]
        own = [one for one in writes if not one.by_optimizer]
        return own[-1].operator in ZEROING if own else id(leaf) in self.made

    def _zeroed_at(self, leaf: Tensor) -> Place | None:
        """Where a parameter was filled with zeros, or made of them."""
        written = [one.event.place for one in leaf.storage.writes if one.event.operator in ZEROING]
        known = self.made.get(id(leaf))
        return written[-1] if written else known[1] if known is not None else None


def _moved(node: Node) -> Node:
    """What a node gives another shape to, in one step or several (`B` of `B.T`)."""
    while node.leaf is None and node.operator in MOVING and len(node.edges) == 1:
        node = node.edges[0]
    return node


def _factors(node: Node) -> list[Node]:
    """What a node multiplies: of a layer its weight and what it is given, and not its bias."""
    if node.operator not in LAYERS:
        return node.edges
    bias = _bias(node)
    return [edge for edge in node.edges if all(edge is not one for one in bias)]


def _bias(layer: Node) -> list[Node]:
    """The bias of a layer: a leaf behind its weight, and unlike a weight never saved."""
    saved = {id(one.tensor) for one in layer.saved}
    behind = layer.edges[1:]
    return [one for one in behind if one.leaf is not None and id(one.leaf) not in saved]
