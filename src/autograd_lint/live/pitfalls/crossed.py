"""Losses of tensors of the shapes `(n, 1)` and `(n,)`: differences of a prediction and a target,
and products of a log probability, or a function of it, and what weighs it.

loss = ((model(x) - y) ** 2).mean()       # compares each prediction with each target
loss = -(ratio * advantages).mean()       # weighs each ratio by each advantage
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
    {
        "abs", "add", "div", "huber_loss", "mean", "minimum", "mul", "neg", "pow", "sqrt", "square",
        "sum",
    }
)  # fmt: skip
_ACTIVATING = frozenset({"exp", "relu", "sigmoid", "softplus", "tanh"})  # element by element
_SHIFTING = _ACTIVATING | {"add", "clamp", "sub"}
_OF_EACH = frozenset({"gather", "select", "squeeze", "sum"})  # one number for each sample


class Crossed(Family):
    """Remembers such pairs by the number of their node until a backward goes through them.

    Of pairs that are meant one side is given its dimension by the program: the prediction is to
    come from a layer as it is, and the weight to be no view of what has fewer dimensions.
    """

    __slots__ = ("_found", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._found: dict[int, Site] = {}

    def combined(self, operator: str, given: tuple[Any, ...], site: Site, number: int) -> None:
        """An operator there has combined these for the first time."""
        both = tensors(given) if operator in _COMPARING or operator == "mul" else []
        if len(both) != 2:
            return
        column, row = sorted(both, key=torch.Tensor.dim, reverse=True)
        is_column = column.dim() == 2 and column.shape[0] > 1 == column.shape[1]
        if (
            not is_column
            or row.shape != column.shape[:1]
            or row.requires_grad == column.requires_grad
        ):
            return
        if operator == "mul":
            is_crossed = row.requires_grad and not _is_spread(column) and _is_of_samples(row)
        else:
            is_crossed = column.requires_grad and _is_of_layer(graph.node_of(column))
        if is_crossed:
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


def _is_spread(column: torch.Tensor) -> bool:
    """Whether the program has given a tensor its second dimension."""
    return column._base is not None and column._base.dim() < 2


def _is_of_samples(row: torch.Tensor) -> bool:
    """Whether a tensor has one number for each sample, picked or summed from several."""
    node = graph.node_of(row)
    while graph.operator_of(node) in _SHIFTING if node is not None else False:
        node = next(iter(graph.edges_of(node)), None)
    return node is not None and graph.operator_of(node) in _OF_EACH


def _is_of_layer(node: Any) -> bool:
    """Whether a layer has given a result, or a function of each of its elements."""
    while graph.operator_of(node) in _ACTIVATING if node is not None else False:
        node = next(iter(graph.edges_of(node)), None)
    return node is not None and graph.operator_of(node) in graph.PRODUCTS
