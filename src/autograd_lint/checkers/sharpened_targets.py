"""Targets that are powers of probabilities of the network that learns them, with a gradient.

sharp = model(weak(x)).softmax(1) ** 2
target = sharp / sharp.sum(1, keepdim=True)        # without `detach()`
loss = (model(strong(x)).softmax(1) - target).square().mean()
"""

from __future__ import annotations

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import (
    DIFFERENCE,
    LOSSES,
    MEANT,
    SHAPING,
    below,
    computed_at,
    last_name,
    squared_in,
)
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import SHARPENED, Pitfall
from autograd_lint.engine.walk import leaves_of, reached, walk_order
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

DIVERGENCES = {"kl_div", "KLDivLoss"}
PRODUCTS = {"mul", "rmul"}
LOGARITHMS = {"log", "log_softmax", "LogSoftmax"}
POWERS = {"pow", "square"}


class SharpenedTargets(Checker):
    """Looks at each comparison that a backward goes through."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go into a power of what is compared with it?"""
        walk = event.walk
        if not walk.call.fills_gradients or not any(last_name(one) in POWERS for one in walk.order):
            return
        squared = squared_in(walk)
        for node in walk.order:
            if len(node.edges) != 2:
                continue
            target = _power_of_other(node) or _normalized_side(node, id(node) in squared)
            if target is not None:
                _note(interp, node, target, walk)


def _power_of_other(node: Node) -> Node | None:
    """`kl_div(q.log(), target(q))`, where the target is a power of the very probabilities that it
    is compared with: what a clustering trains itself by."""
    own, target = node.edges
    logarithm = below(own, SHAPING)
    if last_name(node) not in DIVERGENCES or logarithm.operator != "log":
        return None
    values = logarithm.edges[0]
    powers = (part for part in walk_order([target], None) if last_name(part) in POWERS)
    return target if any(values in part.edges for part in powers) else None


def _normalized_side(node: Node, squared: bool) -> Node | None:
    """The side of a comparison that is a power divided by its own sum, where the other one is
    another output of the same network."""
    name = last_name(node)
    compares = squared if name == DIFFERENCE else name in LOSSES
    for target, other in (node.edges, node.edges[::-1]):
        weighs = name in PRODUCTS and last_name(below(other, SHAPING)) in LOGARITHMS
        if (compares or weighs) and _is_normalized(target) and not _is_normalized(other):
            own = _leaves(target)
            apart = id(below(target, SHAPING)) not in reached([other])
            return target if apart and own and own == _leaves(other) else None
    return None


def _is_normalized(node: Node) -> bool:
    """Whether a node gives a power, divided by the sum of that."""
    divided = below(node, SHAPING)
    if divided.operator != "div" or len(divided.edges) != 2:
        return False
    power, total = (below(edge, SHAPING) for edge in divided.edges)
    summed = [below(edge, SHAPING) for edge in total.edges] if total.operator == "sum" else []
    return last_name(power) in POWERS and power in summed


def _leaves(node: Node) -> set[int]:
    return {id(leaf) for leaf in leaves_of([node]) if leaf.parameter}


def _note(interp: Interpreter, node: Node, target: Node, walk: Pass) -> None:
    leaf = next(iter(leaves_of([target])), None)
    note(
        interp,
        Pitfall.TARGET_LEARNS,
        target.place or node.place,
        tensor=below(target, SHAPING).name,
        detail=SHARPENED,
        needed=Needed(walk.call.place, walk.call.name),
        noted=computed_at(interp, target, leaf) if leaf is not None else (),
        assumptions=MEANT,
    )
