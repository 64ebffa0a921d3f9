"""Gradients that the loss of one network leaves in the network that judges it, whose optimizer uses
them in its own next step.

actor_loss = -critic(actor(state)).mean()
actor_loss.backward()             # fills the gradients of the critic, too
actor_optimizer.step()
...
critic_loss.backward()            # adds to them
critic_optimizer.step()

So they do if the loss of the critic comes first, and its step after both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim import Optimizer

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.names import name_of
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_AGAIN = 2  # steps that use such gradients
_MOST = 8  # optimizers that are told apart
# What makes a loss of the judgement alone, without data that it is compared with.
_SCORING = frozenset(
    {
        "add", "cat", "clamp", "clamp_max", "clamp_min", "div", "exp", "log", "log_sigmoid_forward",
        "mean", "min", "minimum", "mul", "neg", "relu", "select", "sigmoid", "softplus", "squeeze",
        "stack", "sub", "sum", "unsqueeze", "view",
    }
)  # fmt: skip
_TURNING = frozenset({"permute", "t", "transpose", "view"})  # of a weight that is applied
_COMPARING = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss"})


@dataclass(slots=True)
class _Judge:
    """An optimizer: its parameters, the latest backward that filled one of them, with that one, the
    optimizers whose loss it was and which of them have stepped since; of two backwards that have
    added up the foreign one and its own, and in how many steps both were used."""

    own: set[int]
    leaf: Leaf | None = None
    filled: Site | None = None
    authors: set[int] = field(default_factory=set)
    stepped: set[int] = field(default_factory=set)
    added: tuple[Site, Site | None] | None = None  # the foreign one, its own
    times: int = 0


class Foreign(Family):
    """Follows which losses the gradients of each optimizer are of, where there are several."""

    __slots__ = ("_gradients", "_judged", "_judges", "_told")

    def __init__(self, told: Told, gradients: Gradients) -> None:
        self._told = told
        self._gradients = gradients
        self._judges: dict[int, _Judge] = {}  # by the optimizer
        self._judged: dict[tuple[Site, int], set[int]] = {}  # whose loss is the judgement alone

    def built(self, optimizer: Optimizer, held: list[torch.Tensor], site: Site | None) -> None:
        """An optimizer was built."""
        if len(self._judges) < _MOST:
            self._judges[id(optimizer)] = _Judge(set(map(id, held)))

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: whose gradients does it fill, and whose was there?"""
        if len(self._judges) < 2 or walk.site is None or not walk.accumulates:
            return
        leaves = {id(leaf): leaf for leaf in walk.asked}
        reached = {key: one for key, one in self._judges.items() if not one.own.isdisjoint(leaves)}
        for key, one in reached.items():
            mixed = one.authors & one.stepped - reached.keys()
            is_left = one.leaf is not None and one.leaf.is_waiting
            one.added = (one.filled, walk.site) if mixed and is_left and one.filled else None
            if is_left and self._is_own(key) and self._authors(key, walk):
                one.added = (walk.site, one.filled)
            if one.added is None:
                first = next(leaf for leaf in leaves if leaf in one.own)
                one.leaf, one.filled = self._gradients.leaf(leaves[first]), walk.site
                one.authors, one.stepped = self._authors(key, walk), set()

    def before_step(self, step: Step) -> None:
        """An optimizer is about to step."""
        own = self._judges.get(id(step.optimizer))
        if own is None or len(self._judges) < 2:
            return
        for one in self._judges.values():
            one.stepped.add(id(step.optimizer))
        added, leaf = own.added, own.leaf
        own.leaf = own.filled = own.added = None
        own.times += added is not None
        if added is not None and own.times == _AGAIN and leaf is not None:
            tensor = leaf.tensor()
            self._told.tell(
                Pitfall.FOREIGN_GRADIENT,
                added[0],
                tensor=None if tensor is None else name_of(tensor, self._told.sites),
                operator=type(step.optimizer).__name__,
                modified=stepped(step.site),
                needed=Needed(place_of(added[1]), "backward"),
            )

    def _is_own(self, judge: int) -> bool:
        """Whether the latest backward that filled its gradients is known to be of its own loss."""
        latest = self._judges[judge].filled
        return latest is not None and self._judged.get((latest, judge)) == set()

    def _authors(self, judge: int, walk: Walk) -> set[int]:
        """The optimizers whose loss this is: a judgement of what their parameters give, alone."""
        if walk.site is None:
            return set()
        key = walk.site, judge
        if key not in self._judged and walk.closely:
            own = self._judges[judge].own
            others = {
                other
                for other, one in self._judges.items()
                if other != judge and not one.own.isdisjoint(map(id, walk.leaves))
            }
            leads = _leads(walk.nodes, own) if others else {}
            is_judged = bool(leads) and _is_judgement(walk, own, leads)
            self._judged[key] = others if is_judged else set()
        return self._judged.get(key, set())


def _leads(nodes: list[Any], own: set[int]) -> dict[Any, int]:
    """Whether each node leads to a parameter of these."""
    marks = {node: int(id(node.variable) in own) for node in graph.leaf_nodes(nodes)}
    return graph.carried(nodes, marks)


def _is_judgement(walk: Walk, own: set[int], leads: dict[Any, int]) -> bool:
    """Whether all that a loss makes of what some parameters give is a score of it, and these are
    applied to what others give."""
    stack, ends = graph.roots_of(walk.roots), []
    while stack:
        node = stack.pop()
        operator = graph.operator_of(node)
        if not leads.get(node):
            continue
        if operator in graph.PRODUCTS:
            ends.append(node)
        elif operator in _SCORING or (operator in _COMPARING and _is_constant(node)):
            stack += graph.edges_of(node)
        else:
            return False
    below = (graph.leaves_in(graph.nodes_below([node])) for node in ends)
    is_applied = bool(ends) and all(_applies(node, own) for node in ends)
    return is_applied and all(any(id(leaf) not in own for leaf in leaves) for leaves in below)


def _applies(product: Any, own: set[int]) -> bool:
    """Whether one of the factors of a product is a parameter of these."""
    for factor in graph.edges_of(product):
        node = factor
        while graph.operator_of(node) in _TURNING:
            node = graph.edges_of(node)[0]
        if id(getattr(node, "variable", None)) in own:
            return True
    return False


def _is_constant(node: Any) -> bool:
    """Whether what a result is compared with is one number."""
    for slot in graph.slots_of(node):
        if slot.attribute == "target" and slot.tensor is not None:
            target = slot.tensor.detach()
            return target.device.type == "cpu" and bool((target == target.reshape(-1)[0]).all())
    return False
