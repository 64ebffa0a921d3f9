"""Differences of a prediction of the shape `(n, 1)` and a target of the shape `(n,)`, in a loss.

loss = ((model(x) - y) ** 2).mean()       # compares each prediction with each target
"""

from __future__ import annotations

from typing import Any

import torch

from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.failure import place_of
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.told import Told, tensors
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site

_COMPARING = frozenset({"rsub", "sub"})
# From the loss down to the difference.
_MEASURING = frozenset(
    {"abs", "add", "div", "huber_loss", "mean", "mul", "neg", "pow", "sqrt", "square", "sum"}
)
_ACTIVATING = frozenset({"exp", "relu", "sigmoid", "softplus", "tanh"})  # element by element


class Crossed(Family):
    """Remembers such differences by the number of their node until a backward goes through them.

    Of pairs that are meant one side is given its dimension by the program: the prediction is to
    come from a layer as it is.
    """

    __slots__ = ("_found", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._found: dict[int, Site] = {}

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator there has combined these for the first time."""
        both = tensors(given) if operator in _COMPARING else []
        if len(both) != 2:
            return
        prediction, target = sorted(both, key=torch.Tensor.dim, reverse=True)
        is_column = prediction.dim() == 2 and prediction.shape[0] > 1 == prediction.shape[1]
        is_crossed = is_column and target.shape == prediction.shape[:1] and not target.requires_grad
        if is_crossed and _is_of_layer(graph.node_of(prediction)):
            self._found[number] = site

    def look(self, walk: Walk) -> None:
        """A call of the engine begins: is one of them all that is made into the loss?"""
        found, self._found = self._found, {}
        if not found or not walk.accumulates:
            return
        for node in graph.spread(graph.roots_of(walk.roots), _MEASURING):
            site = found.get(graph.age_of(node))
            if site is not None:
                needed = Needed(place_of(walk.site), walk.name)
                self._told.tell(Pitfall.CROSSED_SHAPES, site, needed=needed)


def _is_of_layer(node: Any) -> bool:
    """Whether a layer has given a result, or a function of each of its elements."""
    while graph.operator_of(node) in _ACTIVATING if node is not None else False:
        node = next(iter(graph.edges_of(node)), None)
    return node is not None and graph.operator_of(node) in graph.PRODUCTS
