"""What a policy gradient takes for constant and gets a gradient: advantages, old probabilities.

advantage = returns - critic(state)
policy_loss = -(log_prob * advantage).mean()      # also trains the critic, to make it large
value_loss = mse_loss(critic(state), returns)     # which is what is to train it

old = policy(state).log_prob(action)              # without `detach()`
ratio = (policy(state).log_prob(action) - old).exp()    # the two gradients cancel out
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.given_data import only_edge
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.terms import SHAPING
from autograd_lint.engine.assumptions import Prior
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Needed
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import ADVANTAGE, OLD_PROBABILITY, Pitfall
from autograd_lint.engine.walk import leaves_of, reached
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

PRODUCTS = {"mul", "rmul"}
DIFFERENCES = {"sub", "rsub"}
PICKING = {"gather", "getitem", "take_along_dim"}
SQUARES = {"pow", "square", "mse_loss", "MSELoss", "smooth_l1_loss", "SmoothL1Loss", "huber_loss"}
MAKING_UP = {"stack", "cat", "add", "radd", "mul", "rmul"}
_SCORING = re.compile(r"(?:^|\.)log_prob(?:\(|$)")
DEPTH = 4  # of the operators by which a weight is made of differences
SUMS = {"add", "radd", "sub", "sum", "mean", "stack", "cat"}
RATIOS = {"exp", "clamp"}  # what makes a ratio of two logarithms, and bounds it
LOGARITHMS = {"log_softmax", "LogSoftmax", "log"}
# Losses whose negative is the log probability of a class that is given.
ENTROPIES = {"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"}


@dataclass(slots=True, eq=False, repr=False)
class LearningWeights(Checker):
    """The products of a log probability with an advantage that backwards went through, and what
    backwards were given to compare."""

    products: list[tuple[Node, Node, Pass]] = field(default_factory=list)
    compared: list[Node] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, PassBegun, cls.passed)

    def passed(self, interp: Interpreter, event: PassBegun) -> None:
        """A backward begins: does it go into both factors of such a product?"""
        if not event.walk.call.fills_gradients:
            return
        for node in event.walk.order:
            if node.operator == "exp":
                _judge_ratio(interp, node, event.walk)
            elif node.operator in SQUARES:
                self.compared.append(node)
            elif node.operator in PRODUCTS and len(node.edges) == 2:
                for weight in _advantages(node):
                    self.products.append((node, weight, event.walk))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which advantages come of a value that another loss trains?"""
        if not self.products:
            return
        values = reached(self.compared)
        raising = {
            one.needed.place
            for one in interp.engine.faults
            if one.needed is not None and one.weight < Prior.DARING
        }
        told: set[int] = set()
        for node, weight, walk in self.products:
            if walk.call.place in raising or id(weight) in told:
                continue  # what the program ends with is told there
            value = next((edge for edge in weight.edges if id(_below(edge)) in values), None)
            if value is not None and id(node) not in values:
                told.add(id(weight))
                leaf = next(iter(leaves_of([value])), None)
                note(
                    interp,
                    Pitfall.TARGET_LEARNS,
                    node.place,
                    tensor=weight.name or (leaf.name if leaf is not None else None),
                    detail=ADVANTAGE,
                    built=weight.created,
                    needed=Needed(walk.call.place, walk.call.name),
                    assumptions=walk.call.assumptions | value.requires,
                )


def _judge_ratio(interp: Interpreter, node: Node, walk: Pass) -> None:
    """The ratio of two probabilities of the same policy: the old one has to be a constant."""
    difference = _below(node.edges[0]) if node.edges else node
    if difference.operator != "sub" or len(difference.edges) != 2:
        return
    new, old = map(_below, difference.edges)
    if _is_scored(new) and _is_scored(old) and _same_leaves(new, old):
        note(
            interp,
            Pitfall.TARGET_LEARNS,
            old.place,
            tensor=old.name,
            detail=OLD_PROBABILITY,
            needed=Needed(walk.call.place, walk.call.name),
            assumptions=old.requires | new.requires,
        )


def _same_leaves(one: Node, other: Node) -> bool:
    own, others = ({id(leaf) for leaf in leaves_of([node])} for node in (one, other))
    return bool(own) and own == others


def _advantages(product: Node) -> Iterator[Node]:
    """The difference of data and a value, by which the log probability of an action is weighed."""
    for own, other in (product.edges, product.edges[::-1]):
        if _is_log_probability(_below(own)):
            yield from islice(_differences(other), 1)


def _differences(node: Node, depth: int = DEPTH) -> Iterator[Node]:
    """The differences that a weight is made of: those of several states, or of later ones that it
    takes in (`advantage = delta + discount * advantage`)."""
    node = _below(_normalized(_below(node)))
    if node.operator in DIFFERENCES:
        yield node
    elif depth and node.operator in MAKING_UP:
        for edge in node.edges:
            yield from _differences(edge, depth - 1)


def _normalized(node: Node) -> Node:
    """What a node only gives another mean and deviation: `(x - x.mean()) / (x.std() + 1e-8)`."""
    while node.operator == "div" and node.edges:
        node = node.edges[0]
    if node.operator == "sub" and len(node.edges) == 2 and node.edges[1].operator == "mean":
        return node.edges[0] if node.edges[1].edges == node.edges[:1] else node
    return node


def _is_log_probability(node: Node) -> bool:
    """Whether a node is a log probability, of one action or of several, or the ratio of two."""
    if _is_scored(node):
        return True
    if node.operator == "exp" and any(edge.opaque for edge in node.edges):
        return True  # a ratio of probabilities that unknown code has given
    if node.operator in SUMS or node.operator in RATIOS:
        return bool(node.edges) and all(_is_log_probability(_below(edge)) for edge in node.edges)
    name = node.operator.rpartition(".")[2]
    return name in ENTROPIES or _is_picked(node)


def _is_picked(node: Node) -> bool:
    """Whether a node gives the logarithms of probabilities of which one was picked for each action:
    before or after the logarithm, by its position or by a product with ones and zeros."""
    picked = only_edge(node)
    inner = _below(picked).operator if picked is not None else ""
    if node.operator == "log":
        return inner in PICKING
    return node.operator in PICKING | PRODUCTS and inner in LOGARITHMS


def _is_scored(node: Node) -> bool:
    """Whether a node gives the logarithm of a probability, by a known distribution or not: what
    unknown code gives is named after the whole call."""
    return _SCORING.search(node.operator) is not None


def _below(node: Node) -> Node:
    """What a node only gives another shape or sign."""
    while (node.operator in SHAPING or node.operator == "neg") and len(node.edges) == 1:
        node = node.edges[0]
    return node
