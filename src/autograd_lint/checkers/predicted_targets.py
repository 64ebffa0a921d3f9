"""Losses that compare nothing but what a network predicts of one view with what it makes of
another, both with a gradient: the same result for everything is the best one.

z1, z2 = encoder(view1), encoder(view2)
loss = -cosine_similarity(predictor(z1), z2).mean()     # z2.detach() is the target

Source: Chen, He: Exploring Simple Siamese Representation Learning, section 4.1 (without the
stop-gradient the network collapses).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograd_lint.checkers.accumulating import is_loss
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.targets import MEANT
from autograd_lint.checkers.terms import ADDITIVE, JOINING, SCALING, SHAPING
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import PREDICTED, Pitfall
from autograd_lint.engine.walk import walk_order
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

COMPARING = {
    *("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"),
    *("MSELoss", "SmoothL1Loss", "L1Loss", "HuberLoss"),
    *("cosine_similarity", "CosineSimilarity", "mul"),
}
COMPARED = {*COMPARING, "sub"}
LENGTHS = {"pow", "square", "abs", "norm"}  # of a difference
LEADING = ADDITIVE | SCALING | JOINING | SHAPING


class PredictedTargets(Checker):
    """Looks at the terms of each loss that backward begins at."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does its loss compare predictions with their targets alone?"""
        walk = event.walk
        if not walk.call.accumulate or not _is_loss(walk.call):
            return
        targets = [_target(term) for term in _terms(walk.starts)]
        found = [one for one in targets if one is not None]
        if len(found) < len(targets):
            return
        for comparison, target in found:
            note(
                interp,
                Pitfall.TARGET_LEARNS,
                comparison.place,
                tensor=target.name,
                detail=PREDICTED,
                built=target.created,
                needed=Needed(walk.call.place, walk.call.name),
                assumptions=MEANT | walk.call.assumptions | comparison.requires,
            )


def _is_loss(call: Call) -> bool:
    """Whether backward begins at a loss: not at the distances of each of several things, which a
    module returns for others to make one of (`(margin - near + far).mean()`)."""
    return call.place is not None or all(root.shape == () for root in call.roots)


def _terms(starts: Sequence[Node]) -> Iterator[Node]:
    """What a loss is the sum of, each as the operator that compares, or any other."""
    stack, seen = list(starts), set[int]()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        difference = _difference(node)
        compares = len(node.edges) == 2 and node.operator in COMPARING
        if difference is not None or compares or node.operator not in LEADING:
            yield difference or node
        else:
            stack.extend(node.edges)


def _difference(node: Node) -> Node | None:
    """What a loss takes the square or the length of, where that is a difference."""
    inner = node.edges[0] if node.operator in LENGTHS and len(node.edges) == 1 else None
    return inner if inner is not None and inner.operator == "sub" else None


def _target(comparison: Node) -> tuple[Node, Node] | None:
    """A comparison, and the side of it that the other one predicts by parameters of its own."""
    if len(comparison.edges) != 2 or comparison.operator not in COMPARED or _weighs(comparison):
        return None
    for source, target in (comparison.edges, comparison.edges[::-1]):
        shared, stages = _parameters(target)[id(target)], _parameters(source)
        predicts = shared != stages[id(source)] and shared in stages.values()
        if shared and predicts and _is_computed(target) and _are_apart(source, target):
            return comparison, target
    return None


def _weighs(product: Node) -> bool:
    """Whether a product is that of a weight and a loss, which compares them with nothing."""
    return product.operator == "mul" and any(map(_is_of_losses, product.edges))


def _is_of_losses(node: Node) -> bool:
    """Whether it is made of the losses of each of several things."""
    while node.operator in LEADING and len(node.edges) == 1:
        node = node.edges[0]
    return is_loss(node)


def _is_computed(node: Node) -> bool:
    """Whether it is what parameters make of something, and not a parameter in another shape."""
    while node.operator in SHAPING and len(node.edges) == 1:
        node = node.edges[0]
    return node.leaf is None


def _parameters(start: Node) -> dict[int, frozenset[int]]:
    """The parameters that each node up to one was computed with; none at all where unknown code
    has a part in it."""
    found: dict[int, frozenset[int]] = {}
    for node in reversed(walk_order([start], None)):
        if node.opaque:
            return {id(start): frozenset()}
        own = {id(node.leaf)} if node.leaf is not None else set()
        behind = (found.get(id(edge), frozenset()) for edge in node.edges)
        found[id(node)] = frozenset(own).union(*behind)
    return found


def _are_apart(one: Node, other: Node) -> bool:
    """Whether two results have nothing in common but parameters: they are of different inputs."""
    known = {id(node) for node in walk_order([one], None) if node.leaf is None}
    return not any(id(node) in known for node in walk_order([other], None))
